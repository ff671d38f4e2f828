#!/usr/bin/env python3
"""Builds the runtime that inserted code calls.

    build.py JAVAC OUT

JAVAC is the compiler of any JDK from 11 on. Writes to the directory OUT:

    runtime.d           what all this depends on, for make and ninja
    runtime_classes.c   the class files and the jar as byte arrays, declared in instr/vm/runtime.h
    gate_classes.c      what `instr rewrite` puts into files, declared in instr/cli/rewrite/gate.h
    instr-runtime.jar   the same classes in package instr.runtime, for the bootstrap class path, and those
                        of the folder offline, for programs that were rewritten and run without the agent
    classes/direct/     the class files that are defined directly, to compile tests against
    classes/path/       those of the jar

The classes must load in any JVM from 8 on, whatever compiled them. They are compiled as if they were part
of java.base, then their version is lowered to that of JDK 8; what JDK 8 could not read fails the build.
"""

import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
VERSION = 52  # class files of JDK 8


def sources(folder):
    """The names of the classes in a folder beside this file, each a Java file."""
    return sorted(name[:-5] for name in os.listdir(os.path.join(HERE, folder)) if name.endswith(".java"))


# The classes of the runtime. None of them extends another one, so that they can be defined in any order.
CLASSES = [name for name in sources(".") if name.startswith("Instr")]
# Without the agent: what files made by `instr rewrite` call (package instr.runtime), and what is put into those files.
OFFLINE = sources("offline")
MADE = ["InstrCovered", "InstrRows"]  # made by `instr rewrite` for each file; here only compiled against
GATES = [name for name in sources("offline/gate") if name not in MADE]
DELIVERIES = {"direct": "java/lang", "path": "instr/runtime"}

ENTRIES = ("enter", "construct", "count")
# Methods whose code is to find so much of the stack unused, in words, which is more than a page: see InstrThreads.findRoom. C1 makes the
# frames of callers as large, so calls asks for what enter of timing has, and for findRoom behind that.
ROOM = {"InstrThreads": {"findRoom": 520, "findMostRoom": 1540},
        "InstrExceptions": {"findRoom": 520, "room": 1100},
        "InstrCalls": {"enter": 1540, "construct": 1540},
        "InstrSampling": dict.fromkeys(ENTRIES, 520),
        "InstrSamplingCalls": dict.fromkeys(ENTRIES, 1100)}
# The same by their locals: see InstrThreads.room.
LOCALS = {"InstrThreads": {"room": 640, "mostRoom": 1540, "findRoom": 640, "findMostRoom": 1540},
          "InstrExceptions": {"findRoom": 640, "room": 1200}}

# Bytes of a constant after its tag.
CONSTANTS = {3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4}

# javac is done before its own JVM would gain by compiling more than a little.
JVM = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]
JAVAC = ["-proc:none", "-g:none", "-encoding", "UTF-8"]
JAVAC += ["-XDstringConcat=inline", "-Xlint:none"]

