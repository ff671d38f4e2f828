import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** Counts and times are what was called, whatever the threads, the stack and the memory. */
final class RuntimeExact extends RuntimeBench {
    static void called(int id, Runnable body) {
        InstrCalls.enter(id);
        try {
            body.run();
        } catch (Throwable t) {
            InstrCalls.thrown(id);
            throw t;
        }
    }

    static void timed(int id, Runnable body) {
        long saved = InstrTiming.enter(id);
        long start = System.nanoTime();
        try {
            body.run();
        } catch (Throwable t) {
            InstrTiming.thrown(start, saved, id);
            throw t;
        }
        InstrTiming.exit(start, saved, id);
    }

    static void join(Thread[] threads) throws InterruptedException {
        for (Thread thread : threads) thread.join();
    }

    /** Counts in a tight loop that also gives the carrier away now and then, all in one compiled method. */
    static void yielding(int calls, int timing, int n, int seed) {
        for (int i = 0; i < n; i++) {
            InstrCalls.enter(calls);
            long saved = InstrTiming.enter(timing);
            long start = System.nanoTime();
            switch (i + seed & 63) {
                case 7: Thread.yield(); break;
                case 23: LockSupport.parkNanos(1000); break;
                case 41:
                    synchronized (LOCKS[i & 3]) {
                        if ((i & 64) == 0) Thread.yield();
                    }
                    break;
                default: break;
            }
            InstrCalls.enter(calls);
            InstrTiming.exit(start, saved, timing);
        }
    }

    static final Object[] LOCKS = {new Object(), new Object(), new Object(), new Object()};

    /** Sleeps, and adds the time that it took: on a busy machine more than asked for. */
    static void sleep(long millis, AtomicLong taken) {
        long start = System.nanoTime();
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        taken.addAndGet(System.nanoTime() - start);
    }

    static void manyThreads(boolean virtual, int count, int each) throws Exception {
        int calls = newId(), timing = newId();
        Thread[] threads = new Thread[count];
        for (int t = 0; t < count; t++) {
            int seed = t;
            threads[t] = start(virtual, () -> yielding(calls, timing, each, seed));
        }
        // Readers while writers run must not disturb, and never see a count fall.
        long last = 0, lastTimed = 0, falls = 0;
        while (threads[count - 1].isAlive()) {
            long now = get(calls, CALLS), nowTimed = get(timing, TIMED);
            if (now < last || nowTimed < lastTimed) falls++;
            last = now;
            lastTimed = nowTimed;
        }
        join(threads);
        String who = count + (virtual ? " virtual" : " platform") + " threads that yield: ";
        check(who + "calls", 2L * count * each, get(calls, CALLS));
        check(who + "timing: calls", (long) count * each, get(timing, CALLS));
        check(who + "timing: durations", (long) count * each, get(timing, TIMED));
        check(who + "counts that fell", 0, falls);
        check(who + "self time within total", 1, get(timing, SELF) == get(timing, TOTAL) ? 1 : 0);
    }

    static void shortLived() throws Exception {
        int calls = newId(), timing = newId();
        for (int i = 0; i < 200; i++) {
            Thread[] threads = new Thread[50];
            for (int t = 0; t < threads.length; t++) {
                threads[t] = start(false, () -> {
                    for (int k = 0; k < 7; k++) called(calls, () -> timed(timing, () -> {}));
                });
            }
            join(threads);
        }
        check("10000 short-lived threads: calls", 70000, get(calls, CALLS));
        check("10000 short-lived threads: durations", 70000, get(timing, TIMED));
    }

