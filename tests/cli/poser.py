#!/usr/bin/env python3
"""A process that poses as a JVM with an agent in it: it maps a file libjvm.so, has a `release` file and performance data, and a
control socket on which it does what a MODE says.

    poser.py FOLDER MODE [UID]

With UID it becomes this user. In FOLDER it makes what it needs. `ready` on standard output says that all is there; it ends when standard input ends.
"""

import glob
import mmap
import os
import shutil
import signal
import socket
import struct
import sys
import threading
import time

EVIL = "EVIL\x1b]0;owned\x07\x9b31m\u202e\u061c\r\nEVIL"


def message(kind, payload):
    return struct.pack(">I", len(payload)) + kind + payload


HELLO = message(b"H", struct.pack(">HI", 1, os.getpid()) + EVIL.encode())
END = message(b"E", struct.pack(">HQ", 0, 0))


def perfdata(**values):
    """Performance data of version 2.0 with strings."""
    entries = b""
    for name, value in values.items():
        key, text = name.replace("_", ".").encode() + b"\0", value.encode("utf-8", "surrogateescape") + b"\0"
        size = 20 + len(key) + len(text)
        entries += struct.pack(">IIIBBBBI", size, 20, len(text), ord("B"), 0, 0, 0, 20 + len(key)) + key + text
    return struct.pack(">IBBBBIIQII", 0xcafec0c0, 0, 2, 0, 1, 0, 0, 0, 32, len(values)) + entries


def mapped(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)
    with open(path, "rb") as file:
        return mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)


def library_of(folder):
    """A Java agent makes the JVM load libinstrument.so."""
    return "libinstrument.so" if os.path.exists(f"{folder}/java-agent") else "libinstr.so"


def pose(folder):
    maps = [mapped(f"{folder}/jdk/lib/server/libjvm.so", b"not a library"), mapped(f"{folder}/{library_of(folder)}", b"nor this")]
    with open(f"{folder}/jdk/release", "w", encoding="utf-8", newline="") as file:
        file.write(f'JAVA_VERSION="17.{EVIL.replace(chr(10), "")}"\n')
    if os.path.exists(f"{folder}/perfdata"):
        with open(f"{folder}/perfdata", encoding="utf-8", errors="surrogateescape") as file:  # the arguments of the main class
            arguments = file.read()
        maps.append(mapped(f"{folder}/hsperfdata_me/{os.getpid()}", perfdata(
            java_property_java_vm_version="17.0" + EVIL, java_property_java_vm_name=EVIL, sun_rt_javaCommand=EVIL + " " + EVIL + arguments)))
    if os.path.exists(f"{folder}/link"):  # the folders of the mapped files are put back as links
        with open(f"{folder}/link", encoding="utf-8") as file:
            target = file.read()
        for name in "jdk", "hsperfdata_me":
            shutil.rmtree(f"{folder}/{name}", ignore_errors=True)
            os.symlink(target, f"{folder}/{name}")
    if os.path.exists(f"{folder}/chroot"):
        os.chroot(folder)
        os.chdir("/")
        return maps
    if os.path.exists(f"{folder}/pipe"):
        os.unlink(f"{folder}/jdk/release")
        os.mkfifo(f"{folder}/jdk/release")
        threading.Thread(target=wait_for_reader, args=(folder,), daemon=True).start()
    return maps


def wait_for_reader(folder):
    """Somebody who opens the pipe to read it lets its writer go."""
    os.close(os.open(f"{folder}/jdk/release", os.O_WRONLY))
    with open(f"{folder}/let-go", "w", encoding="utf-8"):
        pass


def listen(backlog=128):
    folder = f"/tmp/.instr-{os.geteuid()}"
    os.makedirs(folder, 0o700, exist_ok=True)
    path = f"{folder}/{os.getpid()}.sock"
    server = socket.socket(socket.AF_UNIX)
    server.bind(path)
    server.listen(backlog)
    return server, path


def fill(path):
    """Connects until no connection has room; the server never accepts one."""
    clients = []
    while True:
        client = socket.socket(socket.AF_UNIX)
        client.setblocking(False)
        try:
            client.connect(path)
        except BlockingIOError:
            return clients
        clients.append(client)


def documents(text):
    parts = [text[i:i + 65536] for i in range(0, len(text), 65536)] or [b""]
    return b"".join(message(b"j", part) for part in parts[:-1]) + message(b"J", parts[-1])


def drip(client, data):
    for i in range(len(data)):
        client.sendall(data[i:i + 1])
        time.sleep(1)


