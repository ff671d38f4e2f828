#!/usr/bin/env python3
"""Builds what authors of kits compile against.

    build.py JAVAC OUT

JAVAC is the compiler of any JDK from 11 on. Writes to the directory OUT:

    instr-kit.jar           package instr.kit, class files of JDK 8
    instr-kit-sources.jar   its sources, from which IDEs show what each type does
    kit.d                   what all this depends on, for make and ninja
    kit_classes.c           the classes that kits call at run time, under their names in the bootstrap loader and
                            in rewritten files, declared in instr/kit/kit.h
"""

import os
import re
import shutil
import sys
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
sys.dont_write_bytecode = True  # the folders of the sources are dependencies
import build as runtime

NAMES = runtime.sources("kit")
CALLED = ["Entry", "Shard", "Holder", "State"]  # not annotations; each behind those that it names
PREFIX = "InstrKit"
INSERTED = ["InstrKitArguments"]  # what inserted code calls for those
# Of the runtime: what rewritten files need, too, and what they have of their own.
WITHOUT_AGENT = ["InstrKitFailure", "InstrKitNote", "InstrKitNesting", "InstrKitSlot", "woven/InstrUnsafe"]


def write_jar(path, files):
    """Stored, with a fixed time: the same sources give the same bytes."""
    manifest = "Manifest-Version: 1.0\r\nAutomatic-Module-Name: instr.kit\r\n\r\n"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as jar:
        jar.writestr(zipfile.ZipInfo("META-INF/MANIFEST.MF"), manifest)
        for name, data in files.items():
            jar.writestr(zipfile.ZipInfo("instr/kit/" + name), data)


def in_package(text, package):
    """The source of a class as it is in the bootstrap loader, or in rewritten files."""
    text = text.replace("package instr.kit;", "package %s;" % package)
    return re.sub(r"\b(%s)\b" % "|".join(CALLED), PREFIX + r"\1", text)


def with_agent(text):
    """The source of a class that writes as the agent does."""
    return text.replace('System.err.println("instr: " + ', "instr.runtime.InstrNative.say(")


def without_agent(text):
    """The source of a class of the runtime as it is in rewritten files."""
    text = text.replace("package java.lang;", "package instr.woven;").replace("import instr.runtime.InstrNative;\n", "")
    text = re.sub(r" *@\S+DontInline\n", "", text)
    return text.replace("InstrNative.say(text)", 'System.err.println("instr: " + text)')


def table(name, package, classes):
    """A table in C."""
    text = "".join(runtime.c_array(package.replace("/", "_") + c, data) for c, data in classes.items())
    rows = "".join('    {"%s/%s", %s, sizeof %s},\n' % ((package, c) + (package.replace("/", "_") + c,) * 2) for c in classes)
    return text + "const struct instr_kit_runtime_class %s[] = {\n%s    {0, 0, 0},\n};\n" % (name, rows)


def write_called(path, boot, woven):
    text = '// Made by runtime-java/kit/build.py.\n\n#include "instr/kit/kit.h"\n\n'
    text += table("instr_kit_runtime_classes", "java/lang", boot) + "\n" + table("instr_kit_woven_classes", "instr/woven", woven)
    runtime.write(path, text.encode())


def compiled(folder, names):
    """The class files of some classes."""
    found = {}
    for name in names:
        with open(os.path.join(folder, name + ".class"), "rb") as file:
            found[name] = runtime.lower(name, file.read())
    return found


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: build.py JAVAC OUT")
    javac, out = sys.argv[1], os.path.abspath(sys.argv[2])
    sources = {}
    for name in NAMES:
        with open(os.path.join(HERE, name + ".java"), encoding="utf-8") as file:
            sources[name] = file.read()
    with tempfile.TemporaryDirectory() as work:
        kit = [os.path.join(HERE, name + ".java") for name in NAMES]
        runs = [runtime.JAVAC + ["-d", os.path.join(work, "kit")] + kit]
        called = [os.path.join(work, "source/java/lang", PREFIX + name + ".java") for name in CALLED]
        for name, path in zip(CALLED, called):
            runtime.write(path, with_agent(in_package(sources[name], "java.lang")).encode())
        for name in INSERTED:
            with open(os.path.join(HERE, "inserted", name + ".java"), encoding="utf-8") as file:
                sources[name] = file.read()
            called.append(os.path.join(work, "source/java/lang", name + ".java"))
            runtime.write(called[-1], sources[name].encode())
        natives = os.path.join(work, "source/instr/runtime/InstrNative.java")
        os.makedirs(os.path.dirname(natives))
        shutil.copy(os.path.join(os.path.dirname(HERE), "InstrNative.java"), natives)
        patch = ["--patch-module", "java.base=" + os.path.join(work, "source")]
        runs.append(runtime.JAVAC + patch + ["-d", os.path.join(work, "called")] + [natives] + called)
        texts = {PREFIX + name: in_package(sources[name], "instr.woven") for name in CALLED}
        for name in WITHOUT_AGENT:
            with open(os.path.join(os.path.dirname(HERE), name + ".java"), encoding="utf-8") as file:
                texts[os.path.basename(name)] = without_agent(file.read())
        texts.update({name: without_agent(sources.pop(name)) for name in INSERTED})
        woven = [os.path.join(work, "woven-source/instr/woven", name + ".java") for name in texts]
        for path, text in zip(woven, texts.values()):
            runtime.write(path, text.encode())
        runs.append(runtime.JAVAC + ["-d", os.path.join(work, "woven")] + woven)
        runtime.compile_all(javac, runs, work)
        classes = compiled(os.path.join(work, "kit/instr/kit"), NAMES)
        write_jar(os.path.join(out, "instr-kit.jar"), {name + ".class": data for name, data in classes.items()})
        write_jar(os.path.join(out, "instr-kit-sources.jar"), {name + ".java": text for name, text in sources.items()})
        boot = compiled(os.path.join(work, "called/java/lang"), [PREFIX + name for name in CALLED] + INSERTED)
        write_called(os.path.join(out, "kit_classes.c"), boot, compiled(os.path.join(work, "woven/instr/woven"), texts))
    runtime.write_dependencies(out, "kit.d", "instr-kit.jar")


if __name__ == "__main__":
    main()
