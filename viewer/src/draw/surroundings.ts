// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Floor with its grid, terrain, water with waves. All in W.

import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  Color,
  DoubleSide,
  Group,
  Matrix4,
  Mesh,
  MeshStandardMaterial,
  PlaneGeometry,
  Quaternion,
  ShaderMaterial,
  ShadowMaterial,
  Vector3,
} from "three";
import type { Theme } from "../palette";
import { readNumbers, type Loaded } from "../scene/bundle";
import type { Terrain, Water } from "../scene/types";
import { place } from "./geometry";

// Lines at equal distances that fade away from the middle; sharp at any zoom (by the derivatives of the coordinates).
const gridShader = {
  vertexShader: `
    varying vec2 at;
    void main() { at = position.xy; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }`,
  fragmentShader: `
    varying vec2 at;
    uniform float spacing; uniform float reach; uniform vec2 middle;
    uniform vec3 minorColor; uniform vec3 majorColor;
    float lines(float every, float width) {
      vec2 d = at / every; vec2 w = fwidth(d);
      vec2 near = abs(fract(d - 0.5) - 0.5) / max(w, vec2(1e-6));
      vec2 strength = 1.0 - smoothstep(width * 0.5, width * 0.5 + 1.0, near);
      return max(strength.x, strength.y) * (1.0 - smoothstep(0.25, 0.7, max(w.x, w.y)));
    }
    void main() {
      float minor = lines(spacing / 5.0, 0.6), major = lines(spacing, 0.9);
      float fade = 1.0 - smoothstep(0.35, 1.0, length(at - middle) / reach);
      float a = max(minor * 0.7, major) * fade;
      if (a < 0.004) discard;
      gl_FragColor = vec4(mix(minorColor, majorColor, major), a);
      #include <colorspace_fragment>
    }`,
};

export class Floor {
  readonly group = new Group();
  private readonly grid: ShaderMaterial;
  private readonly shadow = new ShadowMaterial({ opacity: 0.2 });

  // Square to `normal`, through `origin`; reach in m.
  constructor(
    origin: Vector3,
    normal: Vector3,
    right: Vector3,
    readonly spacing: number,
    reach: number,
  ) {
    const up = new Vector3().crossVectors(normal, right);
    this.group.quaternion.setFromRotationMatrix(new Matrix4().makeBasis(right, up, normal));
    // Lines are where coordinates of W are multiples of the spacing: the origin is moved by whole ones only.
    const x = Math.round(origin.dot(right) / spacing) * spacing;
    const y = Math.round(origin.dot(up) / spacing) * spacing;
    this.group.position.copy(
      right.clone().multiplyScalar(x).addScaledVector(up, y).addScaledVector(normal, origin.dot(normal)),
    );
    this.grid = new ShaderMaterial({
      ...gridShader,
      uniforms: {
        spacing: { value: spacing },
        reach: { value: reach },
        middle: { value: [0, 0] },
        minorColor: { value: new Color() },
        majorColor: { value: new Color() },
      },
      transparent: true,
      depthWrite: false,
      side: DoubleSide,
    });
    const surface = new PlaneGeometry(2 * reach, 2 * reach);
    const lines = new Mesh(surface, this.grid);
    const shade = new Mesh(surface, this.shadow);
    shade.receiveShadow = true;
    shade.position.z = -spacing * 2e-3;
    lines.renderOrder = -2;
    shade.renderOrder = -1;
    this.group.add(lines, shade);
  }

  setTheme(theme: Theme, dark: boolean): void {
    (this.grid.uniforms.minorColor.value as Color).set(theme.gridMinor);
    (this.grid.uniforms.majorColor.value as Color).set(theme.gridMajor);
    this.shadow.opacity = dark ? 0.42 : 0.2;
  }
}

// --- terrain ------------------------------------------------------------------------------------------------------------

