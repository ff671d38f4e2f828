"""outermost = true: in the JDK, with many threads, with a full heap, and when one kit follows another."""

from support import AGENT, PLAIN, Running, ShopTest

THREADS = """
    package com.acme;
    import java.lang.ref.WeakReference;
    import java.util.*;
    import java.util.concurrent.CountDownLatch;
    import java.util.concurrent.locks.LockSupport;
    public class Shop {
        static CountDownLatch inside = new CountDownLatch(5000);
        static volatile boolean open;
        public static int runs;
        static int held(boolean waits) {
            if (waits) { inside.countDown(); while (!open) LockSupport.park(); }
            return waits ? held(false) : 1;
        }
        static Thread start() throws Exception {
            Runnable run = new Runnable() { public void run() { held(true); } };
            try { return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, run); }
            catch (NoSuchMethodException e) { Thread t = new Thread(null, run, "held", 1 << 17); t.start(); return t; }
        }
        static long nanoseconds() {
            long least = Long.MAX_VALUE;
            for (int round = 0; round < 10; round++) {
                long start = System.nanoTime();
                for (int i = 0; i < 10000; i++) held(false);
                least = Math.min(least, System.nanoTime() - start);
            }
            return least / 10000;
        }
        public static void main(String[] a) throws Exception {
            for (int i = 0; i < 5; i++) nanoseconds();
            long alone = nanoseconds();
            Thread[] threads = new Thread[5000];
            List<WeakReference<Thread>> all = new ArrayList<>();
            for (int i = 0; i < threads.length; i++) all.add(new WeakReference<>(threads[i] = start()));
            inside.await();
            int before = runs;
            long among = nanoseconds();
            System.out.println(runs - before + " runs, " + (among < 20 * alone + 200 ? "as fast" : alone + " ns, then " + among));
            open = true;
            for (Thread t : threads) { LockSupport.unpark(t); t.join(); }
            threads = null;
            for (int i = 0; i < 10 && !all.isEmpty(); i++) {
                System.gc();
                Thread.sleep(100);
                for (Iterator<WeakReference<Thread>> each = all.iterator(); each.hasNext(); ) if (each.next().get() == null) each.remove();
            }
            System.out.println(all.size() + " left");
        }
    }"""
# The threads call once while the heap is full, then once more.
FULL = """
    package com.acme;
    import java.util.concurrent.CountDownLatch;
    public class Shop {
        static final int THREADS = 1200;
        static final Object LOCK = new Object();
        static int round, inside, failures, done;
        public static int runs;
        public static boolean[] in = new boolean[THREADS];
        public static int nested;
        static class Worker extends Thread {
            int number;
            Worker(int number) { super(null, null, "worker", 1 << 17); this.number = number; }
            public void run() {
                for (int i = 1; i <= 2; i++) {
                    await(2 * i - 1);
                    try { outer(number, 2 * i); } catch (Throwable e) { synchronized (LOCK) { failures++; inside++; LOCK.notifyAll(); } }
                    synchronized (LOCK) { done++; LOCK.notifyAll(); }
                }
            }
        }
        static void await(int wanted) {
            synchronized (LOCK) { while (round < wanted) try { LOCK.wait(); } catch (InterruptedException e) { } }
        }
        static void outer(int number, int until) {
            synchronized (LOCK) { inside++; LOCK.notifyAll(); }
            await(until);
            inner(number);
        }
        static void inner(int number) { }
        static void next(int wanted) {
            synchronized (LOCK) {
                round++;
                LOCK.notifyAll();
                while (wanted > (round % 2 == 1 ? inside : done)) try { LOCK.wait(); } catch (InterruptedException e) { }
            }
        }
        static Object[] fill() {
            Object[] last = null;
            for (int length = 1 << 16; length > 0; length /= 2)
                try { for (;;) { Object[] next = new Object[length]; next[0] = last; last = next; } } catch (OutOfMemoryError e) { }
            return last;
        }
        public static void main(String[] a) throws Exception {
            for (int i = 0; i < THREADS; i++) new Worker(i).start();
            outer(0, 0); // the JVM links the code
            inside = 0;
            Object[] full = fill();
            next(THREADS);
            boolean some = runs > THREADS / 2;
            next(THREADS);
            full = null;
            System.out.println(failures + " failures, advice " + (some ? "runs" : "does not run") + ", " + nested + " nested");
            Thread.sleep(1100);
            runs = 0;
            next(2 * THREADS);
            System.out.println(runs + " runs");
            next(2 * THREADS);
        }
    }"""

# Each line of the input is how deep a new call goes. The thread "server" is within a call while another kit comes.
SERVES = """
    package com.acme;
    import java.io.*;
    import java.util.concurrent.SynchronousQueue;
    public class Shop {
        static final SynchronousQueue<Integer> asked = new SynchronousQueue<>();
        static final SynchronousQueue<String> answers = new SynchronousQueue<>();
        public static int runs;
        static int serve(int n) throws Exception {
            for (int depth; (depth = asked.take()) >= 0; ) { op(depth); answers.put(runs + " runs"); }
            return n;
        }
        static int op(int n) { return n == 0 ? 0 : op(n - 1); }
        public static void main(String[] a) throws Exception {
            Runnable run = new Runnable() { public void run() {
                try { for (;;) { serve(1); answers.put("served"); } } catch (Exception e) { throw new Error(e); }
            } };
            Thread server = new Thread(run, "server");
            server.setDaemon(true);
            server.start();
            System.out.println("ready");
            BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
            for (String line; (line = in.readLine()) != null; ) { asked.put(Integer.valueOf(line)); System.out.println(answers.take()); }
        }
    }"""
