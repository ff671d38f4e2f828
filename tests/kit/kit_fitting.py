"""Which methods of an application an advice applies to, and whether it can be called for them."""

import os
import re
import shutil

from support import KitTest

SHOP = """
package com.acme;
import java.util.*;
@interface Timed { }
@interface Service { }
interface Sells { int order(String item, int n); default void close() { } }
abstract class Base implements Sells { public abstract void stop(); }
@Service public class Shop extends Base {
    private long stock; static String name; List<String> items;
    public Shop() { }
    public Shop(String name) { }
    @Timed public int order(String item, int n) { return n; }
    public void order() { }
    public void stop() { }
    static double price(double d, long l, byte[] b, Map<String, Integer> m) { return d; }
    native void sell();
}
class Other { public int order(String item, int n) { return 1; } }
class Buyer { static Object last = new Object(); static void buy(Shop s) { s.order("tea", 2); s.order(); } }
"""


class FittingTest(KitTest):
    def setUp(self):
        super().setUp()
        self.shop = self.build("shop", Shop=SHOP)
        self.kits = 0

    def check(self, advice, body, status=0):
        """The lines that `instr kit check` prints for this advice; BODY begins in line 4."""
        self.kits += 1
        source = f"import instr.kit.*;\n@Advice({advice})\nclass A {{\n{body}\n}}\n"
        return self.tool("kit", "check", self.build(f"kit{self.kits}", classpath=self.shop, A=source), self.shop, status=status).stdout

    def finds(self, count, advice, body="static void enter() { }"):
        self.assertIn(f"\n    {count} method{'' if count == 1 else 's'} of the jars\n", self.check(advice, body))

    def fails(self, reason, target, body):
        self.assertIn(f"A.java:4: {reason}, for com.acme.{target}\n", self.check(f'"com.acme.{target}"', body, status=1))

    def test_patterns(self):
        self.finds(2, '"com.acme.Shop.order(..)"')
        self.finds(1, '"com.acme.Shop.order"  + "(String,int)"')
        self.finds(2, '"com.acme.*.order(String, int)"')
        self.finds(1, '"com.acme.Sells+.order(String, int)"')
        self.finds(1, '"com.acme.Sells+.close()"')
        self.finds(1, '"com.acme.Base+.stop()"')
        self.finds(2, '"com.acme.Shop.<init>"')
        self.finds(1, '"com.acme.Buyer.<clinit>"')
        self.finds(3, '"com.acme.Buyer.*"')
        self.finds(2, '{"com.acme.Shop.order(..)", "com.acme.Sells+.order(String, int)", "com.acme.S*p.order"}')
        self.finds(1, '{"com.acme.Other.order(..)", "com.acme.None.x"}')
        self.finds(1, 'value = "com.acme.**.*", annotated = "com.acme.Timed"')
        self.finds(1, 'annotated = "com.acme.Timed"')
        self.finds(1, '"com.acme.Shop.sell()"')  # native: its wrapper calls the advice
        self.finds(7, 'annotatedClass = "com.acme.Ser*"')

    def test_what_matches_nothing_is_reported(self):
        for target in ("com.acme.Base.stop()", "com.acme.Sells.order(..)", "com.acme.Shop.order(long)", "com.acme.Shop.<clinit>"):
            text = self.check(f'"{target}"', "static void enter() { }")
            self.assertIn("A.java:3: note: A matches no method of these jars\n", text)
        text = self.check('value = "com.acme.None.x", required = true', "static void enter() { }", status=1)
        self.assertEqual(text, "A.java:3: A matches no method of these jars\n")

    def test_classes_in_folders_of_an_archive(self):
        """As loaders find them in a .war, an executable jar and a module; libraries within are not known."""
        kit = self.build("of-shop", classpath=self.shop, A="""import instr.kit.*;
            @Advice("com.acme.Shop.order(..)") class A { static void enter(@This com.acme.Shop s) { s.order(); } }""")
        for folder in ("WEB-INF/classes", "BOOT-INF/classes", "classes"):
            root = self.path("in-" + folder.replace("/", "-"))
            shutil.copytree(self.path("shop-classes"), os.path.join(root, folder))
            text = self.tool("kit", "check", kit, self.jar(folder.replace("/", "-") + ".war", root)).stdout
            self.assertIn("\n    2 methods of the jars\n", text)
        root = self.path("lib-only/WEB-INF/lib")
        os.makedirs(root)
        shutil.copy(self.shop, root)
        text = self.tool("kit", "check", kit, self.jar("lib-only.war", self.path("lib-only"))).stdout
        self.assertNotIn("is not there", text)

    def test_calls(self):
        calls = 'calls = true, callers = "com.acme.**"'
        text = self.check(f'value = "com.acme.Shop.order(..)", {calls}', "static void enter() { }")
        self.assertIn("A: calls of com.acme.Shop.order(..)\n    2 calls in the jars\n", text)
        text = self.check(f'value = "com.acme.Shop.order(..)", {calls}', "static void enter(String item) { }")
        self.assertIn("note: A.java:4: enter: parameter 1 is argument 0, which the method does not have, for com.acme.Shop.order()\n", text)
        self.assertIn("\n    1 call in the jars\n", text)
        for value, callers in (("com.acme.Shop.odrer(..)", "com.acme.**"), ("com.acme.Shop.order(..)", "com.acme.Shop")):
            advice = f'value = "{value}", calls = true, callers = "{callers}"'
            self.assertIn("A.java:3: note: A matches no call in these jars\n", self.check(advice, "static void enter() { }"))
            text = self.check(advice + ", required = true", "static void enter() { }", status=1)
            self.assertEqual(text, "A.java:3: A matches no call in these jars\n")

    def test_bindings_that_fit(self):
        for target, body in (
                ("order(String, int)", 'static int enter(@This com.acme.Shop s, String item, int n, @Field("stock") long f) { return 1; }'),
                ("order(String, int)", "static int returned(@Result int r, @Arg(0) Object item) { return r; }"),
                ("order(String, int)", "static void enter(Holder<String> item, Holder<Integer> n) { }"),
                ("order(String, int)", "static void enter(Holder<?> item, Holder n) { }"),
                ("order(String, int)", "@Skip static boolean enter(@AllArgs Object[] all, @Method String m) { return true; }"),
                ("price(..)", 'static void enter(double d, long l, byte[] b, java.util.Map m, @Field("name") String n) { }'),
                ("price(..)", "static void enter(@Arg(2) Object b, @Arg(3) Object m, @Arg(1) Holder<Long> l) { }"),
                ("<init>(String)", 'static void exit(@This Object shop, @Field("items") java.util.List l, String name) { }')):
            self.finds(1, f'"com.acme.Shop.{target}"', body)

    def test_bindings_that_do_not_fit(self):
        order = "Shop.order(java.lang.String,int)"
        self.fails("enter: parameter 3 is argument 2, which the method does not have", order,
                   "static void enter(String s, int n, int more) { }")
        self.fails("enter: parameter 1 is argument 1, whose type is int", order, "static void enter(@Arg(1) long n) { }")
        self.fails("enter: parameter 1 is argument 1, whose type is int", order, "static void enter(@Arg(1) Object n) { }")
        self.fails("enter: parameter 1 is argument 1, whose type is int", order, "static void enter(@Arg(1) Holder<Long> n) { }")
        self.fails("enter: parameter 1 is argument 0, whose type is java.lang.String", order,
                   "static void enter(CharSequence s) { }")
        self.fails("exit: parameter 1: the type of the result is int", order, "static void exit(@Result Object r) { }")
        self.fails("exit: parameter 1: the method has no result", "Shop.order()", "static void exit(@Result Object r) { }")
        self.fails("returned: returns long, but the method returns int", order, "static long returned() { return 1; }")
        self.fails("returned: returns java.lang.Object, but the method returns void", "Shop.order()",
                   "static Object returned() { return null; }")
        self.fails("enter: parameter 1: the class has no field price", order, 'static void enter(@Field("price") Object s) { }')
        self.fails("enter: parameter 1: the type of the field stock is long", order, 'static void enter(@Field("stock") int s) { }')
        self.fails("enter: parameter 1: the field items needs an object, which there is not",
                   "Shop.price(double,long,byte[],java.util.Map)", 'static void enter(@Field("items") Object s) { }')
        self.fails("enter: parameter 1: the field stock needs an object, which there is not", "Shop.<init>()",
                   'static void enter(@Field("stock") long s) { }')
        self.fails("enter: a constructor cannot be skipped", "Shop.<init>()", "@Skip static boolean enter() { return true; }")
        self.fails("enter: parameter 1: @This is of another class: use Object", order, "static void enter(@This Comparable<?> s) { }")

    def test_an_advice_that_fits_some_methods_only(self):
        text = self.check('"com.acme.Shop.order(..)"', "static void enter(String item) { }")
        self.assertIn("note: A.java:4: enter: parameter 1 is argument 0, which the method does not have, for com.acme.Shop.order()\n", text)
        self.assertIn("    1 method of the jars\n", text)
        methods = int(re.search(r"\n    (\d+) methods", self.check('"com.acme.Shop.*"', "static void enter() { }"))[1])
        text = self.check('value = "com.acme.Shop.*", outermost = true', "static void enter() { }")
        self.assertIn("note: A.java:3: outermost = true is not for constructors, which may end in super(), for com.acme.Shop.<init>(", text)
        self.assertIn(f"\n    {methods - 2} methods of the jars\n", text)

    def test_folders_of_classes(self):
        self.finds(2, '"com.acme.Shop.order(..)"')
        folders = [self.path("kit1-classes"), self.path("shop-classes")]
        of_jars = self.tool("kit", "check", self.path("kit1.jar"), self.shop).stdout
        self.assertEqual(self.tool("kit", "check", *folders).stdout, of_jars)
        self.assertEqual(self.tool("kit", "check", *(folder + "/" for folder in folders)).stdout, of_jars)
        os.remove(self.path("shop-classes", "com", "acme", "Shop.class"))
        self.assertIn("A matches no method of these jars\n", self.tool("kit", "check", *folders).stdout)
        os.mkdir(self.path("empty"))
        self.assertIn("empty has no class with @Advice of instr.kit", self.tool("kit", "check", self.path("empty"), status=1).stdout)
        with open(self.path("shop-classes", "Long.class"), "wb") as file:
            file.truncate((1 << 24) + 1)
        self.assertIn("Long.class is longer than 16 MB", self.tool("kit", "check", *folders, status=1).stderr)
