// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The scene as docs/formats/scene.md has it, word for word. Nothing here is computed.

export type Vec3 = [number, number, number];
export type Pose = [number, number, number, number, number, number, number]; // x y z, qw qx qy qz

export type BlockType = "f32" | "f64" | "u8" | "u16" | "u32" | "i32";
export interface Block {
  at: number;
  count: number;
  type: BlockType;
  shuffle?: boolean;
}
export interface Range {
  from: number;
  step: number;
  count: number;
}
export type Numbers = (number | null)[] | Block | Range;

export type ShapeKind = "rod" | "cylinder" | "capsule" | "sphere" | "box" | "ellipsoid" | "plate" | "polygon" | "mesh";
export interface Shape {
  kind: ShapeKind;
  pose: Pose;
  color?: string;
  opacity?: number;
  length?: number;
  radius?: number;
  size?: Vec3;
  outline?: [number, number][];
  mesh?: number;
  scale?: Vec3;
}

export interface MeshFile {
  name: string;
  format?: "stl" | "obj" | "dae";
  bytes?: Numbers;
  vertices?: Numbers;
  triangles?: Numbers;
  missing?: string;
}

export interface Body {
  name: string;
  pose: Pose;
  shapes: Shape[];
  color?: string;
  mass?: number;
  com?: Vec3;
  buoyancy?: Vec3;
  parent?: number;
  text?: string;
}

export type JointKind =
  | "revolute"
  | "prismatic"
  | "helical"
  | "cylindrical"
  | "universal"
  | "spherical"
  | "planar"
  | "free"
  | "fixed"
  | "custom";
export interface Joint {
  name: string;
  kind: JointKind;
  first: number;
  second: number;
  pose_first: Pose;
  pose_second: Pose;
  role?: "tree" | "weld" | "closure";
  pitch?: number;
  text?: string;
}

export interface Constraint {
  name: string;
  kind: string;
  first: number;
  second: number;
  pose_first: Pose;
  pose_second: Pose;
  curve?: [number, number][];
  closed?: boolean;
  radii?: number[];
  inside?: boolean;
}
export interface Coupling {
  name: string;
  kind: string;
  first: number;
  second: number;
  ratio: number;
  radii?: [number, number];
}
export interface Spring {
  name: string;
  kind: "spring" | "damper" | "bushing";
  first: number;
  second: number;
  p_first: Vec3;
  p_second: Vec3;
}
export interface Point {
  name: string;
  body: number;
  p: Vec3;
  trail?: boolean;
}
export interface Contact {
  name: string;
  body: number;
  kind: "points" | "sphere" | "wheel" | "box" | "capsule";
  pose?: Pose;
  points?: Vec3[];
  radius?: number;
  length?: number;
  size?: Vec3;
}
export interface Frame {
  name: string;
  body: number;
  pose: Pose;
}

export interface Terrain {
  kind: "plane" | "steps" | "grid";
  pose: Pose;
  steps?: [number, number][];
  nx?: number;
  ny?: number;
  spacing?: [number, number];
  heights?: Numbers;
  edge?: "clamp" | "hole" | "plane";
  edge_height?: number;
  cells?: Numbers;
  materials?: string[];
}
export interface Wave {
  amplitude: number;
  wave_number: number;
  omega: number;
  direction: Vec3;
  phase: number;
}
export interface Water {
  name?: string;
  surface?: number;
  depth?: number;
  waves?: Wave[];
}

export interface DeadPoint {
  value: number;
  text: string;
  limit?: boolean;
}
export interface Stretch {
  from: number;
  to: number;
  text?: string;
}
export interface Input {
  name: string;
  joint?: number;
  unit: string;
  values: Numbers;
  start?: number;
  dead_points?: DeadPoint[];
  imaginary?: Stretch[];
}
export interface Control {
  name: string;
  kind: "servo" | "drive" | "input" | "actuator";
  unit: string;
  from: number;
  to: number;
  step?: number;
  value: number;
  channel?: number;
  dead_points?: DeadPoint[];
  imaginary?: Stretch[];
}

export interface Axis {
  name: string;
  unit: string;
  values: Numbers;
}
export interface PoseSeries {
  bodies: number[];
  values: Numbers;
  axis?: Numbers;
}
export interface Channel {
  name: string;
  unit: string;
  group: string;
  frame?: string;
  text?: string;
  hidden?: boolean;
  axis?: "poses"; // its values are at the samples of the poses
  values?: Numbers; // not there in live scenes
}
export interface SceneEvent {
  x: number;
  name: string;
  kind: string;
  text: string;
}
export type Place = { body: number; p: Vec3 } | { joint: number } | { channels: Vec3 };
export type ArrowKind =
  "velocity" | "acceleration" | "reaction" | "moment" | "contact" | "buoyancy" | "drag" | "thrust" | "load" | "weight";
export interface Arrow {
  name: string;
  kind: ArrowKind;
  unit: string;
  at: Place;
  vector: Vec3 | { channel: number; along: Vec3; body: number };
}
export interface InstantCentre {
  name: string;
  bodies: [number, number];
  channels: Vec3;
}
export interface Ellipsoid {
  name: string;
  kind: string;
  unit: string;
  at: Place;
  axes: number[] | { channels: number[] };
}
export interface Series {
  axis?: Axis;
  poses?: PoseSeries;
  channels: Channel[];
  plots?: number[][];
  events?: SceneEvent[];
  arrows?: Arrow[];
  instant_centres?: InstantCentre[];
  ellipsoids?: Ellipsoid[];
}

export interface Ghost {
  name: string;
  color?: string;
  axis?: Numbers;
  poses: number[] | PoseSeries;
  channels?: Channel[];
}

export interface Watched {
  channel?: number;
  value?: number;
  unit?: string;
  relative_to?: number;
}
export interface Status {
  run?: string;
  energy_error?: Watched;
  loop_drift?: { position?: Watched; orientation?: Watched };
  real_time_factor?: number | Watched;
}

export interface DisplayUnit {
  name: string;
  per_si: number;
}

export type Ability = "pause" | "step" | "restart" | "speed" | "nudge" | "drag" | "set";
export interface Live {
  mode: "simulation" | "linkage";
  can: Ability[];
  running?: boolean;
  speed?: number;
}

export interface Scene {
  trammel_scene: 1;
  kind: "mechanism" | "sweep" | "recording" | "live";
  name: string;
  generator?: string;
  file?: string;
  mobility?: { text: string; detail?: string };
  warnings?: string[];
  units?: { length?: DisplayUnit; angle?: DisplayUnit };
  up?: Vec3;
  plane?: { point: Vec3; normal: Vec3 };
  box?: [Vec3, Vec3];
  bodies: Body[];
  meshes?: MeshFile[];
  joints?: Joint[];
  constraints?: Constraint[];
  couplings?: Coupling[];
  springs?: Spring[];
  points?: Point[];
  contacts?: Contact[];
  frames?: Frame[];
  terrain?: Terrain;
  water?: Water;
  inputs?: Input[];
  controls?: Control[];
  series?: Series;
  ghosts?: Ghost[];
  status?: Status;
  note?: string;
  live?: Live;
}
