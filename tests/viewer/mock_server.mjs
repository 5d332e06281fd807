// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Stands in for `trammel view MODEL`: serves the page and speaks the live protocol of docs/formats/scene.md, as far as tests of the page need
// it. One crank, whose angle the page may set or drag, and which stops at one radian.

import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { gzipSync } from "node:zlib";
import { bundle, identity, pose } from "./scenes.mjs";

// A linkage, which can be dragged, has frames instead of time, and its slider goes along.
const ofLinkage = { axis: { name: "frame", unit: "1" } };
const follows = { kind: "input", unit: "rad", from: -2, to: 2, channel: 0 };

export const liveScene = (can) => ({
  trammel_scene: 1,
  kind: "live",
  name: "crank",
  mobility: { text: "1 degree of freedom" },
  up: [0, 1, 0],
  plane: { point: [0, 0, 0], normal: [0, 0, 1] },
  bodies: [{ name: "crank", pose: identity, shapes: [], com: [0.05, 0, 0] }],
  joints: [{ name: "O", kind: "revolute", first: -1, second: 0, pose_first: identity, pose_second: identity }],
  points: [{ name: "tip", body: 0, p: [0.1, 0, 0] }],
  series: { ...(can.includes("drag") && ofLinkage), channels: [{ name: "O.q", unit: "rad", group: "coordinates" }], plots: [[0]] },
  controls: [{ name: "O", kind: "servo", unit: "deg", from: -90, to: 90, value: 0, ...(can.includes("drag") && follows) }],
  live: { mode: can.includes("drag") ? "linkage" : "simulation", can, running: can.includes("pause"), speed: 1 },
});

// A frame of one body and one channel.
export function frame(t, angle, [x, y] = [0, 0]) {
  const out = Buffer.alloc(32 + 28 + 4);
  out.write("TRMLFRM1", "ascii");
  out.writeUInt32LE(1, 8);
  out.writeUInt32LE(1, 12);
  out.writeDoubleLE(t, 16);
  out.writeDoubleLE(1.5, 24);
  pose(x, y, 0, angle).forEach((v, i) => out.writeFloatLE(v, 32 + 4 * i));
  out.writeFloatLE(angle, 60);
  return out;
}

export async function startServer(html, can) {
  const page = html.replace("<!--TRAMMEL-DATA-->", `<script id="trammel-live" type="application/json">{"path": "/socket?token=abc"}</script>`);
  const server = createServer((_, answer) => answer.setHeader("Content-Type", "text/html; charset=utf-8").end(page));
  const heard = [];
  let client = null;
  const peer = {
    heard,
    onMessage: () => undefined,
    send: (data) => client?.write(wrap(data)),
    drop: () => client?.destroy(),
    close: () => {
      client?.destroy();
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
  server.on("upgrade", (request, socket) => {
    const key = createHash("sha1").update(`${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${key}\r\n\r\n`);
    socket.on("error", () => undefined);
    peer.path = request.url;
    client = socket;
    let pending = Buffer.alloc(0);
    socket.on("data", (data) => {
      pending = unwrap(Buffer.concat([pending, data]), (text) => {
        const message = JSON.parse(text);
        heard.push(message);
        peer.onMessage(message);
      });
    });
    peer.send(gzipSync(bundle(liveScene(can))));
    peer.send(frame(0, 0));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { ...peer, peer, address: `http://127.0.0.1:${server.address().port}/?token=abc` };
}

// One WebSocket frame, text or binary.
function wrap(data) {
  const body = Buffer.from(data);
  const head = [typeof data === "string" ? 0x81 : 0x82];
  if (body.length < 126) head.push(body.length);
  else if (body.length < 65536) head.push(126, body.length >> 8, body.length & 255);
  else head.push(127, 0, 0, 0, 0, body.length >>> 24, (body.length >> 16) & 255, (body.length >> 8) & 255, body.length & 255);
  return Buffer.concat([Buffer.from(head), body]);
}

// Takes whole frames of a browser (masked, short) off the front; gives back the rest.
function unwrap(data, receive) {
  for (;;) {
    if (data.length < 6) return data;
    let length = data[1] & 127;
    let at = 2;
    if (length === 126) [length, at] = [data.readUInt16BE(2), 4];
    if (data.length < at + 4 + length) return data;
    const mask = data.subarray(at, at + 4);
    const body = Buffer.from(data.subarray(at + 4, at + 4 + length)).map((byte, i) => byte ^ mask[i % 4]);
    if ((data[0] & 15) === 1) receive(body.toString());
    data = data.subarray(at + 4 + length);
  }
}
