package java.lang;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.DoubleAccumulator;
import java.util.concurrent.atomic.LongAccumulator;

/** A table of a rule: a bounded number of keys, and numbers for each. Threads add at the same time without locks. */
final class InstrRuleTable {
    /** What the agent reads of each key: count, sum, min, max, last, p50, p90, p99; all but the first as double's bits. */
    static final int NUMBERS = 8;

    private static final int COUNT = 0, SUM = 1, REAL_SUM = 2, MIN = 3, MAX = 4, LAST = 5, FRACTIONS = 6, BUCKETS = 7;
    private static final int HIST = 5;

    /**
     * Four buckets for each power of two: those from 2^-32 to below 1, and those up to 2^64. Bucket 0 has zeros, 1 the
     * smallest numbers, and a negative bucket the numbers of the positive one with the sign changed.
     */
    private static final int SMALL = 32 * 4, LARGE = 64 * 4, LAST_BUCKET = SMALL + LARGE;

    /** The bits of 2^-32. */
    private static final int FIRST = (1023 - 32) * 4;

    private static final int LONGEST = 200;

    /** All texts of a table: a thousand keys of three parts fit, but not a thousand stacks of a hundred frames. */
    private static final int MOST_CHARACTERS = 4000000;
    private static final String OTHERS = "...";

    final int reduction, most;
    private final ConcurrentMap<Object, AtomicLongArray> cells = new ConcurrentHashMap<Object, AtomicLongArray>();
    private final AtomicInteger size = new AtomicInteger(), characters = new AtomicInteger();
    private final AtomicLongArray single;

    /** The other buckets of cells, for fractions below 1 and negative numbers, which few tables have. */
    private final ConcurrentMap<AtomicLongArray, AtomicLongArray> rests = new ConcurrentHashMap<AtomicLongArray, AtomicLongArray>();

    InstrRuleTable(int reduction, int most) {
        this.reduction = reduction;
        this.most = most;
        this.single = cell();
    }

    private AtomicLongArray cell() {
        AtomicLongArray cell = new AtomicLongArray(reduction == HIST ? BUCKETS + 1 + LARGE : BUCKETS);
        cell.set(MIN, Double.doubleToRawLongBits(Double.POSITIVE_INFINITY));
        cell.set(MAX, Double.doubleToRawLongBits(Double.NEGATIVE_INFINITY));
        return cell;
    }

    void add(Object key, long value) {
        AtomicLongArray cell = find(key);
        if (reduction == HIST) count(cell, bucket(value));
        else cell.getAndIncrement(COUNT);
        if (reduction == 0) return;
        long before = cell.getAndAdd(SUM, value), after = before + value;
        if (((before ^ after) & (value ^ after)) < 0) addReal(cell, value < 0 ? -0x1p64 : 0x1p64);
        reduce(cell, value);
    }

    void add(Object key, double value) {
        AtomicLongArray cell = find(key);
        if (reduction == HIST) {
            count(cell, bucket(value));
            if (cell.get(FRACTIONS) == 0 && value != Math.rint(value)) cell.lazySet(FRACTIONS, 1);
        } else {
            cell.getAndIncrement(COUNT);
        }
        if (reduction == 0) return;
        addReal(cell, value);
        reduce(cell, value);
    }

    private static void addReal(AtomicLongArray cell, double value) {
        for (long old = cell.get(REAL_SUM); ; old = cell.get(REAL_SUM)) {
            double sum = Double.longBitsToDouble(old) + value;
            if (cell.compareAndSet(REAL_SUM, old, Double.doubleToRawLongBits(sum))) break;
        }
    }

    private void count(AtomicLongArray cell, int bucket) {
        if (bucket > SMALL || bucket == 0) cell.getAndIncrement(BUCKETS + (bucket == 0 ? 0 : bucket - SMALL));
        else rest(cell).getAndIncrement(bucket > 0 ? bucket - 1 : SMALL - 1 - bucket);
    }

    private AtomicLongArray rest(AtomicLongArray cell) {
        AtomicLongArray rest = rests.get(cell);
        if (rest != null) return rest;
        AtomicLongArray fresh = new AtomicLongArray(SMALL + LAST_BUCKET), there = rests.putIfAbsent(cell, fresh);
        return there == null ? fresh : there;
    }

    /** The numbers in a bucket. `rest`: that of the cell, or null. */
    private static long counted(AtomicLongArray cell, AtomicLongArray rest, int bucket) {
        if (bucket > SMALL || bucket == 0) return cell.get(BUCKETS + (bucket == 0 ? 0 : bucket - SMALL));
        return rest == null ? 0 : rest.get(bucket > 0 ? bucket - 1 : SMALL - 1 - bucket);
    }

    /** A histogram counts in its buckets alone: each atomic addition costs as much as the rest. */
    private long count(AtomicLongArray cell) {
        if (reduction != HIST) return cell.get(COUNT);
        AtomicLongArray rest = rests.get(cell);
        long all = 0;
        for (int i = -LAST_BUCKET; i <= LAST_BUCKET; i++) all += counted(cell, rest, i);
        return all;
    }

    /** Comparisons only where something changes, which is rare. */
    private static void reduce(AtomicLongArray cell, double value) {
        for (long old = cell.get(MIN); value < Double.longBitsToDouble(old); old = cell.get(MIN)) {
            if (cell.compareAndSet(MIN, old, Double.doubleToRawLongBits(value))) break;
        }
        for (long old = cell.get(MAX); value > Double.longBitsToDouble(old); old = cell.get(MAX)) {
            if (cell.compareAndSet(MAX, old, Double.doubleToRawLongBits(value))) break;
        }
        cell.lazySet(LAST, Double.doubleToRawLongBits(value));
    }

