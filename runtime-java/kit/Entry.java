package instr.kit;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;

/** An instance and its value. */
final class Entry extends WeakReference<Object> {
    final int hash;
    Object value;
    Entry next;

    Entry(Object instance, Object value, ReferenceQueue<Object> queue) {
        super(instance, queue);
        hash = System.identityHashCode(instance);
        this.value = value;
    }
}
