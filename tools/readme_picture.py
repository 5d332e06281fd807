#!/usr/bin/env python3
# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/images/models.png, the picture of the README: five shipped models, to scale.

Where each body stands is what `trammel eval --compute poses --json` says for the posture given here; the solids drawn on
the bodies are chosen here. A small ray caster with a depth buffer and a shadow map does the rest, in plain Python (about a
minute). Axes: x to the right, y away from the viewer, z up; metres.

    python3 tools/readme_picture.py [--scale 1] [--out docs/images/models.png] [--tool build/trammel]
"""

import argparse
import json
import math
import struct
import subprocess
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# --- vectors and poses --------------------------------------------------------------------------------------------


def add(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def sub(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def mul(a, s):
    return (a[0] * s, a[1] * s, a[2] * s)


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def unit(a):
    return mul(a, 1 / math.sqrt(dot(a, a)))


class Pose:
    """Columns ex, ey, ez of the rotation, and the origin p."""

    def __init__(self, quaternion=(1, 0, 0, 0), p=(0, 0, 0)):
        w, x, y, z = quaternion
        self.e = ((1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)),
                  (2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)),
                  (2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)))
        self.p = tuple(p)

    def turn(self, v):
        return tuple(self.e[0][i] * v[0] + self.e[1][i] * v[1] + self.e[2][i] * v[2] for i in range(3))

    def turn_back(self, v):
        return tuple(dot(e, v) for e in self.e)

    def __call__(self, v):
        return add(self.turn(v), self.p)

    def back(self, v):
        return self.turn_back(sub(v, self.p))


def about(axis, degrees):
    half = math.radians(degrees) / 2
    return (math.cos(half), *mul(unit(axis), math.sin(half)))


# --- solids: first hit of a ray o + t d, |d| = 1, as (t, normal) -----------------------------------------------------


class Capsule:
    def __init__(self, a, b, r, colour):
        self.a, self.b, self.r, self.colour = a, b, r, colour
        self.balls = [(a, r), (b, r)]

    def moved(self, by):
        return Capsule(add(self.a, by), add(self.b, by), self.r, self.colour)

    def hit(self, o, d):
        ba, oa = sub(self.b, self.a), sub(o, self.a)
        baba, bard, baoa, rdoa, oaoa = dot(ba, ba), dot(ba, d), dot(ba, oa), dot(d, oa), dot(oa, oa)
        a = baba - bard * bard
        if a > 1e-12:
            b = baba * rdoa - baoa * bard
            h = b * b - a * (baba * (oaoa - self.r * self.r) - baoa * baoa)
            if h < 0:
                return None
            t = (-b - math.sqrt(h)) / a
            y = baoa + t * bard
            if 0 < y < baba:
                return t, mul(sub(add(oa, mul(d, t)), mul(ba, y / baba)), 1 / self.r)
            end = self.a if y <= 0 else self.b
        else:
            end = self.a if bard > 0 else self.b
        oc = sub(o, end)
        b = dot(d, oc)
        h = b * b - dot(oc, oc) + self.r * self.r
        if h < 0:
            return None
        t = -b - math.sqrt(h)
        return t, mul(add(oc, mul(d, t)), 1 / self.r)


class Box:
    def __init__(self, pose, half, colour):
        self.pose, self.half, self.colour = pose, half, colour
        corners = [pose((sx * half[0], sy * half[1], sz * half[2])) for sx in (-1, 1) for sy in (-1, 1) for sz in (-1, 1)]
        self.balls = [(c, 0.002) for c in corners]

    def moved(self, by):
        pose = Pose()
        pose.e, pose.p = self.pose.e, add(self.pose.p, by)
        return Box(pose, self.half, self.colour)

    def hit(self, o, d):
        o, d = self.pose.back(o), self.pose.turn_back(d)
        enter, leave, axis = -1e30, 1e30, 0
        for i in range(3):
            if abs(d[i]) < 1e-12:
                if abs(o[i]) > self.half[i]:
                    return None
                continue
            t1, t2 = (-self.half[i] - o[i]) / d[i], (self.half[i] - o[i]) / d[i]
            if min(t1, t2) > enter:
                enter, axis = min(t1, t2), i
            leave = min(leave, max(t1, t2))
        if enter > leave:
            return None
        return enter, mul(self.pose.e[axis], -math.copysign(1, d[axis]))


class Prism:
    """A flat-ended solid of height 2h along its pose's z over a convex outline [(x, y)], a disc being one of many corners."""

    def __init__(self, pose, outline, h, colour, smooth=False):
        self.pose, self.outline, self.h, self.colour, self.smooth = pose, outline, h, colour, smooth
        self.planes = []
        for (x1, y1), (x2, y2) in zip(outline, outline[1:] + outline[:1]):
            n = (y2 - y1, x1 - x2)
            length = math.hypot(*n)
            n = (n[0] / length, n[1] / length)
            self.planes.append((n[0], n[1], 0.0, n[0] * x1 + n[1] * y1))
        self.planes += [(0, 0, 1, h), (0, 0, -1, h)]
        self.balls = [(pose((x, y, z)), 0.002) for x, y in outline for z in (-h, h)]

    def moved(self, by):
        pose = Pose()
        pose.e, pose.p = self.pose.e, add(self.pose.p, by)
        return Prism(pose, self.outline, self.h, self.colour, self.smooth)

    def hit(self, o, d):
        o, d = self.pose.back(o), self.pose.turn_back(d)
        enter, leave, normal = -1e30, 1e30, None
        for nx, ny, nz, c in self.planes:
            along, gap = nx * d[0] + ny * d[1] + nz * d[2], c - (nx * o[0] + ny * o[1] + nz * o[2])
            if abs(along) < 1e-12:
                if gap < 0:
                    return None
            elif along < 0:
                if gap / along > enter:
                    enter, normal = gap / along, (nx, ny, nz)
            else:
                leave = min(leave, gap / along)
        if enter > leave or normal is None:
            return None
        if self.smooth and normal[2] == 0:
            normal = unit((o[0] + enter * d[0], o[1] + enter * d[1], 0))
        return enter, self.pose.turn(normal)


