// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the parts of the DynaMechs reader share.                                               docs/formats/dynamechs.md

#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <trammel/readers.hpp>

#include "readers/dm_fields.hpp"
#include "readers/xml_text.hpp"

namespace trammel::readers::dm {

// Names that no two things share: "foot", "foot 2", …
class UniqueNames {
 public:
  std::string take(const std::string& wanted);

 private:
  std::unordered_set<std::string> taken_{std::string(ground_name)};
  std::unordered_map<std::string, int> next_;
};

// What all robots of a simulation have in common.
struct Shared {
  Model& model;
  UniqueNames bodies = {}, joints = {}, bushings = {}, actuators = {}, contacts = {};
  std::vector<std::string> dynamic_contacts = {};  // contacts whose friction has one coefficient only
};

// A link as the file means it: a frame L on a body, or on the ground. Links that are no bodies (StaticRootLink, ZScrewTxLink) have one too.
struct Link {
  std::string body{ground_name};
  Transformd X_BL;  // in the body's frame
  Transformd X_WL;  // at the design position
};

// One robot file while it is read.
struct Reading {
  Shared& shared;
  Messages& messages;
  bool is_main = true;  // places in the model are those of this file
  LeftOut left_out = {};
  std::vector<std::string> graphics = {};  // of the list of version 2
  // Names that were given to links without one, and to those that have that of another.
  struct Renamed {
    SourceLocation first = {};
    std::vector<std::string> names = {};
  } unnamed = {}, repeated = {};

  Model& model() { return shared.model; }
  SourceLocation place(SourceLocation where) const { return is_main ? where : SourceLocation{}; }
};

// One articulation: chains and branches of links, and joints between any two of them.
struct Articulation {
  Link root;                                         // the reference system
  bool draws_initial = false;                        // the design position is the initial one: loops close there
  std::unordered_map<std::string, Link> links = {};  // by the file's names; of several the first
  std::vector<std::string> names = {};
};

// A name that can be one, or else empty with a message.
std::string usable_name(Reading& r, const Parameter& parameter, const std::string& name, std::string_view kind);

// dm_body.cpp: mass, graphics, contact points.
void read_body(Reading& r, Fields& fields, Body& body);
// The mesh that a block names; empty: none.
std::string read_graphics(Reading& r, Fields& fields);
void tell_graphics_of_ground(Reading& r, Fields& fields);
// dm_fluid.cpp
void read_hydrodynamics(Reading& r, Fields& fields, Body& body);

// dm_links.cpp
void read_chain(Reading& r, Articulation& articulation, const Block& block, const Link& parent,
                const std::string& prefix);
// Position and Orientation_Quat of a reference system.
Transformd read_pose(Fields& fields);
// The base of version 2: StaticRefMember or DynamicRefMember.
Link read_reference_member(Reading& r, Articulation& articulation, const Block& block);

// dm_loops.cpp
void read_secondary_joints(Reading& r, Articulation& articulation, const Block& block);

// dm_robot.cpp: a whole robot file into the model.
void read_robot(Shared& shared, std::string_view text, bool is_main, Messages& messages);

// dm_environment.cpp: gravity, ground, fluid.
using LoadText =
    std::function<bool(const std::string& path, std::size_t max_bytes, std::string& text, Messages& messages)>;
struct Source {
  std::string folder;
  std::size_t max_bytes = 0;
  LoadText load;
  std::vector<std::string> included = {};

  // False, with a message where the file is named.
  bool get(const std::string& name, std::string_view kind, SourceLocation named_at, std::size_t most, std::string& path,
           std::string& text, Messages& messages);
};
void read_environment(Shared& shared, std::string_view text, Source& source, Messages& messages);

// dm_reader.cpp: the same as read_dynamechs, with files from elsewhere than the disk.
ReadResult read_with(std::string_view text, const std::string& file, const ReadOptions& options, const LoadText& load);

}  // namespace trammel::readers::dm
