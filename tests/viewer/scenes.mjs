// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Scenes made by hand, for tests of the page alone: everything that docs/formats/scene.md knows is in one of them. Their motion is made up
// where nothing depends on it.

import { gzipSync } from "node:zlib";

export const identity = [0, 0, 0, 1, 0, 0, 0];
const turn = (angle) => [Math.cos(angle / 2), 0, 0, Math.sin(angle / 2)];
export const pose = (x, y, z, angle = 0) => [x, y, z, ...turn(angle)];

// --- bundles ------------------------------------------------------------------------------------------------------------

// Gathers blocks of numbers; json() refers to them.
export class Blocks {
  parts = [];
  size = 0;

  f32(values, shuffle = false) {
    const array = values instanceof Float32Array ? values : Float32Array.from(values);
    const bytes = Buffer.from(array.buffer, array.byteOffset, array.byteLength);
    return this.add(shuffle ? shuffled(bytes, 4) : bytes, { count: array.length, type: "f32", ...(shuffle ? { shuffle } : {}) });
  }
  f64(values) {
    const array = Float64Array.from(values);
    return this.add(Buffer.from(array.buffer), { count: array.length, type: "f64" });
  }
  add(bytes, block) {
    const at = this.size;
    const padding = Buffer.alloc((8 - (bytes.length % 8)) % 8);
    this.parts.push(bytes, padding);
    this.size += bytes.length + padding.length;
    return { at, ...block };
  }
}

function shuffled(bytes, width) {
  const count = bytes.length / width;
  const out = Buffer.alloc(bytes.length);
  for (let i = 0; i < count; ++i) for (let b = 0; b < width; ++b) out[b * count + i] = bytes[i * width + b];
  return out;
}

export function bundle(scene, blocks = new Blocks()) {
  let json = Buffer.from(JSON.stringify(scene));
  json = Buffer.concat([json, Buffer.alloc((8 - ((12 + json.length) % 8)) % 8, " ")]);
  const head = Buffer.alloc(12);
  head.write("TRMLSCN1", "ascii");
  head.writeUInt32LE(json.length, 8);
  return Buffer.concat([head, json, ...blocks.parts]);
}

export function embed(page, bytes, level = 6) {
  const data = gzipSync(bytes, { level }).toString("base64");
  return page.replace("<!--TRAMMEL-DATA-->", () => `<script id="trammel-scene" type="application/octet-stream">${data}</script>`);
}
export function embedJson(page, scene) {
  const text = JSON.stringify(scene).replaceAll("<", "\\u003c");
  return page.replace("<!--TRAMMEL-DATA-->", () => `<script id="trammel-scene" type="application/json">${text}</script>`);
}

// --- four-bar linkage ---------------------------------------------------------------------------------------------------

// Crank a, coupler b, rocker c, ground d. Angles of coupler and rocker for a crank angle; NaN where it cannot be.
export function fourBar(theta, a, b, c, d, sign = 1) {
  const [ax, ay] = [a * Math.cos(theta), a * Math.sin(theta)];
  const [dx, dy] = [d - ax, -ay];
  const r = Math.hypot(dx, dy);
  const cosine = (b * b + r * r - c * c) / (2 * b * r);
  const coupler = Math.abs(cosine) > 1 ? NaN : Math.atan2(dy, dx) + sign * Math.acos(cosine);
  const [bx, by] = [ax + b * Math.cos(coupler), ay + b * Math.sin(coupler)];
  return { ax, ay, coupler, rocker: Math.atan2(by, bx - d), bx, by };
}

const columns = (bodies, samples) => {
  const out = [];
  bodies.forEach((_, k) => {
    for (let c = 0; c < 7; ++c) for (const s of samples) out.push(s[k][c]);
  });
  return out;
};
const nulls = (list) => list.map((x) => (Number.isFinite(x) ? x : null));

