"""Follows instr/KIT.md: writes its files, runs its commands, and compares what they print."""

import os
import re
import subprocess
import unittest

from support import HERE, INSTR, JDK, KitTest, release

PAGE = os.path.join(HERE, os.pardir, os.pardir, "instr", "KIT.md")


class PageTest(KitTest):
    def commands(self, block):
        """Each command of a console block, with the output that follows it."""
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, output = part.partition("\n")
            yield command, output

    @unittest.skipIf(release() < 9, "javac of JDK 8 makes no folder")
    def test_the_page(self):
        with open(PAGE, encoding="utf-8") as file:
            page = file.read()
        self.assertLessEqual(len(page.splitlines()), 150)
        path = os.pathsep.join([os.path.dirname(INSTR), os.path.join(JDK, "bin"), os.environ["PATH"]])
        environment = {**os.environ, "PATH": path, "JAVA_HOME": JDK}
        files = commands = 0
        for kind, block in re.findall(r"^```(\w+)\n(.*?)^```$", page, re.S | re.M):
            if kind == "java":
                name, _, text = block.partition("\n")
                self.write(name.removeprefix("// "), "\n" + text)
                files += 1
            for command, output in self.commands(block) if kind == "console" else ():
                done = subprocess.run(command, shell=True, cwd=self.folder, env=environment, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, text=True, check=False)
                self.assertEqual(done.stdout, output, command)
                commands += 1
        self.assertEqual(files, 4)
        self.assertEqual(commands, 10)
