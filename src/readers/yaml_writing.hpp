// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the parts of the native writer share: the model with its names, numbers in the units of the file, and whether what the reader
// would make of a drawing is what is there.

#include <string>
#include <utility>
#include <vector>

#include "model/name_index.hpp"
#include "readers/yaml_emit.hpp"
#include "readers/yaml_joints.hpp"

namespace trammel::readers {

using Items = std::vector<std::pair<std::string, Entries>>;

std::string matrix_text(const Mat3d& R);
std::string direction_text(const Vec3d& d);

class Writing {
 public:
  Writing(const Model& model, const Units& units)
      : model_(model),
        bodies_(model.bodies),
        joints_(model.joints),
        number_(units),
        tolerance_(units.is_si() ? 0 : 1e-13) {}

  const Model& model() const { return model_; }
  const NumberText& number() const { return number_; }

  // To the last bit in SI, to round-off of the conversion in other units.
  bool same(double a, double b, double size) const;
  bool same(const Vec3d& a, const Vec3d& b, double size) const;
  bool same(const Transformd& a, const Transformd& b) const;

  Transformd pose_of(const std::string& name) const;  // at the design position; the ground's is the identity
  const Joint* find_joint(const std::string& name) const { return joints_.find(name); }
  Entries frame_entries(const Transformd& X) const;
  // "joint", "joint.angle"; as text of a file with quotes where they are needed.
  std::string coordinate_name(const std::string& name, int dof) const;
  std::string coordinate_text(const std::string& name, int dof) const;
  Dimension coordinate_dimension(const std::string& name, int dof) const;
  std::string length(double x) const { return number_(x, dimension::length); }

 protected:
  const Model& model_;
  NameIndex<Body> bodies_;
  NameIndex<Joint> joints_;
  NumberText number_;
  double tolerance_;
};

// at, in, axis and so on of a joint, or frames where drawing cannot say it.                           yaml_joint_writer.cpp
void put_joint_frames(const Writing& w, const Joint& joint, Entries& entries);

// What acts and happens over time.                                                                 yaml_actuation_writer.cpp
Items actuator_items(const Writing& w);
Items drive_items(const Writing& w);
Items bushing_items(const Writing& w);
Items event_items(const Writing& w);
std::string simulate_line(const Writing& w);

// The ground and what touches it.                                                                  yaml_contacts_writer.cpp
std::string terrain_text(const Writing& w);  // empty: none
Items material_items(const Writing& w);
Items contact_items(const Writing& w);
Items impact_items(const Writing& w);  // yaml_impacts.cpp

// The sections of linkages.                                                                         yaml_linkage_writer.cpp
std::string planar_line(const Writing& w);
Items constraint_items(const Writing& w);
Items input_items(const Writing& w);
Items spring_items(const Writing& w);
Items load_items(const Writing& w);
Items measure_items(const Writing& w);

}  // namespace trammel::readers
