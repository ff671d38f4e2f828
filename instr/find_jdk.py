#!/usr/bin/env python3
"""Prints the home of the JDK to build with, from JAVA_HOME or the javac on PATH. It must be JDK 11 or later."""

import os
import re
import shutil
import subprocess
import sys

NEEDED = "the build needs JDK 11 or later; on Debian or Ubuntu: apt-get install default-jdk-headless"


def fail(what):
    sys.exit(f"{what}: {NEEDED}")


def home():
    given = os.environ.get("JAVA_HOME")
    if given:
        return given, f"JAVA_HOME ({given})"
    javac = shutil.which("javac")
    if not javac:
        fail("JAVA_HOME is not set, and javac is not on PATH")
    return os.path.dirname(os.path.dirname(os.path.realpath(javac))), f"javac on PATH ({javac})"


def main():
    path, origin = home()
    javac = os.path.join(path, "bin", "javac")
    for part in (javac, os.path.join(path, "include", "jvmti.h")):
        if not os.path.exists(part):
            fail(f"{origin} has no {os.path.relpath(part, path)}")
    result = subprocess.run([javac, "-version"], capture_output=True, text=True, check=False)
    version = re.search(r"javac (\d+)", result.stdout + result.stderr)
    if not version:
        fail(f"{origin}: javac -version prints no version")
    if int(version.group(1)) < 11:
        fail(f"{origin} is too old")
    print(path)


main()
