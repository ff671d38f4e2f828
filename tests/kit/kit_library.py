"""instr-kit.jar: what authors compile against."""

import os
import struct
import sys
import zipfile

from support import HERE, JDK, KIT_JAR, KitTest, release


class LibraryTest(KitTest):
    def test_jar_prints_its_path(self):
        self.assertTrue(os.path.samefile(self.tool("kit", "jar").stdout[:-1], KIT_JAR))
        self.assertIn("unknown argument 'x'", self.tool("kit", "jar", "x", status=2).stderr)

    def test_class_files_are_for_java_8(self):
        with zipfile.ZipFile(KIT_JAR) as jar:
            classes = [name for name in jar.namelist() if name.endswith(".class")]
            versions = {struct.unpack(">IHH", jar.read(name)[:8]) for name in classes}
        self.assertIn("instr/kit/Advice.class", classes)
        self.assertEqual(versions, {(0xCAFEBABE, 0, 52)})

    def test_every_source_is_a_dependency(self):
        """Of the runtime, too: rewritten files get some of its classes."""
        if release() < 11:
            self.skipTest("the build needs JDK 11")
        sources = os.path.realpath(os.path.join(HERE, "..", "..", "runtime-java"))
        self.run_command(sys.executable, os.path.join(sources, "kit", "build.py"), os.path.join(JDK, "bin", "javac"), self.folder)
        with open(self.path("kit.d"), encoding="utf-8") as file:
            target, *named = file.read().split()
        self.assertEqual(os.path.basename(target), "instr-kit.jar:")
        named = set(named)
        there = {os.path.join(folder, name) for folder, _, names in os.walk(sources) for name in names if name.endswith((".java", ".py"))}
        self.assertIn(os.path.join(sources, "woven", "InstrUnsafe.java"), there)
        self.assertEqual(there - named, set())

    def test_state(self):
        out = self.javac("classes", os.path.join(HERE, "programs", "StateTest.java"))
        self.assertEqual(self.java("-Xmx256m", "-cp", out + os.pathsep + KIT_JAR, "StateTest").stdout, "ok\n")
