// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Models as a C++ program may build them, made from bytes: graphs of any shape, every joint type, names that clash or are
// missing, numbers of any size. compile() must take them or say why not, and what it takes must run.

#include <cmath>
#include <cstddef>
#include <cstdint>

#include <fuzzer/FuzzedDataProvider.h>

#include "properties.hpp"

namespace {

using namespace trammel;

class ModelMaker {
 public:
  ModelMaker(const std::uint8_t* data, std::size_t size)
      : bytes_(data, size), wild_names_(bytes_.ConsumeBool()), wild_numbers_(bytes_.ConsumeBool()) {}

  Model make() {
    Model model;
    model.file = "fuzz";
    if (bytes_.ConsumeBool()) model.gravity = vector();
    const int bodies = count(0, 12), joints = count(0, 16), couplings = count(0, 3), outputs = count(0, 2);
    for (int i = 0; i < bodies; ++i) model.bodies.push_back(body(i));
    for (int i = 0; i < joints; ++i) model.joints.push_back(joint(i, bodies));
    for (int i = 0; i < couplings; ++i) model.couplings.push_back(coupling(i, joints));
    for (int i = 0; i < outputs; ++i) model.outputs.push_back({name("o", i), body_name(bodies), vector(), {}});
    return model;
  }

  CompileOptions options() {
    CompileOptions options;
    const int cuts = count(0, 3);
    for (int i = 0; i < cuts; ++i) options.cut.push_back(name("j", count(0, 16)));
    options.for_dynamics = bytes_.ConsumeBool();
    return options;
  }

 private:
  int count(int least, int most) { return bytes_.ConsumeIntegralInRange(least, most); }

  std::string name(const char* letter, int i) {
    if (wild_names_ && count(0, 15) == 0) return count(0, 1) == 0 ? "" : "ground";
    if (wild_names_ && count(0, 15) == 0) i = count(0, 20);
    return letter + std::to_string(i);
  }
  std::string body_name(int bodies) {
    const int i = count(-1, bodies - 1);
    return i < 0 ? std::string(ground_name) : name("b", i);
  }

  double number() {
    static constexpr double ordinary[]{0.0, 1.0, -1.0, 0.5, 2.0, 1e-3, 100.0, -0.3};
    static constexpr double wild[]{1e300,    -1e300,    1e-300, -1e-320, 5e-324, 1e155, 1e-155,
                                   infinity, -infinity, NAN,    1e16,    -1e16,  1e-16, 1.7976931348623157e308,
                                   3.0e-9,   -0.0};
    if (wild_numbers_ && count(0, 7) == 0) return bytes_.PickValueInArray(wild);
    return count(0, 3) > 0 ? bytes_.PickValueInArray(ordinary) : bytes_.ConsumeFloatingPointInRange(-10.0, 10.0);
  }
  double positive() { return std::abs(number()); }
  Vec3d vector() {
    const double x = number(), y = number(), z = number();
    return {x, y, z};
  }
  Transformd pose() {
    if (count(0, 2) == 0) return {};
    Transformd X = frame_at(vector(), count(0, 1) == 0 ? Vec3d{0.6, 0, 0.8} : Vec3d{0, -1, 0});
    if (wild_numbers_ && count(0, 7) == 0) X.R.ex.x = number();
    return X;
  }
  std::vector<double> list(int expected, bool positive_only) {
    if (count(0, 2) > 0) return {};
    if (wild_names_ && count(0, 15) == 0) expected = count(0, 8);
    std::vector<double> numbers;
    for (int i = 0; i < expected; ++i) numbers.push_back(positive_only ? positive() : number());
    return numbers;
  }

  Body body(int i) {
    Body body;
    body.name = name("b", i);
    body.X_WB = pose();
    body.mass = wild_numbers_ ? number() : positive();
    body.com = vector();
    body.inertia.xx = positive(), body.inertia.yy = positive(), body.inertia.zz = positive();
    if (count(0, 2) == 0) body.inertia.xy = number(), body.inertia.xz = number(), body.inertia.yz = number();
    return body;
  }

  AnyJoint type() {
    const std::vector<std::string> words = joint_keywords();
    const int i = count(0, static_cast<int>(words.size()));
    if (i == static_cast<int>(words.size())) return wild_names_ ? AnyJoint{Custom{}} : AnyJoint{Helical{number()}};
    return *joint_by_keyword(words[static_cast<std::size_t>(i)]);
  }

  Joint joint(int i, int bodies) {
    Joint joint;
    joint.name = name("j", i);
    joint.type = type();
    // Most bodies hang on one before them, so that most models are whole; the rest of the joints close loops.
    joint.second = i < bodies ? "b" + std::to_string(i) : body_name(bodies);
    joint.first = body_name(i < bodies ? i : bodies);
    if (count(0, 3) == 0) std::swap(joint.first, joint.second);
    joint.X_AF = pose();
    joint.X_BM = pose();
    const auto* custom = std::get_if<Custom>(&joint.type);
    const int freedoms = custom != nullptr ? 1 : nv(joint.type);
    JointProperties& p = joint.properties;
    p.viscous = list(freedoms, true);
    p.dry = list(freedoms, true);
    p.armature = list(freedoms, true);
    p.lower = list(freedoms, false);
    p.upper = list(freedoms, false);
    if (count(0, 7) == 0) p.dry_speed = number();
    if (freedoms < 6 && freedoms != 3) joint.q_initial = list(freedoms, false);
    joint.v_initial = list(freedoms, false);
    joint.cut = count(0, 7) == 0;
    return joint;
  }

  Coupling coupling(int i, int joints) {
    Coupling coupling;
    coupling.name = name("c", i);
    coupling.first = name("j", count(0, joints)), coupling.second = name("j", count(0, joints));
    coupling.first_dof = count(-1, 6), coupling.second_dof = count(-1, 6);
    coupling.ratio = number(), coupling.offset = number();
    return coupling;
  }

  FuzzedDataProvider bytes_;
  bool wild_names_, wild_numbers_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::TimeLimit limit;
  ModelMaker maker(data, size);
  const Model model = maker.make();
  fuzz::require_compiles_or_says_why(model);
  const CompileResult cut = compile(model, maker.options());
  fuzz::require_sound_messages(cut.diagnostics);
  if (cut.ok()) fuzz::require_evaluates(cut.mechanism);
  return 0;
}
