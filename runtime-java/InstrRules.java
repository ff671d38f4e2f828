package java.lang;

import instr.runtime.InstrNative;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * Called by code that rules inserted (instr/rules/weave.c). A rule, a table and a place (a field or getter on the way
 * to a value, a pattern) are known by their numbers.
 *
 * <p>Nothing that happens here reaches the application: what is thrown is dropped, and a value that cannot be read is
 * null or 0. Between enter and leave the thread is in a rule: what it calls then is not looked at.
 */
public final class InstrRules {
    private static final int GUARDS = 1024;

    /** The ids of threads that are in a rule, by their low bits; 0: none. Where two share a place, the guard of one is lost. */
    private static final long[] INSIDE = new long[GUARDS];

    /** By number. Elements are set before inserted code refers to them. */
    private static volatile boolean[] on = new boolean[0];

    /** What one of so many entries costs is measured. A prime, so that rules that alternate are all measured. */
    private static final int SAMPLED = 61;

    /**
     * An entry that takes longer may have been interrupted by the system, and counts as if it had taken that long. Then the
     * next ones of the rule, CLOSE of them, are measured one by one: one that takes longer within SOON of another counts in
     * full, as the rule itself is so slow.
     */
    private static final long LONGEST_SAMPLE = 100000;

    private static final int CLOSE = 1000, SOON = 8;

    private static final String NAME = InstrRules.class.getName();

    /** Entries that were refused since the last look or since a rule was left, places as of INSIDE. */
    private static final int[] REFUSED = new int[GUARDS];

    /** How often a look was for nothing, at most MOST_VAIN: each time the next one waits for twice as many entries. */
    private static final byte[] VAIN = new byte[GUARDS];

    private static final int MOST_VAIN = 12;

    /**
     * Entries since the last sample, when the current one began (0: it is not measured), and how many entries it stands
     * for; places as of INSIDE.
     */
    private static final int[] ENTERED = new int[GUARDS];

    private static final long[] STARTED = new long[GUARDS];
    private static final int[] STANDS_FOR = new int[GUARDS];

    /** By number: estimated nanoseconds that a rule has cost. Threads add samples without locks: some may be lost. */
    private static volatile long[] costs = new long[0];

    /** By number: how many of the next entries are measured one by one. */
    private static volatile int[] close = new int[0];

    /** Exceptions that could not be made, by the names of their classes, and why. */
    private static final ConcurrentHashMap<String, String> UNMADE = new ConcurrentHashMap<String, String>();

    private static volatile InstrRuleTable[] tables = new InstrRuleTable[0];

    /** Those that were reset and not read yet, by number. */
    private static InstrRuleTable[] replaced = new InstrRuleTable[0];

    private static volatile InstrRulePlace[] places = new InstrRulePlace[0];

    private InstrRules() {}

    // For the agent.

    static synchronized void rule(int rule, boolean isOn) {
        boolean[] larger = new boolean[rule < on.length ? on.length : rule + 16];
        System.arraycopy(on, 0, larger, 0, on.length);
        larger[rule] = isOn;
        costs = java.util.Arrays.copyOf(costs, larger.length);
        close = java.util.Arrays.copyOf(close, larger.length);
        on = larger;
    }

    /** The nanoseconds that a rule has cost so far, without delays. */
    static long cost(int rule) {
        long[] all = costs;
        return rule < all.length ? all[rule] : 0;
    }

    static synchronized void table(int table, int reduction, int most) {
        InstrRuleTable[] larger = new InstrRuleTable[table < tables.length ? tables.length : table + 16];
        System.arraycopy(tables, 0, larger, 0, tables.length);
        larger[table] = most == 0 ? null : new InstrRuleTable(reduction, most);
        tables = larger;
    }

    static synchronized void place(int place, String text, int kind) {
        InstrRulePlace[] larger = new InstrRulePlace[place < places.length ? places.length : place + 16];
        System.arraycopy(places, 0, larger, 0, places.length);
        larger[place] = text == null ? null : new InstrRulePlace(text, kind);
        places = larger;
    }

    /**
     * The rows of a table: {String[] keys, long[] numbers}, InstrRuleTable.NUMBERS for each; null: there is no such table.
     * With `reset` those of the table that replace has taken away.
     */
    static Object[] rows(int table, boolean reset) {
        InstrRuleTable found = reset ? takeReplaced(table) : tableAt(table);
        return found == null ? null : found.rows();
    }

    /** An empty table takes the place of this one, to which threads that are in a rule may still add. */
    static synchronized void replace(int table) {
        InstrRuleTable found = tableAt(table);
        if (found == null) return;
        if (table >= replaced.length) replaced = java.util.Arrays.copyOf(replaced, tables.length);
        replaced[table] = found;
        table(table, found.reduction, found.most);
    }

