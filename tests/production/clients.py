"""Clients of the control socket that are slow or disconnect, in a server under load."""

import os
import re
import socket
import struct
import subprocess
import threading
import time

from control import Failed
from cycles import get
from server_jvm import Jvm, expect


class Users:
    """Threads that send requests to a server all the time."""

    def __init__(self, port, count=2):
        self.port, self.done, self.failed, self.stop = port, 0, 0, threading.Event()
        self.threads = [threading.Thread(target=self.use) for _ in range(count)]
        for thread in self.threads:
            thread.start()

    def use(self):
        while not self.stop.is_set():
            try:
                self.failed += get(self.port) == ""
            except OSError:
                self.failed += 1
            self.done += 1

    def in_seconds(self, seconds):
        before = self.done
        time.sleep(seconds)
        return self.done - before

    def end(self):
        self.stop.set()
        for thread in self.threads:
            thread.join()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()


def slow_clients(t):
    """Clients that do not read the reply, or are killed while it is sent: the server continues, and other clients get replies."""
    problems = []
    with Jvm(t, "-cp", t.file("classes"), "Server") as jvm, Users(int(jvm.line())) as users:
        c = jvm.control()

        def answers(what):
            start = time.monotonic()
            passes = c.run("status")["passes"]
            expect(problems, f"{what}: status took {time.monotonic() - start:.1f} s", time.monotonic() - start < 3)
            return passes

        def is_off(what):
            for _ in range(100):
                if answers(what) == []:
                    return
                time.sleep(0.1)
            problems.append(f"{what}: still on")
        users.in_seconds(1)
        alone = users.in_seconds(3)
        lazy = jvm.control()  # reads nothing: the reply fills its socket, then its queue
        lazy.start("watch", "Server.*(..)", "limit=100000000", "stack")
        time.sleep(1)
        during = users.in_seconds(3)
        expect(problems, "a watch without a reader is not on", answers("not read") == ["watch"])
        expect(problems, f"{during} requests while a client does not read, {alone} before", during > alone / 5)
        lazy.cancel()
        text, dropped = 0, ""
        for kind, what in lazy.events():  # the queued documents, and the number of dropped ones
            text += kind == "document"
            dropped += what if kind == "note" else ""
        expect(problems, f"{text} calls reported, {lazy.dropped} dropped, {dropped!r}", text > 100 and (lazy.dropped > 0 or "dropped" in dropped))
        is_off("cancelled")
        for words in (["watch", "Server.*(..)", "limit=100000000"], ["top", "100", "20", "calls"]):
            if words[0] == "top":
                c.run("enable", "timing,include=Server:Server$*")
            for how in ("closed", "reset"):
                client = jvm.control()
                client.start(*words)
                client.socket.recv(1000)
                if how == "reset":
                    client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                client.close()
                if words[0] == "watch":
                    is_off(f"{words[0]}, {how}")
                answers(f"{words[0]}, {how}")
        c.run("revert")
        watching = subprocess.Popen([t.cli, "watch", str(jvm.pid), "Server.*(..)", "--limit", "1000000"], stdout=subprocess.PIPE)
        watching.stdout.read(1000)
        watching.kill()
        watching.wait()
        watching.stdout.close()
        is_off("instr watch, killed")
        after = users.in_seconds(3)
        expect(problems, f"{after} requests afterwards, {alone} before", after > alone / 5)
        users.end()
        expect(problems, f"{users.failed} of {users.done} requests failed", users.failed == 0 and users.done > 100)
        print(f"requests in 3 s: {alone} alone, {during} with a client that does not read, {after} afterwards; {text} calls reported, {lazy.dropped} documents "
              f"dropped; {dropped}")
        jvm.end()
    return problems


def waiting_for_another(t):
    """While commands of one client take long, new clients are greeted, learn what they wait for, and are served in the end, even if that
    takes more than the ten seconds for which the tool waits in silence. The commands take so long because they write to a pipe without a reader."""
    problems, pipe = [], t.file("slow")
    os.mkfifo(pipe)
    with Jvm(t, "-cp", t.file("classes"), "Waiting") as jvm, jvm.control() as first, jvm.control() as second:
        jvm.line()
        first.run("enable", f"calls,calls.file={pipe},include=Waiting,quiet=yes")
        second.run("ping")
        first.start("write")
        second.start("write")
        time.sleep(1)
        start, waits = time.monotonic(), f"instr: waiting for 'write' of process {os.getpid()}, user {os.geteuid()} ("
        setting = subprocess.Popen([t.cli, "set", str(jvm.pid), "calls.top=3"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        listed = subprocess.run([t.cli, "list"], capture_output=True, text=True, timeout=60).stdout
        expect(problems, f"list: {listed}", re.search(rf"^ *{jvm.pid} .* busy ", listed, re.M))
        done = subprocess.run([t.cli, "status", str(jvm.pid)], capture_output=True, text=True, timeout=60)
        expect(problems, f"status: {done}", done.returncode == 1 and done.stderr.startswith(waits) and "not answered in time" in done.stderr)
        out, err = setting.communicate(timeout=100)
        waited = time.monotonic() - start
        expect(problems, f"set: {setting.returncode}, {out!r}, {err!r}", setting.returncode == 0 and "calls" in out and err.startswith(waits))
        expect(problems, f"it did not take long: {waited} s", waited > 11)
        for client in first, second:
            notes = []
            try:
                for kind, what in client.events():
                    notes += [what] if kind == "note" and "waiting" not in what else []
            except Failed as e:
                expect(problems, str(e), "no process reads it" in str(e))
            expect(problems, f"a busy client: {notes}", len(notes) >= 4 and all(re.fullmatch(r"'write': running(?: for \d+ s)?", line) for line in notes))
    return problems


def many_files(t):
    """Clients that send files together get only so much of the JVM's memory, and the JVM serves others meanwhile and afterwards."""
    problems, file, most = [], b"\0" * (8 << 20), 7
    with Jvm(t, "-cp", t.file("classes"), "Waiting") as jvm, jvm.control() as other:
        jvm.line()
        other.run("ping")

        def resident():
            with open(f"/proc/{jvm.pid}/status", encoding="ascii") as status:
                return int(re.search(r"VmRSS:\s*(\d+) kB", status.read()).group(1)) >> 10

        def sends(client):
            """How many files the client could send, and the reason if not all of them."""
            try:
                for _ in range(most):
                    client.send(b"D", b"f\0" + file)
                return client.run("ping")["state"]
            except Failed as e:
                return str(e)
            except OSError:  # the reason was sent before the connection was closed
                try:
                    return str(list(client.events()))
                except (Failed, OSError) as e:
                    return str(e)
        before, clients, said = resident(), [jvm.control() for _ in range(12)], []
        users = [threading.Thread(target=lambda c=c: said.append(sends(c))) for c in clients]
        for user in users:
            user.start()
        most_used = 0
        while any(user.is_alive() for user in users):
            most_used = max(most_used, resident() - before)
            other.run("ping")
            time.sleep(0.02)
        most_used = max(most_used, resident() - before)
        refused = [line for line in said if "other clients are sending files, too" in line]
        print(f"12 clients of {most * 8} MB: {most_used} MB more, {len(refused)} refused")
        expect(problems, f"the JVM holds {most_used} MB more: {said}", most_used < 200)
        expect(problems, f"{said}", refused)
        for c in clients:
            c.close()
        with jvm.control() as c:
            said = sends(c)
            expect(problems, f"afterwards: {said}", said == "dormant")
        jvm.ends(problems)
    return problems