    /** Threads whose ids agree in their low bits, so that they compete for places in the table. */
    static void colliding() throws Exception {
        int calls = newId(), timing = newId();
        Thread[] threads = new Thread[10];
        CyclicBarrier barrier = new CyclicBarrier(threads.length);
        for (int t = 0; t < threads.length; t++) {
            threads[t] = new Thread(() -> {
                for (int round = 0; round < 10; round++) {
                    try {
                        barrier.await();
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                    for (int i = 0; i < 3000; i++) called(calls, () -> timed(timing, () -> {}));
                }
            });
            for (int i = 1; i < 4096; i++) new Thread();
        }
        for (Thread thread : threads) thread.start();
        join(threads);
        check("10 threads with colliding ids: calls", 300000, get(calls, CALLS));
        check("10 threads with colliding ids: durations", 300000, get(timing, TIMED));
    }

    static void attached() {
        int calls = newId(), timing = newId();
        attachAgain(() -> {
            for (int i = 0; i < 10; i++) called(calls, () -> timed(timing, () -> {}));
        }, 8, 200);
        check("8 native threads that attach 200 times: calls", 16000, get(calls, CALLS));
        check("8 native threads that attach 200 times: durations", 16000, get(timing, TIMED));
    }

    static void sampled(int id, int n) {
        for (int i = 0; i < n; i++) {
            long state = InstrSampling.enter(id);
            if (i % 100 != 99) InstrSampling.exit(state, id);
            else InstrSampling.thrown(state, id);
        }
    }

    /** As code of methods that calls and timing count with one call: of a method, a constructor and a getter. */
    static void paired(int id, int n) {
        for (int i = 0; i < n; i++) {
            long state = InstrSamplingCalls.enter(id);
            if (i % 100 != 99) InstrSampling.exit(state, id);
            else InstrSamplingCalls.thrown(state, id);
            state = InstrSamplingCalls.construct(id + 2);
            if (i % 50 == 49) {
                InstrSampling.thrownEarly(state, id + 2);
            } else {
                InstrSamplingCalls.initialized(state, id + 2);
                if (i % 100 != 99) InstrSampling.exit(state, id + 2);
                else InstrSamplingCalls.thrown(state, id + 2);
            }
            InstrSamplingCalls.count(id + 4);
            if (i % 100 == 99) InstrSamplingCalls.countThrown(id + 4);
        }
    }

    /** Each call counts once for both passes, whoever owns the page. The ids lie in one page, the first of each two for calls. */
    static void pairs(boolean virtual) throws Exception {
        int calls = newPage(), timing = newId();
        for (int i = 0; i < 4; i++) newId();
        for (int i = 0; i < 3; i++) join(new Thread[] {start(false, () -> paired(timing, 100_000))});
        Thread[] threads = new Thread[8];
        for (int i = 0; i < threads.length; i++) threads[i] = start(virtual && i % 2 == 1, () -> paired(timing, 100_000));
        join(threads);
        String who = "pairs" + (virtual ? ", some on virtual threads: " : ": ");
        for (int id = calls; id <= timing; id++) {
            String what = who + (id == calls ? "calls, " : "timing, ");
            check(what + "methods", 1_100_000, get(id, CALLS));
            check(what + "methods that throw", 11_000, get(id, THROWN));
            check(what + "constructors", 1_100_000, get(id + 2, CALLS));
            check(what + "constructors that throw", 22_000, get(id + 2, THROWN));
            check(what + "getters", 1_100_000, get(id + 4, CALLS));
            check(what + "getters that throw", 11_000, get(id + 4, THROWN));
        }
        check(who + "no call of the calls pass is timed", 0, get(calls, TIMED));
    }

    /** Threads that own pages end, and others own these then; also native threads that become other Java threads. */
    static void inherited(boolean virtual) throws Exception {
        int first = newId(), n = 40;
        for (int i = 1; i < n; i++) newId(); // of more than one page
        Runnable all = () -> {
            for (int round = 0; round < 10; round++) for (int id = first; id < first + n; id++) sampled(id, 100);
        };
        for (int i = 0; i < 50; i++) join(new Thread[] {start(false, all)});
        Thread[] threads = new Thread[16];
        for (int i = 0; i < threads.length; i++) threads[i] = start(virtual && i % 2 == 1, all);
        join(threads);
        attachAgain(all, 4, 10);
        long calls = 0, thrown = 0;
        for (int id = first; id < first + n; id++) {
            calls += get(id, CALLS);
            thrown += get(id, THROWN);
        }
        check("106 threads that inherit pages: calls", 106L * 10 * n * 100, calls);
        check("106 threads that inherit pages: thrown", 106L * 10 * n, thrown);
    }

    /** A thread owns a page, hardly calls its methods any more, and gives it up for one that does, which then ends first. */
    static void givenUp() throws Exception {
        int id = newId();
        SynchronousQueue<Integer> work = new SynchronousQueue<>(), done = new SynchronousQueue<>();
        Thread owner = start(false, () -> {
            try {
                for (int n = work.take(); n > 0; n = work.take()) {
                    sampled(id, n);
                    done.put(n);
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        long calls = 0;
        for (int round = 0; round < 3; round++) {
            for (int n : new int[] {200_000, 6_400, 12_800}) {
                work.put(n);
                calls += done.take();
                join(new Thread[] {start(false, () -> sampled(id, 1_000_000))});
                calls += 1_000_000;
            }
        }
        work.put(0);
        join(new Thread[] {owner});
        check("a page that its owner gives up: calls", calls, get(id, CALLS));
        check("a page that its owner gives up: thrown", calls / 100, get(id, THROWN));
    }

    static int recurse(int id, int depth) {
        long saved = InstrTiming.enter(id);
        long start = System.nanoTime();
        int result;
        try {
            result = depth == 0 ? 0 : 1 + recurse(id, depth - 1);
        } catch (Throwable t) {
            InstrTiming.thrown(start, saved, id);
            throw t;
        }
        InstrTiming.exit(start, saved, id);
        return result;
    }

    /** As a constructor that makes two more of its kind. */
    static void tree(int id, int depth) {
        long state = InstrSampling.construct(id);
        InstrSampling.initialized(state, id);
        if (depth > 0) {
            tree(id, depth - 1);
            tree(id, depth - 1);
        }
        InstrSampling.exit(state, id);
    }

    /** Each outermost one takes more than 16 us, so that all are timed: an estimate may be above the whole. */
    static void trees() {
        int id = newId();
        long start = System.nanoTime();
        for (int i = 0; i < 200; i++) tree(id, 9);
        long all = System.nanoTime() - start, total = get(id, TOTAL);
        check("trees of constructors: calls", 200 * 1023, get(id, CALLS));
        check("trees of constructors: the time of the outermost, at most", 1, total <= all ? 1 : 0);
        check("trees of constructors: the time of the outermost, at least", 1, total >= all / 2 ? 1 : 0);
    }

    /** What stands for calls without a clock are outermost ones, also while one is running that has many within. */
    static void within() {
        int id = newId(), outermost = 20000, inner = 300000;
        long start = System.nanoTime(), then = 0, total = 0;
        for (int i = 0; i < outermost; i++) {
            long state = InstrSampling.enter(id);
            InstrSampling.exit(InstrSampling.enter(id), id);
            InstrSampling.exit(state, id);
        }
        long state = InstrSampling.enter(id);
        for (int i = 0; i < inner; i++) {
            InstrSampling.exit(InstrSampling.enter(id), id);
            if (i != inner / 2) continue;
            total = get(id, TOTAL);
            then = System.nanoTime() - start;
        }
        InstrSampling.exit(state, id);
        long all = System.nanoTime() - start;
        check("calls within one: calls", 2 * outermost + 1 + inner, get(id, CALLS));
        check("calls within one that is running: no total above the time until then", 1, total <= then ? 1 : 0);
        check("calls within one: no total above the whole time", 1, get(id, TOTAL) <= all ? 1 : 0);
        check("calls within one: a total of a tenth at least", 1, get(id, TOTAL) >= all / 10 ? 1 : 0);
    }

    /** The total of methods, in percent of what their calls took; of the best of some attempts, as a busy machine only makes it worse. */
    static void nearTruth(String what, Supplier<Double> attempt) {
        double percent = attempt.get();
        for (int i = 1; i < 5 && Math.abs(percent - 100) > 5; i++) percent = attempt.get();
        near(what + ": the total, in percent of the truth", 100, percent, 0.05);
    }

    /** Long calls around many short ones, of methods that had many short ones before: only ticks show that a method calls itself. */
    static double around() {
        long all = 0, total = 0;
        for (int k = 0; k < 12; k++) {
            int id = newId();
            all += shortCalls(id, 2000, System.nanoTime() + 4_000_000);
            long state = InstrSampling.enter(id), start = System.nanoTime();
            shortCalls(id, 2000, start + 100_000_000);
            all += System.nanoTime() - start;
            InstrSampling.exit(state, id);
            total += get(id, TOTAL);
        }
        return 100.0 * total / all;
    }

    /** Of a method that mostly takes 10 us, one of 50 calls takes some ticks. */
    static double longAmongShort() {
        int id = newId();
        long all = 0;
        while (all < 2_500_000_000L) all += shortCalls(id, 10_000, System.nanoTime() + 500_000) + call(id, 2_300_000);
        return 100.0 * get(id, TOTAL) / all;
    }

    /** What they took, in ns. */
    static long shortCalls(int id, int nanoseconds, long until) {
        long all = 0;
        while (System.nanoTime() < until) all += call(id, nanoseconds);
        return all;
    }

    static long call(int id, int nanoseconds) {
        long state = InstrSampling.enter(id), start = System.nanoTime(), now = start;
        while (now - start < nanoseconds) now = System.nanoTime();
        InstrSampling.exit(state, id);
        return now - start;
    }

    static void recursion() {
        int id = newId();
        for (int i = 0; i < 1000; i++) recurse(id, 99);
        check("recursion: calls", 100000, get(id, CALLS));
        check("recursion: durations", 100000, get(id, TIMED));
        check("recursion: what a method takes inside itself counts once", get(id, SELF), get(id, TOTAL));
        RuntimeOverflow.fiftyTimes();
    }

    /** Records that a thread which goes on has in its buffer are seen, those of recursive calls too. */
    static void unflushed() throws Exception {
        int id = newId();
        CountDownLatch recorded = new CountDownLatch(1), seen = new CountDownLatch(1);
        Thread thread = start(false, () -> {
            for (int i = 0; i < 5; i++) recurse(id, 2);
            recorded.countDown();
            try {
                seen.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        recorded.await();
        check("a living thread's buffer: durations", 15, get(id, TIMED));
        check("a living thread's buffer: self time is the total", get(id, SELF), get(id, TOTAL));
        seen.countDown();
        thread.join();
    }

    static void exceptions() {
        int calls = newId(), timing = newId(), constructor = newId(), timedConstructor = newId(), givenBack = newId();
        for (int i = 0; i < 30000; i++) {
            boolean bad = i % 3 == 0;
            try {
                called(calls, () -> timed(timing, () -> {
                    if (bad) throw new IllegalArgumentException();
                }));
            } catch (IllegalArgumentException expected) {
            }
            // A constructor: one in three fails in its delegate call, one in three after it, the rest not.
            InstrCalls.construct(constructor);
            long saved = InstrTiming.construct(timedConstructor);
            long start = System.nanoTime();
            if (i % 3 == 0) {
                if (i % 2 == 0) InstrTiming.thrownEarly(start, saved, timedConstructor);
                continue;
            }
            InstrCalls.initialized(constructor);
            InstrTiming.initialized(timedConstructor);
            if (i % 3 == 1) {
                InstrCalls.thrown(constructor);
                InstrTiming.thrown(start, saved, timedConstructor);
            } else {
                InstrTiming.exit(start, saved, timedConstructor);
            }
        }
        int counted = newId();
        for (int i = 0; i < 30000; i++) {
            InstrCalls.enter(~(4 * counted));
            if (i % 3 > 0) InstrCalls.enter(~(4 * counted + 1));
            if (i % 3 > 1) InstrCalls.enter(~(4 * counted + 2));
            InstrCalls.enter(counted);
        }
        check("exceptions: given back: counted", 60000, get(counted, CALLS));
        check("exceptions: given back: counted as thrown", 20000, get(counted, THROWN));
        for (int i = 0; i < 30000; i++) {
            long saved = InstrTiming.timing(0, 0, givenBack, 4);
            long start = InstrTiming.timing(0, 0, 0, 1);
            if (i % 3 == 0) {
                if (i % 2 == 0) InstrTiming.timing(start, saved, givenBack, 2);
                continue;
            }
            InstrTiming.timing(0, 0, givenBack, 5);
            InstrTiming.timing(start, saved, givenBack, i % 3 == 1 ? 3 : 2);
        }
        check("exceptions: calls", 30000, get(calls, CALLS));
        check("exceptions: thrown", 10000, get(calls, THROWN));
        check("exceptions: timing: thrown", 10000, get(timing, THROWN));
        check("exceptions: timing: durations", 30000, get(timing, TIMED));
        check("exceptions: given back: calls", 30000, get(givenBack, CALLS));
        check("exceptions: given back: thrown", 20000, get(givenBack, THROWN));
        check("exceptions: given back: durations", 25000, get(givenBack, TIMED));
        check("constructors: calls", 30000, get(constructor, CALLS));
        check("constructors: thrown", 20000, get(constructor, THROWN));
        check("constructors: timing: thrown", 20000, get(timedConstructor, THROWN));
        check("constructors: timing: durations", 25000, get(timedConstructor, TIMED));
    }

    static void selfTime(boolean virtual) throws Exception {
        int parent = newId(), child = newId(), grandchild = newId();
        AtomicLong inParent = new AtomicLong(), inChild = new AtomicLong(), inGrandchild = new AtomicLong();
        Thread[] threads = new Thread[20];
        for (int t = 0; t < threads.length; t++) {
            threads[t] = start(virtual, () -> timed(parent, () -> {
                sleep(30, inParent);
                for (int i = 0; i < 3; i++) {
                    timed(child, () -> {
                        sleep(20, inChild);
                        timed(grandchild, () -> sleep(10, inGrandchild));
                    });
                }
                sleep(10, inParent);
            }));
        }
        join(threads);
        String who = virtual ? "self time, virtual: " : "self time, platform: ";
        // On a busy machine a method takes more than its sleep.
        check(who + "parent's, at least", 1, get(parent, SELF) >= inParent.get() ? 1 : 0);
        check(who + "child's, at least", 1, get(child, SELF) >= inChild.get() ? 1 : 0);
        check(who + "grandchild's, at least", 1, get(grandchild, SELF) >= inGrandchild.get() ? 1 : 0);
        near(who + "parent's, ms", inParent.get() / 1e6, get(parent, SELF) / 1e6, 0.3);
        near(who + "child's, ms", inChild.get() / 1e6, get(child, SELF) / 1e6, 0.3);
        near(who + "grandchild's, ms", inGrandchild.get() / 1e6, get(grandchild, SELF) / 1e6, 0.3);
        check(who + "selves make the total", get(parent, TOTAL), get(parent, SELF) + get(child, SELF) + get(grandchild, SELF));
    }

    /** Whatever a long call takes, the ticks that see such calls stand on average for what they do not see of them. */
    static void unseen() {
        long tick = 1_000_000, step = 10;
        for (int bits = 17; bits >= 15; bits--) {
            for (int duration : new int[] {40_000, 60_000, 100_000, 150_000, 200_000, 262_144, 500_000, 900_000}) {
                double part = Math.max(0, Math.min(1, duration / (double) (1 << bits) - 1)), sum = 0;
                for (long beyond = step / 2; beyond < duration; beyond += step)
                    sum += (double) unseen(InstrSampling.class, tick, beyond, bits) * step / tick;
                near("calls of " + duration + " ns that no tick has seen, each, ns", part * duration * (1 - duration / (double) tick), sum,
                        0.001);
            }
        }
        check("long calls without a tick for 5 ms", 0, unseen(InstrSampling.class, 5_000_000, 200_000, 17));
        check("calls that are never long", 0, unseen(InstrSampling.class, tick, 900_000, 50));
    }

    static void percentiles() {
        int id = newId(), odd = newId();
        // 1 ms .. 1000 ms, and the time that the call itself takes
        for (int i = 1; i <= 1000; i++) {
            long saved = InstrTiming.enter(id);
            InstrTiming.exit(System.nanoTime() - i * 1_000_000L, saved, id);
        }
        near("percentiles: total, ms", 500500, get(id, TOTAL) / 1e6, 0.001);
        near("percentiles: min, us", 1000, get(id, MIN) / 1e3, 0.05);
        near("percentiles: max, us", 1000000, get(id, MAX) / 1e3, 0.001);
        near("percentiles: p50, us", 500000, get(id, P50) / 1e3, 0.02);
        near("percentiles: p90, us", 900000, get(id, P90) / 1e3, 0.02);
        near("percentiles: p99, us", 990000, get(id, P99) / 1e3, 0.02);
        long hours = 5 * 3600 * 1_000_000_000L;
        InstrTiming.exit(System.nanoTime() - hours, InstrTiming.enter(odd), odd);
        InstrTiming.exit(System.nanoTime() + hours, InstrTiming.enter(odd), odd);
        near("percentiles: five hours, s", 5 * 3600, get(odd, TOTAL) / 1e9, 0.001);
        check("percentiles: a duration below 0 counts as 0", 0, get(odd, MIN));
        check("percentiles: durations", 2, get(odd, TIMED));
    }

    static void exact(boolean virtual) throws Exception {
        manyThreads(false, 8, 100_000);
        if (virtual) {
            manyThreads(true, 8, 100_000);
            manyThreads(true, 2000, 2000);
        }
        shortLived();
        colliding();
        attached();
        tick();
        inherited(virtual);
        givenUp();
        pairs(virtual);
        RuntimeOverflow.many(false);
        RuntimeOverflow.many(true);
        recursion();
        trees();
        within();
        nearTruth("calls around others that were short", RuntimeExact::around);
        nearTruth("long calls among short ones", RuntimeExact::longAmongShort);
        RuntimeOverflow.healing();
        unflushed();
        exceptions();
        selfTime(false);
        if (virtual) selfTime(true);
        percentiles();
        unseen();
        check("records lost", 0, lost());
    }

    /** 500 live threads, each with calls in many methods. */
    static void tight() throws Exception {
        int ids = 4000, from = 2000;
        Thread[] threads = new Thread[500];
        CyclicBarrier barrier = new CyclicBarrier(threads.length);
        for (int t = 0; t < threads.length; t++) {
            int seed = t;
            threads[t] = start(false, () -> {
                for (int round = 0; round < 4; round++) {
                    for (int i = 0; i < ids; i++) {
                        int id = from + (i + seed * 7) % ids;
                        if (round == 3) timed(id, () -> {});
                        else InstrCalls.enter(id);
                    }
                    try {
                        barrier.await();
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                }
            });
        }
        join(threads);
        long[] counts = counts();
        long wrong = 0;
        for (int id = from; id < from + ids; id++)
            if (counts[id * 10 + CALLS] != 2000 || counts[id * 10 + TIMED] != 500) wrong++;
        check("500 live threads, 4000 methods: methods with a wrong count", 0, wrong);
        check("records lost", 0, lost());
        long before = System.nanoTime();
        counts();
        System.out.printf("one snapshot: %.1f ms%n", (System.nanoTime() - before) / 1e6);
    }

    /** 10,000 live threads; all of 20,000 methods are called in their turn, each in 50 threads, and timed. */
    static void bounded() throws Exception {
        int ids = 20_000, from = 2000, each = 100, count = 10_000;
        Thread[] threads = new Thread[count];
        CountDownLatch ready = new CountDownLatch(count), go = new CountDownLatch(1), done = new CountDownLatch(count), end = new CountDownLatch(1);
        for (int t = 0; t < count; t++) {
            int first = t * each;
            threads[t] = new Thread(null, () -> {
                try {
                    ready.countDown();
                    go.await();
                    // Far from each other, so that each wants a page of its own.
                    for (int i = 0; i < each; i++) timed(from + (int) ((first + i) * 7919L % ids), () -> {});
                    done.countDown();
                    end.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }, "", 128 << 10);
            threads[t].start();
        }
        ready.await();
        long before = allocated(), budget = budget();
        go.countDown();
        done.await();
        long grown = allocated() - before;
        long[] counts = counts();
        long wrong = 0;
        for (int id = from; id < from + ids; id++)
            if (counts[id * 10 + CALLS] != 50 || counts[id * 10 + TIMED] != 50) wrong++;
        check("10000 live threads, 20000 methods: methods with a wrong count", 0, wrong);
        check("records lost", 0, lost());
        System.out.printf("native memory grew by %d MiB, of which counters, %.1f MiB of their budget%n",
                grown >> 20, (budget - budget()) / 1048576.0);
        check("grown by less than 200 MiB", 1, grown < 200L << 20 ? 1 : 0);
        end.countDown();
        join(threads);
        counts = counts();
        wrong = 0;
        for (int id = from; id < from + ids; id++)
            if (counts[id * 10 + CALLS] != 50 || counts[id * 10 + TIMED] != 50) wrong++;
        check("the same when they have ended", 0, wrong);
    }

    static volatile boolean go;
    static final AtomicInteger done = new AtomicInteger();

    /** Threads that begin when there is no memory for their blocks. */
    static void full() throws Exception {
        int calls = newId(), timing = newId(), constructor = newId();
        Runnable nothing = () -> {};
        // Everything that the loop needs is loaded and linked before.
        Runnable loop = () -> {
            while (!go) Thread.yield();
            for (int i = 0; i < 5000; i++) {
                called(calls, nothing);
                timed(timing, nothing);
                InstrCalls.construct(constructor);
                if (i % 2 == 0) InstrCalls.initialized(constructor);
            }
            done.incrementAndGet();
        };
        Thread[] threads = new Thread[4];
        for (int t = 0; t < threads.length; t++) threads[t] = start(false, loop);
        try {
            throw new OutOfMemoryError();
        } catch (OutOfMemoryError resolved) {
            // The handlers below could not be found for want of memory.
        }
        Object[] list = null;
        int size = 1 << 20;
        for (; size >= 16; size /= 2) {
            try {
                while (true) {
                    Object[] next = new Object[size];
                    next[0] = list;
                    list = next;
                }
            } catch (OutOfMemoryError expected) {
            }
        }
        go = true;
        // No join: it takes memory.
        while (done.get() < threads.length) Thread.yield();
        boolean held = list != null;
        list = null;
        if (!held) throw new IllegalStateException();
        check("heap full: calls", 20000, get(calls, CALLS));
        check("heap full: durations", 20000, get(timing, TIMED));
        check("heap full: constructors", 20000, get(constructor, CALLS));
        check("heap full: constructors that threw", 10000, get(constructor, THROWN));
        check("records lost", 0, lost());
    }
}
