// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The view of a live scene, whose motion nobody knows beforehand: it grows with what was seen, so that nothing that swings leaves the
// picture; what goes far away is followed. A view that the reader has zoomed or shifted is the reader's, until it is fitted again.

import type { Poses } from "../scene/samples";
import type { State } from "../state";
import { addRoom, boxOf, measure, type BodyPoints } from "./extent";
import type { Stage } from "./stage";

const furthest = 4; // times the radius of what stood there first; beyond that it is too small to be seen

export class GrowingView {
  private wanted = false; // there is more than the view shows

  constructor(
    private readonly state: State,
    private readonly stage: Stage,
    private readonly points: BodyPoints,
  ) {}

  // After each frame; tells whether the bodies have gone so far that they are to be followed.
  goesFar(poses: Poses): boolean {
    const { state, stage } = this;
    const { extent, rig } = stage;
    const seen = boxOf(this.points, poses);
    if (!extent.all.containsBox(seen)) {
      this.wanted = true;
      extent.all.union(addRoom(seen));
      Object.assign(extent, measure(extent.all));
    }
    // A view that moves under a hand that pulls would carry it along, further and further.
    if (!this.wanted || rig.isTaken || state.pulling.value || state.follow.value) return false;
    this.wanted = false;
    if (extent.allRadius <= furthest * extent.radius) {
      stage.fit(true);
      return false;
    }
    // What has only grown so long, as legs without stops, cannot be seen whole: the view stays where it is.
    const { allRadius } = measure(boxOf({ ...this.points, ground: [] }, poses));
    return allRadius <= furthest * extent.radius;
  }
}