    private static synchronized InstrRuleTable takeReplaced(int table) {
        InstrRuleTable found = table < replaced.length ? replaced[table] : null;
        if (found != null) replaced[table] = null;
        return found;
    }

    /** The threads that are in a rule now, by their places in INSIDE. */
    static long[] inside() {
        return INSIDE.clone();
    }

    /** Has one of these threads not left its rule yet? To be asked now and then: those that were seen outside are taken out. */
    static boolean anyStays(long[] threads) {
        boolean any = false;
        for (int i = 0; i < GUARDS; i++) {
            if (threads[i] != INSIDE[i]) threads[i] = 0;
            any |= threads[i] != 0;
        }
        return any;
    }

    // For inserted code.

    /** False: the rule is off, or the thread is in one. */
    public static boolean enter(int rule) {
        boolean[] all = on;
        if (rule >= all.length || !all[rule]) return false;
        long thread = InstrUnsafe.getLong(Thread.currentThread(), InstrThreads.TID);
        int at = guard(thread);
        if (INSIDE[at] == thread && !isStale(at)) return false;
        INSIDE[at] = thread;
        int[] closely = close;
        if (closely[rule] > 0) {
            closely[rule]--;
            STANDS_FOR[at] = 1;
            STARTED[at] = System.nanoTime();
        } else if (++ENTERED[at] >= SAMPLED) {
            ENTERED[at] = 0;
            STANDS_FOR[at] = SAMPLED;
            STARTED[at] = System.nanoTime();
        } else if (STARTED[at] != 0) {
            STARTED[at] = 0; // of a thread that ended in a rule
        }
        return true;
    }

    public static void leave(int rule) {
        long thread = InstrUnsafe.getLong(Thread.currentThread(), InstrThreads.TID);
        int at = guard(thread);
        if (INSIDE[at] != thread) return;
        // Another thread with this place may end the sample at any time.
        long started = STARTED[at], standsFor = STANDS_FOR[at];
        if (started != 0) sample(rule, at, started, standsFor);
        REFUSED[at] = 0;
        INSIDE[at] = 0;
    }

    /** An overflow of the stack between enter and leave ends a rule without leave: no frame of a rule is there then. */
    private static boolean isStale(int at) {
        if (++REFUSED[at] < 1 << VAIN[at]) return false;
        REFUSED[at] = Integer.MIN_VALUE; // what is called here may have rules
        boolean stale = false;
        try {
            StackTraceElement[] trace = new Throwable().getStackTrace();
            stale = trace.length > 2;
            for (int i = 2; i < trace.length && stale; i++) stale = !trace[i].getClassName().equals(NAME);
        } catch (Throwable dropped) {
            InstrFailure.drop(dropped);
        }
        REFUSED[at] = 0;
        if (stale) STARTED[at] = 0;
        if (stale) VAIN[at] = 0;
        else if (VAIN[at] < MOST_VAIN) VAIN[at]++;
        return stale;
    }

    /** The clock is read once within the sample: this stands for the entry's reading, where a rule uses `elapsed`. */
    private static void sample(int rule, int at, long started, long standsFor) {
        long took = System.nanoTime() - started;
        STARTED[at] = 0;
        if (took > LONGEST_SAMPLE) {
            if (standsFor != 1 || close[rule] < CLOSE - SOON) took = LONGEST_SAMPLE;
            close[rule] = CLOSE;
        }
        costs[rule] += took * standsFor;
    }

    private static int guard(long thread) {
        return (int) thread & GUARDS - 1;
    }

    public static void count(int table) {
        add(table, null, 1L);
    }

    public static void count(int table, Object key) {
        add(table, key, 1L);
    }

    public static void add(int table, long value) {
        add(table, null, value);
    }

    public static void add(int table, double value) {
        add(table, null, value);
    }

    public static void add(int table, Object key, long value) {
        try {
            InstrRuleTable found = tableAt(table);
            if (found != null) found.add(key, value);
        } catch (Throwable dropped) {
            InstrFailure.drop(dropped);
        }
    }

    public static void add(int table, Object key, double value) {
        try {
            InstrRuleTable found = tableAt(table);
            if (found != null) found.add(key, value);
        } catch (Throwable dropped) {
            InstrFailure.drop(dropped);
        }
    }

    private static InstrRuleTable tableAt(int table) {
        InstrRuleTable[] all = tables;
        return table < all.length ? all[table] : null;
    }

    private static InstrRulePlace placeAt(int place) {
        InstrRulePlace[] all = places;
        return place < all.length ? all[place] : null;
    }

    /** What a table keeps of a value as a key, or as one of several. Those of stack() fit, and are kept as they are. */
    public static Object key(Object value) {
        try {
            return InstrRuleTable.part(value);
        } catch (Throwable dropped) {
            return none(dropped);
        }
    }

