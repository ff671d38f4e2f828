"""instr run: how the agent gets into a command; and instr doctor on a command. The agent's library is an empty file: no JVM is started."""

import os
import shutil
import signal

from support import CliTest


class Run(CliTest):
    def setUp(self):
        super().setUp()
        self.tool = self.install("bin")
        self.write("echo/java", '#!/bin/sh\nfor a; do echo "[$a]"; done\n')
        os.chmod(self.path("echo/java"), 0o755)
        self.environment = {k: v for k, v in os.environ.items() if k != "JAVA_TOOL_OPTIONS"}

    def install(self, folder):
        """A copy of the tool with a library beside it. Returns its path."""
        self.write(f"{folder}/libinstr.so", "")
        return shutil.copy(self.instr, self.path(f"{folder}/instr"))

    def agent(self, options, folder="bin"):
        return f"-agentpath:{os.path.realpath(self.path(folder))}/libinstr.so={options}"

    def run_with(self, arguments, status=0, out=None, err="", tool=None, before=None):
        environment = dict(self.environment)
        if before is not None:
            environment["JAVA_TOOL_OPTIONS"] = before
        return self.expect(["run", *arguments], status, out, err, tool=tool or self.tool,
                           env=environment)

    def tool_options(self, arguments, before=None, tool=None):
        return self.run_with([*arguments, "--", "sh", "-c", 'printf %s "$JAVA_TOOL_OPTIONS"'],
                             before=before, tool=tool).stdout

    def test_a_java_launcher_gets_the_agent_as_its_first_argument(self):
        self.run_with(["timing", "timing.top=3", "--", self.path("echo/java"), "-cp", "a b", "Main", "--"],
                      out=f"[{self.agent('timing,timing.top=3')}]\n[-cp]\n[a b]\n[Main]\n[--]\n")

    def test_another_command_gets_it_in_the_environment(self):
        self.assertEqual(self.tool_options(["timing"]), self.agent("timing"))

    def test_the_previous_value_stays(self):
        self.assertEqual(self.tool_options(["calls"], before="-Dx='a b'"),
                         self.agent("calls") + " -Dx='a b'")

    def test_it_stands_before_agents_in_the_environment(self):
        self.write("echo/java", '#!/bin/sh\nprintf "%s|%s" "$JAVA_TOOL_OPTIONS" "$*"\n')
        os.chmod(self.path("echo/java"), 0o755)
        for before in ("-javaagent:a.jar", "-Dx=y -agentlib:hprof"):
            self.run_with(["calls", "--", self.path("echo/java"), "Main"], before=before, out=f"{self.agent('calls')} {before}|Main")
        self.run_with(["calls", "--", self.path("echo/java"), "Main"], before="-Dx=y", out=f"-Dx=y|{self.agent('calls')} Main")
        self.environment["JDK_JAVA_OPTIONS"] = "-javaagent:a.jar"
        self.run_with(["calls", "--", self.path("echo/java"), "Main"], out=f"{self.agent('calls')}|Main")

    def test_blanks_and_quotes_are_quoted_for_the_jvm(self):
        tool = self.install("a b'c\"d")
        reported = self.tool_options(["timing", "timing.file=x y"], tool=tool)
        agent = self.agent("timing,timing.file=x y", "a b'c\"d")
        self.assertEqual(reported, '"' + agent.replace('"', "\"'\"'\"") + '"')

    def test_options_of_other_commands_are_taken(self):
        for words in (["--for", "5m", "calls"], ["calls", "--for=5m"], ["calls", "for=5m"]):
            reported = self.tool_options(words)
            self.assertEqual(sorted(reported.partition("=")[2].split(",")), ["calls", "for=5m"])
        self.assertEqual(self.tool_options(["--allow=set", "calls", "--for", "1h"]), self.tool_options(["allow=set", "calls", "for=1h"]))
        for words in (["calls", "--for"], ["calls", "--for", "soon"], ["--forx", "calls"]):
            self.assertNotEqual(self.run_with([*words, "--", "true"], status=2, err=None).stderr, "")

    def test_options_are_joined_and_files_are_read(self):
        self.write("conf", "timing\n# no\ntiming.file=a,b.json\n")
        self.assertEqual(self.tool_options(["config=conf", "include=a.**,exclude=a.B"]),
                         self.agent("timing,timing.file=a\\,b.json,include=a.**,exclude=a.B"))
        self.assertEqual(self.tool_options(["timing", "stats=a\\", "quiet=yes"]),
                         self.agent("timing,stats=a\\\\,quiet=yes"))

    def test_bad_options_never_start_the_command(self):
        mark = self.path("started")
        self.write("text.so", "no library")
        self.write("two.rules", "a.B.c entry { @ = count() }\na.B.d entry { @ = count() }\n")
        for words, line in (
                (["timng"], "instr: option 'timng': unknown; did you mean 'timing'?\n"),
                (["timing", "huge=1"], "instr: option 'huge': must be no or yes, not '1'\n"),
                (["coverage", "coverage.per-test=junit6"], "instr: option 'coverage.per-test': must be junit4, junit5, testng, or "
                                                           "CLASSES#METHODS such as com.acme.**Test#test*, not 'junit6'\n"),
                (["calls", "plugin=./absent.so"], "instr: option 'plugin': ./absent.so: No such file or directory\n"),
                (["calls", "plugin=./text.so"], f"instr: option 'plugin': {os.path.realpath(self.path('text.so'))}: is not a shared library\n"),
                (["rule=@two.rules", "name=shop", "shop.file=x"], "instr: option 'name': names one rule, and the file has several\n"),
                (["rule=a.B.c entry { @ = count() }", "rule1.file=x"], "instr: option 'rule1.file': unknown; name=NAME names the rule first, then NAME.file\n"),
                (["quiet=yes"], "instr: no pass is given, so nothing would be done; "
                                "see 'instr help options'\n")):
            self.run_with([*words, "--", "touch", mark], 2, "", line)
        self.assertFalse(os.path.exists(mark))

    def test_usage_is_printed(self):
        self.run_with(["timing", "java"], 2, "", ["'--' is missing", "usage: instr run"])
        self.run_with(["timing", "--"], 2, "", ["no command after '--'"])
        self.run_with(["--", "true"], 2, "", ["no options before '--'"])

    def test_the_exit_status_passes_through(self):
        self.run_with(["timing", "--", "sh", "-c", "exit 42"], 42)

    def test_a_signal_passes_through(self):
        self.run_with(["timing", "--", "sh", "-c", "kill -TERM $$"], -signal.SIGTERM)

    def test_a_command_that_cannot_be_run_is_reported_as_by_the_shell(self):
        self.run_with(["timing", "--", "no-such-command"], 127, "",
                      "instr: no-such-command: command not found\n")
        self.run_with(["timing", "--", "./none"], 127, "", "instr: ./none: No such file or directory\n")
        self.write("plain", "")
        self.run_with(["timing", "--", "./plain"], 126, "", "instr: ./plain: Permission denied\n")

    def test_a_missing_library_is_reported(self):
        os.unlink(self.path("bin/libinstr.so"))
        done = self.run_with(["timing", "--", "echo", "started"], 1, "", None)
        self.assertRegex(done.stderr, r"^instr: the agent, libinstr\.so, is neither in .* nor in .*\n$")

    def test_a_library_that_no_jvm_can_load_is_reported(self):
        self.run_with(["timing", "--", "echo"], 1, "", ["'=' in its path"], tool=self.install("a=b"))

    def test_a_variable_too_long_for_jdk_8_is_reported(self):
        self.run_with(["timing", "include=" + "a" * 1000, "--", "true"], 0, "",
                      ["note: JAVA_TOOL_OPTIONS is longer than 1023 bytes"])


