# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""The live server of trammel view: what a page may ask for, and who is not let in, while everybody else is served on."""

import json
import math
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from live_page import TOOL, Live, Socket, turned  # noqa: E402

MODELS = Path(os.environ["TRAMMEL_SOURCE_DIR"]) / "models"
PENDULUM, FOUR_BAR = str(MODELS / "double_pendulum.yaml"), str(MODELS / "crank_rocker.yaml")


def state_of(page):
    states = [text for text in page.texts if text["type"] == "state"]
    return states[-1] if states else None


class Simulated(unittest.TestCase):
    def test_a_page_gets_the_scene_and_then_frames_that_go_on(self):
        with Live(PENDULUM) as live:
            status, head, body = live.page()
            self.assertEqual(status, 200)
            self.assertIn(b'id="trammel-live"', body)
            self.assertIn(f"/socket?token={live.token}".encode(), body)
            self.assertIn("default-src 'none'", head)
            with Socket(live) as page:
                self.assertEqual(page.status, 101)
                first = page.frame()
                self.assertEqual(page.scene["kind"], "live")
                self.assertEqual(page.scene["live"]["mode"], "simulation")
                self.assertEqual(len(first.poses), len(page.scene["bodies"]))
                self.assertEqual(len(first.channels), len(page.scene["series"]["channels"]))
                self.assertTrue(page.until(lambda: page.frames[-1].t > first.t + 0.1))
                times = [frame.t for frame in page.frames]
                self.assertEqual(times, sorted(times))

    def test_it_is_paused_stepped_resumed_and_restarted(self):
        with Live(PENDULUM) as live, Socket(live) as page:
            page.until(lambda: page.frames and page.frames[-1].t > 0.05)
            page.send({"type": "pause"})
            self.assertTrue(page.until(lambda: state_of(page) and not state_of(page)["running"]))
            while page.read(0.3):
                pass
            rest, count = page.frames[-1].t, len(page.frames)
            page.send({"type": "step"})
            stepped = page.frame()
            self.assertTrue(rest < stepped.t < rest + 0.1)
            page.send({"type": "restart"})
            self.assertTrue(page.until(lambda: page.frames[-1].t == 0))
            self.assertFalse(state_of(page)["running"])
            page.send({"type": "speed", "factor": 0})
            page.send({"type": "resume"})
            self.assertTrue(page.until(lambda: page.frames[-1].t > 5))  # as fast as it can
            self.assertGreater(page.frames[-1].factor, 1)

    def test_a_pulled_body_comes_along(self):
        with Live(PENDULUM) as live, Socket(live) as page:
            frame = page.frame()
            body = len(frame.poses) - 1
            point = page.scene["bodies"][body]["com"]
            start = turned(frame.poses[body], point)
            target = [start[0] + 0.3, start[1] + 0.3, start[2] + 0.3]
            page.send({"type": "nudge", "body": body, "point": point, "target": target})
            page.send({"type": "speed", "factor": 5})
            # The hand's damper lets it come to rest: near to the target but for its weight, instead of 4 m to and fro.
            self.assertTrue(page.until(lambda: page.frames[-1].t > 20))
            held = math.dist(turned(page.frames[-1].poses[body], point), target)
            page.send({"type": "release"})
            self.assertLess(held, 0.6)

    def test_a_servo_and_a_drive_go_where_sliders_say(self):
        with Live(str(MODELS / "two_arm_swimmer.yaml")) as live, Socket(live) as page:
            page.frame()
            controls = page.scene["controls"]
            self.assertEqual(controls[0]["kind"], "drive")
            name = controls[0]["name"]
            channel = [c["name"] for c in page.scene["series"]["channels"]].index(f"{name}.q")
            page.send({"type": "set", "control": 0, "value": 0.25})
            page.send({"type": "speed", "factor": 0})
            wanted = 0.25 * {"deg": math.pi / 180}.get(controls[0]["unit"], 1)
            # As fast as it can it may have run some seconds before the word reached it.
            self.assertTrue(page.until(lambda: page.frames[-1].t > 4 and abs(page.frames[-1].channels[channel] - wanted) < 1e-4))


