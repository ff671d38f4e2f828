"""Help, version, and that the documents say what the tables say."""

import os
import re

from support import TOP, CliTest


class Help(CliTest):
    def test_help_names_all_commands(self):
        for words in (["help"], ["--help"], ["-h"], ["run", "--help"]):
            self.expect(words, 0, ["run", "report", "show", "check", "usage: instr"], "")

    def test_help_on_one_command_is_its_usage(self):
        self.expect(["help", "run"], 0, "usage: instr run OPTION... -- COMMAND ARGUMENT...\n\n"
                    "  run                   start a command with the agent in its JVMs\n", "")
        self.expect(["help", "runtime-jar"], 0, ["usage: instr runtime-jar\n"], "")
        self.expect(["help", "run", "x"], 2, "", ["there is no help on 'x'"])

    def test_help_options_names_passes_and_options(self):
        self.expect(["help", "options"], 0,
                    ["  calls ", "  timing ", "include=PATTERNS", "timing.file=FILE"], "")

    def test_version_is_one_line(self):
        done = self.expect(["--version"], 0, err="")
        self.assertRegex(done.stdout, r"^instr \S+\n$")
        self.expect(["version"], 0, done.stdout, "")

    def test_mistakes_are_told_in_one_line(self):
        self.expect([], 2, "", "instr: which command? See 'instr help'\n")
        self.expect(["rnu"], 2, "", "instr: 'rnu' is no command; did you mean 'run'? See 'instr help'\n")
        self.expect(["bytecode"], 2, "", "instr: 'bytecode' is no command; see 'instr help'\n")
        self.expect(["help", "x"], 2, "", ["there is no help on 'x'"])
        self.expect(["version", "x"], 2, "", ["takes no arguments"])

    def test_a_full_disk_does_not_go_unnoticed(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            import subprocess
            done = subprocess.run([self.instr, "help"], stdout=full, stderr=subprocess.PIPE,
                                  text=True, check=False)
        self.assertEqual((done.returncode, done.stderr),
                         (1, "instr: standard output: No space left on device\n"))


class Documents(CliTest):
    def document(self, *name):
        with open(os.path.join(TOP, *name), encoding="utf-8") as file:
            return file.read()

    def test_the_readme_has_the_table_of_options(self):
        table = self.run_tool("help", "options", "markdown").stdout
        self.assertGreater(len(table.splitlines()), 10)
        self.assertIn(table, self.document("README.md"),
                      "make it anew with 'instr help options markdown'")

    def test_the_man_page_has_all_options(self):
        self.assertIn(self.run_tool("help", "options", "man").stdout,
                      self.document("instr", "instr.1"),
                      "make them anew with 'instr help options man'")

    def test_the_man_page_has_all_commands(self):
        page = self.document("instr", "instr.1")
        for command in re.findall(r"^  ([\w-]+)  ", self.run_tool("help").stdout, re.M):
            self.assertIn("instr " + command.replace("-", "\\-"), page)
