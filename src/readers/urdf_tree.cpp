// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The tree of a URDF: every link has one parent joint but the root, which is joined to the ground by a joint "base".
// Poses follow from the root on: X_WB = X_WP X_PJ, with the root's frame in the world's.

#include <cmath>

#include <fmt/format.h>

#include "readers/urdf_reading.hpp"

namespace trammel::readers::urdf {

namespace {

constexpr std::size_t none = JointDraft::none;

std::string list_links(const Reading& r, const std::vector<std::size_t>& links) {
  std::vector<std::string> names;
  for (const std::size_t link : links) names.push_back(r.link_names[link]);
  return list_names(names);
}

struct Tree {
  std::vector<std::size_t> parent_joint;           // of each link; none for roots
  std::vector<std::vector<std::size_t>> children;  // joints below each link, in file order
  bool complete = true;                            // all joints have both their links
};

Tree build_tree(Reading& r) {
  Tree tree;
  tree.parent_joint.assign(r.links.size(), none);
  tree.children.resize(r.links.size());
  for (std::size_t j = 0; j < r.joints.size(); ++j) {
    const JointDraft& draft = r.joints[j];
    if (draft.parent == none || draft.child == none || draft.parent == draft.child) {
      tree.complete = false;
      continue;
    }
    std::size_t& above = tree.parent_joint[draft.child];
    if (above != none) {
      r.messages.error(
          draft.element->where, "urdf-two-parents",
          fmt::format("link {} is the child of two joints, {} and {}; a URDF is a tree",
                      quote(r.link_names[draft.child]), quote(r.joint_names[above]), quote(r.joint_names[j])),
          "delete one of the joints; loops can be written in the native format");
      continue;
    }
    above = j;
    tree.children[draft.parent].push_back(j);
  }
  return tree;
}

// Follows the parents from each link that no root leads to until a link comes again.
void report_cycles(Reading& r, const Tree& tree, const std::vector<bool>& reached) {
  std::vector<std::size_t> visited_from(r.links.size(), none);
  for (std::size_t start = 0; start < r.links.size(); ++start) {
    std::size_t link = start;
    while (!reached[link] && visited_from[link] == none && tree.parent_joint[link] != none) {
      visited_from[link] = start;
      link = r.joints[tree.parent_joint[link]].parent;
    }
    if (visited_from[link] != start || reached[link]) continue;
    std::vector<std::size_t> ring{link};
    for (std::size_t at = r.joints[tree.parent_joint[link]].parent; at != link;
         at = r.joints[tree.parent_joint[at]].parent) {
      ring.push_back(at);
    }
    r.messages.error(r.joints[tree.parent_joint[link]].element->where, "urdf-cycle",
                     fmt::format("links are each other's parents in a circle: {}", list_links(r, ring)),
                     "a URDF is a tree; loops can be written in the native format");
  }
}

std::vector<std::size_t> find_roots(const Tree& tree) {
  std::vector<std::size_t> roots;
  for (std::size_t i = 0; i < tree.parent_joint.size(); ++i) {
    if (tree.parent_joint[i] == none) roots.push_back(i);
  }
  return roots;
}

// Gives every link below the roots its pose; tells which were reached.
std::vector<bool> place_links(Reading& r, const Tree& tree, const std::vector<std::size_t>& roots) {
  std::vector<bool> reached(r.links.size(), false);
  std::vector<std::size_t> open = roots;
  for (const std::size_t root : roots) reached[root] = true;
  while (!open.empty()) {
    const std::size_t link = open.back();
    open.pop_back();
    for (const std::size_t j : tree.children[link]) {
      const std::size_t child = r.joints[j].child;
      r.model.bodies[child].X_WB = r.model.bodies[link].X_WB * r.joints[j].X_PJ;
      reached[child] = true;
      open.push_back(child);
    }
  }
  return reached;
}

void check_poses(Reading& r) {
  for (const Body& body : r.model.bodies) {
    if (std::isfinite(norm(body.X_WB.p))) continue;
    r.messages.error(body.where, "number-not-finite",
                     fmt::format("the place of link {} is beyond what a double holds", quote(body.name)),
                     "check the origins of the joints that lead to it");
    return;
  }
}

void add_base(Reading& r, std::size_t root) {
  Joint base;
  base.name = "base";
  if (r.options.base == Base::free)
    base.type = Free{};
  else
    base.type = Fixed{};
  const Body& body = r.model.bodies[root];
  if (r.joint_index.contains(base.name)) {
    base.name = "base_" + body.name;
    while (r.joint_index.contains(base.name)) base.name += "_";
    if (r.options.base == Base::free) {
      r.messages.warning(r.joints[r.joint_index.at("base")].element->where, "name-duplicate",
                         fmt::format("the file has a joint called 'base'; the joint that frees its root is called {}",
                                     quote(base.name)),
                         "nothing needs to be done");
    }
  }
  base.first = ground_name;
  base.second = body.name;
  base.where = body.where;
  r.model.joints.insert(r.model.joints.begin(), std::move(base));
}

}  // namespace

void join_to_ground(Reading& r) {
  if (r.links.empty()) return;
  const Tree tree = build_tree(r);
  const std::vector<std::size_t> roots = find_roots(tree);
  const std::vector<bool> reached = place_links(r, tree, roots);
  report_cycles(r, tree, reached);
  check_poses(r);
  if (roots.size() > 1 && tree.complete && !r.messages.has_errors()) {
    r.messages.error(
        r.links[roots[1]]->where, "urdf-roots",
        fmt::format("{} links are the child of no joint: {}; a URDF has one root", roots.size(), list_links(r, roots)),
        "join them by joints; fixed ones weld them");
  }
  if (!roots.empty()) add_base(r, roots[0]);
}

}  // namespace trammel::readers::urdf
