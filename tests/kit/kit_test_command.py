"""instr kit test: what a kit saw, as lines that a file can hold."""

import os
import unittest

from support import INSTR, JDK, PLAIN, ShopTest

KIT = """
    @Advice({"com.acme.Shop.order(String, int)", "com.acme.Shop.twice(long)"}) final class Slow {
        static final State<String> SEEN = new State<>();
        static void enter(@This Object o, @Method String m) { SEEN.put(o, m); if (m.contains("twice")) throw new IllegalStateException("bad"); }
    }
    @Advice("com.acme.Shop.stock()") final class Unused { static void enter() { } }
    @Advice("com.acme.Shop.none()") final class Nowhere { static void enter() { } }
    @Advice(value = "com.acme.Shop.twice(long)", calls = true, callers = "com.acme.**") final class Call { static void exit() { } }
    @Advice(value = {"com.acme.Shop.main(..)", "com.acme.Shop.order(..)"}, outermost = true) final class Outer { static void exit() { } }
    """
SAW = """\
Call: com.acme.Shop.main(java.lang.String[]) ran 1 time
Nowhere: called nowhere
Outer: com.acme.Shop.main(java.lang.String[]) ran 1 time
Outer: com.acme.Shop.order(java.lang.String,int) ran 0 times
Slow.SEEN: values for 1 instance, 0 dropped
Slow: com.acme.Shop.order(java.lang.String,int) ran 2 times
Slow: com.acme.Shop.twice(long) ran 1 time
Slow: failed 1 time: java.lang.IllegalStateException: bad (in Slow.enter, line 5)
Unused: com.acme.Shop.stock() ran 0 times
"""


class TestCommandTest(ShopTest):
    def command(self, *words, status=0, folder="temporary"):
        temporary = self.path(folder)
        os.makedirs(temporary, exist_ok=True)
        done = self.run_command(INSTR, "kit", "test", *words, status=status, env={**os.environ, "TMPDIR": temporary})
        self.assertEqual(os.listdir(temporary), [])
        return done

    def java(self, *arguments):
        return "--", os.path.join(JDK, "bin/java"), "-cp", self.app, *arguments

    def test_what_a_kit_saw(self):
        kit = self.kit(KIT)
        for _ in range(2):
            done = self.command(kit, *self.java("com.acme.Shop"))
            self.assertEqual(done.stdout, "\n".join(PLAIN) + "\n" + SAW)
            self.assertEqual(done.stderr, "instr: advice Slow has thrown an exception, which is dropped: java.lang.IllegalStateException: bad (in Slow.enter, line 5)\n")
        done = self.command("-o", self.path("saw"), kit, "include=com.acme.**", *self.java("com.acme.Shop"))
        with open(self.path("saw"), encoding="utf-8") as file:
            self.assertEqual((file.read(), done.stdout.splitlines()), (SAW, PLAIN))

    def test_a_method_with_255_arguments(self):
        self.app = self.build("wide", Wide=f"""
            package com.acme;
            public class Wide {{
                static void wide({", ".join(f"int p{i}" for i in range(255))}) {{ }}
                public static void main(String[] a) {{ wide({", ".join("0" for i in range(255))}); }}
            }}""")
        kit = self.kit('@Advice("com.acme.Wide.wide(..)") final class Slow { static void enter() { } }')
        self.assertEqual(self.command(kit, *self.java("com.acme.Wide")).stdout, f"Slow: com.acme.Wide.wide({','.join(['int'] * 255)}) ran 1 time\n")

    def test_a_temporary_folder_with_commas(self):
        self.assertEqual(self.command(self.kit(KIT), *self.java("com.acme.Shop"), folder="a,b\\c,,d").stdout, "\n".join(PLAIN) + "\n" + SAW)

    def test_the_status_is_the_programs(self):
        self.app = self.build("ends", Shop="""
            package com.acme;
            public class Shop {
                static void stock() { }
                public static void main(String[] a) throws Exception { stock(); if (a.length > 0) new ProcessBuilder("sh", "-c", "kill -9 $PPID").start().waitFor(); System.exit(3); }
            }""")
        kit = self.kit('@Advice("com.acme.Shop.stock()") final class Slow { static void enter() { } }')
        done = self.command(kit, *self.java("com.acme.Shop"), status=3)
        self.assertEqual((done.stdout, done.stderr), ("Slow: com.acme.Shop.stock() ran 1 time\n", ""))
        done = self.command(kit, *self.java("com.acme.Shop", "killed"), status=137)
        self.assertEqual((done.stdout, done.stderr), ("", "instr: no JVM has written what the kit saw: none ran to its end with the kit\n"))
        self.assertIn("command not found", self.command(kit, "--", "no-such-command", status=127).stderr)

    def test_what_is_wrong_with_the_kit(self):
        broken = self.kit('@Advice("com.acme.Shop.stock()") final class Slow { static void enter(@Result Object o) { } }')
        done = self.command(broken, *self.java("com.acme.Shop"), status=1)
        self.assertEqual((done.stdout, done.stderr), ("Slow.java:2: enter: parameter 1: @Result has no value in enter\n", ""))
        for words, why in (([broken], "no command after '--'"), (["--", "java"], "no kit given")):
            self.assertIn("instr: kit: test: " + why, self.command(*words, status=2).stderr)

    def test_advice_of_what_counting_itself_uses(self):
        self.app = self.build("uses", Shop="""
            package com.acme;
            public class Shop { public static void main(String[] a) { System.out.println(new java.util.HashMap<String, String>().put("a", "b")); } }""")
        kit = self.kit('@Advice("java.util.HashMap.put(Object, Object)") final class Slow { static void enter() { } }')
        done = self.command(kit, *self.java("com.acme.Shop"))
        self.assertRegex(done.stdout, r"^null\nSlow: java.util.HashMap.put\(java.lang.Object,java.lang.Object\) ran [1-9]\d* times?\n$")


if __name__ == "__main__":
    unittest.main()
