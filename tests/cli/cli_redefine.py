"""What `instr redefine` refuses before a JVM gets it."""

import os

from support import CliTest, class_file


class Redefine(CliTest):
    def test_inserted_code_is_refused(self):
        self.write("Foo.class", class_file("java/lang/InstrTiming"))  # stands for a class that uses it
        self.expect(["redefine", str(os.getpid()), "Foo.class"], 1, "",
                    "instr: Foo.class: has code that a pass has inserted; 'instr dump --original' writes the class without it\n")
        for name in "java/lang/Instr", "java/lang/instrument/Instr", "java/lang/Instrument", "Instr":
            self.write("Foo.class", class_file(name))
            done = self.expect(["redefine", str(os.getpid()), "Foo.class"], 1, "")
            self.assertNotIn("inserted", done.stderr, name)
