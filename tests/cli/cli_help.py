"""Help, version, and that the documents say what the tables say."""

import json
import os
import re
import shutil
import subprocess
import sys

from support import TOP, CliTest


class Help(CliTest):
    def tables(self):
        return json.loads(self.expect(["help", "--json"], 0, err="").stdout)

    def test_help_names_all_commands(self):
        for words in (["help"], ["--help"], ["-h"]):
            self.expect(words, 0, ["run", "report", "show", "check", "usage: instr"], "")
        for words in (["help", "help"], ["help", "--help"], ["--help", "-h"]):
            self.expect(words, 0, ["usage: instr help [options | interfaces | PASS | OPTION | COMMAND"], "")

    def test_help_on_one_command_explains_it(self):
        start = ("usage: instr run OPTION... [--allow WORDS] [--for TIME] -- COMMAND ARGUMENT...\n\n"
                 "Start a command with the agent in its JVMs.\n\nIf the command is java, ")
        for words in (["help", "run"], ["run", "--help"], ["run", "-h"]):
            done = self.expect(words, 0, err="")
            self.assertTrue(done.stdout.startswith(start), done.stdout)
            self.assertLess(max(map(len, done.stdout.splitlines())), 89)
        self.expect(["help", "runtime-jar"], 0, "usage: instr runtime-jar\n\n"
                    "Print the path of the jar that rewritten programs need.\n\nExamples:\n"
                    "  instr runtime-jar\n      the jar\n"
                    "  java -cp acme-timed.jar:$(instr runtime-jar) com.acme.Main\n      a rewritten program\n", "")
        self.expect(["help", "coverage"], 0, ["usage: instr coverage info|report|check|merge", "  recover", "instr coverage diff A B\n"], "")
        self.expect(["help", "coverage", "diff"], 0, ["usage: instr coverage diff A B\n\nCompare"], "")
        for words in (["coverage", "diff", "--help"], ["exec", "diff", "-h"]):
            self.expect(words, 0, self.run_tool("help", "coverage", "diff").stdout, "")
        self.expect(["coverage", "help"], 0, self.run_tool("help", "coverage").stdout, "")
        self.expect(["coverage", "help", "diff"], 0, self.run_tool("help", "coverage", "diff").stdout, "")
        self.expect(["coverage", "help", "x"], 2, "", ["there is no help on 'coverage x'"])
        for words in (["run", "x"], ["coverage", "x"], ["coverage", "diff", "x"], ["options", "x"], ["options", "man"]):
            self.expect(["help", *words], 2, "", ["there is no help on '" + " ".join(words[:2])])

    def test_options_that_are_numbers_have_their_defaults_explained(self):
        for words, parts in ((["top"], ["sorted by self", "or 20", "of one second", "MAX are - where no call"]), (["rules"], ["Prints 20 rows"]),
                             (["check"], ["one for each processor"]), (["rewrite"], ["one for each processor"])):
            text = self.expect(["help", *words], 0, err="").stdout
            for part in parts:
                self.assertIn(part, " ".join(text.split()))

    def test_a_command_that_gives_a_half_of_a_scope_says_what_becomes_of_the_other(self):
        for command in ("enable", "set"):
            text = " ".join(self.expect(["help", command], 0, err="").stdout.split())
            self.assertIn("include and exclude are one scope", text)
            self.assertIn("takes the other one away", text)

    def test_an_original_may_be_one_that_redefine_has_made(self):
        for command in ("dump", "show"):
            self.assertIn("as it was loaded, or as redefine has replaced it", " ".join(self.expect(["help", command], 0, err="").stdout.split()))

    def test_help_has_a_form_for_programs(self):
        tables = self.tables()
        self.assertEqual([name for name in re.findall(r"^  ([\w-]+)  ", self.run_tool("help").stdout, re.M)],
                         [command["name"] for command in tables["commands"] if " " not in command["name"]])
        self.assertIn({"name": "coverage diff", "arguments": "A B", "help": "compare the classes and hits of two files"},
                      [{key: value for key, value in command.items() if key not in ("details", "examples")} for command in tables["commands"]])
        self.assertIn(("stats", "FILE"), [(option["name"], option["argument"]) for option in tables["options"]])
        self.assertIn(("timing", None), [(option["name"], option["argument"]) for option in tables["options"]])

    def test_commands_take_the_options_of_their_usage(self):
        nobody = str(2 ** 22 + 1)  # more than the largest process id
        arguments = {"watch": [nobody, "Foo.bar"], "top": [nobody, "Foo.bar"], "dump": [nobody, "Foo"], "redefine": [nobody, "F.class"],
                     "enable": [nobody, "calls"], "disable": [nobody, "calls"], "set": [nobody, "calls.top=3"],
                     "show": [nobody, "Foo"], "rewrite": ["calls", "a", "-o", "b"], "coverage merge": ["-o", "b", "a"],
                     "coverage tests": ["a"], "kit": ["check", "a"], "plugin": [nobody, "sql", "a"],
                     "rule": [nobody, "Foo.bar() entry { @ = count() }"], "coverage report": ["a", "--classfiles", self.folder],
                     "coverage check": ["a", "--classfiles", self.folder, "--limit", "LINE >= 0"]}
        needs = {"--line": ["--class", "Foo"], "--classes": ["--class", "Foo"], "--baseline-classfiles": ["--baseline", "a"],
                 **{"coverage check " + option: ["--diff"] for option in ("--markdown", "--html", "--github", "--gitlab")}}
        values = {"N": "3", "TIME": "1s", "KEY": "self", "LIST": "all", "NAME": "Foo", "PATH": self.folder, "OUT": "c",
                  "HOME": self.folder, "WORDS": "throw", "SHARE": "5%", "CONDITION": "true", "VALUES": "1", "JARS": self.folder,
                  "FILE": "c", "DIR": self.folder + "/d", "TEXT": "LINE >= 0", "E": "UTF-8", "0.8.6": "0.8.6", "covered": "covered"}
        # Options that stand in place of what else the command takes.
        alone = {"rule --drop": [nobody, "--drop", "Foo"], "rule --extend": [nobody, "--extend", "1s", "Foo"],
                 "rule --explain": ["--explain", arguments["rule"][1]]}
        tried = 0
        for command in self.tables()["commands"]:
            name, usage = command["name"], command["arguments"]
            if name in ("run", "coverage", "help"):
                continue
            words = [*name.split(), *arguments.get(name, [nobody] if "PID" in usage else ["a"] if usage[-7:] == "PATH..." else [])]
            if name == "report":
                words.append("a")
            for option, value in re.findall(r"(--[a-z-]+)(?: ([A-Z]+|0\.8\.6|covered))?", usage):
                more = needs.get(f"{name} {option}", needs.get(option, []))
                given = [*words, *more, option, *([values[value]] if value else [])]
                done = self.run_tool(*([name, *alone[f"{name} {option}"]] if f"{name} {option}" in alone else given))
                self.assertNotIn("usage:", done.stderr, (words, option, value))
                if name != "coverage check":  # there 2 is also: nothing to judge
                    self.assertNotEqual(done.returncode, 2, (words, option, value, done.stderr))
                tried += 1
            if name not in ("enable", "set", "attach", "revert"):  # those hand it to the agent
                self.assertEqual(self.run_tool(*words, "--no-such-option").returncode, 2, words)
        self.assertGreater(tried, 30)

    def test_commands_have_examples_that_they_take(self):
        nobody = str(2 ** 22 + 1)
        tools = self.path("tools")
        os.makedirs(tools)
        os.symlink(self.instr, os.path.join(tools, "instr"))
        for name in ("java", "mvn"):
            shutil.copy("/bin/true", os.path.join(tools, name))
        for command in self.tables()["commands"]:
            name = command["name"]
            self.assertGreaterEqual(len(command["examples"]), 2, name)
            self.assertIn(name, " ".join(example["line"] for example in command["examples"]))
            for example in command["examples"]:
                line = example["line"].replace("4711", nobody)
                done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False, cwd=self.folder,
                                      env={**os.environ, "PATH": tools + ":" + os.environ["PATH"]})
                self.assertNotRegex(done.stderr, "usage:|unknown|not found|did you mean", line)
                if name not in ("attach", "enable", "set"):
                    continue
                # They hand their options to the agent; run looks at its own.
                options = re.sub(r"^instr \w+ \d+ |--[a-z-]+( (alice|\d+m))?", "", line)
                done = subprocess.run(["bash", "-c", f"instr run {'calls' if name == 'set' else ''} {options} -- true"], capture_output=True, text=True, check=False,
                                      cwd=self.folder, env={**os.environ, "PATH": tools + ":" + os.environ["PATH"]})
                self.assertEqual((done.returncode, done.stderr), (0, ""), line)

    def test_help_options_names_passes_and_options(self):
        self.expect(["help", "options"], 0,
                    ["  calls ", "  timing ", "include=PATTERNS", "timing.file=FILE"], "")

    def test_a_pass_or_an_option_has_help_by_its_name(self):
        rows = json.loads(self.expect(["help", "--json"], 0).stdout)
        more = {command["name"] for command in rows["commands"]} | {"interfaces"}
        passes = [row for row in rows["options"] if not row["argument"]]
        self.assertIn("timing", [row["name"] for row in passes])
        for row in rows["options"]:
            text = self.expect(["help", row["name"]], 0, err="").stdout
            if row["name"] in more:
                text = text[text.index("\n\nThe option of that name:\n"):]
            shown = re.findall(r"^  ([a-z-]+(?:\.[a-z-]+)?)(?:=| )", text, re.M)
            own = [other["name"] for other in rows["options"] if other["name"].startswith(row["name"] + ".")] if row in passes else []
            self.assertEqual(shown, [row["name"], *own])
        for words, meant in (("timin", "timing"), ("atach", "attach"), ("max-overhed", "max-overhead"), ("alloc.file=x", "alloc.file"), (".", None), ("timing.", "timing")):
            said = self.expect(["help", words], 2, "").stderr.splitlines()[0]
            self.assertEqual(said, f"instr: help: there is no help on '{words}'" + (f"; did you mean '{meant}'?" if meant else ""))

    def test_version_is_one_line(self):
        done = self.expect(["--version"], 0, err="")
        self.assertRegex(done.stdout, r"^instr \S+\n$")
        self.expect(["version"], 0, done.stdout, "")

    def test_mistakes_are_told_in_one_line(self):
        self.expect([], 2, "", "instr: no command given; see 'instr help'\n")
        self.expect(["rnu"], 2, "", "instr: unknown command 'rnu'; did you mean 'run'? See 'instr help'\n")
        self.expect(["bytecode"], 2, "", "instr: unknown command 'bytecode'; see 'instr help'\n")
        self.expect(["help", "x"], 2, "", ["there is no help on 'x'"])
        self.expect(["version", "x"], 2, "", ["takes no arguments"])

    def test_a_full_disk_does_not_go_unnoticed(self):
        # The reason is known if the last write fails; of what takes several the first may be the only one that does.
        for words, reason in ((["help", "version"], "No space left on device"),
                              (["help"], "(No space left on device|not everything could be written)")):
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([self.instr, *words], stdout=full, stderr=subprocess.PIPE,
                                      text=True, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, f"^instr: standard output: {reason}\n$")