def disc(pose, r, h, colour, corners=48):
    outline = [(r * math.cos(2 * math.pi * k / corners), r * math.sin(2 * math.pi * k / corners)) for k in range(corners)]
    return Prism(pose, outline, h, colour, smooth=True)


def lowest(solids):
    return min(c[2] - r for s in solids for c, r in s.balls)


# --- models ---------------------------------------------------------------------------------------------------------


def eval_poses(tool, model, state=None, initial=False):
    command = [tool, "eval", str(ROOT / "models" / model), "--compute", "poses", "--json"]
    if initial:
        command.append("--initial")
    if state is not None:
        command += ["--state", "-"]
    done = subprocess.run(command, input=json.dumps(state) if state else None, text=True, check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    poses = json.loads(done.stdout)["poses"]
    return {name: Pose(p["quaternion"], p["position"]) for name, p in poses.items()}


ORANGE, YELLOW, PLUM = (0.93, 0.45, 0.15), (0.96, 0.72, 0.15), (0.55, 0.24, 0.45)
BLUE, TEAL = (0.16, 0.40, 0.72), (0.10, 0.56, 0.55)
STEEL, DARK, WHITE = (0.62, 0.66, 0.71), (0.17, 0.19, 0.23), (0.88, 0.89, 0.91)


def aquarobot(tool):
    state = {"q": {"base": [*about((0, 0, 1), 12), 0, 0, 0], "boom turn": -0.6, "boom shoulder": -0.35, "boom elbow": 0.75}}
    for leg, (hip, knee1, knee2) in enumerate([(0.15, 0.1, -1.5), (-0.1, 0.1, -1.5), (0.1, 0.62, -1.9), (0, 0.1, -1.5),
                                               (0.12, 0.1, -1.5), (-0.12, 0.1, -1.5)], 1):
        turn = (-math.pi / 2 - knee1 - knee2) / 2  # keeps the sole level
        state["q"] |= {f"leg{leg} hip": hip, f"leg{leg} knee1": knee1, f"leg{leg} knee2": knee2,
                       f"leg{leg} ankle": [math.cos(turn), 0, 0, math.sin(turn)]}
    X = eval_poses(tool, "aquarobot.yaml", state)
    parts = [disc(Pose(about((1, 0, 0), 0), add(X["torso"].p, (0, 0, -0.02))), 0.34, 0.30, YELLOW),
             disc(Pose((1, 0, 0, 0), add(X["torso"].p, (0, 0, 0.32))), 0.27, 0.06, DARK),
             disc(Pose((1, 0, 0, 0), add(X["torso"].p, (0, 0, -0.35))), 0.22, 0.06, DARK)]
    for leg in range(1, 7):
        hip, thigh, shank, foot = (X[f"leg{leg} {part}"] for part in ("hip", "thigh", "shank", "foot"))
        parts += [Capsule(hip.p, thigh.p, 0.075, DARK), Capsule(thigh.p, shank.p, 0.075, YELLOW),
                  Capsule(shank.p, foot.p, 0.062, YELLOW), Capsule(shank.p, shank.p, 0.092, DARK),
                  Capsule(foot.p, foot.p, 0.08, DARK)]
        sole = Pose()
        sole.e, sole.p = (foot.e[1], foot.e[2], foot.e[0]), add(foot.p, foot.turn((0.03, 0, 0)))
        parts.append(disc(sole, 0.225, 0.025, STEEL))
    boom = [X["boom1"].p, X["boom2"].p, X["boom3"].p, X["boom3"]((0.6, 0, 0))]
    parts += [Capsule(boom[0], boom[1], 0.05, STEEL), Capsule(boom[1], boom[2], 0.04, STEEL),
              Capsule(boom[2], boom[3], 0.03, STEEL), Capsule(boom[1], boom[1], 0.065, DARK),
              Capsule(boom[2], boom[2], 0.055, DARK), Capsule(boom[3], boom[3], 0.07, DARK)]
    return parts


def humanoid(tool):
    rad = math.radians
    posture = {"left hip pitch": -38, "left knee": 48, "left ankle pitch": -12, "right hip pitch": 16, "right knee": 22,
               "right ankle pitch": -2, "left shoulder pitch": 30, "left elbow": -75, "right shoulder pitch": -24,
               "right elbow": -62, "waist pitch": 6, "waist yaw": 8, "neck pitch": -4, "left shoulder roll": 10,
               "right shoulder roll": -10}
    state = {"q": {name: rad(angle) for name, angle in posture.items()}}
    state["q"]["base"] = [*about((0, 0, 1), -48), 0, 0, 0]
    X0, X = eval_poses(tool, "humanoid.yaml"), eval_poses(tool, "humanoid.yaml", state)

    def part(body, a, b, r, colour):
        return Capsule(X[body](X0[body].back(a)), X[body](X0[body].back(b)), r, colour)

    solids = [part("pelvis", (0, 0.07, 0.96), (0, -0.07, 0.96), 0.11, DARK),
              part("abdomen", (0, 0, 1.10), (0, 0, 1.22), 0.115, WHITE),
              part("thorax", (0, 0.09, 1.40), (0, -0.09, 1.40), 0.125, BLUE),
              part("thorax", (0, 0.05, 1.30), (0, -0.05, 1.30), 0.11, BLUE),
              part("head", (0, 0, 1.50), (0, 0, 1.56), 0.05, DARK),
              part("head", (0.01, 0, 1.63), (0.01, 0, 1.68), 0.092, WHITE)]
    for side, s in (("left", 1), ("right", -1)):
        hip, knee, ankle = (0, s * 0.085, 0.9262), (0, s * 0.085, 0.504), (0, s * 0.085, 0.07)
        shoulder, elbow = (0, s * 0.19, 1.43), (0, s * 0.19, 1.1483)
        wrist, knuckle = (0, s * 0.19, 0.8794), (0, s * 0.19, 0.80)
        solids += [part(f"{side} thigh", hip, knee, 0.075, BLUE), part(f"{side} shank", knee, ankle, 0.052, WHITE),
                   part(f"{side} shank", knee, knee, 0.07, DARK),
                   part(f"{side} foot", (-0.03, s * 0.085, 0.035), (0.16, s * 0.085, 0.035), 0.035, DARK),
                   part(f"{side} upper arm", shoulder, shoulder, 0.072, DARK),
                   part(f"{side} upper arm", shoulder, elbow, 0.048, BLUE),
                   part(f"{side} forearm", elbow, wrist, 0.040, WHITE), part(f"{side} forearm", elbow, elbow, 0.05, DARK),
                   part(f"{side} hand", wrist, knuckle, 0.042, DARK)]
    return solids


def quadruped(tool):
    state = {"q": {"base": [*about((0, 0, 1), -35), 0, 0, 0]}}
    angles = {"FL": (0.05, 0.55, -1.45), "FR": (-0.05, 1.0, -1.75), "HL": (0.05, -0.95, 1.7), "HR": (-0.05, -0.6, 1.5)}
    for leg, (haa, hfe, kfe) in angles.items():
        state["q"] |= {f"{leg} HAA": haa, f"{leg} HFE": hfe, f"{leg} KFE": kfe}
    X = eval_poses(tool, "quadruped.yaml", state)
    solids = [Box(X["trunk"], (0.20, 0.085, 0.035), TEAL)]
    for leg in ("FL", "FR", "HL", "HR"):
        side = 1 if leg[1] == "L" else -1
        upper, lower, foot = X[f"{leg} upper leg"], X[f"{leg} lower leg"], X[f"{leg} foot"]
        hip, knee = upper((0, side * 0.0194, 0)), lower((0, side * 0.004, 0))
        solids += [Capsule(X[f"{leg} shoulder"].p, hip, 0.035, DARK), Capsule(hip, knee, 0.022, STEEL),
                   Capsule(knee, knee, 0.027, DARK), Capsule(knee, foot.p, 0.014, TEAL),
                   Capsule(foot.p, foot.p, 0.02, DARK)]
    return solids


def puma(tool):
    state = {"q": {"waist": -0.3, "shoulder": -1.0, "elbow": 2.15, "wrist bend": 0.8}}
    X = eval_poses(tool, "puma560.yaml", state)
    tip = X["link2"]((0.4318, 0, 0))
    return [Capsule((0, 0, 0.05), (0, 0, 0.58), 0.085, STEEL), disc(Pose((1, 0, 0, 0), (0, 0, 0.02)), 0.19, 0.02, DARK),
            Capsule(X["link1"].p, X["link2"].p, 0.095, ORANGE), Capsule(X["link2"].p, tip, 0.075, ORANGE),
            Capsule(X["link2"].p, X["link2"].p, 0.1, DARK), Capsule(tip, X["link3"].p, 0.07, DARK),
            Capsule(X["link3"].p, X["link4"].p, 0.052, ORANGE), Capsule(X["link4"].p, X["link4"].p, 0.05, DARK),
            Capsule(X["link6"].p, X["link6"]((0, 0, 0.11)), 0.026, STEEL)]


def stewart(tool):
    X = eval_poses(tool, "stewart.yaml")
    assert all(abs(c) < 1e-9 for pose in X.values() for c in pose.p), "bodies share the world frame at the design position"

    def ring(radius, degrees):
        return [(radius * math.cos(math.radians(d)), radius * math.sin(math.radians(d))) for d in degrees]

    base, top = ring(1.0, (-12, 12, 108, 132, 228, 252)), ring(0.6, (-48, 48, 72, 168, 192, 288))
    solids = [Prism(Pose((1, 0, 0, 0), (0, 0, 0.93)), sorted(top, key=lambda p: math.atan2(p[1], p[0])), 0.02, PLUM)]
    for (bx, by), (px, py) in zip(base, top):
        b, p = (bx, by, 0.04), (px, py, 0.9)
        middle = mul(add(b, p), 0.5)
        solids += [Capsule(b, middle, 0.042, STEEL), Capsule(middle, p, 0.026, WHITE),
                   Capsule(b, b, 0.06, DARK), Capsule(p, p, 0.045, DARK)]
    return solids


def scene(tool):
    placed = [(puma(tool), (-3.0, -0.25)), (aquarobot(tool), (-0.75, 1.25)), (humanoid(tool), (1.25, -0.75)),
              (quadruped(tool), (-0.75, -1.5)), (stewart(tool), (2.85, 1.0))]
    return [s.moved((x, y, -lowest(solids))) for solids, (x, y) in placed for s in solids]


# --- picture --------------------------------------------------------------------------------------------------------

SUN = unit((-0.42, -0.52, 0.86))
HAZE = (0.955, 0.965, 0.975)


class Camera:
    def __init__(self, eye, target, view_width, width, height):
        self.eye, self.width, self.height = eye, width, height
        self.z = unit(sub(target, eye))
        self.x = unit(cross(self.z, (0, 0, 1)))
        self.y = cross(self.x, self.z)
        self.focal = width / view_width

    def ray(self, i, j):
        a, b = (i + 0.5 - self.width / 2) / self.focal, (self.height / 2 - j - 0.5) / self.focal
        return self.eye, unit(tuple(self.z[k] + a * self.x[k] + b * self.y[k] for k in range(3)))

    def spot(self, p, r):
        d = sub(p, self.eye)
        depth = max(dot(d, self.z), 0.1)
        s = self.focal / depth
        return self.width / 2 + dot(d, self.x) * s, self.height / 2 - dot(d, self.y) * s, r * s * 1.15 + 2


class Sun:
    """Looks along the light, parallel rays; its depth buffer tells what lies in shadow."""

    def __init__(self, centre, span, pixels):
        self.z = mul(SUN, -1)
        self.x = unit(cross(self.z, (0, 0, 1)))
        self.y = cross(self.x, self.z)
        self.width = self.height = pixels
        self.scale = pixels / span
        self.origin = sub(centre, mul(self.z, 20))

    def place(self, p):
        d = sub(p, self.origin)
        return self.width / 2 + dot(d, self.x) * self.scale, self.height / 2 - dot(d, self.y) * self.scale, dot(d, self.z)

    def ray(self, i, j):
        a, b = (i + 0.5 - self.width / 2) / self.scale, (self.height / 2 - j - 0.5) / self.scale
        return tuple(self.origin[k] + a * self.x[k] + b * self.y[k] for k in range(3)), self.z

    def spot(self, p, r):
        x, y, _ = self.place(p)
        return x, y, r * self.scale + 2


def cast(view, solids):
    """Depth, solid and normal seen at every pixel."""
    width, height = view.width, view.height
    depth, seen = [1e30] * (width * height), [None] * (width * height)
    for solid in solids:
        spots = [view.spot(c, r) for c, r in solid.balls]
        left, right = max(0, int(min(x - r for x, _, r in spots))), min(width - 1, int(max(x + r for x, _, r in spots)) + 1)
        top, bottom = max(0, int(min(y - r for _, y, r in spots))), min(height - 1, int(max(y + r for _, y, r in spots)) + 1)
        for j in range(top, bottom + 1):
            for i in range(left, right + 1):
                o, d = view.ray(i, j)
                found = solid.hit(o, d)
                if found is not None and 0 < found[0] < depth[j * width + i]:
                    depth[j * width + i] = found[0]
                    seen[j * width + i] = (solid, found[1])
    return depth, seen


def blur(values, width, height, radius):
    """Mean over (2·radius + 1)² neighbours, by running sums along rows and columns."""
    def along(get, n):
        total, out = sum(get(k) for k in range(min(radius, n - 1) + 1)), []
        for k in range(n):
            out.append(total / (2 * radius + 1))
            if k + radius + 1 < n:
                total += get(k + radius + 1)
            if k - radius >= 0:
                total -= get(k - radius)
        return out
    rows = []
    for j in range(height):
        rows += along(lambda k, j=j: values[j * width + k], width)
    result = [0.0] * (width * height)
    for i in range(width):
        result[i::width] = along(lambda k, i=i: rows[k * width + i], height)
    return result


class Shadows:
    def __init__(self, solids):
        self.sun = Sun((0.2, 0.4, 0), 9.5, 1900)
        self.depth, _ = cast(self.sun, solids)
        covered = [0.0 if d > 1e29 else 1.0 for d in self.depth]
        # Soft: what the ground sees of the sun, and of the sky close by.
        self.soft = blur(blur(covered, self.sun.width, self.sun.height, 4), self.sun.width, self.sun.height, 4)

    def index(self, x, y):
        return min(max(int(y), 0), self.sun.height - 1) * self.sun.width + min(max(int(x), 0), self.sun.width - 1)

    def on_ground(self, p):
        x, y, _ = self.sun.place(p)
        if not (0 <= x < self.sun.width and 0 <= y < self.sun.height):
            return 0.0
        return self.soft[self.index(x, y)]

    def on_solid(self, p, normal):
        x, y, z = self.sun.place(add(p, mul(normal, 0.012)))
        hidden = sum(self.depth[self.index(x + dx, y + dy)] < z - 0.02 for dx in (-1.5, 0, 1.5) for dy in (-1.5, 0, 1.5))
        return hidden / 9


def ground_colour(o, d, shadows):
    """Floor with a metre grid, fading into haze; above the horizon haze alone."""
    if d[2] >= -1e-4:
        return HAZE
    t = -o[2] / d[2]
    p = add(o, mul(d, t))
    fade = min(1.0, max(0.0, (math.hypot(p[0] - 0.2, p[1] - 0.3) - 3.2) / 6.0))
    fade = fade * fade * (3 - 2 * fade)
    shade = 0.86
    width = 0.006 + 0.0007 * t
    for c in (p[0], p[1]):
        gap = abs(c - round(c))
        if gap < width:
            shade -= 0.075 * (1 - gap / width)
    shade *= 1 - 0.52 * shadows.on_ground(p)
    colour = (shade * 0.985, shade * 0.995, shade * 1.02)
    return tuple(c * (1 - fade) + h * fade for c, h in zip(colour, HAZE))


def solid_colour(p, d, solid, normal, shadows):
    lit = max(0.0, dot(normal, SUN))
    if lit > 0:
        lit *= 1 - shadows.on_solid(p, normal)
    half = unit(sub(SUN, d))
    shine = max(0.0, dot(normal, half)) ** 40 * (0.35 if lit > 0.02 else 0)
    rim = (1 - max(0.0, -dot(normal, d))) ** 3
    sky = 0.5 + 0.5 * normal[2]
    near_floor = min(1.0, 0.55 + p[2] * 2.2)
    ambient = (0.26 + 0.24 * sky) * near_floor
    return tuple(c * (ambient + 0.72 * lit) + shine + 0.10 * rim * near_floor for c in solid.colour)


def render(solids, width, height):
    camera = Camera((0.6, -8.9, 3.0), (0.02, 0.35, 0.74), 0.80, width, height)
    shadows = Shadows(solids)
    depth, seen = cast(camera, solids)
    pixels = []
    for j in range(height):
        for i in range(width):
            o, d = camera.ray(i, j)
            found = seen[j * width + i]
            if found is None:
                pixels.append(ground_colour(o, d, shadows))
            else:
                pixels.append(solid_colour(add(o, mul(d, depth[j * width + i])), d, found[0], found[1], shadows))
    return pixels


def write_png(path, pixels, width, height, samples):
    """Averages samples² values a pixel; the file has 8 bits a channel."""
    rows = bytearray()
    wide = width * samples
    for j in range(height):
        rows.append(0)
        for i in range(width):
            total = [0.0, 0.0, 0.0]
            for v in range(samples):
                for u in range(samples):
                    p = pixels[(j * samples + v) * wide + i * samples + u]
                    for k in range(3):
                        total[k] += min(1.0, p[k])
            rows += bytes(int(255 * (t / samples**2) + 0.5) for t in total)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    Path(path).write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(rows), 9)) +
                           chunk(b"IEND", b""))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", default=str(ROOT / "build" / "trammel"))
    parser.add_argument("--out", default=str(ROOT / "docs" / "images" / "models.png"))
    parser.add_argument("--scale", type=float, default=1.0, help="of the picture's size")
    parser.add_argument("--samples", type=int, default=2, help="rays along each side of a pixel")
    options = parser.parse_args()
    width, height = int(1280 * options.scale), int(520 * options.scale)
    solids = scene(options.tool)
    Path(options.out).parent.mkdir(parents=True, exist_ok=True)
    write_png(options.out, render(solids, width * options.samples, height * options.samples), width, height, options.samples)
    print(f"{options.out}: {width} x {height}, {len(solids)} solids")


if __name__ == "__main__":
    main()
