// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Water and air around a mechanism, part of the Model: what flows where, what of it each body feels, and the one place at which
// users plug in a model of their own. fluid_forces.hpp finds what it does. All numbers are SI and radians.
//
// Heights are counted along "up", against gravity (z where there is none), from the world's origin.

#include <array>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <trammel/core/expression.hpp>
#include <trammel/core/rare.hpp>
#include <trammel/diagnostics.hpp>
#include <trammel/shape.hpp>

namespace trammel {

class Flow;  // fluid_forces.hpp

// --- what flows -----------------------------------------------------------------------------------------------------------

// A component of a current, as an expression of t, x, y, z in the file's units.
//   value in SI = unit · expression(t / time_unit, x / length_unit, …)
struct FlowFunction {
  Expression expression;
  double unit = 1, time_unit = 1, length_unit = 1;

  template <class T>
  T at(const T& t, const Vec3<T>& p) const {
    const T length(length_unit);
    const std::array<T, 4> values{t / T(time_unit), p.x / length, p.y / length, p.z / length};
    return expression.evaluate<T>(std::span<const T>(values)) * T(unit);
  }
};

// Velocity of the fluid: the sum of what is given.
struct Current {
  Vec3d velocity = {};      // everywhere
  Vec3d acceleration = {};  // everywhere: the velocity grows by it, from t = 0 on
  // Over the depth below the still surface (below height 0 where there is none): straight between the points, constant beyond them.
  std::vector<double> depth = {};
  std::vector<Vec3d> at_depth = {};
  std::optional<std::array<FlowFunction, 3>> formula = {};

  bool is_uniform() const { return depth.empty() && !formula; }
  bool is_still() const { return is_uniform() && velocity == Vec3d{} && acceleration == Vec3d{}; }
};

// A regular wave of small height (Airy): the surface rises by ½ height · cos(k·x − ω t + phase).
struct Wave {
  double height = 0;         // crest over trough, m
  double period = 1;         // s
  Vec3d direction{1, 0, 0};  // in which it runs; what points up does not count
  double phase = 0;
  SourceLocation where = {};
};

// The wave number k of ω² = g k tanh(k depth); depth may be infinite.
double solve_wave_number(double omega, double depth, double gravity);

// Fluid up to a height.
struct Medium {
  static constexpr double everywhere = std::numeric_limits<double>::infinity();
  std::string name = "water";
  double density = 1000;        // kg/m³
  double surface = everywhere;  // height of its still upper surface
  Current current = {};
  SourceLocation where = {};
};

// The section environment: fluid.
struct Fluid {
  std::vector<Medium> media;  // the lowest first; empty: none. Above the last one with a surface there is nothing
  // On the surface of the first.
  std::vector<Wave> waves = {};
  double depth = Medium::everywhere;  // of the first below its still surface, for waves