    private AtomicLongArray find(Object object) {
        if (object == null) return single;
        Object key = isWhole(object) ? object : text(object);
        AtomicLongArray cell = cells.get(key);
        if (cell != null) return cell;
        if (size.get() >= most || characters.get() >= MOST_CHARACTERS) {
            key = OTHERS;
            cell = cells.get(key);
            if (cell != null) return cell;
        }
        AtomicLongArray fresh = cell(), there = cells.putIfAbsent(key, fresh);
        if (there != null) return there;
        size.getAndIncrement();
        if (key instanceof String) characters.getAndAdd(((String) key).length());
        return fresh;
    }

    /** What a table keeps of a value: whole numbers have one key, whatever their type. */
    static Object part(Object value) {
        if (value instanceof Integer || value instanceof Short || value instanceof Byte) return Long.valueOf(((Number) value).longValue());
        return value == null || isWhole(value) ? value : cut(text(value));
    }

    static String cut(String text) {
        return text.length() > LONGEST ? text.substring(0, LONGEST) : text;
    }

    /** The text of one of several values of a key, in quotes where it could be taken for several. */
    static String joined(Object value) {
        String text = text(value);
        return text.indexOf(", ") < 0 && !text.startsWith("\"") ? text : '"' + text + '"';
    }

    private static boolean isWhole(Object value) {
        return value instanceof Long || value instanceof Integer || value instanceof Boolean;
    }

    static boolean isNumber(Object value) {
        return value instanceof Long || value instanceof Integer || value instanceof Double || value instanceof Float || value instanceof Short
                || value instanceof Byte || value instanceof Character || isOther(value);
    }

    /**
     * A number of another class of the JDK: AtomicLong, BigDecimal. Those of applications are not asked, since that would run their code,
     * nor are accumulators, which call a function of the application.
     */
    static boolean isOther(Object value) {
        if (!(value instanceof Number) || value instanceof Long || value instanceof Integer || value instanceof Double) return false;
        if (value instanceof LongAccumulator || value instanceof DoubleAccumulator) return false;
        return value.getClass().getClassLoader() == null;
    }

    static boolean hasText(Object value) {
        return value instanceof String || value instanceof Class || value instanceof Enum || isNumber(value);
    }

    /** Runs no code of the application, and keeps none of its objects. */
    static String text(Object value) {
        if (value == null) return "null";
        if (value instanceof String) return (String) value;
        if (value instanceof Boolean || isNumber(value)) return value.toString();
        if (value instanceof Class) return ((Class<?>) value).getName();
        if (value instanceof Enum) return ((Enum<?>) value).name();
        if (value instanceof Thread) return ((Thread) value).getName();
        return value.getClass().getName() + '@' + Integer.toHexString(System.identityHashCode(value));
    }

    /** A double has the number of its power of two and quarter of it in the bits that follow the sign. */
    private static int bucket(double value) {
        if (value == 0 || value != value) return 0;
        long bits = Double.doubleToRawLongBits(value);
        int bucket = 1 + (int) (bits >>> 50 & 0x1FFF) - FIRST;
        if (bucket < 1) bucket = 1;
        if (bucket > LAST_BUCKET) bucket = LAST_BUCKET;
        return bits < 0 ? -bucket : bucket;
    }

    /** Where a positive bucket begins. */
    private static double start(int bucket) {
        return Double.longBitsToDouble((long) (bucket - 1 + FIRST) << 50);
    }

    /** The middle of a bucket, or of the whole numbers in it. */
    private static double middle(int bucket, boolean isWhole) {
        if (bucket == 0) return 0;
        double from = start(Math.abs(bucket)), to = start(Math.abs(bucket) + 1);
        double middle = isWhole ? from + Math.max(0, to - from - 1) / 2 : (from + to) / 2;
        return bucket < 0 ? -middle : middle;
    }

    Object[] rows() {
        int n = cells.size() + 1, i = 0;
        String[] keys = new String[n];
        long[] numbers = new long[n * NUMBERS];
        if (count(single) != 0) read(single, null, keys, numbers, i++);
        for (Object key : cells.keySet()) {
            AtomicLongArray cell = cells.get(key);
            if (i < n && cell != null && count(cell) != 0) read(cell, text(key), keys, numbers, i++);
        }
        return new Object[] {java.util.Arrays.copyOf(keys, i), numbers};
    }

    private void read(AtomicLongArray cell, String key, String[] keys, long[] numbers, int row) {
        int at = row * NUMBERS;
        keys[row] = key == null ? "" : key;
        numbers[at] = count(cell);
        numbers[at + 1] = Double.doubleToRawLongBits(cell.get(SUM) + Double.longBitsToDouble(cell.get(REAL_SUM)));
        for (int i = MIN; i <= LAST; i++) numbers[at + i - 1] = cell.get(i);
        if (reduction != HIST) return;
        numbers[at + 5] = percentile(cell, 50);
        numbers[at + 6] = percentile(cell, 90);
        numbers[at + 7] = percentile(cell, 99);
    }

    private long percentile(AtomicLongArray cell, int percent) {
        AtomicLongArray rest = rests.get(cell);
        long all = count(cell), seen = 0;
        int bucket = -LAST_BUCKET;
        for (; bucket < LAST_BUCKET; bucket++) {
            seen += counted(cell, rest, bucket);
            if (seen * 100 >= all * percent && seen > 0) break;
        }
        double min = Double.longBitsToDouble(cell.get(MIN)), max = Double.longBitsToDouble(cell.get(MAX));
        return Double.doubleToRawLongBits(Math.max(min, Math.min(max, middle(bucket, cell.get(FRACTIONS) == 0))));
    }
}
