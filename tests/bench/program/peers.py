"""What a user would take instead: agents of others, as options of the JVM for the same classes.

Debian has JaCoCo and Byte Buddy; the JDK has JFR's Method Timing since release 25. The others come from Maven Central, by `mvn`, and are
left out, with the reason, where it can't be reached.
"""

import glob
import os
import re
import shutil
import subprocess
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ARTIFACTS = {
    "async-profiler": "tools.profiler:async-profiler:4.5",
    "Kieker": "net.kieker-monitoring:kieker:2.0.2:jar:aspectj",
    "OpenTelemetry": "io.opentelemetry.javaagent:opentelemetry-javaagent:2.20.1",
    "Elastic": "co.elastic.apm:elastic-apm-agent:1.52.0",
}
FIRST_RUN_ONLY = {"async-profiler, trace"}  # where it takes some 40 times as long as plain, 16 runs would take half an hour
KIEKER = """<aspectj>
  <weaver><include within="%s"/></weaver>
  <aspects><aspect name="kieker.monitoring.probe.aspectj.operationExecution.OperationExecutionAspectFull"/></aspects>
</aspectj>
"""


class Peers:
    """work: a folder for what is built and fetched; jars: finds jars of Debian's packages by name."""

    def __init__(self, work, jdk, jars):
        self.work, self.jdk, self.jars = work, jdk, jars
        self.fetched = {}
        self.records = os.path.join(work, "kieker")

    def clean(self):
        """Removes what a peer has recorded: Kieker writes a gigabyte for each run."""
        shutil.rmtree(self.records, ignore_errors=True)
        os.makedirs(self.records)

    def rows(self, class_path, pattern, jacoco):
        """Of whole programs: name and options. pattern: the program's classes, as instr's option `include` has them."""
        if self.jdk.version >= 25:
            recording = f"-XX:StartFlightRecording:filename=/dev/null,method-timing={';'.join(classes_of(class_path))}"
            yield "JFR Method Timing", [recording, "-Xlog:disable", "-Xlog:all=error:stderr"]
        if jacoco:
            yield str(jacoco), [jacoco.agent_option("/dev/null")]
        yield from self.buddy("|".join(regex_of(p) for p in pattern.split(":")))
        library = self.async_profiler()
        if library:
            traced = ",".join(f"trace={p.replace('**', '*')}.*:1s" for p in pattern.split(":"))
            yield "async-profiler, trace", [f"-agentpath:{library}=start,{traced},file=/dev/null,jfr"]

    def of_nested_calls(self):
        """Of calls of Nested.nested alone: name and options."""
        yield from self.buddy("Nested")
        library = self.async_profiler()
        if library:
            yield "async-profiler, trace", [f"-agentpath:{library}=start,trace=Nested.nested:1s,file=/dev/null,jfr"]
        yield from self.kieker("Nested")
        agent = self.artifact("OpenTelemetry")
        if agent:
            none = [f"-Dotel.{what}.exporter=none" for what in ("traces", "metrics", "logs")]
            yield "OpenTelemetry, exporting nothing", [f"-javaagent:{agent}", "-Dotel.instrumentation.methods.include=Nested[nested]", *none]
        agent = self.artifact("Elastic")
        if agent:
            options = {"trace_methods": "Nested#nested", "disable_send": "true", "trace_methods_duration_threshold": "0ms", "log_level": "OFF"}
            yield "Elastic, sending nothing", [f"-javaagent:{agent}", *(f"-Delastic.apm.{name}={value}" for name, value in options.items())]

    def buddy(self, regex):
        """An agent of Byte Buddy's advice that counts what `calls` and `timing` count."""
        library = self.jars("byte-buddy")
        if not library:
            print("  Byte Buddy: skipped: byte-buddy.jar is missing (Debian: libbyte-buddy-java)")
            return
        folder = os.path.join(self.work, f"buddy-{self.jdk.version}")
        if "Byte Buddy" not in self.fetched:
            self.fetched["Byte Buddy"] = build_agent(self.jdk, os.path.join(HERE, "Buddy.java"), library[0], folder)
        for what in ("calls", "timing"):
            yield f"Byte Buddy, as {what}", ["-Dnet.bytebuddy.experimental=true", f"-javaagent:{self.fetched['Byte Buddy']}={what}:{regex}"]

    def kieker(self, classes):
        agent = self.artifact("Kieker")
        if not agent:
            return
        woven = os.path.join(self.work, "aop.xml")
        self.clean()
        with open(woven, "w", encoding="utf-8") as file:
            file.write(KIEKER % classes)
        options = [f"-javaagent:{agent}", "-Dkieker.monitoring.skipDefaultAOPConfiguration=true",
                   f"-Dorg.aspectj.weaver.loadtime.configuration=file:{woven}"]
        yield "Kieker, collecting nothing", [*options, "-Dkieker.monitoring.writer=kieker.monitoring.writer.dump.DumpWriter"]
        yield "Kieker, writing a file", [*options, "-Dkieker.monitoring.writer=kieker.monitoring.writer.filesystem.FileWriter",
                                         f"-Dkieker.monitoring.writer.filesystem.FileWriter.customStoragePath={self.records}"]

    def async_profiler(self):
        jar = self.artifact("async-profiler")
        if not jar:
            return None
        machine = {"x86_64": "x64", "aarch64": "arm64"}.get(os.uname().machine)
        with zipfile.ZipFile(jar) as archive:
            name = f"linux-{machine}/libasyncProfiler.so"
            return archive.extract(name, self.work) if name in archive.namelist() else None

    def artifact(self, name):
        """The jar from Maven Central, None: it can't be had, which is said once."""
        if name not in self.fetched:
            self.fetched[name] = self.fetch(name)
            if not self.fetched[name]:
                print(f"  {name}: skipped: mvn does not get {ARTIFACTS[name]}")
        return self.fetched[name]

    def fetch(self, name):
        folder = os.path.join(self.work, "fetched", name)
        if not glob.glob(folder + "/*.jar"):
            try:
                subprocess.run(["mvn", "-q", "-B", "org.apache.maven.plugins:maven-dependency-plugin:3.6.0:copy", f"-Dartifact={ARTIFACTS[name]}",
                                f"-DoutputDirectory={folder}"], capture_output=True, timeout=300, check=True, cwd=self.work)
            except (OSError, subprocess.SubprocessError):
                return None
        return next(iter(glob.glob(folder + "/*.jar")), None)