class ByHand(unittest.TestCase):
    """The four-bar of models/crank_rocker.yaml: A 40 mm from O2, B 82.5 mm from O4, AB 126.5 mm."""

    def point(self, frame, body, p):
        return turned(frame.poses[body], p)

    def test_a_dragged_point_takes_the_linkage_along_and_its_dead_point_is_told(self):
        with Live(FOUR_BAR) as live, Socket(live) as page:
            frame = page.frame()
            self.assertEqual(page.scene["live"]["mode"], "linkage")
            crank, coupler, rocker = (next(i for i, b in enumerate(page.scene["bodies"]) if b["name"] == n)
                                      for n in ("crank", "coupler", "rocker"))
            A, B = [0, 0.04, 0], [0.12, 0.08, 0]
            for step in range(1, 20):
                page.send({"type": "drag", "body": rocker, "point": B, "target": [0.12 + 0.02 * step, 0.08 - 0.01 * step, 0]})
                frame = page.frame()
                # Both bodies of a joint have it at the same place: the loop is closed.
                self.assertLess(math.dist(self.point(frame, crank, A), self.point(frame, coupler, A)), 1e-7)
                self.assertLess(math.dist(self.point(frame, coupler, B), self.point(frame, rocker, B)), 1e-7)
            self.assertEqual(page.reason()["kind"], "dead point")
            self.assertEqual(page.reason()["text"], "dead point: 'O4' can only turn back here")
            reach = 0.04 + math.dist(A, B)
            self.assertAlmostEqual(math.dist(self.point(frame, rocker, B), [0, 0, 0]), reach, places=6)
            page.send({"type": "drag", "body": rocker, "point": B, "target": [0.12, 0.08, 0]})
            frame = page.frame()
            self.assertEqual(page.reason()["text"], "")
            self.assertLess(math.dist(self.point(frame, rocker, B), B), 1e-6)
            page.send({"type": "release"})
            # The slider knows where dragging has taken its input.
            control = page.scene["controls"][0]
            self.assertEqual(page.scene["series"]["axis"], {"name": "frame", "unit": "1"})
            self.assertEqual(page.scene["series"]["channels"][control["channel"]]["name"], control["name"])
            place = self.point(page.frames[-1], crank, A)
            self.assertAlmostEqual(page.frames[-1].channels[control["channel"]],
                                   math.degrees(math.atan2(-place[0], place[1])), places=3)
            page.send({"type": "restart"})
            self.assertTrue(page.until(lambda: math.dist(self.point(page.frames[-1], crank, A), A) < 1e-7))

    def test_a_slider_turns_its_input(self):
        with Live(FOUR_BAR) as live, Socket(live) as page:
            page.frame()
            control = page.scene["controls"][0]
            self.assertEqual((control["name"], control["unit"], control["kind"]), ("O2", "deg", "input"))
            page.send({"type": "set", "control": 0, "value": 30})
            self.assertAlmostEqual(page.frame().channels[0], 30, places=4)


