"""The link check: a kit that was compiled against one version of a library meets another one."""

import os
import unittest

from support import JDK, KitTest, release

LIBRARY = """
package lib;
public class Shop extends Base implements Named {
    public int total; public static int count; private int secret; int inside;
    public int total(int a) { return a; }
    public static Shop find(String name) { return new Shop(); }
    public Shop() { }
}
"""
BASE = "package lib; public class Base { protected void low() { } public String kind() { return \"\"; } }"
NAMED = "package lib; public interface Named { String NAME = \"n\".trim(); default String name() { return NAME; } }"

KIT = """
import instr.kit.*;
import lib.*;
import java.util.function.*;
@Advice("lib.Shop.total(int)")
final class Sees {
    static final State<String> STATE = new State<>();
    static void enter(@This Shop shop, int a) {
        int i = shop.total(1);          /*total()*/
        shop.total = 1;                 /*total*/
        Shop.count++;                   /*count*/
        Shop.find("x");                 /*find*/
        shop.kind();                    /*kind*/
        shop.name();                    /*name*/
        ((Named) shop).name();          /*Named*/
        Supplier<Shop> s = Shop::new;
        ToIntFunction<Shop> f = x -> x.total(2);
        STATE.put(shop, Named.NAME);
        int[] copy = new int[3].clone();
        Object o = new lib.Base[2];     /*Base*/
        java.util.Map.Entry<String, String> e = java.util.Map.entry("a", "b");
        e.getKey().hashCode();
    }
}
"""


