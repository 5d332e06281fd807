// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Bodies that are meshes, of STL, OBJ and DAE files and of lists: they are in the picture, light falls on them, and what is broken in
// them is said in words.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startBrowser } from "./browser.mjs";
import * as scenes from "./scenes.mjs";
import { assertDrawn, done, emptyPage, pixel, show, where } from "./support.mjs";

let browser;
before(async () => {
  browser = await startBrowser({ width: 900, height: 500 });
});
after(() => browser.close());

// --- files ----------------------------------------------------------------------------------------------------------------

// A cube of this edge that stands on the origin: four corners of each face, counter-clockwise seen from outside.
function faces(edge = 0.6) {
  const corner = (i) => [(i & 1) - 0.5, ((i >> 1) & 1) - 0.5, i >> 2].map((x) => x * edge);
  return [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]].map((face) => face.map(corner));
}
const triangles = (edge) => faces(edge).flatMap(([a, b, c, d]) => [[a, b, c], [a, c, d]]);
const noNormal = [0, 0, 0];

function binaryStl(list, { told = list.length, normal = noNormal } = {}) {
  const bytes = Buffer.alloc(84 + 50 * list.length);
  bytes.writeUInt32LE(told, 80);
  list.forEach((corners, k) => [normal, ...corners].flat().forEach((x, i) => bytes.writeFloatLE(x, 84 + 50 * k + 4 * i)));
  return [...bytes];
}
const bytesOf = (text) => [...Buffer.from(text)];
const textStl = (list) =>
  bytesOf(
    `solid a vertex to be\n${list
      .map((corners) => `facet normal nan nan nan\n outer loop\n${corners.map((p) => `  vertex ${p.join(" ")}\n`).join("")} endloop\nendfacet\n`)
      .join("")}endsolid\n`,
  );
const objText = (edge) => {
  const list = faces(edge);
  const places = list.flat().map((p) => `v ${p.join(" ")}`);
  return `${places.join("\n")}\n${list.map((_, k) => `f ${[1, 2, 3, 4].map((i) => 4 * k + i).join(" ")}`).join("\n")}\n`;
};
const daeText = (edge) => {
  const list = triangles(edge).flat();
  return `<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<library_geometries><geometry id="g"><mesh><source id="p"><float_array id="a" count="${3 * list.length}">${list.flat().join(" ")}</float_array>
<technique_common><accessor source="#a" count="${list.length}" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source><vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="${list.length / 3}"><input semantic="VERTEX" source="#v" offset="0"/><p>${list.map((_, i) => i).join(" ")}</p></triangles>
</mesh></geometry></library_geometries><library_visual_scenes><visual_scene id="s"><node id="n"><instance_geometry url="#g"/></node></visual_scene>
</library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>`;
};
const listed = (list) => ({ vertices: list.flat(2), triangles: list.flat().map((_, i) => i) });
const file = (name, bytes) => ({ name, format: name.slice(-3), bytes });

// --- scenes ---------------------------------------------------------------------------------------------------------------

const colors = ["#0072b2", "#d55e00", "#009e73", "#56b4e9", "#e69f00", "#cc79a7"];

// A body for each mesh, one metre apart along x, each on a hinge; frame and shape as URDF has them: the mesh tells how far it reaches.
function row(meshes, more = {}) {
  const at = (k) => [k, 0, 0, 1, 0, 0, 0];
  return {
    trammel_scene: 1,
    kind: "mechanism",
    name: "meshes",
    bodies: meshes.map((_, k) => ({ name: `b${k}`, pose: scenes.identity, color: colors[k], com: [k, 0, 0.3], shapes: [{ kind: "mesh", mesh: k, pose: at(k) }] })),
    meshes,
    joints: meshes.map((_, k) => ({ name: `j${k}`, kind: "revolute", first: -1, second: k, pose_first: at(k), pose_second: at(k) })),
    ...more,
  };
}
const showScene = (scene, wishes) => show(browser.context, scenes.embedJson(emptyPage, scene), wishes);
const warningsOf = (page) => page.evaluate(() => window.trammel.page.state.warnings.value);

// Where this point of W is on the page.
const whereIs = (page, p) =>
  page.evaluate((p) => {
    const { stage } = window.trammel.page.world;
    const at = stage.toStage(stage.up.clone().set(...p)).project(stage.rig.camera);
    const box = stage.host.getBoundingClientRect();
    return { x: box.left + ((at.x + 1) / 2) * box.width, y: box.top + ((1 - at.y) / 2) * box.height, box: box.toJSON() };
  }, p);

// --- tests ----------------------------------------------------------------------------------------------------------------

