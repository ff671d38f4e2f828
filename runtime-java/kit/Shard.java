package instr.kit;

import java.lang.ref.ReferenceQueue;

/**
 * A part of a {@link State}: a hash table of weak references. It uses no collection, which could be advised itself. With
 * the monitor held it calls no code at all that could be advised: advice may wait for other threads, and use a State.
 */
final class Shard {
    /** What put returns where the value is dropped: the table is full. */
    static final Object DROPPED = new Object();

    /** How many chains a put that finds the table full looks through. */
    private static final int LOOKS = 64;

    private final ReferenceQueue<Object> collected = new ReferenceQueue<Object>();
    private final int most;
    private Entry[] table = new Entry[16];
    private int size;
    private long added;
    private long dropped;
    private int looked;

    Shard(int most) {
        this.most = most;
    }

    synchronized Object get(Object instance) {
        Entry e = find(instance);
        return e == null ? null : e.value;
    }

    Object put(Object instance, Object value) {
        removeCollected();
        Object before = replace(instance, value);
        return before == null && value != null ? add(instance, new Entry(instance, value, collected)) : before;
    }

    private synchronized Object replace(Object instance, Object value) {
        Entry e = find(instance);
        if (e == null)
            return null;
        Object before = e.value;
        if (value == null)
            unlink(e);
        else
            e.value = value;
        return before;
    }

    int size() {
        removeCollected();
        return counted();
    }

    private synchronized int counted() {
        return size;
    }

    /** How many instances have got values so far. */
    synchronized long added() {
        return added;
    }

    synchronized long dropped() {
        return dropped;
    }

    void clear() {
        removeCollected();
        empty();
    }

    /** Entries that the garbage collector has found, and enqueues later, have no value then, and lead to no other. */
    private synchronized void empty() {
        for (int i = 0; i < table.length; i++) {
            for (Entry e = table[i], next; e != null; e = next) {
                next = e.next;
                e.value = null;
                e.next = null;
            }
            table[i] = null;
        }
        size = 0;
        table = new Entry[16];
    }

    private void removeCollected() {
        for (Object e; (e = collected.poll()) != null;)
            unlink((Entry) e);
    }

    /** References are enqueued some time after they are cleared. Each time another part of the table is looked through. */
    private boolean removeCleared() {
        for (int i = 0; i < LOOKS && size == most; i++, looked++)
            for (Entry e = table[looked & table.length - 1]; e != null; e = e.next)
                if (e.get() == null)
                    unlink(e);
        return size < most;
    }

    private Entry find(Object instance) {
        int hash = System.identityHashCode(instance);
        Entry e = table[hash & table.length - 1];
        while (e != null && e.get() != instance)
            e = e.next;
        return e;
    }

    private synchronized Object add(Object instance, Entry fresh) {
        Entry there = find(instance); // of another thread, since replace
        if (there != null) {
            Object before = there.value;
            there.value = fresh.value;
            return before;
        }
        if (size == most && !removeCleared()) {
            dropped++;
            return DROPPED;
        }
        if (size == table.length)
            grow();
        link(table, fresh);
        size++;
        added++;
        return null;
    }

    private static void link(Entry[] table, Entry e) {
        int i = e.hash & table.length - 1;
        e.next = table[i];
        table[i] = e;
    }

    private synchronized void unlink(Entry gone) {
        int i = gone.hash & table.length - 1;
        Entry before = null, e = table[i];
        while (e != null && e != gone) {
            before = e;
            e = e.next;
        }
        if (e == null)
            return;
        if (before == null)
            table[i] = e.next;
        else
            before.next = e.next;
        size--;
    }

    private void grow() {
        Entry[] wider = new Entry[2 * table.length];
        for (Entry e : table)
            for (Entry next; e != null; e = next) {
                next = e.next;
                link(wider, e);
            }
        table = wider;
    }
}