class Doctor(CliTest):
    """On a launcher that only prints."""

    def judge(self, *options, says="", status=0):
        self.write("java", f"#!/bin/sh\nprintf '{says}' >&2\nexit {status}\n")
        os.chmod(self.path("java"), 0o755)
        return self.run_tool("doctor", "--", self.path("java"), *options, "X").stdout

    def test_the_reason_is_not_the_first_line_but_the_one_that_says_why(self):
        warning = "OpenJDK 64-Bit Server VM warning: .hotspotrc file is present but has been ignored.\\n"
        for says, reason in ((warning + "Error occurred during CDS dumping\\nCDS dumping does not support X\\n", "CDS dumping does not support X"),
                             ("Picked up JAVA_TOOL_OPTIONS: -Xx\\nError occurred during initialization of VM\\nToo small maximum heap\\n", "Too small maximum heap"),
                             ("Unrecognized VM option X\\nError: Could not create the Java Virtual Machine.\\n", "Unrecognized VM option X"),
                             ("[0.1s][warning][cds] a\\n[0.1s][error][cds] b\\n", "[0.1s][error][cds] b"), (warning, "OpenJDK 64-Bit Server VM warning: "), ("", "")):
            self.assertIn(f"does not start even without the agent: {reason}", self.judge(says=says, status=1))

    def test_options_that_write_archives_are_judged_by_reading(self):
        for options, says in ((["-XX:+RecordDynamicDumpInfo"], "-XX:+RecordDynamicDumpInfo: a JVM with a native agent cannot write an archive"),
                              (["-XX:AOTMode=create"], "-XX:AOTMode=create: this JVM writes a cache and runs no program"),
                              (["-XX:AOTMode=record"], "-XX:AOTMode=record: in a JVM that records a cache")):
            self.assertIn(says, self.judge(*options))
        self.assertNotIn("archive", self.judge("-XX:+RecordDynamicDumpInfo", "-XX:-RecordDynamicDumpInfo"))
