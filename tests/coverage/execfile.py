"""Reads and writes JaCoCo's .exec files by the description of their format, independently of the product's reader."""

import struct

HEADER = b"\x01\xc0\xc0\x10\x07"


def utf(text):
    data = text if isinstance(text, bytes) else text.encode()
    return struct.pack(">H", len(data)) + data


def session(name, start=1_000_000_000_000, dump=1_000_000_060_000):
    return b"\x10" + utf(name) + struct.pack(">QQ", start, dump)


def varint(number):
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def probes(ident, name, bits):
    """A class; `bits` is a string such as "0110"."""
    packed = bytes(sum(1 << k for k in range(8) if bits[i + k:i + k + 1] == "1") for i in range(0, len(bits), 8))
    return b"\x11" + struct.pack(">Q", ident) + utf(name) + varint(len(bits)) + packed


class _Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, form):
        values = struct.unpack_from(form, self.data, self.at)
        self.at += struct.calcsize(form)
        return values[0] if len(values) == 1 else values

    def text(self):
        n = self.take(">H")
        self.at += n
        return self.data[self.at - n:self.at].decode("utf-8", "surrogatepass")

    def bits(self):
        count = shift = 0
        while True:
            byte = self.take(">B")
            count |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        size = -(-count // 8)
        bits = "".join(format(byte, "08b")[::-1] for byte in self.data[self.at:self.at + size])
        self.at += size
        return bits[:count]


def blocks(data):
    """("session", id, start, dump) and ("class", id, name, bits), in the order of the file."""
    reader = _Reader(data)
    while reader.at < len(data):
        kind = reader.take(">B")
        if kind == 1:
            assert reader.take(">HH") == (0xC0C0, 0x1007)
        elif kind == 0x10:
            yield ("session", reader.text(), *reader.take(">QQ"))
        else:
            assert kind == 0x11, kind
            yield ("class", reader.take(">Q"), reader.text(), reader.bits())


def parse(data):
    """The sessions (id, start, dump) in order, and {id: (name, bits)}, with the hits of repeated classes merged."""
    sessions, classes = [], {}
    for kind, *block in blocks(data):
        if kind == "session":
            sessions.append(tuple(block))
            continue
        ident, name, bits = block
        there = classes.get(ident, (name, "0" * len(bits)))
        assert there[0] == name and len(there[1]) == len(bits), (ident, there, name, bits)
        classes[ident] = (name, "".join("1" if a + b != "00" else "0" for a, b in zip(bits, there[1])))
    return sessions, classes


def written(classes, name="test"):
    """A file with these classes, {id: (name, bits)}."""
    return HEADER + session(name) + b"".join(probes(ident, *of) for ident, of in classes.items())