// A sweep of the crank; with a short coupler it has dead points and a stretch that cannot be. Bodies have no shapes: the page draws links.
export function fourBarSweep({ a = 0.04, b = 0.12, c = 0.08, d = 0.1, n = 181 } = {}) {
  const angles = Array.from({ length: n }, (_, i) => (2 * Math.PI * i) / (n - 1));
  const at = angles.map((theta) => ({ theta, ...fourBar(theta, a, b, c, d) }));
  const names = ["crank", "coupler", "rocker"];
  const samples = at.map((s) =>
    Number.isNaN(s.coupler)
      ? [0, 1, 2].map(() => Array(7).fill(NaN))
      : [pose(0, 0, 0, s.theta), pose(s.ax, s.ay, 0, s.coupler), pose(d, 0, 0, s.rocker)],
  );
  const first = samples.find((s) => Number.isFinite(s[0][0]));
  const degrees = angles.map((x) => (x * 180) / Math.PI);
  const bad = degrees.filter((_, i) => Number.isNaN(at[i].coupler));
  const p = [0.55 * b, 0.3 * b, 0];
  const point = at.map((s) => [
    s.ax + p[0] * Math.cos(s.coupler) - p[1] * Math.sin(s.coupler),
    s.ay + p[0] * Math.sin(s.coupler) + p[1] * Math.cos(s.coupler),
  ]);
  const rate = (list, i) => (list[Math.min(i + 1, n - 1)] - list[Math.max(i - 1, 0)]) / 0.07;
  const channel = (name, unit, group, values, more = {}) => ({ name, unit, group, values: nulls(values), ...more });
  const xs = point.map((q) => q[0]);
  const ys = point.map((q) => q[1]);
  const zero = at.map(() => 0);
  const channels = [
    channel("O2.q", "deg", "coordinates", degrees),
    channel("O4.q", "deg", "coordinates", at.map((s) => (s.rocker * 180) / Math.PI)),
    channel("P.x", "m", "points", xs),
    channel("P.y", "m", "points", ys),
    channel("P.vx", "m/s", "points", xs.map((_, i) => rate(xs, i)), { hidden: true }),
    channel("P.vy", "m/s", "points", ys.map((_, i) => rate(ys, i)), { hidden: true }),
    channel("zero", "1", "", zero, { hidden: true }),
    channel("drive O2", "N m", "forces", at.map((s) => 0.3 * Math.sin(s.theta + 0.4))),
    channel("A.fx", "N", "reactions", at.map((s) => 4 * Math.cos(s.theta))),
    channel("A.fy", "N", "reactions", at.map((s) => 3 + 2 * Math.sin(s.theta))),
    channel("ic.x", "m", "points", at.map((s) => s.ax * 0.2), { hidden: true }),
    channel("ic.y", "m", "points", at.map((s) => s.ay * 0.2 + 0.06), { hidden: true }),
  ];
  const revolute = (name, first, second, p1, p2, role = "tree") => ({
    name, kind: "revolute", first, second, role, pose_first: pose(...p1, 0), pose_second: pose(...p2, 0),
  });
  return {
    trammel_scene: 1,
    kind: "sweep",
    name: "crank-rocker",
    generator: "made by hand",
    file: "crank_rocker.yaml",
    mobility: { text: "1 degree of freedom", detail: "Grübler counts 1; the rank of the constraints says 1" },
    units: { length: { name: "mm", per_si: 1000 }, angle: { name: "deg", per_si: 180 / Math.PI } },
    up: [0, 1, 0],
    plane: { point: [0, 0, 0], normal: [0, 0, 1] },
    bodies: names.map((name, i) => ({ name, pose: first[i], shapes: [], mass: 0.2 + 0.1 * i, com: [[a, b, c][i] / 2, 0, 0] })),
    joints: [
      revolute("O2", -1, 0, [0, 0, 0], [0, 0, 0]),
      revolute("A", 0, 1, [a, 0, 0], [0, 0, 0]),
      revolute("B", 1, 2, [b, 0, 0], [c, 0, 0], "closure"),
      revolute("O4", -1, 2, [d, 0, 0], [0, 0, 0]),
    ],
    points: [{ name: "P", body: 1, p }],
    inputs: [
      {
        name: "O2",
        joint: 0,
        unit: "deg",
        values: degrees,
        start: at.findIndex((s) => Number.isFinite(s.coupler)),
        dead_points: bad.length ? [bad[0], bad.at(-1)].map((value) => ({ value, text: `dead point: crank and coupler are in line at ${value.toFixed(1)}°`, limit: true })) : [],
        imaginary: bad.length ? [{ from: bad[0], to: bad.at(-1), text: "No position: the links cannot reach each other here." }] : [],
      },
    ],
    series: {
      axis: { name: "O2", unit: "deg", values: degrees },
      poses: { bodies: [0, 1, 2], values: nulls(columns(names, samples)) },
      channels,
      plots: [[1], [2, 3]],
      arrows: [
        { name: "P", kind: "velocity", unit: "m/s", at: { body: 1, p }, vector: [4, 5, 6] },
        { name: "A", kind: "reaction", unit: "N", at: { joint: 1 }, vector: [8, 9, 6] },
        { name: "O2", kind: "moment", unit: "N m", at: { joint: 0 }, vector: { channel: 7, along: [0, 0, 1], body: -1 } },
      ],
      instant_centres: [{ name: "P₁₃", bodies: [-1, 1], channels: [10, 11, 6] }],
    },
    status: { loop_drift: { position: { value: 3.1e-17 }, orientation: { value: 0 } } },
    warnings: [],
  };
}

