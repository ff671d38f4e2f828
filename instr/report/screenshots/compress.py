#!/usr/bin/env python3
"""Makes a PNG of 256 colors of one of Chromium's (8 bits per channel, not interlaced), which is several times larger.

    compress.py FROM TO
"""

import collections
import struct
import sys
import zlib


def chunks(data):
    at = 8
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        yield kind, data[at + 8 : at + 8 + length]
        at += 12 + length


def paeth(a, b, c):
    p = a + b - c
    return min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]


def rows(pixels, width, channels):
    """The rows without their filters (PNG specification, section 9)."""
    size, above = width * channels, bytearray(width * channels)
    for start in range(0, len(pixels), size + 1):
        kind, row = pixels[start], bytearray(pixels[start + 1 : start + 1 + size])
        for i in range(size if kind else 0):
            left = row[i - channels] if i >= channels else 0
            corner = above[i - channels] if i >= channels else 0
            row[i] = (row[i] + (left, above[i], (left + above[i]) // 2, paeth(left, above[i], corner))[kind - 1]) & 255
        above = row
        yield row


def palette_of(counts):
    """The most frequent colors, and which of them is the nearest to each color."""
    palette = [color for color, _ in counts.most_common(256)]
    index = {color: i for i, color in enumerate(palette)}
    for color in counts:
        if color not in index:
            index[color] = min(range(len(palette)), key=lambda i: sum((a - b) ** 2 for a, b in zip(palette[i], color)))
    return palette, index


def main():
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    found = collections.defaultdict(bytes)
    for kind, body in chunks(data):
        found[kind] += body
    width, height, depth, color = struct.unpack(">IIBB", found[b"IHDR"][:10])
    if depth != 8 or color not in (2, 6):
        sys.exit(f"{sys.argv[1]}: not a PNG as Chromium writes it")
    channels = 3 if color == 2 else 4
    image = [[tuple(row[i : i + 3]) for i in range(0, len(row), channels)]
             for row in rows(zlib.decompress(found[b"IDAT"]), width, channels)]
    # Rounded first: antialiasing makes thousands of colors that look alike.
    image = [[tuple(min(255, (c + 4) & ~7) for c in pixel) for pixel in row] for row in image]
    palette, index = palette_of(collections.Counter(pixel for row in image for pixel in row))
    pixels = b"".join(b"\0" + bytes(index[pixel] for pixel in row) for row in image)
    with open(sys.argv[2], "wb") as file:
        file.write(data[:8])
        for kind, body in ((b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
                           (b"PLTE", b"".join(map(bytes, palette))), (b"IDAT", zlib.compress(pixels, 9)), (b"IEND", b"")):
            file.write(struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)))


main()