test("meshes are fitted into the picture: none of them is around the eye or beyond the edge", async () => {
  const page = await showScene(row([file("a.stl", binaryStl(triangles())), file("b.obj", bytesOf(objText())), file("c.dae", bytesOf(daeText()))]));
  for (let k = 0; k < 3; ++k) {
    await assertDrawn(page, "body", `b${k}`, colors[k]);
    for (const [x, y, z] of faces().flat()) {
      const { box, ...corner } = await whereIs(page, [x + k, y, z]);
      assert.ok(corner.x > box.left && corner.x < box.right && corner.y > box.top && corner.y < box.bottom, `corner of b${k} at ${JSON.stringify(corner)}`);
    }
  }
  const { radius } = await page.evaluate(() => window.trammel.page.world.extent);
  assert.ok(radius > 1.2 && radius < 1.5, `half of the way from one cube's corner to the other's: ${radius}`);
  await done(page);
});

test("scale and pose of a mesh count for its place and its name", async () => {
  const scene = row([file("a.stl", binaryStl(triangles(600))), file("b.stl", binaryStl(triangles()))]);
  scene.bodies[0].shapes[0].scale = [0.001, 0.001, 0.001];
  const page = await showScene(scene, "show=names");
  for (let k = 0; k < 2; ++k) {
    const middle = await whereIs(page, [k, 0, 0.3]);
    const said = await where(page, "body", `b${k}`);
    assert.ok(Math.hypot(middle.x - said.x, middle.y - said.y) < 1, `b${k}: ${JSON.stringify(said)}`);
    await assertDrawn(page, "body", `b${k}`, colors[k]);
  }
  await page.waitForFunction(() => [...document.querySelectorAll(".label.body")].every((label) => !label.hidden));
  await done(page);
});

test("light falls on meshes whose normals are zero, missing or no numbers", async () => {
  const meshes = [
    file("zero.stl", binaryStl(triangles())),
    file("nan.stl", binaryStl(triangles(), { normal: [NaN, 0, 0] })),
    file("text.stl", textStl(triangles())),
    file("none.obj", bytesOf(objText())),
    file("zero.obj", bytesOf(`vn 0 0 0\n${objText()}`.replaceAll(/^f (\d+) (\d+) (\d+) (\d+)$/gm, "f $1//1 $2//1 $3//1 $4//1"))),
    file("none.dae", bytesOf(daeText())),
  ];
  const page = await showScene(row(meshes));
  for (let k = 0; k < meshes.length; ++k) {
    await assertDrawn(page, "body", `b${k}`, colors[k]);
    const rgb = await pixel(page, await where(page, "body", `b${k}`));
    assert.ok(Math.max(...rgb) > 80, `${meshes[k].name} is dark: ${rgb}`);
  }
  await done(page);
});

test("a mesh that is broken is not drawn, a link is; the page says why and what helps", async () => {
  const nan = "v 3 nan 0\nv 1 1e400 2\nv 3 0 1\nf 1 2 3\nf 1 -99 7\n";
  const meshes = [
    file("nan.obj", bytesOf(nan)),
    file("lie.stl", binaryStl(triangles(), { told: 4e9 })),
    file("text.dae", bytesOf("<COLLADA><unfinished")),
    file("empty.stl", []),
    { name: "beyond", vertices: [0, 0, 0, 1, 0, 0], triangles: [0, 1, 2] },
    file("good.obj", bytesOf(objText())),
  ];
  const page = await showScene(row(meshes));
  assert.deepEqual(await warningsOf(page), [
    "mesh 'nan.obj' is not drawn: its triangles have corners that are no finite places or are not in the file; export it anew",
    "mesh 'lie.stl' is not drawn: it tells of 4000000000 triangles and has room for 12; copy it or export it anew",
    "mesh 'text.dae' is not drawn: it is no COLLADA file; export it anew",
    "mesh 'empty.stl' is not drawn: there is nothing in it that has a place; export it anew",
    "mesh 'beyond' is not drawn: its triangles have corners that are no finite places or are not in the file; export it anew",
  ]);
  // What stands in for them lies between joint and centre of mass.
  for (let k = 0; k < 6; ++k) {
    const at = await whereIs(page, [k, 0, 0.2]);
    assert.ok(at.x > at.box.left && at.x < at.box.right, `b${k} at ${at.x}`);
  }
  await assertDrawn(page, "body", "b5", colors[5]);
  await done(page);
});

test("of a mesh with some broken triangles the others are drawn", async () => {
  const wrong = [[[0, 0, 0], [NaN, 0, 0], [0, 1, 0]]];
  const meshes = [
    file("a.stl", binaryStl([...wrong, ...triangles()])),
    file("b.stl", textStl([...triangles(), ...wrong])),
    file("c.obj", bytesOf(`${objText()}f 1 2 999\n`)),
    { name: "d", ...listed([...triangles(), ...wrong]) },
  ];
  const page = await showScene(row(meshes));
  for (let k = 0; k < meshes.length; ++k) await assertDrawn(page, "body", `b${k}`, colors[k]);
  const which = "1 of its 13 triangles have corners that are no finite places or are not in the file, and are not drawn; export it anew";
  assert.deepEqual(await warningsOf(page), meshes.map(({ name }) => `mesh '${name}': ${which}`));
  await done(page);
});
