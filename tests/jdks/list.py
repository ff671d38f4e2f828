#!/usr/bin/env python3
"""Prints the homes of the JDKs on this machine that have an image (9 and later), one for each release; with --releases their releases."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "jvm"))
from harness import jdks  # noqa: E402

for jdk in jdks.find():
    if jdk.version >= 9 and jdk.has("javac"):
        print(jdk.version if "--releases" in sys.argv else jdk.home)
