"""instr-kit.jar: what authors compile against."""

import os
import struct
import zipfile

from support import HERE, KIT_JAR, KitTest


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

    def test_state(self):
        out = self.javac("classes", os.path.join(HERE, "programs", "StateTest.java"))
        self.assertEqual(self.java("-Xmx256m", "-cp", out + os.pathsep + KIT_JAR, "StateTest").stdout, "ok\n")