@unittest.skipIf(release() < 9, "the kit calls Map.entry")
class LinkingTest(KitTest):
    def setUp(self):
        super().setUp()
        self.library = self.library_of("v1")
        self.kit = self.build("kit", classpath=self.library, Sees=KIT)

    def library_of(self, name, shop=LIBRARY, base=BASE, named=NAMED):
        return self.build(name, Shop=shop, Base=base, Named=named)

    def line(self, mark):
        return KIT[:KIT.index(f"/*{mark}*/")].count("\n") + 1

    def check(self, *more, status=0, jdk=JDK):
        return self.tool("kit", "check", self.kit, "--jdk", jdk, *more, status=status).stdout

    def breaks(self, problems, **more):
        """The library is another one: these problems, (mark, text), and no others."""
        self.versions = getattr(self, "versions", 1) + 1
        lines = [f"Sees.java:{self.line(mark)}: {text}" if mark else f"Sees.java: {text}" for mark, text in problems]
        found = self.check(self.library_of(f"v{self.versions}", **more), status=1)
        self.assertEqual(sorted(line for line in found.splitlines() if "note: " not in line), sorted(lines))

    def test_the_library_that_it_was_compiled_against(self):
        self.assertIn(", 0 not\n", self.check(self.library))

    def test_without_jars_the_rest_is_checked(self):
        self.assertRegex(self.check(), r"\n\d\d uses of classes and members checked, \d+ not: give the jars")
        self.assertIn("java.util.Map has no method entry(java.lang.Object,java.lang.Object)\n", self.old_jdk())

    def old_jdk(self):
        """The kit on a JDK whose Map is older, as that of JDK 8: a rt.jar of a few classes."""
        source = self.write("patch/java/util/Map.java", "package java.util; public interface Map<K, V> { interface Entry<K, V> "
                            "{ K getKey(); } }")
        self.run_command(os.path.join(JDK, "bin", "javac"), "--patch-module", "java.base=" + self.path("patch"),
                         "-d", self.path("rt"), source,
                         self.write("patch/java/lang/Object.java", "package java.lang; public class Object { }"))
        os.makedirs(self.path("jre8", "lib"))
        self.jar("jre8/lib/rt.jar", self.path("rt"))
        return self.check(self.library, status=1, jdk=self.path("jre8"))

    def test_no_jdk(self):
        self.assertIn("has neither lib/modules nor rt.jar", self.tool("kit", "check", self.kit, "--jdk", self.path(),
                                                                      status=1).stderr)
        done = self.tool("kit", "check", self.kit, self.path("no.jar"), status=1)
        self.assertIn("no.jar: No such file or directory", done.stderr)

    def test_missing_members(self):
        self.breaks([("total()", "lib.Shop has no method total(int); it has total(long)")],
                    shop=LIBRARY.replace("total(int a) { return a", "total(long a) { return 1"))
        self.breaks([("total()", "lib.Shop has no method total(int)")], shop=LIBRARY.replace("total(int", "sum(int"))
        self.breaks([("total()", "lib.Shop.total(int) is of another type there")],
                    shop=LIBRARY.replace("int total(int", "long total(int"))
        self.breaks([("total", "lib.Shop has no field total")], shop=LIBRARY.replace("public int total;", ""))
        self.breaks([("total", "lib.Shop.total is of another type there")], shop=LIBRARY.replace("int total;", "long total;"))
        self.breaks([("", "lib.Shop has no method <init>(); it has <init>(int)")],
                    shop=LIBRARY.replace("Shop() {", "Shop(int i) {").replace("new Shop()", "new Shop(1)"))

    def test_changed_members(self):
        self.breaks([("total()", "lib.Shop.total(int) is static there")],
                    shop=LIBRARY.replace("public int total(", "public static int total("))
        self.breaks([("find", "lib.Shop.find(java.lang.String) is not static there")],
                    shop=LIBRARY.replace("public static Shop", "public Shop"))
        self.breaks([("count", "lib.Shop.count is not static there")], shop=LIBRARY.replace("static int count", "int count"))
        self.breaks([("total", "lib.Shop.total is private; a field of the advised class can be read by @Field")],
                    shop=LIBRARY.replace("public int total;", "private int total;"))

    def test_missing_and_changed_classes(self):
        self.breaks([("kind", "lib.Shop has no method kind()")], shop=LIBRARY.replace("extends Base", ""))
        self.breaks([("name", "lib.Shop has no method name()")], shop=LIBRARY.replace("implements Named", ""))
        self.breaks([("Named", "lib.Named is a class there"), ("name", "lib.Shop has no method name()")],
                    shop=LIBRARY.replace("implements Named", ""), named=NAMED.replace("interface", "class").replace(
                        "default", "public").replace("String NAME", "public static String NAME"))
        folder = self.path("v1-classes")
        os.remove(os.path.join(folder, "lib", "Named.class"))
        text = self.check(self.jar("part.jar", folder), status=1)
        self.assertIn(f"Sees.java:{self.line('Named')}: lib.Named is not there: it is in none of the jars", text)
        self.assertNotIn("lib.Shop has no method name()", text)

    def test_what_is_inherited_from_a_class_that_is_not_there_is_not_known(self):
        text = self.check(self.build("part", classpath=self.library, Shop=LIBRARY.replace("implements Named", "implements Named, "
                                     "java.io.Serializable")), status=1)
        self.assertIn("lib.Base is not there", text)
        self.assertNotIn("has no method", text)

    def test_privileged_code(self):
        self.kit = self.build("privileged", Bad="""
            import instr.kit.*;
            @Advice("a.B.c") class Bad {
                static void enter() {
                    java.security.AccessController.doPrivileged((java.security.PrivilegedAction<Object>) () -> null);
                }
            }
            """, options=("-Xlint:-removal",))
        self.assertIn("Bad.java:5: calls doPrivileged, which would", self.check(status=1))

    def test_alternatives_that_the_application_lacks(self):
        self.kit = self.build("both", classpath=self.library, Both="""
            import instr.kit.*;
            @Advice(value = "lib.Shop.total(..)", types = "lib|com.lib")
            class Both { static void enter(@This lib.Shop shop) { shop.kind(); shop.total(1); } }
            """)
        text = self.check(self.library)
        self.assertIn("note: Both [com.lib] is not checked: none of its types is in the jars", text)
        self.assertIn("Both [lib]: lib.Shop.total(..)", text)
        other = self.build("other", Shop=LIBRARY.replace("package lib", "package com.lib"), Base=BASE.replace(
            "package lib", "package com.lib"), Named=NAMED.replace("package lib", "package com.lib"))
        self.assertIn("note: Both [lib] is not checked", self.check(other))
        broken = self.build("broken", Shop=LIBRARY.replace("package lib", "package com.lib").replace("total(int", "sum(int"),
                            Base=BASE.replace("package lib", "package com.lib"), Named=NAMED.replace("package lib", "package com.lib"))
        self.assertIn("Both.java:4: com.lib.Shop has no method total(int)", self.check(broken, status=1))
