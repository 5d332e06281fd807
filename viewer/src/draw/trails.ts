// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Paths of points: the coupler curves of linkages. What lies behind the cursor is strong, what is to come faint; ticks stand at equal
// steps of the axis, so that speed can be seen.

import { Group, InstancedMesh, Matrix4, MeshStandardMaterial, SphereGeometry, Vector3 } from "three";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { LineSegments2 } from "three/examples/jsm/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/examples/jsm/lines/LineSegmentsGeometry.js";
import { roundStep } from "../format";
import type { Poses, Samples } from "../scene/samples";
import type { Point } from "../scene/types";
import { pointInWorld } from "./connections";
import { vector } from "./geometry";

const mostPoints = 3000; // of a path
const mostTicks = 400;

export class Trail {
  readonly group = new Group();
  readonly ticks: InstancedMesh;
  private readonly past: LineSegments2;
  private readonly whole: LineSegments2;
  private readonly strong = new LineMaterial({ linewidth: 2.6 });
  private readonly faint = new LineMaterial({ linewidth: 1.3, transparent: true, opacity: 0.45, depthWrite: false });
  private readonly tickMaterial = new MeshStandardMaterial({ roughness: 0.7 });
  private ends: number[] = []; // of each segment, on the axis

  constructor(
    readonly point: Point,
    private readonly centre: Vector3, // near which numbers are small
    tickSize: number,
  ) {
    this.past = new LineSegments2(new LineSegmentsGeometry(), this.strong);
    this.whole = new LineSegments2(new LineSegmentsGeometry(), this.faint);
    this.ticks = new InstancedMesh(new SphereGeometry(tickSize, 12, 8), this.tickMaterial, mostTicks);
    this.past.frustumCulled = this.whole.frustumCulled = this.ticks.frustumCulled = false;
    this.group.position.copy(centre);
    this.ticks.position.copy(centre);
    this.group.add(this.whole, this.past);
  }

  setColor(color: string): void {
    this.strong.color.set(color);
    this.faint.color.set(color);
    this.tickMaterial.color.set(color);
  }

  // `path`: the point at these values of the axis; NaN where it is nowhere.
  set(x: number[], path: Vector3[]): void {
    const positions: number[] = [];
    this.ends = [];
    for (let i = 1; i < path.length; ++i) {
      const a = path[i - 1].clone().sub(this.centre);
      const b = path[i].clone().sub(this.centre);
      if (!Number.isFinite(a.x + b.x)) continue;
      positions.push(a.x, a.y, a.z, b.x, b.y, b.z);
      this.ends.push(x[i]);
    }
    for (const line of [this.past, this.whole]) {
      line.geometry.dispose();
      line.geometry = new LineSegmentsGeometry();
      line.geometry.setPositions(positions.length > 0 ? positions : [0, 0, 0, 0, 0, 0]);
    }
    this.setTicks(x, path);
  }

  private setTicks(x: number[], path: Vector3[]): void {
    const first = x[0];
    const span = x[x.length - 1] - first;
    let drawn = 0;
    const step = span > 0 ? Math.max(roundStep(span / 24), span / mostTicks) : Infinity;
    const m = new Matrix4();
    let next = Math.ceil(first / step - 1e-9) * step;
    for (let i = 1; i < x.length && drawn < mostTicks; ++i)
      for (; next <= x[i] + 1e-9 * span && drawn < mostTicks; next += step) {
        const share = (next - x[i - 1]) / (x[i] - x[i - 1]);
        const p = path[i - 1].clone().lerp(path[i], share).sub(this.centre);
        if (Number.isFinite(p.x)) this.ticks.setMatrixAt(drawn++, m.makeTranslation(p));
      }
    this.ticks.count = drawn;
    this.ticks.instanceMatrix.needsUpdate = true;
  }

  update(cursor: number): void {
    let low = 0;
    let high = this.ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.ends[middle] <= cursor) low = middle + 1;
      else high = middle;
    }
    this.past.geometry.instanceCount = low;
    this.past.visible = low > 0;
    this.whole.visible = this.ends.length > 0;
  }
}

// Fills all trails by one walk along the samples.
export function fillTrails(trails: Trail[], samples: Samples, bodyCount: number): void {
  const track = samples.poses;
  const stride = Math.max(1, Math.ceil(track.count / mostPoints));
  const poses: Poses = new Float64Array(7 * bodyCount);
  const x: number[] = [];
  const paths = trails.map((): Vector3[] => []);
  const places = trails.map((trail) => vector(trail.point.p));
  const visit = (i: number) => {
    x.push(track.x[i]);
    track.read(track.x[i], poses);
    trails.forEach((trail, k) => paths[k].push(pointInWorld(poses, trail.point.body, places[k])));
  };
  for (let i = 0; i < track.count; i += stride) visit(i);
  if (track.count > 1 && (track.count - 1) % stride !== 0) visit(track.count - 1);
  trails.forEach((trail, k) => trail.set(x, paths[k]));
}
