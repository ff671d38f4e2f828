"""Random programs that throw, catch, clean up and throw again, and count that themselves.

A program is one class. Its methods call each other and draw what to do from random numbers of their own. It prints a line
for each kind of exception, as the pass exceptions reports it: class, place that throws, method that catches, count.

A program knows where its exception comes from by `flying`: the number of the throw that is on its way, or -1. Code of a
finally block saves it, and puts it back if the block ends normally. If the block ends by return, break, continue or another
throw, the exception ends in the method of the block.
"""

import random

HEAD = """import java.util.Map;
import java.util.TreeMap;

public final class %(name)s {
    static class A extends RuntimeException {
        A() { super("a"); }
        A(String text) { super(text, null, false, false); }
    }
    static class B extends A { }
    static class C extends RuntimeException {
        C() { super("c", null, false, false); }
    }

    static final A SAME_A = new A(), BARE = new A("bare");
    static final B SAME_B = new B();
    static final C SAME_C = new C();
    static final int[] NONE = null, SHORT = new int[2];
    static final String[] CLASSES = {%(classes)s}, METHODS = {%(methods)s};
    static final int[] CLASS = {%(site_classes)s}, METHOD = {%(site_methods)s};
    static final int[][] ENDS = new int[CLASS.length][METHODS.length];
    static int random = %(seed)d, fuel, flying = -1, zero, sum;

    static boolean go(int n) {
        random = random * 1103515245 + 12345;
        return (random >>> 16) %% n == 0;
    }

    static void end(int site, int method) {
        if (site >= 0) ENDS[site][method]++;
    }

    static void caught(int method) {
        end(flying, method);
        flying = -1;
    }
"""

TAIL = """
    static void run() {
        try {
            fuel = 40;
            m0(0);
        } catch (RuntimeException e) {
            caught(METHODS.length - 1);
        }
    }

    public static void main(String[] args) {
        for (int i = Integer.parseInt(args[0]); i > 0; i--) run();
        Map<String, Integer> counts = new TreeMap<String, Integer>();
        for (int i = 0; i < CLASS.length; i++)
            for (int k = 0; k < METHODS.length; k++) {
                String key = CLASSES[CLASS[i]] + " %(name)s." + METHODS[METHOD[i]] + " " + METHODS[k];
                Integer before = counts.get(key);
                if (ENDS[i][k] > 0) counts.put(key, ENDS[i][k] + (before == null ? 0 : before));
            }
        for (Map.Entry<String, Integer> e : counts.entrySet()) System.out.println(e.getKey() + " " + e.getValue());
    }
}
"""

# What throws, and the class of its exception.
THROWS = (("throw SAME_A;", "A"), ("throw BARE;", "A"), ("throw SAME_B;", "B"), ("throw SAME_C;", "C"), ("throw new A();", "A"),
          ("throw new B();", "B"), ("throw new C();", "C"))
FAILS = (("sum += NONE.length;", "java.lang.NullPointerException"), ("sum += 1 / zero;", "java.lang.ArithmeticException"),
         ("sum += SHORT[2 + zero];", "java.lang.ArrayIndexOutOfBoundsException"),
         ("sum += ((String) (Object) SHORT).length();", "java.lang.ClassCastException"))
CATCHES = ("A", "B", "C", "NullPointerException", "ArithmeticException", "RuntimeException", "B | C",
           "ArrayIndexOutOfBoundsException | ClassCastException")
METHODS = 6
DEPTH = 2  # of blocks