class Documents(CliTest):
    def test_the_pages_have_the_lists_of_commands_and_options(self):
        done = subprocess.run([sys.executable, os.path.join(TOP, "instr", "docs.py"), "--check", self.instr],
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_a_list_that_is_out_of_date_is_found(self):
        for folder, page in (("", "README.md"), ("instr", "COMMANDS.md"), ("instr", "OPTIONS.md"), ("instr", "instr.1")):
            with open(os.path.join(TOP, folder, page), encoding="utf-8") as file:
                self.write(os.path.join("tree", folder, page), re.sub(r"([pP])robes", r"\1ears", file.read()))
        tool = self.path("tree/instr/docs.py")
        shutil.copy(os.path.join(TOP, "instr", "docs.py"), tool)
        done = subprocess.run([sys.executable, tool, "--check", self.instr], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        for page in ("instr/COMMANDS.md", "instr/OPTIONS.md", "instr/instr.1"):
            self.assertIn(f"{page}: out of date; run 'meson compile -C build docs'\n", done.stdout)
        self.assertEqual(subprocess.run([sys.executable, tool, self.instr], capture_output=True, check=False).returncode, 0)
        with open(os.path.join(TOP, "instr", "instr.1"), encoding="utf-8") as file:
            page = file.read()
        begin, end = page.index("generated: man options"), page.index("end of generated", page.index("generated: man options"))
        self.assertIn(page[begin:end], self.read("tree/instr/instr.1"))

    def pages(self):
        """All pages, by their path."""
        for folder, folders, names in os.walk(TOP):
            folders[:] = [name for name in folders if not name.startswith((".", "build"))]
            for name in names:
                if name.endswith(".md"):
                    with open(os.path.join(folder, name), encoding="utf-8") as file:
                        yield os.path.join(folder, name), file.read()

    def test_links_lead_somewhere(self):
        pages, count = dict(self.pages()), 0
        for path, text in pages.items():
            for link, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)]*))?\)", text):
                self.assertNotRegex(link, "^[a-z]+:", path)
                to = os.path.normpath(os.path.join(os.path.dirname(path), link)) if link else path
                self.assertTrue(os.path.exists(to), f"{path}: {link}")
                if anchor:
                    titles = [re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in re.findall(r"^#+ (.*)$", pages[to], re.M)]
                    self.assertIn(anchor, titles, f"{path}: {link}#{anchor}")
                count += 1
        self.assertGreater(count, 60)

    def test_the_readme_is_one_page_and_commands_exist(self):
        pages = dict(self.pages())
        self.assertLessEqual(len(pages[os.path.join(TOP, "README.md")].splitlines()), 130)
        shown = re.findall(r"(?:^    |`)instr ([a-z-]+)", "\n".join(pages.values()), re.M)
        self.assertGreater(len(set(shown)), 10)
        for word in set(shown):
            self.assertEqual(self.run_tool("help", word).returncode, 0, word)

    def test_a_mistake_in_a_file_prints_what_the_page_shows(self):
        page = dict(self.pages())[os.path.join(TOP, "instr", "OPTIONS.md")]
        lines = re.search(r"    # /etc/instr.conf\n((?:    .*\n)+)", page).group(1).replace("    ", "")
        self.expect(["run", "config=" + self.write("good.conf", "# /etc/instr.conf\n" + lines), "--", "true"], 0)
        bad = self.write("bad.conf", "# /etc/instr.conf\n" + lines.replace("include", "inclde"))
        line = re.search(r"    (instr: /etc/instr.conf:.*\n)", page).group(1)
        self.expect(["run", "config=" + bad, "--", "true"], 2, "", line.replace("/etc/instr.conf", bad))