// Faint lines of x and y of the terrain's own frame at equal distances: they show its slopes, and how fast something goes over it.
function lined(material: MeshStandardMaterial, spacing: number): MeshStandardMaterial {
  material.onBeforeCompile = (shader) => {
    shader.uniforms.lineSpacing = { value: spacing };
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nvarying vec2 onTerrain;")
      .replace("#include <begin_vertex>", "#include <begin_vertex>\nonTerrain = position.xy;");
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", "#include <common>\nvarying vec2 onTerrain; uniform float lineSpacing;")
      .replace(
        "#include <color_fragment>",
        `#include <color_fragment>
        vec2 lineAt = onTerrain / lineSpacing, lineWidth = fwidth(lineAt);
        vec2 nearLine = abs(fract(lineAt - 0.5) - 0.5) / max(lineWidth, vec2(1e-6));
        vec2 onLine = (1.0 - smoothstep(0.4, 1.4, nearLine)) * (1.0 - smoothstep(0.1, 0.45, lineWidth));
        diffuseColor.rgb *= 1.0 - 0.3 * max(onLine.x, onLine.y);`,
      );
  };
  return material;
}

export function drawTerrain(
  terrain: Terrain,
  loaded: Loaded,
  centre: Vector3,
  reach: number,
  spacing: number, // of the lines on it
): Mesh | Group {
  const group = new Group();
  const material = lined(new MeshStandardMaterial({ roughness: 0.95, metalness: 0, side: DoubleSide }), spacing);
  material.name = "terrain";
  if (terrain.kind === "grid") group.add(...gridMeshes(terrain, loaded, material));
  else if (terrain.kind === "steps") group.add(...stepMeshes(terrain, centre, reach, material));
  else {
    const sheet = new Mesh(new PlaneGeometry(24 * reach, 24 * reach), material);
    const frame = new Group();
    place(frame, terrain.pose);
    frame.updateMatrix();
    const inTerrain = centre.clone().applyMatrix4(frame.matrix.clone().invert());
    sheet.geometry.translate(inTerrain.x, inTerrain.y, 0);
    group.add(sheet);
  }
  group.traverse((part) => (part.receiveShadow = true));
  place(group, terrain.pose);
  return group;
}

function gridMeshes(terrain: Terrain, loaded: Loaded, material: MeshStandardMaterial): Mesh[] {
  const { nx = 0, ny = 0, spacing = [1, 1] } = terrain;
  const heights = readNumbers(terrain.heights ?? [], loaded);
  // Where the edge goes on level, one node more on each side is far away.
  const beyond = terrain.edge === "clamp" || terrain.edge === undefined ? 1 : 0;
  const far = 12 * Math.max(nx * spacing[0], ny * spacing[1]);
  const inside = (i: number, n: number) => Math.min(Math.max(i, 0), n - 1);
  const at = (i: number, n: number, step: number) => inside(i, n) * step + (i < 0 ? -far : i >= n ? far : 0);
  const [mx, my] = [nx + 2 * beyond, ny + 2 * beyond];
  const positions = new Float32Array(3 * mx * my);
  for (let i = 0; i < mx; ++i)
    for (let j = 0; j < my; ++j) {
      const [a, b] = [i - beyond, j - beyond];
      const height = heights[inside(a, nx) * ny + inside(b, ny)];
      positions.set([at(a, nx, spacing[0]), at(b, ny, spacing[1]), height], 3 * (i * my + j));
    }
  const index: number[] = [];
  for (let i = 0; i + 1 < mx; ++i)
    for (let j = 0; j + 1 < my; ++j) {
      const a = i * my + j;
      index.push(a, a + my, a + my + 1, a, a + my + 1, a + 1);
    }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(positions, 3));
  geometry.setIndex(index);
  geometry.computeVertexNormals();
  const out = [new Mesh(geometry, material)];
  if (terrain.edge === "plane") {
    const size = [(nx - 1) * spacing[0], (ny - 1) * spacing[1]];
    const around = new Mesh(new PlaneGeometry(4 * size[0], 4 * size[1]), material);
    around.geometry.translate(size[0] / 2, size[1] / 2, (terrain.edge_height ?? 0) - 1e-3 * size[0]);
    out.push(around);
  }
  return out;
}