# No JDK has both forms of Unsafe, or both of the annotation, where we may compile against them.
STUBS = {
    "jdk/internal/misc/Unsafe": """package jdk.internal.misc;
        public final class Unsafe {
            public static native Unsafe getUnsafe();
            public native long getLong(Object object, long offset);
            public native void putLong(Object object, long offset, long value);
            public final native boolean compareAndSetLong(Object object, long offset, long expected, long value);
            public native void putByte(Object object, long offset, byte value);
            public native Object getReference(Object object, long offset);
            public native Object getObject(Object object, long offset);
            public native int getInt(Object object, long offset);
            public native short getShort(Object object, long offset);
            public native byte getByte(Object object, long offset);
            public native long objectFieldOffset(Class<?> type, String field);
            public native boolean isFlatField(java.lang.reflect.Field field);
            public native int fieldLayout(java.lang.reflect.Field field);
            public native <V> V getFlatValue(Object object, long offset, int layout, Class<?> type);
            public native Object allocateInstance(Class<?> type) throws InstantiationException;
        }""",
    "sun/misc/Unsafe": """package sun.misc;
        public final class Unsafe {
            public static native Unsafe getUnsafe();
            public native long getLong(Object object, long offset);
            public native void putLong(Object object, long offset, long value);
            public final native boolean compareAndSwapLong(Object object, long offset, long expected, long value);
            public native void putByte(Object object, long offset, byte value);
            public native Object getObject(Object object, long offset);
            public native int getInt(Object object, long offset);
            public native short getShort(Object object, long offset);
            public native byte getByte(Object object, long offset);
            public native long objectFieldOffset(java.lang.reflect.Field field);
            public native Object allocateInstance(Class<?> type) throws InstantiationException;
        }""",
    "jdk/internal/vm/annotation/ForceInline": """package jdk.internal.vm.annotation;
        import java.lang.annotation.*;
        @Retention(RetentionPolicy.RUNTIME) public @interface ForceInline {}""",
    "java/lang/invoke/ForceInline": """package java.lang.invoke;
        import java.lang.annotation.*;
        @Retention(RetentionPolicy.RUNTIME) public @interface ForceInline {}""",
    "jdk/internal/vm/annotation/Stable": """package jdk.internal.vm.annotation;
        import java.lang.annotation.*;
        @Retention(RetentionPolicy.RUNTIME) public @interface Stable {}""",
    "java/lang/invoke/Stable": """package java.lang.invoke;
        import java.lang.annotation.*;
        @Retention(RetentionPolicy.RUNTIME) public @interface Stable {}""",
    "jdk/internal/vm/annotation/DontInline": """package jdk.internal.vm.annotation;
        import java.lang.annotation.*;
        @Retention(RetentionPolicy.RUNTIME) public @interface DontInline {}""",
    "java/lang/invoke/DontInline": """package java.lang.invoke;
        import java.lang.annotation.*;
        @Retention(RetentionPolicy.RUNTIME) public @interface DontInline {}""",
}

# Only with the variant that needs it: JDKs before 19 have no such method.
THREAD = {
    "java/lang/Thread": """package java.lang;
        public class Thread {
            public static native Thread currentThread();
            static native Thread currentCarrierThread();
            public final native String getName();
            public native long getId();
            public final native boolean isAlive();
            public native boolean isInterrupted();
            public native ClassLoader getContextClassLoader();
        }""",
}


def home(name, package):
    """The package of a class in a delivery whose package is the given one."""
    return "instr/runtime" if name.endswith("Native") else package


def compile_all(javac, runs, work):
    """Runs javac with each of the lists of arguments."""
    arguments = os.path.join(work, "arguments")
    write(arguments, "".join("\n".join(words) + "\n\n" for words in runs).encode())
    java = os.path.join(os.path.dirname(javac), "java")
    if subprocess.run([java] + JVM + [os.path.join(HERE, "Compile.java"), arguments]).returncode != 0:
        sys.exit("build.py: javac failed")


def runtime_run(package, unsafe, source, out, stubs=STUBS):
    """Arguments to compile all sources, with InstrUnsafe from the given file, into out; from the folder source."""
    for name, text in stubs.items():
        write(os.path.join(source, name + ".java"), text.encode())
    ours = []
    for name in CLASSES:
        with open(os.path.join(HERE, unsafe if name == "InstrUnsafe" else name + ".java")) as file:
            text = file.read()
        line = "package %s;" % package.replace("/", ".")
        ours.append(os.path.join(source, home(name, package), name + ".java"))
        write(ours[-1], text.replace("package java.lang;", line).encode())
    # The stubs are named too: javac would take the JDK's own class where there is one.
    theirs = [os.path.join(source, name + ".java") for name in stubs]
    return JAVAC + ["--patch-module", "java.base=" + source, "-d", out, "-implicit:none"] + theirs + ours


def runtime_classes(package, out):
    classes = {}
    for name in CLASSES:
        with open(os.path.join(out, home(name, package), name + ".class"), "rb") as file:
            classes[name] = lower(name, file.read())
    return classes


def offline_run(out):
    """Arguments to compile the folder offline."""
    folder = os.path.join(HERE, "offline")
    sources = [os.path.join(folder, name + ".java") for name in OFFLINE]
    sources += [os.path.join(folder, "gate", name + ".java") for name in GATES + MADE]
    return JAVAC + ["-d", out] + sources


