# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""A page of the viewer as far as the tool sees one: HTTP and WebSocket (RFC 6455) by hand, scenes and frames read after
docs/formats/scene.md. Standard library alone."""

import base64
import gzip
import json
import math
import os
import re
import select
import socket
import struct
import subprocess
import time

TOOL = os.environ["TRAMMEL_TOOL"]


class Live:
    """A tool that serves, for the length of a with block."""

    def __init__(self, *words, grace=None):
        self.process = subprocess.Popen([TOOL, "view", *words, "--no-open", "--json"], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("{"):
            raise AssertionError(line + self.process.stderr.read())
        self.said = json.loads(line)
        self.port = self.said["port"]
        self.token = re.search("token=([0-9a-f]+)", self.said["url"]).group(1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
        try:
            self.process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
            raise

    def connect(self, address="127.0.0.1"):
        return socket.create_connection((address, self.port), timeout=20)

    def get(self, target, host=None, method="GET", more=""):
        """Status and body of an answer."""
        with self.connect() as page:
            page.sendall(f"{method} {target} HTTP/1.1\r\nHost: {host or f'127.0.0.1:{self.port}'}\r\n{more}\r\n".encode())
            answer = b""
            while piece := page.recv(65536):
                answer += piece
        head, _, body = answer.partition(b"\r\n\r\n")
        return int(head.split()[1]) if head else 0, head.decode(), body

    def page(self):
        return self.get(f"/?token={self.token}")

    def ends(self, seconds=15):
        """The exit code, once it has ended by itself."""
        return self.process.wait(timeout=seconds)


class Socket:
    """The page's WebSocket."""

    def __init__(self, live, token=None, origin=None, host=None, path="/socket"):
        self.socket = live.connect()
        self.buffer = b""
        self.scene, self.frames, self.texts, self.closed = None, [], [], None
        key = base64.b64encode(os.urandom(16)).decode()
        here = f"127.0.0.1:{live.port}"
        origin = f"Origin: {origin or 'http://' + here}\r\n" if origin != "" else ""
        self.socket.sendall((f"GET {path}?token={token or live.token} HTTP/1.1\r\nHost: {host or here}\r\n{origin}Upgrade: websocket\r\n"
                             f"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n").encode())
        answer = b""
        while b"\r\n\r\n" not in answer:
            piece = self.socket.recv(4096)
            if not piece:
                break
            answer += piece
        head, _, self.buffer = answer.partition(b"\r\n\r\n")
        self.status = int(head.split()[1]) if head else 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, message, opcode=1, masked=True, length=None):
        payload = json.dumps(message).encode() if not isinstance(message, bytes) else message
        size = len(payload) if length is None else length
        head = bytes([0x80 | opcode])
        bit = 0x80 if masked else 0
        if size < 126:
            head += bytes([bit | size])
        elif size < 65536:
            head += bytes([bit | 126]) + struct.pack(">H", size)
        else:
            head += bytes([bit | 127]) + struct.pack(">Q", size)
        if masked:
            mask = os.urandom(4)
            head += mask
            payload = bytes(b ^ mask[i % 4] for i, b in enumerate(payload))
        self.socket.sendall(head + payload)

    def _need(self, count, until):
        while len(self.buffer) < count:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.socket], [], [], left)[0]:
                return False
            try:
                piece = self.socket.recv(1 << 20)
            except ConnectionError:
                piece = b""
            if not piece:
                self.closed = self.closed or 1006
                return False
            self.buffer += piece
        return True

    def read(self, seconds=20):
        """The next message goes to where it belongs; False: none came, or it was closed."""
        until = time.monotonic() + seconds
        if self.closed or not self._need(2, until):
            return False
        opcode, size, at = self.buffer[0] & 15, self.buffer[1] & 127, 2
        if size >= 126:
            width = 2 if size == 126 else 8
            if not self._need(2 + width, until):
                return False
            size, at = int.from_bytes(self.buffer[2:2 + width], "big"), 2 + width
        if not self._need(at + size, until):
            return False
        payload, self.buffer = self.buffer[at:at + size], self.buffer[at + size:]
        if opcode == 8:
            self.closed = struct.unpack(">H", payload[:2])[0] if len(payload) >= 2 else 1005
        elif opcode == 9:
            self.send(payload, opcode=10)
        elif opcode == 1:
            self.texts.append(json.loads(payload))
        elif payload[:8] == b"TRMLFRM1":
            self.frames.append(Frame(payload))
        elif opcode == 2:
            self.scene = read_scene(payload)[0]
        return True

    def until(self, is_there, seconds=20):
        """Reads until that holds; what it gave, or None."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = is_there()
            if found:
                return found
            if not self.read(end - time.monotonic()):
                return is_there() or None
        return None

    def frame(self):
        count = len(self.frames)
        assert self.until(lambda: len(self.frames) > count), (self.closed, self.texts)
        return self.frames[-1]

    def reason(self):
        """The newest text that says why it goes no further."""
        reasons = [text for text in self.texts if text["type"] == "reason"]
        return reasons[-1] if reasons else {"text": "", "kind": ""}


class Frame:
    def __init__(self, data):
        bodies, channels, self.t, self.factor = struct.unpack_from("<IIdd", data, 8)
        numbers = struct.unpack_from(f"<{7 * bodies + channels}f", data, 32)
        assert len(data) == 32 + 4 * (7 * bodies + channels)
        self.poses = [numbers[7 * b:7 * b + 7] for b in range(bodies)]
        self.channels = numbers[7 * bodies:]


def read_scene(data):
    """The JSON and the blocks of a bundle."""
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    assert data[:8] == b"TRMLSCN1", data[:8]
    length = int.from_bytes(data[8:12], "little")
    return json.loads(data[12:12 + length]), data[12 + length:]


def numbers_of(scene, blocks, of):
    if isinstance(of, list):
        return [math.nan if x is None else x for x in of]
    if "from" in of:
        return [of["from"] + i * of["step"] for i in range(of["count"])]
    letter, width = {"f32": ("f", 4), "f64": ("d", 8), "u8": ("B", 1), "i32": ("i", 4)}[of["type"]]
    count, data = of["count"], blocks[of["at"]:of["at"] + of["count"] * width]
    if of.get("shuffle"):
        data = b"".join(bytes(data[plane * count + i] for plane in range(width)) for i in range(count))
    return list(struct.unpack(f"<{count}{letter}", data))


def scene_in(html):
    """The scene of a page written by --html."""
    found = re.findall(r'<script id="trammel-scene" type="application/octet-stream">([A-Za-z0-9+/=]*)</script>', html)
    assert len(found) == 1, len(found)
    return read_scene(base64.b64decode(found[0]))


def turned(pose, point):
    """A point of a body in the world."""
    x, y, z, w, a, b, c = pose
    u, v = (a, b, c), point
    cross = lambda p, q: (p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0])
    t = tuple(2 * k for k in cross(u, v))
    d = cross(u, t)
    return [v[i] + w * t[i] + d[i] + (x, y, z)[i] for i in range(3)]