class Shut(unittest.TestCase):
    """Who is not let in."""

    @classmethod
    def setUpClass(cls):
        cls.live = Live(PENDULUM, "--stay").__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.live.__exit__()

    def tearDown(self):
        # Whatever was tried, it goes on serving.
        self.assertIsNone(self.live.process.poll())
        self.assertEqual(self.live.page()[0], 200)
        with Socket(self.live) as page:
            self.assertEqual(page.status, 101)
            page.frame()

    def test_without_the_token(self):
        for target in ("/", "/?token=", "/?token=" + "0" * 32, f"/?token={self.live.token}0", f"/?token={self.live.token[:-1]}"):
            status, _, body = self.live.get(target)
            self.assertEqual(status, 403, target)
            self.assertNotIn(b"trammel-live", body)
        with Socket(self.live, token="f" * 32) as page:
            self.assertEqual(page.status, 403)

    def test_pages_of_other_sites(self):
        for origin in ("http://evil.example", "null", f"https://127.0.0.1:{self.live.port}", "http://127.0.0.1:1",
                       f"http://127.0.0.1:{self.live.port}.evil.example", ""):
            with Socket(self.live, origin=origin) as page:
                self.assertEqual(page.status, 403, origin)

    def test_names_that_lead_here(self):
        for host in ("evil.example", f"evil.example:{self.live.port}", "127.0.0.1", f"127.0.0.1:{self.live.port}@x"):
            self.assertEqual(self.live.get(f"/?token={self.live.token}", host=host)[0], 403, host)
            with Socket(self.live, host=host) as page:
                self.assertEqual(page.status, 403, host)
        self.assertEqual(self.live.get(f"/?token={self.live.token}", host=f"localhost:{self.live.port}")[0], 200)

    def test_other_interfaces(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.connect(("192.0.2.1", 9))  # sends nothing; tells our own address
                mine = probe.getsockname()[0]
            except OSError:
                self.skipTest("this machine has no other interface")
        if mine.startswith("127."):
            self.skipTest("this machine has no other interface")
        with self.assertRaises(OSError):
            self.live.connect(mine)

    def test_other_paths_and_methods(self):
        for target in ("/index.html", "/../etc/passwd", "/socket", "/%2e%2e/", "/?x", "*", "http://evil.example/"):
            self.assertIn(self.live.get(f"{target}")[0], (400, 403, 404), target)
        self.assertEqual(self.live.get(f"/other?token={self.live.token}")[0], 404)
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "HEAD", "TRACE"):
            self.assertEqual(self.live.get(f"/?token={self.live.token}", method=method)[0], 405, method)

    def test_what_is_no_request(self):
        for rubbish in (b"\x00" * 100, b"GET\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00", b"GET / HTTP/9.9\r\n\r\n", os.urandom(4000)):
            with self.live.connect() as visitor:
                visitor.settimeout(15)
                try:
                    visitor.sendall(rubbish)
                    visitor.shutdown(socket.SHUT_WR)
                    answer = visitor.recv(4096)
                except OSError:  # shown the door already
                    answer = b""
                self.assertNotIn(b"200 OK", answer)

    def test_requests_that_are_too_long(self):
        try:
            status = self.live.get("/?token=" + "x" * 20000)[0]
        except ConnectionError:
            status = 0
        self.assertIn(status, (0, 400, 413, 431))
        status = self.live.get(f"/?token={self.live.token}", more="Content-Length: 5000000\r\n")[0]
        self.assertIn(status, (0, 413))

    def closed_after(self, act):
        with Socket(self.live) as page:
            page.frame()
            act(page)
            self.assertTrue(page.until(lambda: page.closed, 10), "it was not closed")
            return page.closed

    def test_messages_that_are_too_long(self):
        long = json.dumps({"type": "pause", "x": "y" * 70000}).encode()
        self.assertEqual(self.closed_after(lambda page: page.send(long)), 1009)
        self.assertEqual(self.closed_after(lambda page: page.send(b"", length=1 << 40)), 1009)

    def test_messages_that_are_none(self):
        for message in (b"", b"{", b"[]", b"3", b'"pause"', b'{"type": 3}', b'{"type": "format disk"}', b'{"type": "set"}',
                        b'{"type": "set", "control": 99, "value": 1}', b'{"type": "set", "control": -1, "value": 1}',
                        b'{"type": "set", "control": 0.5, "value": 1}', b'{"type": "speed", "factor": -1}', b'{"type": "speed", "factor": "1"}',
                        b'{"type": "nudge", "body": 99, "point": [0,0,0], "target": [0,0,0]}',
                        b'{"type": "nudge", "body": 0, "point": [0,0], "target": [0,0,0]}',
                        b'{"type": "nudge", "body": 0, "point": [0,0,1e300], "target": [0,0,0]}',
                        b'{"type": "nudge", "body": 0, "point": null, "target": [0,0,0]}', b"[" * 30000):
            self.assertEqual(self.closed_after(lambda page, m=message: page.send(m)), 1008, message[:60])

    def test_frames_that_break_the_protocol(self):
        self.assertEqual(self.closed_after(lambda page: page.send({"type": "pause"}, masked=False)), 1002)
        self.assertIn(self.closed_after(lambda page: page.send(b"\xff\xfe\xfd")), (1007, 1002))
        self.assertEqual(self.closed_after(lambda page: page.send(b"x", opcode=11)), 1002)
        self.assertEqual(self.closed_after(lambda page: page.send(b"{}", opcode=2)), 1003)

    def test_a_thousand_connections(self):
        crowd = []
        try:
            for _ in range(1000):
                try:
                    crowd.append(self.live.connect())
                except OSError:
                    break
            self.assertGreater(len(crowd), 900)
            # Those that were let in say nothing, and are shown out after a while; then there is room again.
            deadline = time.monotonic() + 40
            while time.monotonic() < deadline:
                try:
                    if self.live.page()[0] == 200:
                        break
                except OSError:
                    pass
                time.sleep(0.5)
            else:
                self.fail("nobody is served any more")
        finally:
            for one in crowd:
                one.close()

    def test_a_page_that_does_not_read_gets_only_what_is_new(self):
        with Socket(self.live) as page:
            page.frame()
            time.sleep(3)
            behind = page.frames[-1].t
            while page.read(0.01):
                pass
            self.assertGreater(page.frames[-1].t, behind)

    def test_more_pages_than_it_serves(self):
        pages = [Socket(self.live) for _ in range(12)]
        try:
            self.assertEqual({page.status for page in pages}, {101, 503})
        finally:
            for page in pages:
                page.socket.close()
        time.sleep(1)


class Ends(unittest.TestCase):
    def gone(self, live):
        with self.assertRaises(OSError):
            live.connect()

    def test_by_signals(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with Live(PENDULUM) as live, Socket(live) as page:
                page.frame()
                live.process.send_signal(number)
                self.assertTrue(page.until(lambda: page.closed, 10))
                self.assertIn("bye", [text["type"] for text in page.texts])
                self.assertEqual(live.ends(), 0)
                self.gone(live)

    def test_when_the_page_is_closed(self):
        with Live(PENDULUM) as live:
            with Socket(live) as page:
                page.frame()
            self.assertEqual(live.ends(), 0)
            self.gone(live)

    def test_not_when_the_page_is_loaded_anew(self):
        with Live(FOUR_BAR) as live:
            with Socket(live) as page:
                page.frame()
            time.sleep(0.5)
            with Socket(live) as page:
                page.frame()
                time.sleep(4)
                self.assertIsNone(live.process.poll())

    def test_a_port_that_is_taken(self):
        with Live(PENDULUM) as live:
            done = subprocess.run([TOOL, "view", PENDULUM, "--no-open", "--port", str(live.port)], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"port {live.port} of this machine cannot be had", done.stderr)
            self.assertIn("[port-taken]", done.stderr)

    def test_a_run_that_fails_is_told_and_may_be_begun_anew(self):
        with Live(str(MODELS / "humanoid.yaml")) as live, Socket(live) as page:
            page.frame()
            page.send({"type": "restart"})
            self.assertTrue(page.until(lambda: state_of(page)))


if __name__ == "__main__":
    unittest.main()