def serve(client, mode, folder):
    try:
        if mode == "closing":
            return
        if mode == "slow":
            drip(client, HELLO + message(b"N", b"x" * 100))
        client.recv(65536)
        while mode == "mute":
            time.sleep(1)
        if mode == "deaf":  # a command cannot be sent any more
            client.shutdown(socket.SHUT_RD)
        client.sendall(HELLO)
        if mode == "deaf":
            time.sleep(1)
        while mode == "unread":
            time.sleep(1)
        while client.recv(65536):
            if mode == "answers":
                with open(f"{folder}/answer", "rb") as file:
                    client.sendall(message(b"N", EVIL.encode()) + documents(file.read()) + END)
            elif mode == "bytes":
                with open(f"{folder}/bytes", "rb") as file:
                    client.sendall(message(b"N", EVIL.encode()) + message(b"B", file.read()) + END)
            elif mode == "failing":
                client.sendall(message(b"E", struct.pack(">HQ", 1, 3) + EVIL.encode()))
            elif mode == "large":
                client.sendall(documents(b'{"state": "active", "skipped": [' + b"0," * (60 << 20) + b"0]}") + END)
            elif mode == "endless":
                while True:
                    client.sendall(message(b"j", b"[" + b" " * 60000))
            elif mode == "noting":
                while True:
                    client.sendall(message(b"N", b"not yet"))
                    time.sleep(0.5)
            elif mode == "chatting":
                while True:
                    client.sendall(message(b"N", b"x" * 60000))
            elif mode == "repeating":
                while True:
                    client.sendall(message(b"J", b'{"state": "' + b"x" * 60000 + b'"}'))
            elif mode == "dripping":
                drip(client, message(b"N", b"x" * 100))
    except OSError:
        pass
    finally:
        client.close()


def become(uid):
    os.setgroups([])
    os.setgid(uid)
    os.setuid(uid)


def take_attach_socket(jvm, mode, ready):
    """Another process takes the name of the JVM's attach socket, and perhaps lets nobody in. With -own it has the user of the JVM, with
    -root it stays root."""
    if os.geteuid() == 0 and not mode.endswith("-root"):
        become(int(sys.argv[3]) - (not mode.endswith("-own")))
    path = f"/tmp/.java_pid{jvm}"
    server = socket.socket(socket.AF_UNIX)
    server.bind(path)
    os.chmod(path, 0o600 if mode.endswith("-root") else 0o777)
    server.listen(1)
    clients = fill(path) if "full" in mode else []
    os.write(ready, b"!")
    sys.stdin.read()
    os.unlink(path)
    del clients
    os._exit(0)


def start_for_ever():
    """The JVM's own attach socket, which tells each client to come back later."""
    path = f"/tmp/.java_pid{os.getpid()}"
    server = socket.socket(socket.AF_UNIX)
    server.bind(path)
    server.listen()

    def answer():
        while True:
            client, _ = server.accept()
            if b"getversion" in client.recv(65536):
                client.sendall(b"0\n1")
            else:
                time.sleep(1.5)
                client.sendall(b"1\nLoading agents is only permitted in the live phase")
            client.close()
    threading.Thread(target=answer, daemon=True).start()
    return server, path


def remove_leftovers():
    """Process IDs come again: a process that was killed may have left the files of this ID behind, as another user."""
    for path in f"/tmp/.java_pid{os.getpid()}", *glob.glob(f"/tmp/.instr-*/{os.getpid()}.*"):
        try:
            os.unlink(path)
        except FileNotFoundError:
            pass


def main():
    folder, mode = sys.argv[1:3]
    remove_leftovers()
    if mode.startswith("attach-"):
        jvm, ready = os.getpid(), os.pipe()
        if os.fork() == 0:
            take_attach_socket(jvm, mode, ready[1])
        os.read(ready[0], 1)
    chrooted = os.path.exists(f"{folder}/chroot")
    if len(sys.argv) > 3 and not chrooted:
        become(int(sys.argv[3]))
    signal.signal(signal.SIGQUIT, lambda *_: None)
    held, path = [pose(folder)], None
    if chrooted:
        become(int(sys.argv[3]))
    if mode == "starting":
        server, path = start_for_ever()
        held.append(server)
    elif mode != "nothing" and not mode.startswith("attach-"):
        server, path = listen(1 if mode == "backlog" else 128)
        held.append(server)
        if mode == "backlog":
            held.append(fill(path))
        else:
            def accept():
                while True:
                    client, _ = server.accept()
                    threading.Thread(target=serve, args=(client, mode, folder), daemon=True).start()
            threading.Thread(target=accept, daemon=True).start()
    print("ready", flush=True)
    sys.stdin.read()
    if path:
        os.unlink(path)
    os._exit(0)


main()
