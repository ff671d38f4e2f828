"""Finds JDKs, and the options that depend on their release."""

import glob
import os
import re
import shutil
import subprocess


class Jdk:
    """A JDK or JRE: `home`, `version` (the feature release, such as 17), `name` for messages and folders."""

    def __init__(self, home):
        self.home = os.path.realpath(home)
        self.name = os.path.basename(self.home)
        text = subprocess.run([self.tool("java"), "-version"], capture_output=True, text=True, timeout=60).stderr
        found = re.search(r'version "(1\.)?(\d+)', text)
        if not found:
            raise ValueError(f"{home}: no version in {text!r}")
        self.version = int(found.group(2))
        self.verify = self._verify_options()

    def tool(self, name):
        return os.path.join(self.home, "bin", name)

    def has(self, name):
        return os.path.exists(self.tool(name))

    def _verify_options(self):
        """Options to verify all classes, including boot classes, without any output about it."""
        for options in (["-Xverify:all"], ["-XX:+UnlockDiagnosticVMOptions", "-XX:+BytecodeVerificationLocal",
                                           "-XX:+BytecodeVerificationRemote"]):
            run = subprocess.run([self.tool("java")] + options + ["-version"], capture_output=True, text=True,
                                 timeout=60)
            if run.returncode == 0 and "arning" not in run.stdout + run.stderr:
                return options
        return []

    def __str__(self):
        return self.name


def find(homes=()):
    """The JDKs at `homes`, or else all that can be found; one for each feature release, oldest first."""
    candidates = list(homes)
    if not candidates:
        if os.environ.get("JAVA_HOME"):
            candidates.append(os.environ["JAVA_HOME"])
        javac = shutil.which("javac")
        if javac:
            candidates.append(os.path.dirname(os.path.dirname(os.path.realpath(javac))))
        candidates += sorted(glob.glob("/usr/lib/jvm/*"))
    by_home, by_version = {}, {}
    for home in candidates:
        real = os.path.realpath(home)
        if real not in by_home and os.access(os.path.join(real, "bin", "java"), os.X_OK):
            by_home[real] = Jdk(real)
    for jdk in by_home.values():
        kept = by_version.get(jdk.version)
        if homes or kept is None or (jdk.has("javac") and not kept.has("javac")):
            by_version[jdk.name if homes else jdk.version] = jdk
    return sorted(by_version.values(), key=lambda j: j.version)


def jars(*names):
    """The paths of these jars of the distribution, or None if one is missing."""
    folders = ["/usr/share/java", "/usr/local/share/java", "/usr/share/maven-repo"]
    if os.environ.get("INSTR_TEST_JARS"):
        folders.insert(0, os.environ["INSTR_TEST_JARS"])
    result = []
    for name in names:
        for folder in folders:
            path = os.path.join(folder, name + ".jar")
            if os.path.exists(path):
                result.append(path)
                break
        else:
            return None
    return result