    public static Object key(Object a, Object b) {
        try {
            return InstrRuleTable.joined(a) + ", " + InstrRuleTable.joined(b);
        } catch (Throwable dropped) {
            InstrFailure.drop(dropped);
            return null;
        }
    }

    public static Object key(Object a, Object b, Object c) {
        try {
            return InstrRuleTable.joined(a) + ", " + InstrRuleTable.joined(b) + ", " + InstrRuleTable.joined(c);
        } catch (Throwable dropped) {
            InstrFailure.drop(dropped);
            return null;
        }
    }

    /** The texts of values that instr watch shows. Null: there is no memory for them. */
    public static Object values(int count) {
        try {
            return new String[count];
        } catch (Throwable dropped) {
            InstrFailure.drop(dropped);
            return null;
        }
    }

    public static void value(Object values, int at, Object value) {
        try {
            if (values != null) ((String[]) values)[at] = InstrWatch.text(value);
        } catch (Throwable dropped) {
            InstrFailure.drop(dropped);
        }
    }

    /** Hands a call to instr watch. `end`: its result if it has `returned` one, else what it threw, or null. */
    public static void print(long elapsed, Object values, boolean returned, Object end, int method) {
        try {
            if (values != null) InstrWatch.report(method, elapsed, (String[]) values, returned, end);
        } catch (Throwable dropped) {
            InstrFailure.drop(dropped);
        }
    }

    public static Object stack(int frames) {
        try {
            StackTraceElement[] trace = new Throwable().getStackTrace();
            StringBuilder text = new StringBuilder();
            for (int i = 1; i < trace.length && i <= frames; i++) {
                if (i > 1) text.append(" < ");
                text.append(InstrRuleTable.cut(trace[i].getClassName() + '.' + trace[i].getMethodName()));
                if (trace[i].getLineNumber() > 0) text.append(':').append(trace[i].getLineNumber());
            }
            return text.toString();
        } catch (Throwable dropped) {
            InstrFailure.drop(dropped);
            return null;
        }
    }

    public static Object thread() {
        return Thread.currentThread().getName();
    }

    public static Object field(Object holder, int place) {
        try {
            InstrRulePlace found = holder == null ? null : placeAt(place);
            return found == null ? null : found.read(holder);
        } catch (Throwable dropped) {
            InstrFailure.drop(dropped);
            return null;
        }
    }

    public static long fieldLong(Object holder, int place) {
        try {
            InstrRulePlace found = holder == null ? null : placeAt(place);
            return found == null ? 0 : found.readLong(holder);
        } catch (Throwable dropped) {
            InstrFailure.drop(dropped);
            return 0;
        }
    }

    public static double fieldDouble(Object holder, int place) {
        try {
            InstrRulePlace found = holder == null ? null : placeAt(place);
            return found == null ? 0 : found.readDouble(holder);
        } catch (Throwable dropped) {
            InstrFailure.drop(dropped);
            return 0;
        }
    }

    public static Object get(Object holder, int place) {
        try {
            InstrRulePlace found = holder == null ? null : placeAt(place);
            return found == null ? null : found.get(holder);
        } catch (Throwable dropped) {
            InstrFailure.drop(dropped);
            return null;
        }
    }

    public static boolean matches(Object value, int place) {
        try {
            InstrRulePlace found = value == null ? null : placeAt(place);
            return found != null && found.matches(InstrRuleTable.text(value));
        } catch (Throwable dropped) {
            InstrFailure.drop(dropped);
            return false;
        }
    }

    /** 0 to 1, by xorshift of the clock and the thread. */
    public static double random() {
        long x = System.nanoTime() * 0x9E3779B97F4A7C15L ^ InstrUnsafe.getLong(Thread.currentThread(), InstrThreads.TID);
        x ^= x >>> 32;
        x *= 0xD6E8FEB86659FD93L;
        x ^= x >>> 32;
        return (x >>> 11) * 0x1.0p-53;
    }

    /**
     * Ends early when the thread is interrupted, and leaves it interrupted. At most an hour. Waiting takes the permit of
     * an unpark() that was meant for the application, which gets one back: park() may return without a reason.
     */
    public static void delay(long ns) {
        STARTED[guard(InstrUnsafe.getLong(Thread.currentThread(), InstrThreads.TID))] = 0; // waiting takes no CPU time
        long left = ns < 3600000000000L ? ns : 3600000000000L, end = System.nanoTime() + left;
        try {
            try {
                while (left > 0 && !Thread.currentThread().isInterrupted()) {
                    LockSupport.parkNanos(left);
                    left = end - System.nanoTime();
                }
            } finally {
                LockSupport.unpark(Thread.currentThread());
            }
        } catch (Throwable dropped) {
            InstrFailure.drop(dropped);
        }
    }

