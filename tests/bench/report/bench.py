"""Reports of coverage, beside JaCoCo's: all classes of a JDK, and a thousand of them; time of whole processes, and memory."""

import os
import shutil
import statistics
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
COVERAGE = os.path.join(os.path.dirname(os.path.dirname(HERE)), "coverage")
sys.path.insert(0, COVERAGE)
import jacoco  # noqa: E402

MANY_FILES = 1000


class Bench:
    def __init__(self, bench, jdk, options):
        self.bench, self.rounds = bench, options.rounds
        self.work = os.path.join(bench["WORK"], "report")
        os.makedirs(self.work, exist_ok=True)
        releases, missing = jacoco.find(self.work, jdk, options.jacoco)
        if not releases:
            sys.exit(f"bench: {missing[0]}")
        self.jacoco = releases[-1]
        # One whose classes JaCoCo reads.
        self.jdk = [j for j in bench["jdks"].find() if j.has("jimage") and j.version <= self.jacoco.newest_jdk][-1]

    def path(self, name):
        return os.path.join(self.work, name)

    def classes(self):
        """The classes of all modules, and the folder of their sources, None without."""
        classes, sources = self.path(f"classes-{self.jdk.version}"), self.path(f"sources-{self.jdk.version}")
        if not os.path.isdir(classes):
            image = self.path("image")
            shutil.rmtree(image, ignore_errors=True)
            self.bench["output"]([self.jdk.tool("jimage"), "extract", "--dir", image, "--include", "regex:.*\\.class", os.path.join(self.jdk.home, "lib", "modules")])
            os.rename(image, classes)
        zipped = os.path.join(self.jdk.home, "lib", "src.zip")
        if zipfile.is_zipfile(zipped) and not os.path.isdir(sources):
            with zipfile.ZipFile(zipped) as archive:
                archive.extractall(sources)
        return classes, sources if os.path.isdir(sources) else None

    def thousand(self, classes):
        some = self.path("thousand")
        shutil.rmtree(some, ignore_errors=True)
        left = 1000
        for folder, _, names in sorted(os.walk(os.path.join(classes, "java.base", "java"))):
            for name in sorted(names)[:left]:
                target = os.path.join(some, os.path.relpath(folder, os.path.join(classes, "java.base")))
                os.makedirs(target, exist_ok=True)
                shutil.copy(os.path.join(folder, name), target)
                left -= 1
        return some

    def commands(self, data, classes, sources):
        self.jacoco.tool("JacocoProbes")  # compiles nothing that is not there
        path = os.pathsep.join([self.jacoco.work, *self.jacoco.jars])
        self.bench["output"]([self.jdk.tool("javac"), "-nowarn", "-cp", path, "-d", self.jacoco.work, os.path.join(HERE, "JacocoPage.java")])
        theirs = [self.jdk.tool("java"), "-cp", path, "JacocoPage", data, self.path("theirs"), self.path("theirs.xml"), classes, *([sources] if sources else [])]
        modules = [os.path.join(sources, m) for m in sorted(os.listdir(sources))] if sources else []
        ours = [os.path.join(self.bench["BUILD"], "instr", "instr"), "coverage", "report", data, "--classfiles", classes,
                *[word for m in modules for word in ("--sourcefiles", m)], "--html", self.path("ours"), "--xml", self.path("ours.xml"), "--name", "JDK"]
        return {"JaCoCo": theirs, "instr": ours}

    def measure(self, commands):
        """Runs of each command; the first, into new folders, warms the file cache. The others write over its pages: for
        minutes after files were removed, ext4 looks at each of their inodes before it makes another file."""
        for page in ("theirs", "ours"):
            shutil.rmtree(self.path(page), ignore_errors=True)
        runs = {name: [] for name in commands}
        for _ in range(1 + self.rounds):
            for name, command in commands.items():
                os.sync()  # what another run wrote is not written to the disk during this one
                runs[name].append(self.bench["accounted"](command))
        return {name: all_[0] for name, all_ in runs.items()}, {name: all_[1:] for name, all_ in runs.items()}

    def both(self, text, data, classes, sources, targets):
        first, runs = self.measure(self.commands(data, classes, sources))
        count = sum(name.endswith(".class") for _, _, names in os.walk(classes) for name in names)
        wall = {name: statistics.median(r[0] for r in all_) for name, all_ in runs.items()}
        ratio = statistics.median(a[0] / b[0] for a, b in zip(runs["JaCoCo"], runs["instr"]))
        memory = {name: max(r[1] for r in all_ + [first[name]]) for name, all_ in runs.items()}
        print(f"report: HTML and XML of {text}, {count} classes of JDK {self.jdk.version}, {'with' if sources else 'without'} sources, "
              f"whole processes, medians of {self.rounds}")
        print(f"  {self.jacoco}: {wall['JaCoCo']:.2f} s, {memory['JaCoCo']:.0f} MiB; instr: {wall['instr']:.2f} s, {memory['instr']:.0f} MiB: "
              f"{ratio:.1f} times as fast ({targets})")
        print(f"  into new folders, once: {first['JaCoCo'][0]:.2f} s and {first['instr'][0]:.2f} s: {first['JaCoCo'][0] / first['instr'][0]:.1f} times")

    def load(self):
        """How much longer Chromium takes for the index than for a page with nothing on it."""
        chromium = shutil.which("chromium")
        if not chromium:
            print("  skipped: loading the page, needs the Debian package chromium")
            return
        with open(self.path("empty.html"), "w", encoding="utf-8") as page:
            page.write("<!DOCTYPE html><title>empty</title>")
        command = [chromium, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={self.path('profile')}", "--dump-dom"]
        urls = ["file://" + self.path(name) for name in ("empty.html", "ours/index.html")]
        self.bench["accounted"]([*command, urls[0]])
        pairs = [[self.bench["accounted"]([*command, url])[0] for url in urls] for _ in range(self.rounds + 2)]
        print(f"  Chromium shows the index {statistics.median(b - a for a, b in pairs):.2f} s later than an empty page (target 1)")

    def run(self):
        classes, sources = self.classes()
        data = self.path(f"all-{self.jdk.version}.exec")
        if not os.path.exists(data):
            self.jacoco.make_exec(classes, data)
        self.both("all modules", data, classes, sources, "target 10; memory 191 MiB")
        self.load()
        some = self.thousand(classes)
        few = self.path("few.exec")
        self.jacoco.make_exec(some, few)
        self.both("a thousand", few, some, sources and os.path.join(sources), "target for instr 0.2 s")
        copies = self.path("copies")
        os.makedirs(copies, exist_ok=True)
        for i in range(MANY_FILES):
            shutil.copy(few, os.path.join(copies, f"{i}.exec"))
        command = self.commands(few, some, None)["instr"]
        many = [os.path.join(copies, f"{i}.exec") if word == few else word for word in command for i in (range(MANY_FILES) if word == few else [0])]
        _, runs = self.measure({"one": command, "many": many})
        wall = {name: statistics.median(r[0] for r in all_) for name, all_ in runs.items()}
        memory = {name: max(r[1] for r in all_) for name, all_ in runs.items()}
        print(f"  the same without sources, of one .exec file: {wall['one']:.3f} s, {memory['one']:.0f} MiB; of {MANY_FILES} such files, "
              f"{os.path.getsize(few) * MANY_FILES / 1e6:.0f} MB: {wall['many']:.3f} s, {memory['many']:.0f} MiB")


def run(bench, jdk, options):
    Bench(bench, jdk, options).run()
