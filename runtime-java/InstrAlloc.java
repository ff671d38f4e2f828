package java.lang;

import instr.runtime.InstrAllocNative;
import instr.runtime.InstrNative;

/**
 * Called by code that the alloc pass inserted behind an allocating instruction. An id stands for a site and a class.
 *
 * <p>Sizes are those that the VM reports. Sizes of arrays are computed from those of some arrays, which the VM reports
 * at the start. The VM is asked for the size of an object once for each site and class. Ids go by the names of classes: those of
 * different loaders, and all lambdas of a class, have the same.
 */
public final class InstrAlloc {
    /**
     * Address of the table of object sizes by id, each below the identity hash code of its class: other classes of this name have other
     * sizes. 0: not known yet; negative: unknown for good. For clones: whether it is inherited, 1 or -1.
     */
    static final long SIZES = InstrAllocNative.sizes();

    /** Bytes before the first element of arrays with elements of 1, 2, 4 and 8 bytes, and of references. */
    static final long BYTES = InstrAllocNative.base(0), SHORTS = InstrAllocNative.base(1);

    static final long INTS = InstrAllocNative.base(2), LONGS = InstrAllocNative.base(3);
    static final long REFERENCES = InstrAllocNative.base(4);

    /** The binary logarithm of the size of a reference, and a mask for the alignment of objects. */
    static final int REFERENCE_SHIFT = InstrAllocNative.referenceShift();

    static final long MASK = InstrAllocNative.alignment() - 1;

    /** This JVM has no value classes: arrays of objects hold references, never the values themselves. */
    static final boolean PLAIN = InstrAllocNative.plain();

    /**
     * For sites whose code does not name the class, and for further classes of one name: the class met last, by a hash of site and
     * class, in one of two places side by side.
     */
    static final InstrKind[] KINDS = new InstrKind[1 << 13];

    /** Set when the VM is initialized and the constructor of Object should count. */
    static boolean tracking;

    private InstrAlloc() {}

