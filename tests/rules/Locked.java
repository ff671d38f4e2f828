import java.util.*;
import java.util.concurrent.*;

/**
 * Passes collections and maps of the JDK to look() while another thread has their locks, and prints "NAME SIZE" for each, or
 * null where only code of this program knows it. Where look() waits for the lock, "NAME waits" follows.
 */
public class Locked {
    enum Colour { RED, GREEN }

    /** Its size is a method of the application. */
    static class Own extends AbstractList<String> {
        static volatile int asked;

        @Override
        public String get(int index) {
            return "own";
        }

        @Override
        public int size() {
            asked++;
            return 2;
        }
    }

    static class OwnMap extends TreeMap<String, Integer> {
        @Override
        public int size() {
            Own.asked++;
            return super.size();
        }
    }

    /** Queues look for it with their locks held. */
    static final class Blocker implements Delayed {
        final CountDownLatch held = new CountDownLatch(1), release = new CountDownLatch(1);

        @Override
        public boolean equals(Object other) {
            held.countDown();
            await(release);
            return false;
        }

        @Override
        public int hashCode() {
            return 0;
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return 1;
        }

        @Override
        public int compareTo(Delayed other) {
            return 0;
        }
    }

    static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException never) {
            throw new AssertionError(never);
        }
    }

    static void look(Object all, String name) {}

    static void hold(Object all, boolean isQueue, Blocker blocker) {
        synchronized (all) {
            if (isQueue) ((Collection<?>) all).contains(blocker);
            else blocker.equals(null);
        }
    }

    static void check(final String name, final Object all, boolean isQueue, Object size) throws Exception {
        final Blocker blocker = new Blocker();
        final boolean queue = isQueue;
        Thread holder = new Thread(() -> hold(all, queue, blocker)), looker = new Thread(() -> look(all, name));
        holder.start();
        blocker.held.await();
        looker.start();
        looker.join(3000);
        System.out.println(name + " " + size);
        if (looker.isAlive()) System.out.println(name + " waits");
        blocker.release.countDown();
        holder.join();
        looker.join();
    }

    static void collection(String name, Collection<?> all) throws Exception {
        check(name, all, false, all.size());
    }

    static void map(String name, Map<?, ?> all) throws Exception {
        check(name, all, false, all.size());
        collection(name + "-keys", all.keySet());
        collection(name + "-values", all.values());
        collection(name + "-entries", all.entrySet());
    }

    static void queue(String name, Collection<?> all) throws Exception {
        check(name, all, true, all.size());
    }

    static <M extends Map<? super String, ? super Integer>> M filled(M map) {
        map.put("a", 1);
        map.put("b", 2);
        map.put("c", 3);
        return map;
    }

    static Collection<?> reversed(Collection<?> all) throws Exception {
        try {
            return (Collection<?>) Class.forName("java.util.SequencedCollection").getMethod("reversed").invoke(all);
        } catch (ClassNotFoundException older) {
            return all;
        }
    }

    static void lists() throws Exception {
        List<String> two = Arrays.asList("a", "b");
        collection("array", two);
        collection("vector", new Vector<>(two));
        collection("stack", new Stack<String>());
        collection("vector-part", new Vector<>(two).subList(0, 1));
        collection("vector-back", reversed(new Vector<>(two)));
        collection("list", new ArrayList<>(two));
        collection("list-part", new ArrayList<>(two).subList(0, 1));
        collection("list-back", reversed(new ArrayList<>(two)));
        collection("linked", new LinkedList<>(two));
        collection("sync-list", Collections.synchronizedList(new ArrayList<>(two)));
        collection("sync-linked", Collections.synchronizedList(new LinkedList<>(two)));
        collection("sync-sync", Collections.synchronizedCollection(Collections.synchronizedList(new ArrayList<>(two))));
        collection("sync-set", Collections.synchronizedSet(new HashSet<>(two)));
        collection("sync-sorted", Collections.synchronizedSortedSet(new TreeSet<>(two)));
        collection("fixed-vector", Collections.unmodifiableList(new Vector<>(two)));
        collection("checked-vector", Collections.checkedList(new Vector<>(two), String.class));
        collection("fixed", Collections.unmodifiableSet(new LinkedHashSet<>(two)));
        collection("empty", Collections.emptyList());
        collection("one", Collections.singleton("a"));
        collection("copies", Collections.nCopies(5, "a"));
        collection("enums", EnumSet.allOf(Colour.class));
        collection("deque", new ArrayDeque<>(two));
        collection("priority", new PriorityQueue<>(two));
        collection("on-write", new CopyOnWriteArrayList<>(two));
        collection("on-write-set", new CopyOnWriteArraySet<>(two));
        collection("on-write-part", new CopyOnWriteArrayList<>(two).subList(0, 1));
        collection("on-write-back", reversed(new CopyOnWriteArrayList<>(two)));
        collection("skip-set", new ConcurrentSkipListSet<>(two));
    }

    static void maps() throws Exception {
        map("hash", filled(new HashMap<>()));
        map("linked-map", filled(new LinkedHashMap<>()));
        map("tree", filled(new TreeMap<>()));
        map("identity", filled(new IdentityHashMap<>()));
        map("enum", new EnumMap<>(Collections.singletonMap(Colour.RED, 1)));
        map("weak", filled(new WeakHashMap<>()));
        map("table", filled(new Hashtable<>()));
        map("properties", filled(new Properties()));
        map("sync-map", Collections.synchronizedMap(filled(new HashMap<>())));
        map("sync-tree", Collections.synchronizedSortedMap(filled(new TreeMap<>())));
        map("fixed-table", Collections.unmodifiableMap(filled(new Hashtable<>())));
        map("concurrent", filled(new ConcurrentHashMap<>()));
        map("skip", filled(new ConcurrentSkipListMap<>()));
        collection("set-of-map", Collections.newSetFromMap(new Hashtable<>()));
    }

    static void queues() throws Exception {
        List<Blocker> two = Arrays.asList(new Blocker(), new Blocker());
        queue("array-blocking", new ArrayBlockingQueue<>(5, false, two));
        queue("linked-deque", new LinkedBlockingDeque<>(two));
        queue("priority-blocking", new PriorityBlockingQueue<>(two));
        queue("delayed", new DelayQueue<>(two));
        queue("sync-queue", Collections.synchronizedCollection(new ArrayBlockingQueue<>(5, false, two)));
        collection("linked-queue", new LinkedBlockingQueue<>(two));
        collection("concurrent-queue", new ConcurrentLinkedQueue<>(two));
        collection("concurrent-deque", new ConcurrentLinkedDeque<>(two));
        collection("transfer", new LinkedTransferQueue<>(two));
        collection("synchronous", new SynchronousQueue<>());
    }

    public static void main(String[] args) throws Exception {
        lists();
        maps();
        queues();
        check("fixed-own", Collections.unmodifiableList(new Own()), false, null);
        check("sync-own", Collections.synchronizedList(new Own()), false, null);
        check("own-keys", filled(new OwnMap()).navigableKeySet(), false, null);
        check("part-of-tree", filled(new TreeMap<>()).headMap("b"), false, null);
        if (Own.asked > 0) System.out.println("asked " + Own.asked);
    }
}
