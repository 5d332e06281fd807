// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The connection to a running trammel: scenes and frames come, wishes go. Frames that arrive between two pictures are kept, the newest is
// shown.

import { loadScene, type Loaded } from "../scene/bundle";
import type { SceneEvent } from "../scene/types";

export interface Frame {
  t: number;
  realTimeFactor: number;
  poses: Float32Array;
  values: Float32Array;
}

export type Message =
  | { type: "state"; running: boolean; text?: string }
  | { type: "reason"; text: string; kind: string }
  | ({ type: "event" } & SceneEvent)
  | { type: "warning"; text: string }
  | { type: "bye"; text: string };

export interface Listener {
  scene: (loaded: Loaded) => void;
  frame: (frame: Frame) => void;
  message: (message: Message) => void;
  closed: (text: string) => void;
  failed: (error: unknown) => void;
}

const frameMagic = "TRMLFRM1";

export class Connection {
  private readonly socket: WebSocket;
  private order = Promise.resolve(); // scenes are unpacked asynchronously; what comes after must wait

  constructor(path: string, listener: Listener) {
    const address = new URL(path, location.href);
    address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    this.socket = new WebSocket(address);
    this.socket.binaryType = "arraybuffer";
    this.socket.onmessage = (event: MessageEvent<ArrayBuffer | string>) => {
      this.order = this.order
        .then(() => receive(event.data, listener))
        .catch((error: unknown) => listener.failed(error));
    };
    this.socket.onclose = () => listener.closed("The connection to trammel has ended; what was received stays here.");
  }

  send(message: Record<string, unknown>): void {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }
}

async function receive(data: ArrayBuffer | string, listener: Listener): Promise<void> {
  if (typeof data === "string") return listener.message(JSON.parse(data) as Message);
  const bytes = new Uint8Array(data);
  const isFrame = [...frameMagic].every((c, i) => bytes[i] === c.charCodeAt(0));
  if (isFrame) return listener.frame(readFrame(data));
  listener.scene(await loadScene(bytes));
}

function readFrame(data: ArrayBuffer): Frame {
  const view = new DataView(data);
  const bodies = view.getUint32(8, true);
  const channels = view.getUint32(12, true);
  return {
    t: view.getFloat64(16, true),
    realTimeFactor: view.getFloat64(24, true),
    poses: new Float32Array(data, 32, 7 * bodies),
    values: new Float32Array(data, 32 + 28 * bodies, channels),
  };
}