// --- a recording with every shape, water, terrain, forces, events ---------------------------------------------------------

export function zoo({ n = 301 } = {}) {
  const kinds = [
    { name: "box", shape: { kind: "box", size: [0.5, 0.3, 0.2] } },
    { name: "sphere", shape: { kind: "sphere", radius: 0.2 } },
    { name: "cylinder", shape: { kind: "cylinder", radius: 0.12, length: 0.5 } },
    { name: "capsule", shape: { kind: "capsule", radius: 0.1, length: 0.4 } },
    { name: "ellipsoid", shape: { kind: "ellipsoid", size: [0.3, 0.15, 0.1] } },
    { name: "plate", shape: { kind: "plate", length: 0.06, outline: [[-0.2, -0.2], [0.3, -0.1], [0.1, 0.3]] } },
    { name: "mesh", shape: { kind: "mesh", mesh: 0 } },
    { name: "lost", shape: { kind: "mesh", mesh: 1 } },
  ];
  const bodies = kinds.map(({ name, shape }, i) => ({
    name,
    pose: pose((i % 4) * 0.8 - 1.2, i < 4 ? -0.5 : 0.5, 0.8),
    shapes: [{ ...shape, pose: identity }],
    mass: 1 + i,
    com: [0, 0, 0],
    buoyancy: [0, 0, 0.05],
  }));
  const t = Array.from({ length: n }, (_, i) => (4 * i) / (n - 1));
  const samples = t.map((s) => bodies.map((body, k) => pose(body.pose[0], body.pose[1], 0.8 + 0.2 * Math.sin(1.5 * s + k), 0.5 * s)));
  const channel = (name, unit, group, f) => ({ name, unit, group, values: t.map(f) });
  const joint = (name, kind, first, second, x) => ({ name, kind, first, second, pose_first: pose(x, 0.2, 0.1), pose_second: pose(x, 0.2, 0.1) });
  return {
    trammel_scene: 1,
    kind: "recording",
    name: "zoo",
    mobility: { text: "48 degrees of freedom" },
    warnings: ["body 'lost' has no mesh\n  fix: put lost.stl beside the model      [mesh-missing]"],
    bodies,
    meshes: [
      { name: "pyramid", vertices: [-0.2, -0.2, -0.1, 0.2, -0.2, -0.1, 0.2, 0.2, -0.1, -0.2, 0.2, -0.1, 0, 0, 0.3], triangles: [0, 2, 1, 0, 3, 2, 0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4] },
      { name: "lost.stl", missing: "there is no such file" },
    ],
    joints: ["revolute", "prismatic", "helical", "cylindrical", "universal", "spherical", "planar", "fixed", "custom"].map((kind, i) =>
      joint(`j${i}`, kind, i % 8, (i + 1) % 8, 0.05 * i),
    ),
    springs: [
      { name: "coil", kind: "spring", first: 0, second: 1, p_first: [0, 0, 0], p_second: [0, 0, 0] },
      { name: "damper", kind: "damper", first: 2, second: 3, p_first: [0, 0, 0], p_second: [0, 0, 0] },
    ],
    constraints: [
      { name: "rod", kind: "distance", first: 4, second: 5, pose_first: identity, pose_second: identity },
      { name: "slot", kind: "point_on_curve", first: 0, second: 1, pose_first: identity, pose_second: identity, curve: [[0, 0], [0.2, 0.1], [0.4, 0]] },
    ],
    couplings: [{ name: "gears", kind: "gear", first: 0, second: 5, ratio: -2, radii: [0.2, 0.1] }],
    points: [{ name: "tip", body: 0, p: [0.25, 0.15, 0.1] }],
    contacts: [{ name: "foot", body: 1, kind: "sphere", radius: 0.22, pose: identity }, { name: "pads", body: 0, kind: "points", points: [[0.25, 0, -0.1]] }],
    frames: [{ name: "camera", body: 2, pose: pose(0, 0, 0.3) }],
    terrain: { kind: "grid", pose: pose(-3, -3, 0), nx: 13, ny: 13, spacing: [0.5, 0.5], heights: Array.from({ length: 169 }, (_, i) => 0.15 * Math.sin(i / 3) * Math.cos((i % 13) / 2)), edge: "clamp" },
    water: { name: "Water", surface: 1.2, waves: [{ amplitude: 0.08, wave_number: 3, omega: 4, direction: [1, 0, 0], phase: 0 }] },
    series: {
      axis: { name: "t", unit: "s", values: { from: 0, step: 4 / (n - 1), count: n } },
      poses: { bodies: bodies.map((_, i) => i), values: columns(bodies, samples) },
      channels: [
        channel("elbow.q", "rad", "coordinates", (s) => Math.sin(s)),
        channel("elbow.v", "rad/s", "velocities", (s) => Math.cos(s)),
        channel("energy.total", "J", "energy", () => 12),
        channel("energy.error", "J", "energy", (s) => 1e-9 * s),
        channel("loops.position", "m", "loops", (s) => 1e-12 * Math.sin(40 * s)),
        channel("fx", "N", "forces", (s) => 10 * Math.sin(s)),
        channel("fy", "N", "forces", () => 0),
        channel("fz", "N", "forces", (s) => 20 + 5 * Math.cos(s)),
      ],
      plots: [[0, 1], [2]],
      events: [
        { x: 1.2, name: "touch", kind: "stick", text: "sphere touches the ground" },
        { x: 2.9, name: "limit", kind: "limit", text: "elbow reaches its upper stop" },
      ],
      arrows: ["velocity", "acceleration", "reaction", "contact", "buoyancy", "drag", "load", "weight"]
        .map((kind, i) => ({ name: kind, kind, unit: "N", at: { body: i, p: [0, 0, 0] }, vector: [5, 6, 7] }))
        .concat([{ name: "fan", kind: "thrust", unit: "N", at: { body: 0, p: [0.25, 0, 0] }, vector: { channel: 7, along: [1, 0, 0], body: 0 } }]),
      ellipsoids: [{ name: "hand", kind: "virtual mass", unit: "kg", at: { body: 0, p: [0, 0, 0] }, axes: [2, 0, 0, 0, 1, 0, 0, 0, 0.5] }],
    },
    ghosts: [
      { name: "shifted", color: "#0072b2", poses: bodies.flatMap((b) => [b.pose[0], b.pose[1], b.pose[2] + 0.5, 1, 0, 0, 0]) },
      {
        name: "second run",
        axis: t,
        poses: { bodies: [0], values: columns([0], samples.map((s) => [[s[0][0] + 0.3, ...s[0].slice(1)]])) },
        channels: [channel("elbow.q", "rad", "coordinates", (s) => 0.8 * Math.sin(s + 0.2))],
      },
    ],
    status: { run: "done", energy_error: { channel: 3, unit: "J", relative_to: 12 }, loop_drift: { position: { channel: 4 } }, real_time_factor: 37.5 },
    note: "Every other sample is left out to keep the file small.",
  };
}

