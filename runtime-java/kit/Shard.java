package instr.kit;

import java.lang.ref.ReferenceQueue;

/** A part of a {@link State}: a hash table of weak references. It uses no collection, which could be advised itself. */
final class Shard {
    private final ReferenceQueue<Object> collected = new ReferenceQueue<Object>();
    private final int most;
    private Entry[] table = new Entry[16];
    private int size;
    private long added;
    private long dropped;

    Shard(int most) {
        this.most = most;
    }

    synchronized Object get(Object instance) {
        Entry e = find(instance);
        return e == null ? null : e.value;
    }

    synchronized Object put(Object instance, Object value) {
        removeCollected();
        Entry e = find(instance);
        Object before = e == null ? null : e.value;
        if (e != null && value != null)
            e.value = value;
        else if (e != null)
            unlink(e);
        else if (value != null)
            add(instance, value);
        return before;
    }

    synchronized int size() {
        removeCollected();
        return size;
    }

    /** How many instances have got values so far. */
    synchronized long added() {
        return added;
    }

    synchronized long dropped() {
        return dropped;
    }

    private void removeCollected() {
        for (Object e; (e = collected.poll()) != null;)
            unlink((Entry) e);
    }

    private Entry find(Object instance) {
        int hash = System.identityHashCode(instance);
        Entry e = table[hash & table.length - 1];
        while (e != null && e.get() != instance)
            e = e.next;
        return e;
    }

    private void add(Object instance, Object value) {
        if (size == most) {
            dropped++;
            return;
        }
        if (size == table.length)
            grow();
        link(table, new Entry(instance, value, collected));
        size++;
        added++;
    }

    private static void link(Entry[] table, Entry e) {
        int i = e.hash & table.length - 1;
        e.next = table[i];
        table[i] = e;
    }

    private void unlink(Entry gone) {
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
