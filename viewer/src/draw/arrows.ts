// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Arrows of vectors, such as velocities and forces: those of one kind to one scale.

import {
  BufferGeometry,
  ConeGeometry,
  GreaterDepth,
  InstancedMesh,
  Matrix4,
  MeshBasicMaterial,
  MeshStandardMaterial,
  Quaternion,
  TorusGeometry,
  Vector3,
} from "three";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import { arrowColor } from "../palette";
import { findSample, type Poses, type Samples } from "../scene/samples";
import type { Arrow, ArrowKind, Place, Scene } from "../scene/types";
import { Signal } from "../signal";
import { roundStep } from "../format";
import { cylinder, matrixOf, originOf, vector } from "./geometry";
import { pointInWorld } from "./connections";

// The value of a channel at x, on the straight line between its samples.
export function valueAt(samples: Samples, channel: number, x: number): number {
  const values = samples.values(channel);
  if (samples.count === 0) return NaN;
  const i = findSample(samples.x, samples.count, x);
  const j = Math.min(i + 1, samples.count - 1);
  const span = samples.x[j] - samples.x[i];
  const share = span > 0 ? Math.min(Math.max((x - samples.x[i]) / span, 0), 1) : 0;
  if (share === 0) return values[i];
  return share === 1 ? values[j] : values[i] + share * (values[j] - values[i]);
}

export function placeInWorld(at: Place, scene: Scene, samples: Samples, poses: Poses, x: number): Vector3 {
  if ("body" in at) return pointInWorld(poses, at.body, vector(at.p));
  if ("joint" in at) {
    const joint = scene.joints![at.joint];
    return pointInWorld(poses, joint.first, originOf(joint.pose_first));
  }
  return new Vector3(...at.channels.map((c) => valueAt(samples, c, x)));
}

const zAxis = new Vector3(0, 0, 1);
const nothing = new Matrix4().makeScale(0, 0, 0);

const turnRadius = 0.4; // of a moment's arrow

// Three quarters of a circle about z with a head at its end: right-handed, as the moment.
function turnGeometry(): BufferGeometry {
  const arc = new TorusGeometry(1, 0.06, 10, 48, 1.5 * Math.PI);
  const head = new ConeGeometry(0.2, 0.5, 20).rotateZ(-Math.PI / 2).translate(0.2, -1, 0);
  return mergeGeometries([arc, head]);
}

export class ArrowSet {
  readonly meshes: InstancedMesh[] = [];
  private readonly shafts: InstancedMesh;
  private readonly heads: InstancedMesh;
  private readonly turns: InstancedMesh | null; // about a moment, the way it turns: seen along its arrow too
  readonly scale = new Signal(1); // by the reader
  readonly unit: string;
  largest = 0; // length of the longest, in `unit`
  private readonly double: boolean;

  constructor(
    readonly kind: ArrowKind,
    private readonly arrows: Arrow[],
    private readonly scene: Scene,
    private readonly samples: Samples,
    private readonly size: number, // of the mechanism, m
  ) {
    this.unit = arrows[0].unit;
    this.double = kind === "moment";
    const shaft = cylinder(1, 1, 16).translate(0, 0, 0.5);
    const head = new ConeGeometry(1, 1, 24).rotateX(Math.PI / 2).translate(0, 0, -0.5);
    this.shafts = this.make(shaft, arrows.length);
    this.heads = this.make(head, arrows.length * (this.double ? 2 : 1));
    this.turns = this.double ? this.make(turnGeometry(), arrows.length) : null;
    this.measure();
  }

  // Faint where a body hides it: most forces begin inside one.
  private make(geometry: BufferGeometry, count: number): InstancedMesh {
    const color = arrowColor[this.kind];
    const mesh = new InstancedMesh(geometry, new MeshStandardMaterial({ color, roughness: 0.6 }), count);
    const faint = { color, transparent: true, opacity: 0.45, depthFunc: GreaterDepth, depthWrite: false };
    const behind = new InstancedMesh(geometry, new MeshBasicMaterial(faint), count);
    behind.instanceMatrix = mesh.instanceMatrix;
    behind.renderOrder = 4;
    mesh.castShadow = true;
    for (const one of [mesh, behind]) {
      one.frustumCulled = false;
      this.meshes.push(one);
    }
    return mesh;
  }

  // Metres of W for one of `unit`.
  get perUnit(): number {
    return this.largest > 0 ? (0.5 * this.size * this.scale.value) / this.largest : 0;
  }
  // A round length for the legend.
  get legend(): number {
    return this.largest > 0 ? roundStep(this.largest / this.scale.value / 2) : 0;
  }

  // The longest of them, over some of the samples.
  measure(): void {
    const { count } = this.samples;
    const stride = Math.max(1, Math.floor(count / 1000));
    for (const arrow of this.arrows) {
      const columns = Array.isArray(arrow.vector) ? arrow.vector : [arrow.vector.channel];
      const values = columns.map((c) => this.samples.values(c));
      for (let i = 0; i < count; i += stride) {
        const squares = values.reduce((sum, v) => sum + v[i] * v[i], 0);
        if (squares > this.largest * this.largest) this.largest = Math.sqrt(squares);
      }
    }
  }

  private vectorAt(arrow: Arrow, poses: Poses, x: number): Vector3 {
    const v = arrow.vector;
    if (Array.isArray(v)) return new Vector3(...v.map((c) => valueAt(this.samples, c, x)));
    const along = vector(v.along).normalize();
    if (v.body >= 0) along.transformDirection(matrixOf(poses, 7 * v.body));
    return along.multiplyScalar(valueAt(this.samples, v.channel, x));
  }

  update(poses: Poses, x: number): void {
    const thin = 0.011 * this.size;
    const m = new Matrix4();
    const turn = new Quaternion();
    this.arrows.forEach((arrow, i) => {
      const at = placeInWorld(arrow.at, this.scene, this.samples, poses, x);
      const v = this.vectorAt(arrow, poses, x);
      const length = v.length() * this.perUnit;
      const drawn = Number.isFinite(length + at.x + at.y + at.z) && length > 1e-4 * this.size;
      if (!drawn) {
        this.shafts.setMatrixAt(i, nothing);
        this.heads.setMatrixAt(i, nothing);
        if (this.double) this.heads.setMatrixAt(this.arrows.length + i, nothing);
        this.turns?.setMatrixAt(i, nothing);
        return;
      }
      const head = Math.min(5 * thin, 0.5 * length);
      const direction = v.normalize();
      turn.setFromUnitVectors(zAxis, direction);
      const tip = at.clone().addScaledVector(direction, length);
      const width = head / 2.4;
      this.shafts.setMatrixAt(i, m.compose(at, turn, new Vector3(thin, thin, length - 0.7 * head)));
      this.heads.setMatrixAt(i, m.compose(tip, turn, new Vector3(width, width, head)));
      if (this.double) {
        tip.addScaledVector(direction, -0.8 * head);
        this.heads.setMatrixAt(this.arrows.length + i, m.compose(tip, turn, new Vector3(width, width, head)));
        const radius = turnRadius * length;
        this.turns!.setMatrixAt(i, m.compose(at, turn, new Vector3(radius, radius, radius)));
      }
    });
    for (const mesh of this.meshes) mesh.instanceMatrix.needsUpdate = true;
  }
}