class Program:
    """Writes one class."""

    def __init__(self, name, seed):
        self.name, self.seed, self.random = name, seed, random.Random(seed)
        self.sites, self.method, self.locals = [], 0, 0

    def chance(self, n):
        return self.random.randrange(n) == 0

    def local(self, letter):
        self.locals += 1
        return f"{letter}{self.locals}"

    def site(self, cls):
        self.sites.append((cls, self.method))
        return len(self.sites) - 1

    def throws(self):
        text, cls = self.random.choice(THROWS + FAILS)
        return f"if (go({self.random.randrange(2, 7)})) {{ flying = {self.site(cls)}; {text} }}"

    def call(self):
        return f"sum += m{self.random.randrange(METHODS)}(d + 1);"

    def jump(self, loops):
        return f"if (go({self.random.randrange(2, 4)})) {self.random.choice(['return sum;'] + ['break;', 'continue;'] * (loops > 0))}"

    def loop(self, depth):
        i = self.local("i")
        return [f"for (int {i} = 0; {i} < 3; {i}++) {{", *self.block(depth, 1), "}"]

    def locked(self, depth, loops):
        return [f"synchronized ({self.random.choice(['SHORT', 'SAME_A'])}) {{", *self.block(depth, loops), "}"]

    def again(self, e):
        """The caught exception is thrown again, which is another throw. Its class is not known here, but its object."""
        return [f"if (go(2)) {{ flying = again({e}, {self.method}); throw {e}; }}"]

    def catch(self, types, depth, loops):
        e = self.local("e")
        return [f"}} catch ({types} {e}) {{", f"caught({self.method});", *self.block(depth, loops), *self.again(e)]

    def cleanup(self, depth, loops):
        """A finally block within another one, which sees how the former ends."""
        saved, normal = self.local("s"), self.local("n")
        return ["} finally {", f"int {saved} = flying;", f"boolean {normal} = false;", "flying = -1;", "try {",
                *self.block(depth, loops), self.jump(loops), f"{normal} = true;", "} finally {", f"if ({normal}) flying = {saved};",
                f"else end({saved}, {self.method});", "}"]

    def guarded(self, depth, loops):
        types = self.random.sample(CATCHES, self.random.randrange(0, 3))
        order = [t for t in types if t != "RuntimeException"] + [t for t in types if t == "RuntimeException"]
        lines, seen = ["try {", *self.block(depth, loops)], set()
        for text in sorted(order, key=lambda t: (t == "RuntimeException", t == "A")):
            if not seen & set(text.split(" | ")):
                lines += self.catch(text, depth, loops)
            seen |= set(text.split(" | "))
        if not types or self.chance(2):
            lines += self.cleanup(DEPTH, loops)
        return lines + ["}"]

    def statement(self, depth, loops):
        kind = self.random.randrange(12)
        if kind < 3 and depth < DEPTH:
            return self.guarded(depth + 1, loops)
        if kind == 3 and depth < DEPTH:
            return self.locked(depth + 1, loops)
        if kind == 4 and depth < DEPTH:
            return self.loop(depth + 1)
        if kind in (5, 6):
            return [self.call()]
        return [self.jump(loops)] if kind == 7 else [self.throws()]

    def block(self, depth, loops):
        return [line for _ in range(self.random.randrange(1, 3)) for line in self.statement(depth, loops)]

    def body(self, number):
        self.method = number
        lines = [f"static int m{number}(int d) {{", "if (d > 5 || --fuel < 0) return 0;"]
        lines += self.guarded(0, 0) + self.block(0, 0)
        return lines + ["return sum;", "}"]

    def text(self):
        methods = [line for number in range(METHODS) for line in self.body(number)]
        classes = sorted({cls for cls, _ in self.sites} | {cls for _, cls in THROWS + FAILS})
        # One more site for each class and method: where what was caught is thrown again.
        again = [(cls, number) for number in range(METHODS) for cls in classes]
        first = len(self.sites)
        sites = self.sites + again
        lines = ["static int again(RuntimeException e, int method) {",
                 "String name = e.getClass().getName();",
                 f"for (int i = 0; i < {len(classes)}; i++)",
                 f'if (name.equals(CLASSES[i])) return {first} + method * {len(classes)} + i;',
                 "return -1;", "}"]
        full = [cls if "." in cls else f"{self.name}${cls}" for cls in classes]
        values = {"name": self.name, "seed": self.seed, "classes": ", ".join(f'"{c}"' for c in full),
                  "methods": ", ".join([f'"m{n}"' for n in range(METHODS)] + ['"run"']),
                  "site_classes": ", ".join(str(classes.index(cls)) for cls, _ in sites),
                  "site_methods": ", ".join(str(number) for _, number in sites)}
        return HEAD % values + "\n".join(methods + lines) + TAIL % values


def name_of(seed):
    return f"Random{seed}"


MAIN = """public final class RandomThrows {
    /** Runs each of the programs named, so many rounds. */
    public static void main(String[] args) throws Exception {
        for (int i = 1; i < args.length; i++)
            Class.forName(args[i]).getMethod("main", String[].class).invoke(null, (Object) new String[] {args[0]});
    }
}
"""


def write(folder, seeds):
    """Writes the programs of these seeds, and RandomThrows, which runs them; returns the files."""
    texts = {name_of(seed): Program(name_of(seed), seed).text() for seed in seeds}
    for name, text in {**texts, "RandomThrows": MAIN}.items():
        with open(f"{folder}/{name}.java", "w", encoding="ascii") as f:
            f.write(text)
    return [f"{folder}/{name}.java" for name in [*texts, "RandomThrows"]]