def offline_classes(out):
    """Those of the jar, and the gates."""
    found = []
    for package, names in (("instr/runtime", OFFLINE), ("instr/rewritten", GATES)):
        found.append({})
        for name in names:
            with open(os.path.join(out, package, name + ".class"), "rb") as file:
                found[-1][name] = lower(name, file.read())
    return found


def compile_java(javac):
    """All there is: what belongs to no delivery, the gates, and by delivery and JDK ("": from 11 on) its classes."""
    variants = [(delivery, jdk) for delivery in DELIVERIES for jdk in ("jdk8", "jdk19", "") if jdk != "jdk19" or delivery == "direct"]
    with tempfile.TemporaryDirectory() as work:
        def folder(kind, variant):
            return os.path.join(work, kind, "-".join(variant))
        runs = [offline_run(os.path.join(work, "offline"))]
        for variant in variants:
            stubs = {**STUBS, **THREAD} if variant[1] == "jdk19" else STUBS
            unsafe = os.path.join(variant[1], "InstrUnsafe.java")
            runs.append(runtime_run(DELIVERIES[variant[0]], unsafe, folder("source", variant), folder("out", variant), stubs))
        compile_all(javac, runs, work)
        offline, gates = offline_classes(os.path.join(work, "offline"))
        return offline, gates, {v: runtime_classes(DELIVERIES[v[0]], folder("out", v)) for v in variants}


class Reader:
    """Reads a class file, big-endian."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, length):
        self.at += length
        return self.data[self.at - length : self.at]

    def number(self, length):
        return int.from_bytes(self.take(length), "big")


def read_constants(name, reader):
    """The strings of the constant pool by their index."""
    strings, index = {}, 1
    count = reader.number(2)
    while index < count:
        tag = reader.number(1)
        if tag == 1:
            strings[index] = reader.take(reader.number(2)).decode()
        elif tag in CONSTANTS:
            reader.take(CONSTANTS[tag])
        else:
            sys.exit("build.py: %s: constant of kind %d, which JDK 8 cannot have" % (name, tag))
        index += 2 if tag in (5, 6) else 1
    return strings


def lower(name, data):
    """The class file as one of JDK 8, once it is one but for its version."""
    reader = Reader(data)
    reader.take(8)
    strings = read_constants(name, reader)
    if name in ROOM:
        data = make_room(reader, strings, ROOM[name], LOCALS.get(name, {}))
    for text in ("NestHost", "NestMembers", "BootstrapMethods", "InnerClasses", "Record"):
        if text in strings.values():
            sys.exit("build.py: %s: has %s, which is not for JDK 8 or not for the runtime" % (name, text))
    return data[:4] + struct.pack(">HH", 0, VERSION) + data[8:]


def make_room(reader, strings, room, locals_room):
    """The class file with the max_stack and max_locals (JVMS 4.7.3) of some methods raised; the reader is behind the
    constant pool."""
    data, missing = bytearray(reader.data), set(room) | set(locals_room)
    reader.take(6)
    reader.take(2 * reader.number(2))
    for member in range(reader.number(2)):  # fields
        reader.take(6)
        for attribute in range(reader.number(2)):
            reader.take(2)
            reader.take(reader.number(4))
    for member in range(reader.number(2)):
        reader.take(2)
        name = strings[reader.number(2)]
        reader.take(2)
        for attribute in range(reader.number(2)):
            kind = strings[reader.number(2)]
            length = reader.number(4)
            if name in room and kind == "Code":
                struct.pack_into(">H", data, reader.at, room[name])
                missing.discard(name)
            if name in locals_room and kind == "Code":
                struct.pack_into(">H", data, reader.at + 2, locals_room[name])
                missing.discard(name)
            reader.take(length)
    if missing:
        sys.exit("build.py: no method " + ", ".join(sorted(missing)))
    return bytes(data)


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def write_jar(path, package, classes, early, offline):
    """Stored, with a fixed time: the same sources give the same bytes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as jar:
        jar.writestr(zipfile.ZipInfo("META-INF/MANIFEST.MF"), "Manifest-Version: 1.0\r\n\r\n")
        for name in CLASSES:
            jar.writestr(zipfile.ZipInfo("%s/%s.class" % (package, name)), classes[name])
        # What the wrappers of the JDK's own methods call: on JDK 8 it comes from here, before anything can be defined.
        jar.writestr(zipfile.ZipInfo("java/lang/InstrNatives.class"), early)
        for name in OFFLINE:
            jar.writestr(zipfile.ZipInfo("instr/runtime/%s.class" % name), offline[name])