    /** Called by the constructor of Object, for every object. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void constructed(Object object) {
        try {
            if (tracking) InstrAllocNative.constructed(object);
        } catch (Throwable failed) {
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, -1, "alloc");
        }
    }

    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void object(Class<?> type, int id) {
        try {
            long known = InstrUnsafe.get(SIZES + ((long) id << 3));
            if (known > 0 && (int) (known >>> 32) == System.identityHashCode(type)) allocated(id, 1, (int) known);
            else learn(type, id, known);
        } catch (Throwable failed) {
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id);
        }
    }

    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    static void learn(Class<?> type, int id, long known) {
        long size = 0;
        if (known == 0) {
            size = InstrAllocNative.learn(type, id);
            if (size > 0) known = (long) System.identityHashCode(type) << 32 | size;
            // Without memory it is tried again.
            if (size > 0 || type == null) InstrUnsafe.put(SIZES + ((long) id << 3), size > 0 ? known : -1);
        } else if (known > 0) {
            size = type == null ? (int) known : sizeOf(type, id);
        }
        allocated(id, 1, size > 0 ? size : 0);
    }

    /** The size of the objects of a class, another one of whose name is in the table. */
    private static long sizeOf(Class<?> type, int id) {
        InstrKind kind = known(type, id);
        if (kind != null) return kind.size;
        long size = InstrAllocNative.learn(type, id);
        if (size > 0) keep(type, id, id, size);
        // The class of the table may be gone, as after a redeployment; if not, it is found as this one was.
        if (size > 0) InstrUnsafe.put(SIZES + ((long) id << 3), (long) System.identityHashCode(type) << 32 | size);
        return size;
    }

    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void bytes(int length, int id) {
        try {
            allocated(id, 1, size(BYTES, length, 0));
        } catch (Throwable failed) {
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id);
        }
    }

    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void shorts(int length, int id) {
        try {
            allocated(id, 1, size(SHORTS, length, 1));
        } catch (Throwable failed) {
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id);
        }
    }

    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void ints(int length, int id) {
        try {
            allocated(id, 1, size(INTS, length, 2));
        } catch (Throwable failed) {
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id);
        }
    }

    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void longs(int length, int id) {
        try {
            allocated(id, 1, size(LONGS, length, 3));
        } catch (Throwable failed) {
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id);
        }
    }

    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void references(Object[] array, int id) {
        try {
            long size = size(REFERENCES, array.length, REFERENCE_SHIFT);
            allocated(id, 1, PLAIN ? size : InstrAllocNative.size(array, size));
        } catch (Throwable failed) {
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id);
        }
    }

    /** Counts the arrays in one dimension of a new array: all have the same length. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void dimension(Object array, int dimension, int id) {
        try {
            long count = 1;
            for (; dimension > 0; dimension--) {
                Object[] arrays = (Object[]) array;
                if (arrays.length == 0) return;
                count *= arrays.length;
                array = arrays[0];
            }
            allocated(id, count, count * sizeOfArray(array));
        } catch (Throwable failed) {
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id);
        }
    }

    /** A method has returned a new object or array. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void made(Object object, int site) {
        if (object == null) return;
        try {
            Class<?> type = object.getClass();
            InstrKind kind = known(type, site);
            int id = kind != null ? kind.id : InstrAllocNative.kind(type, site);
            long size = type.isArray() ? sizeOfArray(object) : kind != null ? kind.size : InstrAllocNative.size(object, 0);
            if (kind == null) keep(type, site, id, size);
            if (id >= 0) allocated(id, 1, size);
        } catch (Throwable failed) {
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, site);
        }
    }

    /** As made, if the named class inherits clone() from Object; otherwise the overriding method counts it. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void cloned(Object object, Class<?> named, int site) {
        long inherits = InstrUnsafe.get(SIZES + ((long) site << 3));
        if (inherits == 0) inherits = InstrAllocNative.inherits(named, site);
        if (inherits > 0) made(object, site);
    }

    /** As made, if the object's class inherits clone() from Object; otherwise the overriding method counts it. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void clonedOwn(Object object, int site) {
        if (object == null) return;
        Class<?> type = object.getClass();
        InstrKind kind = known(type, site);
        if (kind != null ? kind.id >= 0 : InstrAllocNative.inherits(type, -1) > 0) made(object, site);
        else if (kind == null) keep(type, site, -1, 0);
    }

    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    private static int place(Class<?> type, int site) {
        return (System.identityHashCode(type) ^ site * 31) & KINDS.length - 1;
    }

    /** What is kept of a class at a site; null: nothing. */
    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    private static InstrKind known(Class<?> type, int site) {
        int place = place(type, site);
        InstrKind kind = KINDS[place];
        if (kind != null && kind.site == site && kind.get() == type) return kind;
        kind = KINDS[place ^ 1];
        return kind != null && kind.site == site && kind.get() == type ? kind : null;
    }

    /** Keeps the id of a class at a site, negative: its objects are not counted there. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    private static void keep(Class<?> type, int site, int id, long size) {
        try {
            int place = place(type, site);
            InstrKind kind = new InstrKind(type, site, id, size);
            KINDS[place ^ 1] = KINDS[place]; // so that two that meet here both stay
            KINDS[place] = kind;
        } catch (VirtualMachineError nevermind) {
            // Out of memory: it is asked for again next time.
        }
    }

    static long sizeOfArray(Object array) {
        if (array instanceof Object[]) {
            long size = size(REFERENCES, ((Object[]) array).length, REFERENCE_SHIFT);
            return PLAIN ? size : InstrAllocNative.size(array, size);
        }
        if (array instanceof int[]) return size(INTS, ((int[]) array).length, 2);
        if (array instanceof byte[]) return size(BYTES, ((byte[]) array).length, 0);
        if (array instanceof long[]) return size(LONGS, ((long[]) array).length, 3);
        if (array instanceof double[]) return size(LONGS, ((double[]) array).length, 3);
        if (array instanceof char[]) return size(SHORTS, ((char[]) array).length, 1);
        if (array instanceof float[]) return size(INTS, ((float[]) array).length, 2);
        if (array instanceof short[]) return size(SHORTS, ((short[]) array).length, 1);
        return size(BYTES, ((boolean[]) array).length, 0);
    }

    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    static long size(long base, int length, int shift) {
        return base + ((long) length << shift) + MASK & ~MASK;
    }

    /** Counts allocations of the current thread and their bytes, which use the column of exceptions. */
    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    static void allocated(int id, long count, long bytes) {
        long tid = InstrUnsafe.carrierTid(), line = InstrThreads.line(tid);
        if (InstrUnsafe.get(line) == tid) {
            long page = InstrThreads.page(line, id);
            if (page != 0) {
                addAllocated(InstrThreads.row(page, id), count, bytes);
                return;
            }
        }
        allocatedSlowly(id, count, bytes);
    }

    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    static void addAllocated(long row, long count, long bytes) {
        InstrUnsafe.put(row, InstrUnsafe.get(row) + count);
        InstrThreads.addThrown(row, bytes);
    }

    /** A record of allocations has the bytes in place of the self time. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    static void allocatedSlowly(int id, long count, long bytes) {
        long line = InstrThreads.findLine(), page = line == 0 ? 0 : InstrThreads.page(line, id);
        if (page == 0 && line != 0 && InstrUnsafe.get(line + InstrThreads.FULL) == 0) page = InstrNative.page(id);
        if (page != 0) addAllocated(InstrThreads.row(page, id), count, bytes);
        else if (count != 1
                || bytes >>> InstrThreads.TIME_BITS != 0
                || line == 0
                || !InstrThreads.append(line, InstrThreads.EVENT + InstrThreads.ALLOCATED, bytes << InstrThreads.ID_BITS | id)) {
            InstrNative.record(id, InstrThreads.ALLOCATED, count, bytes);
        }
    }
}