// From each step's x to the next, as blocks whose upper faces are the ground.
function stepMeshes(terrain: Terrain, centre: Vector3, reach: number, material: MeshStandardMaterial): Mesh[] {
  const steps = terrain.steps ?? [];
  const edges: [number, number][] = [[Math.min(centre.x - 2 * reach, (steps[0]?.[0] ?? 0) - reach), 0], ...steps];
  const last = Math.max(centre.x + 2 * reach, edges[edges.length - 1][0] + reach);
  const lowest = Math.min(...edges.map(([, height]) => height)) - 0.15 * reach;
  return edges.map(([x, height], i) => {
    const to = edges[i + 1]?.[0] ?? last;
    const block = new Mesh(new BoxGeometry(to - x, 4 * reach, height - lowest), material);
    block.geometry.translate((x + to) / 2, centre.y, (height + lowest) / 2);
    block.castShadow = true;
    return block;
  });
}

// --- water --------------------------------------------------------------------------------------------------------------

export class WaterSurface {
  readonly mesh: Mesh;
  readonly material = new MeshStandardMaterial({
    roughness: 0.25,
    metalness: 0.1,
    transparent: true,
    opacity: 0.45,
    vertexColors: true,
    side: DoubleSide,
    depthWrite: false,
  });
  private readonly shade: BufferAttribute; // lighter on crests, darker in troughs; clear towards the rim
  private readonly highest: number; // of all waves together
  private readonly flat: Float32Array;
  private readonly inWorld: Vector3[] = [];
  private static readonly cells = 72;

  constructor(
    private readonly water: Water,
    up: Vector3,
    centre: Vector3,
    reach: number,
  ) {
    const n = WaterSurface.cells;
    const geometry = new PlaneGeometry(2 * reach, 2 * reach, n, n);
    this.flat = Float32Array.from(geometry.getAttribute("position").array);
    this.highest = (water.waves ?? []).reduce((sum, wave) => sum + Math.abs(wave.amplitude), 0);
    this.shade = new BufferAttribute(new Float32Array((4 * this.flat.length) / 3).fill(1), 4);
    for (let i = 0; i < this.shade.count; ++i) {
      const out = Math.hypot(this.flat[3 * i], this.flat[3 * i + 1]) / reach;
      this.shade.setW(i, Math.min(Math.max(2.5 * (1 - out), 0), 1));
    }
    geometry.setAttribute("color", this.shade);
    this.mesh = new Mesh(geometry, this.material);
    this.mesh.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), up));
    const level = centre.clone().addScaledVector(up, (water.surface ?? 0) - centre.dot(up));
    this.mesh.position.copy(level);
    this.mesh.renderOrder = 5;
    for (let i = 0; i < this.flat.length; i += 3)
      this.inWorld.push(
        new Vector3(this.flat[i], this.flat[i + 1], 0).applyQuaternion(this.mesh.quaternion).add(level),
      );
    this.update(0);
  }

  update(t: number): void {
    const waves = this.water.waves ?? [];
    if (waves.length === 0) return;
    const at = this.mesh.geometry.getAttribute("position") as BufferAttribute;
    this.inWorld.forEach((p, i) => {
      let rise = 0;
      for (const w of waves) {
        const along = w.direction[0] * p.x + w.direction[1] * p.y + w.direction[2] * p.z;
        rise += w.amplitude * Math.cos(w.wave_number * along - w.omega * t + w.phase);
      }
      at.setZ(i, rise);
      const light = 1 + (0.45 * rise) / this.highest;
      this.shade.setXYZ(i, light, light, light);
    });
    at.needsUpdate = this.shade.needsUpdate = true;
    this.mesh.geometry.computeVertexNormals();
  }
}