def build_agent(jdk, source, library, folder):
    """A jar with a Java agent beside `folder`, in which its classes are: that of the source, whose class path is one jar. Returns its path."""
    name = os.path.basename(source)[:-5]
    run([jdk.tool("javac"), "-nowarn", "--release", "8", "-Xlint:none", "-cp", library, "-d", folder, source])
    with open(folder + ".mf", "w", encoding="utf-8") as file:
        file.write(f"Premain-Class: {name}\nClass-Path: {library}\n")
    run([jdk.tool("jar"), "cfm", folder + ".jar", folder + ".mf", "-C", folder, "."])
    return folder + ".jar"


def run(command):
    subprocess.run(command, capture_output=True, check=True)


def regex_of(pattern):
    """A pattern of `include` as a regular expression of class names: ** is all, * all but a dot."""
    return "".join(".*" if part == "**" else "[^.]*" if part == "*" else re.escape(part) for part in re.split(r"(\*\*|\*)", pattern))


def classes_of(class_path):
    """The names of the program's classes, which JFR wants one by one."""
    names = []
    for path in class_path.split(":"):
        if os.path.isdir(path):
            names += [os.path.relpath(n, path) for n in glob.glob(path + "/*.class")]
        else:
            with zipfile.ZipFile(path) as archive:
                names += [n for n in archive.namelist() if n.endswith(".class")]
    return sorted({n[:-6].replace("/", ".") for n in names if "-" not in n and "META-INF" not in n})
