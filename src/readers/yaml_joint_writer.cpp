// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Where a joint is, in words: the ways of drawing it are tried until the reader would make of one what is there.

#include "readers/yaml_writing.hpp"

namespace trammel::readers {

namespace {

// One way of drawing a joint: its frame as the reader makes it, and the words for it.
struct Drawing {
  Transformd X_LJ;
  Entries entries;
};

bool same(const Writing& w, const JointFrames& a, const JointFrames& b) {
  return w.same(a.X_AF, b.X_AF) && w.same(a.X_BM, b.X_BM);
}

std::vector<Drawing> drawings(const Writing& w, const Joint& joint, const Transformd& X_LJ) {
  const Vec3d& p = X_LJ.p;
  const Mat3d& R = X_LJ.R;
  const Entries at{{"at", w.number()(p, dimension::length)}};
  const auto with = [&at](std::initializer_list<std::pair<std::string, std::string>> more) {
    Entries entries = at;
    entries.insert(entries.end(), more);
    return entries;
  };
  const std::string x = direction_text(R.ex), y = direction_text(R.ey), z = direction_text(R.ez);
  const Drawing along_axes{frame_at(p, R.ex, R.ey), with({{"axes", flow_list({x, y})}})};
  const std::string_view type = keyword(joint.type);
  if (type == "free") return {};  // see draw_body_frame
  if (type == "fixed") return {{Transformd::translation(p), at}};
  if (type == "universal") return {along_axes};
  if (type == "spherical") return {{Transformd::translation(p), at}, along_axes};
  const Drawing along_axis{frame_at(p, R.ez), with({{"axis", z}})};
  if (type != "planar") return {along_axis};
  return {along_axis, {frame_with_x(p, R.ez, R.ex), with({{"axis", z}, {"x", x}})}};
}

// Free and fixed joints may sit at the frame of the body that they join, without a word.
bool is_at_body_frame(const Writing& w, const Joint& joint, const JointFrames& frames, const Transformd& X_WA,
                      const Transformd& X_WB) {
  const std::string_view type = keyword(joint.type);
  if (type != "free" && type != "fixed") return false;
  const bool at_first = joint.second == ground_name;
  return same(w, frames_of({}, at_first ? X_WA : X_WB, X_WA, X_WB, at_first, !at_first), frames);
}

}  // namespace

void put_joint_frames(const Writing& w, const Joint& joint, Entries& entries) {
  const JointFrames frames{joint.X_AF, joint.X_BM};
  const Transformd X_WA = w.pose_of(joint.first), X_WB = w.pose_of(joint.second);
  if (is_at_body_frame(w, joint, frames, X_WA, X_WB)) return;
  struct Base {
    Transformd X_LJ, X_WL;
    bool is_A, is_B;
  };
  const Base bases[] = {{X_WA * frames.X_AF, {}, false, false},
                        {X_WB * frames.X_BM, {}, false, false},
                        {frames.X_AF, X_WA, true, false},
                        {frames.X_BM, X_WB, false, true}};
  for (const Base& base : bases) {
    for (const Drawing& drawing : drawings(w, joint, base.X_LJ)) {
      if (!same(w, frames_of(drawing.X_LJ, base.X_WL, X_WA, X_WB, base.is_A, base.is_B), frames)) continue;
      if (base.is_A) entries.emplace_back("in", name_text(joint.first));
      if (base.is_B) entries.emplace_back("in", name_text(joint.second));
      entries.insert(entries.end(), drawing.entries.begin(), drawing.entries.end());
      return;
    }
  }
  entries.emplace_back("frames", flow_map({{"first", flow_map(w.frame_entries(frames.X_AF))},
                                           {"second", flow_map(w.frame_entries(frames.X_BM))}}));
}

}  // namespace trammel::readers
