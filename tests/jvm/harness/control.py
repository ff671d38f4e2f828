"""The control protocol in Python: the tests' client of an agent."""

import os
import socket
import struct

MAGIC = b"instr\r\n\0"


def frame(kind, payload=b"", length=None):
    return struct.pack(">IB", len(payload) if length is None else length, ord(kind)) + payload


def hello(lowest=1, highest=1):
    return frame("H", MAGIC + struct.pack(">HH", lowest, highest))


def command(*words):
    return frame("C", b"".join(w.encode() + b"\0" for w in words))


def path(pid, uid=None, folder="/tmp"):
    return f"{folder}/.instr-{os.getuid() if uid is None else uid}/{pid}.sock"


def connect(pid, timeout=30):
    client = socket.socket(socket.AF_UNIX)
    client.connect(path(pid))  # without a timeout this waits until the agent accepts
    client.settimeout(timeout)
    return client


class Client:
    """A connection. `next` returns messages as (kind, payload), and None at the end of the connection."""

    def __init__(self, pid, greet=True):
        self.socket, self.bytes = connect(pid), b""
        if greet:
            self.send(hello())
            assert self.next()[0] == "H"

    def send(self, data):
        self.socket.sendall(data)

    def next(self):
        while len(self.bytes) < 5 or len(self.bytes) < 5 + struct.unpack(">I", self.bytes[:4])[0]:
            more = self.socket.recv(65536)
            if not more:
                return None
            self.bytes += more
        length = struct.unpack(">I", self.bytes[:4])[0]
        kind, payload = chr(self.bytes[4]), self.bytes[5:5 + length]
        self.bytes = self.bytes[5 + length:]
        return kind, payload

    def ask(self, *words):
        """Sends a command; returns its document, status and error line."""
        self.send(command(*words))
        document = b""
        while True:
            kind, payload = self.next()
            if kind in "jJ":
                document += payload
            elif kind == "E":
                return document, struct.unpack(">H", payload[:2])[0], payload[10:].decode()

    def close(self):
        self.socket.close()