  bool empty() const { return media.empty(); }
};

// --- what a body feels of it ---------------------------------------------------------------------------------------------

// A piece of a body's outside, with its coefficients; those left out come from tables (docs/hydrodynamics.md).
struct HullPart {
  Shape shape;  // rod, cylinder, capsule, sphere, box or ellipsoid
  // Drag over ½ ρ area |v| v. Round bars: across, on length · diameter, and along, on the end's area. Sphere, ellipsoid: of the area seen by
  // the flow. Box: of each pair of faces (drag_across of x, y, z).
  std::optional<double> drag, drag_along;
  std::optional<Vec3d> drag_of_faces;
  double skin_friction = 0;  // of the mantle of round bars, along and around them: over ½ ρ (mantle's area) |v| v
  // Added mass over that of the displaced fluid: across and along the axis of round bars; x, y, z of a box.
  std::optional<double> added_across, added_along;
  std::optional<Vec3d> added;
  SourceLocation where = {};
};

// A small wing: lift and drag by the angle of attack, at one point.   [Beard and McLain 2012, ch. 4: flat plate beyond stall]
//   C_L = (1 − σ) slope α + σ 2 sign(α) sin²α cos α,  C_D = drag + (1 − σ) C_L²/(π aspect) + σ 2 |sin α|³
struct Fin {
  std::string name;
  Vec3d at;                     // p_BF: where the force acts
  Vec3d chord{1, 0, 0};         // unit vector towards the leading edge, in B
  Vec3d normal{0, 0, 1};        // unit vector square to the fin, in B
  double area = 0;              // m²
  std::optional<double> slope;  // dC_L/dα; left out: 2π/(1 + 2/aspect)
  double aspect = 1;            // ratio, times the efficiency of the span
  double stall = 0.26;          // angle at which σ = ½; it passes from 0 to 1 within about 0.1 rad
  double drag = 0.01;           // C_D at α = 0
  SourceLocation where = {};
};

// What a model of a user gets, in the body's frame B, at B's origin.
struct BodyInFluid {
  double t = 0;
  double density = 0;  // of the medium around the body's centre of buoyancy
  Transformd X_WB;
  Vec3d gravity_B;
  Vec3d fluid_velocity_B, fluid_acceleration_B;  // of the fluid where the centre of buoyancy is
  Motion<double> V_B;                            // of the body
  Motion<double> V_relative_B;                   // of the body against the fluid there
  double wet = 1;                                // part of the volume below the surface
  const Flow* flow = nullptr;                    // for the fluid elsewhere
};
// And what it gives: the force on the body is  −added · A − bias,  A = dV_B/dt by components in B.
struct FluidReaction {
  ArticulatedInertia<double> added;  // may vary with pose and time
  Force<double> bias;
  // For the linearly implicit step: −∂(force)/∂V, symmetric, positive semidefinite.
  ArticulatedInertia<double> damping;
  double dissipated = 0;  // W, of what is in `bias`; counted as lost energy
};
class HydrodynamicModel {
 public:
  virtual ~HydrodynamicModel() = default;
  virtual std::string describe() const = 0;  // one line, for reports: what it is and where its numbers are from
  // Adds to `out`. Must not allocate.
  virtual void add(const BodyInFluid& body, FluidReaction& out) const = 0;
};
// Makes a model from the numbers that a file gives it; throws std::invalid_argument with what is wrong with them.
using HydrodynamicParameters = std::map<std::string, std::vector<double>>;
using HydrodynamicModelMaker = std::function<std::shared_ptr<const HydrodynamicModel>(const HydrodynamicParameters&)>;
// The one list of models that files can name. Returns false where the name is taken. Not while other threads read files.
bool register_hydrodynamic_model(std::string name, HydrodynamicModelMaker maker);
const HydrodynamicModelMaker* find_hydrodynamic_model(std::string_view name);
std::vector<std::string> hydrodynamic_model_names();

// What a body feels of the fluid. By default what its shapes make it feel.
struct Hydrodynamics {
  static constexpr std::size_t size = 36;
  using Matrix = std::array<double, size>;  // row-major, angular part first

  bool acts = true;
  std::vector<HullPart> hull;        // left out: the body's shapes
  std::optional<double> volume;      // displaced, m³; else that of the hull
  std::optional<Vec3d> buoyancy_at;  // p_BC: its centre; else that of the hull
  // The matrices are in B's axes, taken at this point.
  Vec3d reference;
  std::optional<Matrix> added_mass;  // else by the hull
  std::optional<Matrix> linear,
      quadratic;  // F = −linear V − quadratic (|V_j| V_j): as Fossen's tables have them, besides the hull's
  bool hull_drag = true, hull_added_mass = true;
  std::vector<Fin> fins;
  std::string source;  // where the numbers are from, as the file says
  std::string model;   // a user's, by name
  HydrodynamicParameters parameters;
  std::shared_ptr<const HydrodynamicModel> custom;  // a user's, in C++; or made from `model`
  SourceLocation where = {};
};

}  // namespace trammel