COUNTS = '@Advice(value = {%s}, outermost = true) final class %s { static void enter() { com.acme.Shop.runs++; } }'


class OutermostTest(ShopTest):
    def run_outermost(self, program, advice, *options):
        self.app = self.build("program", Shop=program)
        done = self.java(*options, f"-agentpath:{AGENT}=kit={self.kit(advice)},quiet=yes", "-cp", self.app, "com.acme.Shop")
        self.assertEqual(done.stderr, "")
        return done.stdout.splitlines()

    def test_methods_of_the_jdk(self):
        """What the runtime needs is advised as all else is: from the start, and in a program that runs."""
        targets = '"java.lang.StringBuilder.append(..)"', '"java.lang.**.*"', '"java.util.**.*"', '"java.lang.String.*", "java.util.concurrent.ConcurrentHashMap.get(..)"'
        for number, target in enumerate(targets):
            with self.subTest(target):
                kit = self.build(f"jdk{number}", Jdk="import instr.kit.*;\n@Advice(value = {%s}, outermost = true) final class Jdk { static void enter() { } }" % target)
                done = self.java(f"-agentpath:{AGENT}=kit={kit},quiet=yes", "-cp", self.app, "com.acme.Shop")
                self.assertEqual((done.stdout.splitlines(), "Error" in done.stderr), (PLAIN, False))
        self.app = self.build("serves", Shop=SERVES)
        with Running(self, "-cp", self.app, "com.acme.Shop") as java:
            self.assertEqual(java.line(), "ready")
            for number in range(len(targets)):
                self.tool("attach", str(java.pid), "kit=" + self.path(f"jdk{number}.jar"), "max-overhead=off")
                self.assertEqual(java.ask("1"), "0 runs")

    def test_the_runtime_asks_whether_threads_have_ended(self):
        """An advice of Thread.isAlive is not called for that, and does not come back."""
        out = self.run_outermost(THREADS, """
            @Advice(value = "com.acme.Shop.held(boolean)", outermost = true) final class Slow {
                static void enter() { com.acme.Shop.runs++; }
            }
            @Advice(value = {"java.lang.**.isAlive()", "java.lang.**.alive()"}, outermost = true) final class Asks {
                static int n;
                static void enter() { n++; }
            }""")
        self.assertEqual(out[0].split(",")[0], "100000 runs")

    def test_many_threads(self):
        """With thousands of threads in calls another thread's call takes no longer, and no thread stays."""
        out = self.run_outermost(THREADS, """
            @Advice(value = "com.acme.Shop.held(boolean)", outermost = true) final class Slow {
                static void enter() { com.acme.Shop.runs++; }
            }""")
        self.assertEqual(out, ["100000 runs, as fast", "0 left"])

    def test_full_heap(self):
        """Advice runs, or is skipped where there is no memory for more threads; nothing is thrown, and nesting stays right."""
        for collector in ("-XX:+UseSerialGC", "-XX:+UseG1GC"):
            with self.subTest(collector):
                out = self.run_outermost(FULL, """
                    @Advice(value = {"com.acme.Shop.outer(int, int)", "com.acme.Shop.inner(int)"}, outermost = true) final class Slow {
                        static void enter(int number) {
                            synchronized (com.acme.Shop.in) {
                                if (com.acme.Shop.in[number]) com.acme.Shop.nested++;
                                com.acme.Shop.in[number] = true;
                                com.acme.Shop.runs++;
                            }
                        }
                        static void exit(int number) { com.acme.Shop.in[number] = false; }
                    }""", collector, "-Xmx32m")
                self.assertEqual(out, ["0 failures, advice runs, 0 nested", "1200 runs"])

    def test_a_kit_after_another_one(self):
        """Calls of an advice that has ended run on: they are not calls of the next one, and do not end them."""
        self.app = self.build("serves", Shop=SERVES)
        with Running(self, "-cp", self.app, "com.acme.Shop") as java:
            self.assertEqual(java.line(), "ready")
            first, second = (self.kit(COUNTS % (target, "Slow"), name) for name, target in (("first", '"com.acme.Shop.serve(int)"'), ("second", '"com.acme.Shop.*(int)"')))
            self.tool("attach", str(java.pid), "kit=" + first, "max-overhead=off")
            self.assertEqual((java.ask("-1"), java.ask("3")), ("served", "1 runs"))  # it is within `serve` of the first kit
            self.tool("kit", "drop", str(java.pid), "first")
            self.tool("attach", str(java.pid), "kit=" + second, "max-overhead=off")
            self.assertEqual((java.ask("3"), java.ask("3")), ("2 runs", "3 runs"))
            self.assertEqual((java.ask("-1"), java.ask("3"), java.ask("3")), ("served", "4 runs", "4 runs"))

    def test_a_hundred_advices(self):
        """As many as a kit has, also while one that is as large takes their place."""
        body = "".join(COUNTS % ('"com.acme.Shop.op(int)"' if i in (0, 99) else '"com.acme.Shop.op%d(int)"' % i, f"A{i}") for i in range(100))
        self.app = self.build("serves", Shop=SERVES)
        with Running(self, "-cp", self.app, "com.acme.Shop") as java:
            self.assertEqual(java.line(), "ready")
            kit = self.kit(body)
            self.tool("attach", str(java.pid), "kit=" + kit, "max-overhead=off")
            self.assertEqual((java.ask("3"), java.ask("3")), ("2 runs", "4 runs"))
            self.kit(body.replace("runs++", "runs += 10"))
            self.tool("kit", "reload", str(java.pid), "kit")
            self.assertEqual((java.ask("3"), java.ask("3")), ("24 runs", "44 runs"))