// --- large ----------------------------------------------------------------------------------------------------------------

// So many samples of so many channels and of ten bodies, in blocks.
export function large(samples = 100000, channels = 40) {
  const blocks = new Blocks();
  const dt = 1e-3;
  const bodies = Array.from({ length: 10 }, (_, i) => ({
    name: `link ${i + 1}`,
    pose: pose(i * 0.2, 0, 0),
    shapes: [{ kind: "capsule", radius: 0.03, length: 0.15, pose: identity }],
  }));
  const values = new Float32Array(7 * 10 * samples);
  for (let k = 0; k < 10; ++k)
    for (let s = 0; s < samples; ++s) {
      const angle = Math.sin(0.7 * s * dt + k);
      const row = [k * 0.2, 0.1 * Math.sin(s * dt * (1 + 0.1 * k)), 0, Math.cos(angle / 2), Math.sin(angle / 2), 0, 0];
      for (let c = 0; c < 7; ++c) values[(7 * k + c) * samples + s] = row[c];
    }
  const list = Array.from({ length: channels }, (_, c) => ({
    name: `joint ${c + 1}.q`,
    unit: "rad",
    group: "coordinates",
    values: blocks.f32(Float32Array.from({ length: samples }, (_, s) => Math.sin(s * dt * (1 + 0.05 * c)) + 0.01 * Math.sin(97 * s * dt)), true),
  }));
  const scene = {
    trammel_scene: 1,
    kind: "recording",
    name: "large",
    mobility: { text: "10 degrees of freedom" },
    bodies,
    points: [{ name: "end", body: 9, p: [0, 0, 0.1] }],
    series: {
      axis: { name: "t", unit: "s", values: { from: 0, step: dt, count: samples } },
      poses: { bodies: bodies.map((_, i) => i), values: blocks.f32(values) },
      channels: list,
      plots: [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]],
      events: Array.from({ length: 200 }, (_, i) => ({ x: (i * samples * dt) / 200, name: `event ${i}`, kind: "user", text: "happened" })),
    },
  };
  return bundle(scene, blocks);
}
