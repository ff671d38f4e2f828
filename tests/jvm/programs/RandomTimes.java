import java.util.Random;

/**
 * RandomTimes SEED MILLISECONDS THREADS: methods that call each other and spin, for times that are drawn at random: some always as
 * long, some much longer now and then. Prints for each its calls, how many threw an exception, and the nanoseconds that its outermost
 * calls took by the program's own clock.
 */
public final class RandomTimes {
    private static final int METHODS = 12, DEEPEST = 60, MOST_CALLS = 2000;
    private static final Error EXPECTED = new Error("expected", null, false, false) {};

    /** What a method does. Not in scope of the tests, as Run. */
    private static final class Plan {
        final long spin, rareSpin;
        final int rareOf, thrownOf, repeat;
        final int[] callees;

        /** Most call methods with higher numbers; a few any, themselves included. */
        Plan(Random random, int method) {
            double length = random.nextDouble();
            spin = length < 0.15 ? 0 : (long) (50 * Math.pow(10, 3 * length));
            rareOf = random.nextInt(4) == 0 ? 50 + random.nextInt(3000) : Integer.MAX_VALUE;
            rareSpin = (long) (20000 * Math.pow(10, 2.5 * random.nextDouble()));
            thrownOf = random.nextInt(6) == 0 ? 3 + random.nextInt(100) : Integer.MAX_VALUE;
            repeat = random.nextInt(4) == 0 ? 1 + random.nextInt(20) : 1;
            callees = new int[random.nextInt(4)];
            for (int i = 0; i < callees.length; i++) {
                boolean any = random.nextInt(6) == 0 || method == METHODS - 1;
                callees[i] = any ? random.nextInt(METHODS) : method + 1 + random.nextInt(METHODS - method - 1);
            }
        }
    }

    /** A thread that runs them. */
    private static final class Run extends Thread {
        final long[] calls = new long[METHODS], thrown = new long[METHODS], time = new long[METHODS];
        private final int[] running = new int[METHODS];
        private final RandomTimes program = new RandomTimes(this);
        private final Plan[] plans;
        private final Random random;
        private final long end;
        private int depth, left;

        Run(Plan[] plans, long seed, long end) {
            this.plans = plans;
            this.random = new Random(seed);
            this.end = end;
        }

        @Override
        public void run() {
            while (System.nanoTime() < end) {
                left = MOST_CALLS;
                call(random.nextInt(METHODS));
            }
        }

        private void call(int method) {
            try {
                program.call(method);
            } catch (Error e) {
                if (e != EXPECTED) throw e;
            }
        }

        void body(int method) {
            long start = System.nanoTime();
            Plan plan = plans[method];
            long call = ++calls[method], spin = call % plan.rareOf == 0 ? plan.rareSpin : plan.spin;
            running[method]++;
            depth++;
            while (System.nanoTime() - start < spin) continue;
            for (int i = 0; i < plan.repeat && depth < DEEPEST; i++)
                for (int callee : plan.callees)
                    if (--left > 0 && random.nextInt(3) != 0) call(callee);
            depth--;
            if (--running[method] == 0) time[method] += System.nanoTime() - start;
            if (call % plan.thrownOf != 0) return;
            thrown[method]++;
            throw EXPECTED;
        }
    }

    private final Run run;

    RandomTimes(Run run) {
        this.run = run;
    }

    void call(int method) {
        switch (method) {
            case 0: m0(); break;
            case 1: m1(); break;
            case 2: m2(); break;
            case 3: m3(); break;
            case 4: m4(); break;
            case 5: m5(); break;
            case 6: m6(); break;
            case 7: m7(); break;
            case 8: m8(); break;
            case 9: m9(); break;
            case 10: m10(); break;
            default: m11(); break;
        }
    }

    void m0() { run.body(0); }

    void m1() { run.body(1); }

    void m2() { run.body(2); }

    void m3() { run.body(3); }

    void m4() { run.body(4); }

    void m5() { run.body(5); }

    void m6() { run.body(6); }

    void m7() { run.body(7); }

    void m8() { run.body(8); }

    void m9() { run.body(9); }

    void m10() { run.body(10); }

    void m11() { run.body(11); }

    public static void main(String[] args) throws InterruptedException {
        long seed = Long.parseLong(args[0]), end = System.nanoTime() + Long.parseLong(args[1]) * 1000000;
        Random random = new Random(seed);
        Plan[] plans = new Plan[METHODS];
        for (int i = 0; i < METHODS; i++) plans[i] = new Plan(random, i);
        Run[] runs = new Run[Integer.parseInt(args[2])];
        for (int i = 0; i < runs.length; i++) runs[i] = new Run(plans, random.nextLong(), end);
        for (Run run : runs) run.start();
        for (Run run : runs) run.join();
        for (int i = 0; i < METHODS; i++) {
            long calls = 0, thrown = 0, time = 0;
            for (Run run : runs) {
                calls += run.calls[i];
                thrown += run.thrown[i];
                time += run.time[i];
            }
            System.out.println("m" + i + " " + calls + " " + thrown + " " + time);
        }
    }
}
