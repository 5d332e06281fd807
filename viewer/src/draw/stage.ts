// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Where the mechanism stands: renderer, light, shadow, background. Everything of W hangs in `root`, scaled so that the mechanism has a
// radius of one and its middle is at the origin: light, shadows and symbols then look the same for a watch and for a crane, far from W's origin or
// near it. A frame is drawn when someone asks for one.

import {
  Box3,
  CanvasTexture,
  Color,
  DirectionalLight,
  Group,
  HemisphereLight,
  PCFShadowMap,
  Scene as ThreeScene,
  SRGBColorSpace,
  Vector3,
  WebGLRenderer,
} from "three";
import { themeOf, type Theme } from "../palette";
import { Rig } from "./rig";

export interface Extent {
  box: Box3; // the mechanism as it stands first, in W
  centre: Vector3; // of a ball about it
  radius: number;
  all: Box3; // the same for all of its motion
  allCentre: Vector3;
  allRadius: number;
}

export class Stage {
  readonly root = new Group();
  readonly scene = new ThreeScene();
  readonly renderer: WebGLRenderer;
  readonly rig: Rig;
  theme: Theme = themeOf(false);
  // Called before each frame.
  readonly beforeDraw = new Set<() => void>();
  readonly afterDraw = new Set<() => void>();
  private readonly sun = new DirectionalLight(0xffffff, 2.2);
  private readonly fill = new DirectionalLight(0xffffff, 0.55);
  private readonly sky = new HemisphereLight(0xffffff, 0xb9c2cc, 1.25);
  private readonly isSoftware: boolean; // no graphics hardware: less of what costs most
  private asked = false;

  constructor(
    readonly host: HTMLElement,
    readonly up: Vector3,
    readonly extent: Extent,
    readonly normal: Vector3 | null, // of the plane that it moves in
  ) {
    this.renderer = new WebGLRenderer({ antialias: true, powerPreference: "high-performance" });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.isSoftware = /swiftshader|llvmpipe|software/i.test(rendererName(this.renderer));
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, this.isSoftware ? 1 : 2));
    const canvas = this.renderer.domElement;
    canvas.tabIndex = 0;
    canvas.id = "view";
    canvas.setAttribute("role", "img");
    host.append(canvas);
    this.rig = new Rig(canvas, up, () => this.draw());
    this.root.scale.setScalar(1 / extent.radius);
    this.root.position.copy(extent.centre).multiplyScalar(-1 / extent.radius);
    this.scene.add(this.root, this.sky, this.sun, this.sun.target, this.fill, this.fill.target);
    this.placeLights(new Vector3());
    new ResizeObserver(() => this.resize()).observe(host);
    this.resize();
  }

  // From W into the scaled scene, and back.
  toStage(p: Vector3): Vector3 {
    return p.sub(this.extent.centre).divideScalar(this.extent.radius);
  }
  toWorld(p: Vector3): Vector3 {
    return p.multiplyScalar(this.extent.radius).add(this.extent.centre);
  }

  firstDirection(): Vector3 {
    const right = this.rightOfUp();
    if (this.normal) {
      const beside = new Vector3().crossVectors(this.up, this.normal);
      if (beside.length() > 0.3)
        return this.normal.clone().addScaledVector(this.up, 0.22).addScaledVector(beside.normalize(), -0.26);
    }
    const front = new Vector3().crossVectors(right, this.up);
    return front.multiplyScalar(0.85).addScaledVector(right, 0.62).addScaledVector(this.up, 0.5);
  }
  fit(all: boolean, fly = true): void {
    const { extent } = this;
    const target = this.toStage((all ? extent.allCentre : extent.centre).clone());
    const corners = cornersOf(all ? extent.all : extent.box).map((p) => this.toStage(p));
    if (!fly) this.rig.lookFrom(this.firstDirection());
    this.rig.fit(target, corners, fly);
  }

  setTheme(dark: boolean): void {
    this.theme = themeOf(dark);
    this.scene.background = gradient(this.theme.background, this.theme.backgroundLow);
    this.sky.intensity = dark ? 1.0 : 1.35;
    this.sky.groundColor = new Color(dark ? "#39424e" : "#b9c2cc");
    this.draw();
  }

  // The light goes along with the mechanism, so that its shadow stays sharp.
  placeLights(centre: Vector3): void {
    const right = this.rightOfUp();
    const front = new Vector3().crossVectors(right, this.up);
    const facing = this.normal ?? front;
    const beside = new Vector3().crossVectors(this.up, facing);
    const sun = new Vector3()
      .addScaledVector(this.up, 1.15)
      .addScaledVector(facing, 0.9)
      .addScaledVector(beside, -0.55);
    this.sun.position.copy(centre).addScaledVector(sun.normalize(), 6);
    this.sun.target.position.copy(centre);
    this.fill.position.copy(centre).addScaledVector(facing, 3).addScaledVector(beside, 3).addScaledVector(this.up, 0.6);
    this.fill.target.position.copy(centre);
  }
  enableShadows(on: boolean): void {
    this.sun.castShadow = on;
    const { shadow } = this.sun;
    const side = this.isSoftware ? 1024 : 2048;
    shadow.mapSize.set(side, side);
    const reach = 1.7;
    Object.assign(shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.5, far: 14 });
    shadow.camera.updateProjectionMatrix();
    shadow.bias = -0.0006;
    shadow.normalBias = 0.006;
    shadow.radius = 4;
    this.draw();
  }

  draw(): void {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      this.drawNow();
    });
  }
  drawNow(): void {
    const flying = this.rig.update();
    for (const action of this.beforeDraw) action();
    this.renderer.render(this.scene, this.rig.camera);
    for (const action of this.afterDraw) action();
    if (flying) this.draw();
  }

  private rightOfUp(): Vector3 {
    const other = Math.abs(this.up.x) < 0.9 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
    return other.addScaledVector(this.up, -other.dot(this.up)).normalize();
  }
  resize(): void {
    const { clientWidth, clientHeight } = this.host;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.renderer.setSize(clientWidth, clientHeight);
    this.drawNow();
  }
}

function rendererName(renderer: WebGLRenderer): string {
  const context = renderer.getContext();
  const info = context.getExtension("WEBGL_debug_renderer_info");
  return info ? String(context.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
}

export function cornersOf(box: Box3): Vector3[] {
  const { min, max } = box;
  return Array.from(
    { length: 8 },
    (_, i) => new Vector3(i & 1 ? max.x : min.x, i & 2 ? max.y : min.y, i & 4 ? max.z : min.z),
  );
}

function gradient(top: string, bottom: string): CanvasTexture {
  const canvas = document.createElement("canvas");
  canvas.width = 2;
  canvas.height = 256;
  const context = canvas.getContext("2d")!;
  const fill = context.createLinearGradient(0, 0, 0, 256);
  fill.addColorStop(0, top);
  fill.addColorStop(1, bottom);
  context.fillStyle = fill;
  context.fillRect(0, 0, 2, 256);
  const texture = new CanvasTexture(canvas);
  texture.colorSpace = SRGBColorSpace;
  return texture;
}