def write_gates(path, gates):
    """The gates as C arrays."""
    text = "// Made by runtime-java/build.py.\n\n#include \"instr/cli/rewrite/gate.h\"\n\n"
    text += "".join(c_array("gate_" + name, gates[name]) for name in GATES)
    rows = "".join('    {"%s", gate_%s, sizeof gate_%s},\n' % (name, name, name) for name in GATES)
    text += "const struct cli_gate_class cli_gate_classes[] = {\n" + rows + "    {0, 0, 0},\n};\n"
    write(path, text.encode())


def c_array(name, data):
    lines = [", ".join(str(byte) for byte in data[i : i + 24]) for i in range(0, len(data), 24)]
    return "static const unsigned char %s[] = {\n    %s,\n};\n\n" % (name, ",\n    ".join(lines))


def write_dependencies(out, name, first):
    """All files of the folders, and the folders themselves: a new file is a new class. `first` is the first output."""
    inputs = []
    for folder, folders, files in os.walk(HERE):
        folders[:] = [name for name in folders if name != "__pycache__"]
        inputs += [folder] + [os.path.join(folder, name) for name in files]
    target = os.path.relpath(os.path.join(out, first))
    write(os.path.join(out, name), ("%s: %s\n" % (target, " ".join(sorted(inputs)))).encode())


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: build.py JAVAC OUT")
    javac, out = sys.argv[1], os.path.abspath(sys.argv[2])
    arrays, rows = [], []

    def add(delivery, name, data, variant):
        place = home(name, DELIVERIES[delivery])
        array = "NULL, 0"
        if data is not None:
            array = "%s_%s_%s" % (delivery, name, variant.lower())
            arrays.append(c_array(array, data))
            array += ", sizeof " + array
        row = (delivery.upper(), place, name, array, variant)
        rows.append('    {INSTR_DELIVERY_%s, "%s/%s", %s, INSTR_RUNTIME_%s},\n' % row)

    jar = os.path.join(out, "instr-runtime.jar")
    offline, gates, compiled = compile_java(javac)
    write_gates(os.path.join(out, "gate_classes.c"), gates)
    for delivery, package in DELIVERIES.items():
        folder = os.path.join(out, "classes", delivery)
        shutil.rmtree(folder, ignore_errors=True)
        classes = compiled[delivery, ""]
        for name in CLASSES:
            write(os.path.join(folder, home(name, package), name + ".class"), classes[name])
            data = None if delivery == "path" else classes[name]
            if name == "InstrUnsafe":
                add(delivery, name, compiled[delivery, "jdk8"][name], "JDK8")
                add(delivery, name, data, "JDK11")
                if delivery == "direct":
                    add(delivery, name, compiled[delivery, "jdk19"][name], "JDK19")
            else:
                add(delivery, name, data, "ANY")
        if delivery == "path":
            write_jar(jar, package, classes, compiled["direct", ""]["InstrNatives"], offline)
    with open(jar, "rb") as file:
        arrays.append(c_array("jar", file.read()))
    text = "// Made by runtime-java/build.py.\n\n#include \"instr/vm/runtime.h\"\n\n" + "".join(arrays)
    text += "const struct instr_runtime_class instr_runtime_classes[] = {\n" + "".join(rows) + "};\n\n"
    text += "const size_t instr_runtime_classes_count = sizeof instr_runtime_classes / sizeof *instr_runtime_classes;\n"
    text += "const unsigned char *const instr_runtime_jar = jar;\n"
    text += "const size_t instr_runtime_jar_size = sizeof jar;\n"
    write(os.path.join(out, "runtime_classes.c"), text.encode())
    write_dependencies(out, "runtime.d", "runtime_classes.c")


if __name__ == "__main__":
    main()
