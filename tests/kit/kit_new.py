"""instr kit new: the skeleton builds, its test can fail, and it checks."""

import os

from support import INSTR, JDK, KitTest


class NewTest(KitTest):
    def environment(self):
        return {**os.environ, "INSTR": INSTR, "JAVA_HOME": JDK, "PATH": os.path.join(JDK, "bin") + ":" + os.environ["PATH"]}

    def test_the_skeleton_builds(self):
        out = self.tool("kit", "new", "Orders").stdout
        self.assertEqual(out, "Orders/Orders.java\nOrders/OrdersTest.java\nOrders/build\n")
        built = self.run_command(self.path("Orders", "build"), env=self.environment()).stdout
        self.assertIn("Orders: com.acme.**.*(..)\n1 advice, 1 class, 1 of them in the bootstrap loader\n", built)
        with open(self.path("Orders", "Orders.java"), encoding="utf-8") as file:
            self.assertLessEqual(len(file.readlines()), 15)

    def test_its_test_can_fail(self):
        self.tool("kit", "new", "Orders")
        path = self.path("Orders", "Orders.java")
        with open(path, encoding="utf-8") as file:
            text = file.read().replace("ms >= 100", "ms >= 1000")
        self.write("Orders/Orders.java", text)
        self.run_command(self.path("Orders", "build"), env=self.environment(), status=1)

    def test_it_takes_jars_and_reports_what_they_lack(self):
        shop = self.build("shop app", Shop="package com.acme; public class Shop { public int order() { return 1; } }")
        self.tool("kit", "new", "Orders")
        self.write("Orders/Orders.java", """
            import instr.kit.*;
            @Advice("com.acme.Shop.order()")
            final class Orders {
                static long enter() { return System.nanoTime(); }
                static void exit(@Enter long start, @Method String method) { System.err.println(method + " took 2" + com.acme.Shop.class); }
                static void order(com.acme.Shop shop) { shop.order(); }
            }
            """)
        self.write("Orders/OrdersTest.java", "class OrdersTest { public static void main(String[] args) { } }")
        self.assertIn(" 0 not\n", self.run_command(self.path("Orders", "build"), shop, env=self.environment()).stdout)
        other = self.build("other", Shop="package com.acme; public class Shop { public long order() { return 1; } }")
        found = self.tool("kit", "check", self.path("Orders", "Orders.jar"), other, status=1).stdout
        self.assertEqual(found, "Orders.java:7: com.acme.Shop.order() is of another type there\n")

    def test_names(self):
        for name in ("a-b", "1x", "../x", ""):
            self.assertIn("is not a name", self.tool("kit", "new", name, status=2).stderr)
        for name in ("class", "int", "true", "record", "System", "Advice"):
            self.assertIn(f"'{name}' is taken: it is a word of Java", self.tool("kit", "new", name, status=2).stderr)
        self.assertEqual(os.listdir(self.path()), [])
        self.assertIn("give the name of the kit", self.tool("kit", "new", status=2).stderr)
        self.tool("kit", "new", "Orders")
        self.assertIn("Orders: File exists", self.tool("kit", "new", "Orders", status=1).stderr)