    /** The exception; null: it cannot be made. The class is looked for as code of `user`'s class would find it. */
    public static Throwable make(String name, Object message, Object user) {
        try {
            ClassLoader loader =
                    user == null ? Thread.currentThread().getContextClassLoader() : user.getClass().getClassLoader();
            Class<?> type = Class.forName(name, true, loader);
            if (!Throwable.class.isAssignableFrom(type)) return unmade(name, "is not a Throwable");
            if (message == null) return (Throwable) type.getConstructor().newInstance();
            return (Throwable) type.getConstructor(String.class).newInstance(InstrRuleTable.text(message));
        } catch (Throwable dropped) {
            InstrFailure.drop(dropped);
            return unmade(name, dropped);
        }
    }

    private static Throwable unmade(String name, Throwable why) {
        try {
            return unmade(name, "cannot be made: " + why);
        } catch (Throwable dropped) {
            InstrFailure.drop(dropped);
            return null;
        }
    }

    /** A rule that denies something does not do so: that is said, once for each class. */
    private static Throwable unmade(String name, String why) {
        try {
            if (UNMADE.putIfAbsent(name, why) == null) InstrNative.say("a rule throws nothing: " + name + ' ' + why);
        } catch (Throwable dropped) {
            InstrFailure.drop(dropped);
        }
        return null;
    }

    public static long number(Object value) {
        if (isReal(value)) return (long) real(value);
        if (value instanceof Long) return ((Long) value).longValue();
        if (value instanceof Integer) return ((Integer) value).intValue();
        if (value instanceof Short) return ((Short) value).shortValue();
        if (value instanceof Byte) return ((Byte) value).byteValue();
        if (value instanceof Character) return ((Character) value).charValue();
        if (InstrRuleTable.isOther(value)) return ((Number) value).longValue();
        return value instanceof Boolean && ((Boolean) value).booleanValue() ? 1 : 0;
    }

    public static double real(Object value) {
        if (value instanceof Double) return ((Double) value).doubleValue();
        if (value instanceof Float) return ((Float) value).floatValue();
        return InstrRuleTable.isOther(value) ? ((Number) value).doubleValue() : number(value);
    }

    public static boolean truth(Object value) {
        if (value instanceof Boolean) return ((Boolean) value).booleanValue();
        return InstrRuleTable.isNumber(value) ? real(value) != 0 : value != null;
    }

    public static boolean truth(long value) {
        return value != 0;
    }

    /** Numbers by value, what else has a text by that, other objects if they are the same. */
    public static boolean equal(Object a, Object b) {
        if (a == b) return true;
        if (a == null || b == null) return false;
        if (InstrRuleTable.isNumber(a) && InstrRuleTable.isNumber(b)) return isReal(b) ? real(a) == real(b) : equal(a, number(b));
        if (a instanceof Boolean || b instanceof Boolean) return a.equals(b);
        return InstrRuleTable.hasText(a) && InstrRuleTable.hasText(b) && InstrRuleTable.text(a).equals(InstrRuleTable.text(b));
    }

    /** A double has 53 bits: two longs are compared as such. Null is 0. */
    public static boolean equal(Object a, long b) {
        return isReal(a) ? real(a) == b : number(a) == b;
    }

    private static boolean isReal(Object value) {
        if (value instanceof Double || value instanceof Float) return true;
        return InstrRuleTable.isOther(value) && ((Number) value).doubleValue() != ((Number) value).longValue();
    }

    public static double divide(double a, double b) {
        return b == 0 ? 0 : a / b;
    }

    public static double remainder(double a, double b) {
        return b == 0 ? 0 : a % b;
    }

    public static long remainder(long a, long b) {
        return b == 0 ? 0 : a % b;
    }

    public static Object box(long value) {
        try {
            return Long.valueOf(value);
        } catch (Throwable dropped) {
            return none(dropped);
        }
    }

    public static Object box(double value) {
        try {
            return Double.valueOf(value);
        } catch (Throwable dropped) {
            return none(dropped);
        }
    }

    public static Object box(float value) {
        try {
            return Float.valueOf(value);
        } catch (Throwable dropped) {
            return none(dropped);
        }
    }

    public static Object box(char value) {
        try {
            return Character.valueOf(value);
        } catch (Throwable dropped) {
            return none(dropped);
        }
    }

    public static Object box(boolean value) {
        try {
            return Boolean.valueOf(value);
        } catch (Throwable dropped) {
            return none(dropped);
        }
    }

    /** There is no memory for a value: the rule goes on without it. */
    private static Object none(Throwable dropped) {
        InstrFailure.drop(dropped);
        return null;
    }
}
