"""Real programs, sorted by the compiler of their classes, and how to run them so that two runs do the same."""

import glob
import os
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
JAVA = "/usr/share/java"
KOTLIN = "/usr/share/kotlin/kotlinc/lib"


def jar(name):
    return os.path.join(JAVA, name + ".jar")


class Program:
    """`java`: the arguments behind java and the agent; `classes`: the input of a report; `most`: the newest JDK on which
    it runs; `release`: that of its classes, None: that of the JDK; `fails`: its exit status is not 0."""

    def __init__(self, java, classes, most=99, release=8, fails=False):
        self.java, self.classes, self.most, self.release, self.fails = java, classes, most, release, fails


def case(name):
    return os.path.join(HERE, "cases", name)


def cp(*paths):
    return ["-cp", os.pathsep.join(paths)]


class Builder:
    """Compiles the sources of the programs, once, each into a folder of its own."""

    def __init__(self, work, jdk):
        self.work, self.jdk = work, jdk
        self.out = self.path("out")  # empty whenever a program starts

    def path(self, *names):
        return os.path.join(self.work, *names)

    def fresh(self, name):
        shutil.rmtree(self.path(name), ignore_errors=True)
        os.makedirs(self.path(name))
        return self.path(name)

    def run(self, *arguments):
        done = subprocess.run([self.jdk.tool("java"), *arguments], capture_output=True, text=True, check=False, timeout=300)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(arguments)}: {done.stdout}{done.stderr}")

    def java(self, name, *arguments):
        out = self.fresh(name)
        subprocess.run([self.jdk.tool("javac"), "-nowarn", "-proc:none", "-g", "-d", out, *arguments], check=True,
                       timeout=300, stderr=subprocess.DEVNULL)
        return out


# Those of tests/jvm/cases whose output is the same in each run.
CASES = "Constructors Exceptions Exits Handles Initialisers Interfaces Language Loops Monitors Nested Recursion Reflection".split()
OLDER_CASES = [name for name in CASES if name not in ("Interfaces", "Language")]  # written in Java 8


def case_sources(names=CASES):
    folder = os.path.join(TOP, "tests", "jvm")
    return [os.path.join(folder, "cases", name + ".java") for name in names] + glob.glob(os.path.join(folder, "support", "*.java"))


# --- starting the compilers: as tools for the tours, and as programs themselves ---

KOTLINC = [*cp(jar("kotlin-compiler"), jar("libtrove-intellij"), os.path.join(KOTLIN, "kotlin-script-runtime.jar"),
               jar("kotlin-stdlib"), jar("kotlin-reflect"), jar("org.jetbrains.annotations-common")), "org.jetbrains.kotlin.cli.jvm.K2JVMCompiler",
           "-no-reflect", "-no-stdlib", "-cp", jar("kotlin-stdlib")]
KOTLIN_NEEDS = [jar("kotlin-compiler"), jar("libtrove-intellij"), jar("kotlin-stdlib")]
SCALA = [jar("scala-compiler"), jar("scala-library"), jar("scala-reflect")]
SCALAC = [*cp(*SCALA), "scala.tools.nsc.Main", "-usejavacp"]
GROOVYC = [*cp(jar("groovy-all")), "org.codehaus.groovy.tools.FileSystemCompiler"]
ECJ = ["-Djdt.compiler.useSingleThread=true", *cp(jar("ecj")), "org.eclipse.jdt.internal.compiler.batch.Main", "-nowarn",
       "-proc:none", "-g", "-source", "1.8", "-target", "1.8"]
JAVAC = ["--module", "jdk.compiler/com.sun.tools.javac.Main", "-proc:none", "-nowarn"]


def programs(build):
    """(title, needs, make): what must exist, and the function that makes the Program. The titles name the compiler."""

    def tour(compiler, extension, main, library):
        def make():
            folder = build.fresh("tour-" + extension)
            build.run(*compiler, "-d", folder, case("Tour." + extension))
            return Program([*cp(folder, library), main], [folder])
        return make

    def cases(names, release, compile_it):
        def make():
            folder = compile_it([*case_sources(names), case("AllCases.java")])
            return Program([*cp(folder), "AllCases", *("cases." + name for name in names)], [folder], release=release)
        return make

    def by_ecj(files):
        folder = build.fresh("cases-ecj")
        build.run(*ECJ, "-d", folder, *files)
        return folder

    def suite():
        libraries = [jar("junit4"), jar("hamcrest")]
        folder = build.java("suite", "--release", "8", *cp(*libraries), case("SuiteTest.java"))
        return Program([*cp(folder, *libraries), "org.junit.runner.JUnitCore", "suite.SuiteTest"], [folder, jar("junit4")],
                       fails=True)

    def large():
        """With its probes a method is little smaller than the limit of 65,535 bytes."""
        source = os.path.join(build.fresh("large-source"), "Large.java")
        with open(source, "w", encoding="utf-8") as file:
            file.write("public class Large {\n    static int x;\n    static void large(int a) {\n"
                       + "".join(f"        if (a == {i}) x += {i};\n" for i in range(1800))
                       + "    }\n    public static void main(String[] args) {\n        large(3);\n        large(1799);\n"
                       "        System.out.println(x);\n    }\n}\n")
        folder = build.java("large", "--release", "8", source)
        return Program([*cp(folder), "Large"], [folder])

    def compiler(command, classes, arguments, **more):
        return lambda: Program([*command, "-d", build.out, *arguments], classes, **more)

    groovy, scala, kotlin, ecj = [jar("groovy-all")], SCALA, KOTLIN_NEEDS, [jar("ecj")]
    return [
        ("classes of javac", [], cases(CASES, 17, lambda files: build.java("cases-javac", "--release", "17", *files))),
        ("a method that is nearly too large", [], large),
        ("classes of ecj", ecj, cases(OLDER_CASES, 8, by_ecj)),
        ("classes of kotlinc", kotlin, tour(KOTLINC, "kt", "tour.TourKt", jar("kotlin-stdlib"))),
        ("classes of scalac", scala, tour(SCALAC, "scala", "tour.Tour", jar("scala-library"))),
        ("classes of groovyc", groovy, tour(GROOVYC, "groovy", "tour.Tour", jar("groovy-all"))),
        ("a JUnit 4 suite", [jar("junit4"), jar("hamcrest")], suite),
        ("javac compiling Java", [], compiler(JAVAC, [], case_sources(), release=None)),
        ("ecj compiling Java", ecj, compiler(ECJ, ecj, case_sources(OLDER_CASES))),
        ("kotlinc compiling Kotlin", kotlin, compiler(KOTLINC, kotlin, [case("Tour.kt")], most=17)),
        ("scalac compiling Scala", scala, compiler(SCALAC, scala, [case("Tour.scala")], most=17)),
        ("groovyc compiling Groovy", groovy, compiler(GROOVYC, groovy, [case("Tour.groovy")], most=17)),
    ]
