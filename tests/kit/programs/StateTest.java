import instr.kit.Holder;
import instr.kit.State;

import java.util.ArrayList;
import java.util.List;

/** State and Holder as plain Java: what kits may rely on. */
public class StateTest {
    private static void check(boolean holds, String what) {
        if (!holds)
            throw new AssertionError(what);
    }

    /** Equal to all others: values must go by identity. */
    private static final class Key {
        public boolean equals(Object other) {
            return other instanceof Key;
        }

        public int hashCode() {
            return 1;
        }
    }

    private static void values() {
        State<String> state = new State<>();
        Key a = new Key(), b = new Key();
        check(state.get(a) == null && state.get(null) == null, "empty");
        check(state.put(a, "a") == null && state.put(b, "b") == null, "nothing before");
        check(state.get(a) == "a" && state.get(b) == "b" && state.size() == 2, "by identity");
        check(state.put(a, "c") == "a" && state.get(a) == "c" && state.size() == 2, "replaced");
        check(state.remove(a) == "c" && state.remove(a) == null && state.get(a) == null, "removed");
        check(state.put(null, "d") == null && state.size() == 1, "null has no value");
    }

    private static void limit() {
        java.io.PrintStream err = System.err;
        java.io.ByteArrayOutputStream lines = new java.io.ByteArrayOutputStream();
        System.setErr(new java.io.PrintStream(lines));
        State<Integer> state = new State<>(1000);
        List<Object> alive = new ArrayList<>();
        for (int i = 0; i < 20000; i++) {
            alive.add(new Object());
            state.put(alive.get(i), i);
        }
        System.setErr(err);
        check(lines.toString().split("\n").length == 1 && lines.toString().contains(" 1000 instances"), "said " + lines);
        check(state.size() >= 900 && state.size() <= 1016, "size " + state.size());
        check(state.size() + state.dropped() == 20000, "dropped " + state.dropped());
        int found = 0;
        for (int i = 0; i < alive.size(); i++) {
            Integer value = state.get(alive.get(i));
            check(value == null || value == i, "value of " + i);
            if (value != null)
                found++;
        }
        check(found == state.size(), "found " + found);
    }

    private static void weak() throws Exception {
        State<String> state = new State<>(1 << 20);
        for (int i = 0; i < 100000; i++)
            state.put(new Object(), "x");
        for (int i = 0; i < 100 && state.size() > 1000; i++) {
            System.gc();
            Thread.sleep(20);
            for (int k = 0; k < 64; k++) // what was collected is found by put
                state.put(new Object(), "y");
        }
        check(state.size() <= 1000, "collected: " + state.size() + " are left");
    }

    private static void threads() throws Exception {
        State<Integer> state = new State<>();
        Thread[] threads = new Thread[8];
        Throwable[] failed = new Throwable[1];
        for (int t = 0; t < threads.length; t++) {
            threads[t] = new Thread(() -> {
                Object[] own = new Object[5000];
                for (int i = 0; i < own.length; i++)
                    state.put(own[i] = new Object(), i);
                for (int i = 0; i < own.length; i++)
                    if (state.remove(own[i]) != i)
                        failed[0] = new AssertionError("value of " + i);
            });
            threads[t].start();
        }
        for (Thread thread : threads)
            thread.join();
        check(failed[0] == null && state.size() == 0, "threads: " + failed[0] + ", " + state.size());
    }

    public static void main(String[] args) throws Exception {
        check(new Holder<>("x").value.equals("x"), "holder");
        values();
        limit();
        weak();
        threads();
        System.out.println("ok");
    }
}
