// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Two materials that touch are springs in series. With k₁ d₁ⁿ = k₂ d₂ⁿ = k dⁿ and d = d₁ + d₂,
//   k = (k₁^(−1/n) + k₂^(−1/n))^(−n),    shares  s_i = d_i/d = (k/k_i)^(1/n)                                             (1)
// each side loses by its own share of the rate:  a = s₁ a₁ + s₂ a₂,  b = s₁² b₁ + s₂² b₂                                (2)
// and likewise along the surface. Friction: the harmonic mean 2 μ₁ μ₂/(μ₁ + μ₂), as Simbody and Drake take it.          (3)

#include "mechanism/compile_contacts.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "model/terrain.hpp"

namespace trammel {
namespace {

using At = std::size_t;
using Kind = ContactShape::Kind;

bool is_positive(double x) { return x > 0 && std::isfinite(x); }
bool is_not_negative(double x) { return x >= 0 && std::isfinite(x); }
bool is_finite(const Vec3d& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }
bool can_be_touched(Kind kind) { return kind == Kind::sphere || kind == Kind::box || kind == Kind::capsule; }
bool touches(Kind kind) { return kind == Kind::points || kind == Kind::sphere || kind == Kind::wheel; }

double harmonic_mean(double a, double b) { return a + b > 0 ? 2 * a * b / (a + b) : 0; }

class ContactCompiler {
 public:
  ContactCompiler(const Model& model, Mechanism& mechanism, Diagnostics& diagnostics)
      : model_(model), mech_(mechanism), out_(mechanism.contacts), diagnostics_(diagnostics) {}

  void run() {
    if (model_.terrain.kind != Terrain::Kind::none && is_sound(model_.terrain)) {
      out_.terrain = std::make_shared<Terrain>(model_.terrain);
      if (model_.terrain.kind == Terrain::Kind::steps) out_.blocks = blocks_of_steps(model_.terrain);
    }
    for (const ContactMaterial& material : model_.materials) check(material);
    out_.shapes = model_.contacts;
    for (At k = 0; k < out_.shapes.size(); ++k) {
      const ContactShape& shape = out_.shapes[k];
      bodies_.push_back(body_of(shape));
      if (!shape_index_.emplace(shape.name, k).second) {
        diagnostics_.error(shape.where, "name-duplicate", fmt::format("there are two contacts called '{}'", shape.name),
                           "rename one of them");
      }
      sound_.push_back(is_sound(shape));
    }
    find_hard_shapes();
    for (At k = 0; k < out_.shapes.size(); ++k) pair_up(k);
    tell_untouched();
    std::stable_sort(out_.pairs.begin(), out_.pairs.end(),
                     [](const ContactPair& a, const ContactPair& b) { return a.second < b.second; });
  }

 private:
  // --- is what was given sound? Files have been judged by their reader, models built in C++ are judged here ----------------

  bool is_sound(const Terrain& t) {
    std::string wrong;
    if (t.kind == Terrain::Kind::grid) {
      if (t.nx < 2 || t.ny < 2) wrong = fmt::format("has {} × {} nodes: it needs 2 or more each way", t.nx, t.ny);
      const At count = static_cast<At>(std::max(t.nx, 0)) * static_cast<At>(std::max(t.ny, 0));
      if (wrong.empty() && t.heights.size() != count) {
        wrong = fmt::format("has {} heights for {} × {} nodes", t.heights.size(), t.nx, t.ny);
      }
      if (wrong.empty() && !(is_positive(t.spacing_x) && is_positive(t.spacing_y))) {
        wrong = "has a spacing that is not positive";
      }
      if (wrong.empty() &&
          !std::all_of(t.heights.begin(), t.heights.end(), [](double h) { return std::isfinite(h); })) {
        wrong = "has a height that is not finite";
      }
      const At cells = wrong.empty() ? static_cast<At>(t.nx - 1) * static_cast<At>(t.ny - 1) : 0;
      if (wrong.empty() && !t.cells.empty() && t.cells.size() != cells) {
        wrong = fmt::format("has materials for {} cells, of {}", t.cells.size(), cells);
      }
      const auto known = [&t](int c) { return c >= -1 && c < static_cast<int>(t.cell_materials.size()); };
      if (wrong.empty() && !std::all_of(t.cells.begin(), t.cells.end(), known)) {
        wrong = "has a cell of a material that is not listed";
      }
    }
    for (At k = 1; k < t.steps.size(); ++k) {
      if (!(t.steps[k].x > t.steps[k - 1].x)) wrong = "has steps that do not follow each other along x";
    }
    if (wrong.empty()) return true;
    diagnostics_.error(t.where, "terrain-wrong", fmt::format("the terrain {}", wrong), "mend its numbers");
    return false;
  }

  void check(const ContactMaterial& m) {
    const bool sound = is_positive(m.stiffness) && is_positive(m.exponent) && is_not_negative(m.dissipation) &&
                       is_not_negative(m.damping) && is_not_negative(m.friction_static) &&
                       is_not_negative(m.friction_kinetic) && is_positive(m.tangential_stiffness.value_or(1)) &&
                       is_positive(m.tangential_damping.value_or(1));
    if (!sound) {
      diagnostics_.error(m.where, "material-wrong", fmt::format("material '{}' has a number that cannot be", m.name),
                         "stiffness and exponent must be positive, the others not negative");
    }
    if (sound && m.exponent < 1) {
      diagnostics_.error(
          m.where, "material-wrong",
          fmt::format("material '{}' has an exponent of {}: it would be stiff beyond all bounds where it just touches",
                      m.name, m.exponent),
          "give 1 or more; 1.5 is Hertz'");
    }
    if (m.friction_kinetic > m.friction_static) {
      diagnostics_.error(m.where, "material-wrong",
                         fmt::format("material '{}' has more kinetic than static friction: {} > {}", m.name,
                                     m.friction_kinetic, m.friction_static),
                         "give a static coefficient that is not below the kinetic one");
    }
    if (m.friction_static > 0 && m.exponent != 1 && !m.tangential_stiffness) {
      diagnostics_.error(
          m.where, "material-wrong",
          fmt::format("material '{}' has friction but no tangential stiffness, which does not follow from "
                      "a stiffness of exponent {}",
                      m.name, m.exponent),
          "add tangential: {stiffness: …}");
    }
  }

  bool is_sound(const ContactShape& s) {
    bool sound = true;
    switch (s.kind) {
      case Kind::points:
        sound = !s.points.empty() && std::all_of(s.points.begin(), s.points.end(), is_finite);
        break;
      case Kind::sphere:
        sound = is_positive(s.radius);
        break;
      case Kind::capsule:
        sound = is_positive(s.radius) && is_not_negative(s.length);
        break;
      case Kind::wheel:
        sound = is_positive(s.radius) && is_not_negative(s.tyre) && s.tyre <= s.radius;
        break;
      case Kind::box:
        sound = is_positive(s.size.x) && is_positive(s.size.y) && is_positive(s.size.z);
        break;
    }
    if (!sound || !is_finite(s.X_BG.p)) {
      diagnostics_.error(s.where, "contact-size", fmt::format("contact '{}' has a size that cannot be", s.name),
                         "give finite points, positive radii and edges, and a tyre no larger than its wheel");
    }
    return sound;
  }

  int body_of(const ContactShape& shape) {
    const int body = mech_.find_body(shape.body);
    if (body != Mechanism::not_found) return body;
    diagnostics_.error(shape.where, "body-unknown",
                       fmt::format("contact '{}' is on a body '{}' that is not there", shape.name, shape.body),
                       "name a body of the model, or ground");
    return ground;
  }

  // --- what is hard -----------------------------------------------------------------------------------------------------------

  void find_hard_shapes() {
    hard_.assign(out_.shapes.size(), -1);
    std::vector<std::string> names;
    for (const ContactShape& shape : out_.shapes) names.push_back(shape.name);
    for (At i = 0; i < mech_.impacts.size(); ++i) {
      const Impact& impact = mech_.impacts[i].settings;
      if (!impact.joint.empty()) continue;
      const auto found = shape_index_.find(impact.contact);
      if (found == shape_index_.end()) {
        const std::string meant = did_you_mean(impact.contact, names);
        diagnostics_.error(
            impact.where, "impact-contact",
            fmt::format("impact '{}' is of contact '{}', which is not there", impact.name, impact.contact),
            meant.empty() ? "name one of the section 'contacts'" : fmt::format("did you mean '{}'?", meant));
        continue;
      }
      int& by = hard_[found->second];
      if (by >= 0) {
        diagnostics_.error(impact.where, "impact-twice",
                           fmt::format("impacts '{}' and '{}' are both of contact '{}'",
                                       mech_.impacts[static_cast<At>(by)].settings.name, impact.name, impact.contact),
                           "keep one of them");
      }
      by = static_cast<int>(i);
    }
  }

  // Of the one that touches, else of the one that is touched.
  int impact_of(At shape, int target) const {
    if (hard_[shape] >= 0 || target < 0) return hard_[shape];
    return hard_[static_cast<At>(target)];
  }

  // Where a hard pair stays without a material: so stiff that the lighter body swings on it with this frequency, well damped.
  static ContactLaw usual_law(const Impact& impact, double mass) {
    constexpr double frequency = 300;  // rad/s
    const double k = mass * frequency * frequency, mu = impact.friction.value_or(0);
    return {.stiffness = k,
            .damping = mass * frequency,
            .tangential_stiffness = k,
            .tangential_damping = mass * frequency,
            .friction_static = mu,
            .friction_kinetic = mu};
  }

  // --- pairs -------------------------------------------------------------------------------------------------------------------

  int link_of(int body) const { return body == ground ? ground : mech_.bodies[static_cast<At>(body)].link; }

  void pair_up(At k) {
    const ContactShape& shape = out_.shapes[k];
    const int body = bodies_[k];
    const bool on_terrain = out_.terrain && shape.touches_terrain && touches(shape.kind) && link_of(body) != ground;
    if (on_terrain) add_pairs(k, -1);
    if (!touches(shape.kind) && !shape.against.empty()) {
      diagnostics_.error(shape.where, "contact-target",
                         fmt::format("contact '{}' is a {}, which can be touched but does not touch by itself",
                                     shape.name, keyword(shape.kind)),
                         "name it in 'against' of points, spheres or wheels");
      return;
    }
    for (const std::string& name : shape.against) {
      const auto found = shape_index_.find(name);
      std::string wrong;
      if (found == shape_index_.end()) {
        wrong = "which is not there";
      } else if (!can_be_touched(out_.shapes[found->second].kind)) {
        wrong = fmt::format("which is no sphere, box or capsule but {}",
                            out_.shapes[found->second].kind == Kind::points ? "points" : "a wheel");
      } else if (link_of(bodies_[found->second]) == link_of(body)) {
        wrong = "which is on the same rigid part: they never move against each other";
      }
      if (!wrong.empty()) {
        std::vector<std::string> names;
        for (const ContactShape& other : out_.shapes) {
          if (can_be_touched(other.kind)) names.push_back(other.name);
        }
        const std::string meant = found == shape_index_.end() ? did_you_mean(name, names) : std::string{};
        diagnostics_.error(shape.where, "contact-target",
                           fmt::format("contact '{}' is against '{}', {}", shape.name, name, wrong),
                           meant.empty() ? "name a sphere, box or capsule among the contacts of another body"
                                         : fmt::format("did you mean '{}'?", meant));
        continue;
      }
      touched_[found->second] = true;
      add_pairs(k, static_cast<int>(found->second));
    }
    if (touches(shape.kind) && !on_terrain && shape.against.empty() && !can_be_touched(shape.kind)) {
      diagnostics_.warning(shape.where, "contact-nothing", fmt::format("contact '{}' has nothing to touch", shape.name),
                           out_.terrain ? "let it touch the terrain, or name contacts in 'against'"
                                        : "add environment: {terrain: …}, or name contacts in 'against'");
    }
  }

  // Solids that no one touches, spheres among them that touch nothing either.
  void tell_untouched() {
    if (diagnostics_.has_errors()) return;  // what touches may be misspelt
    for (At k = 0; k < out_.shapes.size(); ++k) {
      const ContactShape& shape = out_.shapes[k];
      if (!can_be_touched(shape.kind) || touched_[k]) continue;
      diagnostics_.warning(shape.where, "contact-nothing", fmt::format("nothing touches contact '{}'", shape.name),
                           "name it in 'against' of points, spheres or wheels of other bodies");
    }
  }

  void add_pairs(At k, int target) {
    touched_[k] = true;
    const ContactShape& shape = out_.shapes[k];
    if (!sound_[k] || (target >= 0 && !sound_[static_cast<At>(target)])) return;
    ContactPair pair;
    pair.second = bodies_[k];
    pair.shape = static_cast<int>(k);
    pair.target = target;
    pair.kind = shape.kind;
    std::string on;
    if (target >= 0) {
      pair.first = bodies_[static_cast<At>(target)];
      on = " on " + out_.shapes[static_cast<At>(target)].name;
    }
    pair.impact = impact_of(k, target);
    const int law = find_laws(shape, target, pair);
    if (law < 0) return;
    pair.law = law;
    if (shape.kind == Kind::points) {
      for (At i = 0; i < shape.points.size(); ++i) {
        pair.name = shape.points.size() == 1 ? shape.name + on : fmt::format("{} {}{}", shape.name, i + 1, on);
        pair.p_B = shape.points[i];
        add_parts(pair);
      }
      return;
    }
    pair.name = shape.name + on;
    pair.p_B = shape.X_BG.p;
    pair.axis_B = shape.X_BG.R.ez;
    pair.radius = shape.kind == Kind::wheel ? shape.tyre : shape.radius;
    pair.ring = shape.kind == Kind::wheel ? shape.radius - shape.tyre : 0;
    add_parts(pair);
  }

  // "wheel", "wheel (2)", "wheel (3)": as many contacts at once as steps can give it.
  void add_parts(ContactPair pair) {
    int parts = 0;
    for (const TerrainBlock& block : out_.blocks) {
      if (pair.target < 0) parts = std::max(parts, block.part + 1);
    }
    if (parts < 2) {
      out_.pairs.push_back(pair);
      return;
    }
    const std::string name = pair.name;
    for (pair.part = 0; pair.part < parts; ++pair.part) {
      if (pair.part > 0) pair.name = fmt::format("{} ({})", name, pair.part + 1);
      out_.pairs.push_back(pair);
    }
  }

  // --- laws ---------------------------------------------------------------------------------------------------------------------

  // The index of the first law of a pair; −1, with a message, where there is none.
  int find_laws(const ContactShape& shape, int target, const ContactPair& pair) {
    const double mass = lighter_mass(pair);
    const int first = static_cast<int>(out_.laws.size());
    std::vector<std::string> others;
    if (target >= 0) {
      others.push_back(out_.shapes[static_cast<At>(target)].material);
    } else {
      others.push_back(out_.terrain->material);
      others.insert(others.end(), out_.terrain->cell_materials.begin(), out_.terrain->cell_materials.end());
    }
    // Where every cell names its own material the plain one is never used.
    const bool covered =
        target < 0 && !out_.terrain->cells.empty() && others[0].empty() &&
        std::none_of(out_.terrain->cells.begin(), out_.terrain->cells.end(), [](int c) { return c < 0; });
    for (At i = 0; i < others.size(); ++i) {
      const auto law = covered && i == 0 && shape.material.empty()
                           ? std::optional(ContactLaw{.tangential_damping = 1})
                           : law_between(shape, others[i], target, mass, pair.impact);
      if (!law) {
        out_.laws.resize(static_cast<At>(first));
        return -1;
      }
      out_.laws.push_back(*law);
    }
    return first;
  }

  double lighter_mass(const ContactPair& pair) const {
    double mass = std::numeric_limits<double>::infinity();
    for (const int body : {pair.first, pair.second}) {
      const int link = link_of(body);
      if (link != ground) mass = std::min(mass, mech_.parameters.inertia[static_cast<At>(link)].mass);
    }
    return std::isfinite(mass) && mass > 0 ? mass : 1;
  }

  const ContactMaterial* find_material(const std::string& name) const {
    for (const ContactMaterial& m : model_.materials) {
      if (m.name == name && !m.between) return &m;
    }
    return nullptr;
  }
  const ContactMaterial* find_pair(const std::string& a, const std::string& b) const {
    for (const ContactMaterial& m : model_.materials) {
      if (!m.between) continue;
      if ((m.between->first == a && m.between->second == b) || (m.between->first == b && m.between->second == a))
        return &m;
    }
    return nullptr;
  }

  std::optional<ContactLaw> law_between(const ContactShape& shape, const std::string& other, int target, double mass,
                                        int impact) {
    const std::string& own = shape.material;
    const std::string touched =
        target >= 0 ? fmt::format("contact '{}'", out_.shapes[static_cast<At>(target)].name) : "the terrain";
    for (const bool is_own : {true, false}) {
      const std::string& name = is_own ? own : other;
      if (name.empty() || find_material(name) != nullptr) continue;
      std::vector<std::string> names;
      for (const ContactMaterial& m : model_.materials) {
        if (!m.between) names.push_back(m.name);
      }
      if (!told_.emplace(name).second) return std::nullopt;
      const std::string meant = did_you_mean(name, names);
      diagnostics_.error(
          !is_own && target < 0 ? model_.terrain.where : shape.where, "contact-material-unknown",
          fmt::format("{} is of a material '{}' that is not there",
                      is_own ? fmt::format("contact '{}'", shape.name) : touched, name),
          meant.empty() ? "describe it in the section 'materials'" : fmt::format("did you mean '{}'?", meant));
      return std::nullopt;
    }
    if (own.empty() && other.empty() && impact >= 0) {
      return usual_law(mech_.impacts[static_cast<At>(impact)].settings, mass);
    }
    if (own.empty() && other.empty()) {
      diagnostics_.error(
          shape.where, "contact-material",
          fmt::format("neither contact '{}' nor {}, which it touches, has a material", shape.name, touched),
          "give one of them a material of the section 'materials'");
      return std::nullopt;
    }
    if (own.empty() || other.empty()) return law_of(*find_material(own.empty() ? other : own), mass);
    if (const ContactMaterial* pair = find_pair(own, other)) return law_of(*pair, mass);
    const ContactLaw a = law_of(*find_material(own), mass), b = law_of(*find_material(other), mass);
    if (a.exponent != b.exponent) {
      diagnostics_.error(
          shape.where, "material-pair",
          fmt::format("contact '{}' of '{}' touches {} of '{}', and their stiffnesses have exponents {} and "
                      "{}: they cannot be joined by rule",
                      shape.name, own, touched, other, a.exponent, b.exponent),
          fmt::format("describe the pair: materials: {{name: {{between: [{}, {}], …}}}}", own, other));
      return std::nullopt;
    }
    return in_series(a, b);
  }

  static ContactLaw law_of(const ContactMaterial& m, double mass) {
    ContactLaw law{.stiffness = m.stiffness,
                   .exponent = m.exponent,
                   .dissipation = m.dissipation,
                   .damping = m.damping,
                   .tangential_stiffness = m.tangential_stiffness.value_or(m.stiffness),
                   .friction_static = m.friction_static,
                   .friction_kinetic = m.friction_kinetic};
    law.tangential_damping = m.tangential_damping.value_or(std::sqrt(law.tangential_stiffness * mass));
    return law;
  }

  static ContactLaw in_series(const ContactLaw& a, const ContactLaw& b) {
    const double n = a.exponent;
    const double soft = std::pow(a.stiffness, -1 / n) + std::pow(b.stiffness, -1 / n);
    const double share_a = std::pow(a.stiffness, -1 / n) / soft, share_b = 1 - share_a;  // (1)
    const double kt = 1 / (1 / a.tangential_stiffness + 1 / b.tangential_stiffness);
    const double along_a = kt / a.tangential_stiffness, along_b = kt / b.tangential_stiffness;
    return {.stiffness = std::pow(soft, -n),
            .exponent = n,
            .dissipation = share_a * a.dissipation + share_b * b.dissipation,  // (2)
            .damping = share_a * share_a * a.damping + share_b * share_b * b.damping,
            .tangential_stiffness = kt,
            .tangential_damping = along_a * along_a * a.tangential_damping + along_b * along_b * b.tangential_damping,
            .friction_static = harmonic_mean(a.friction_static, b.friction_static),  // (3)
            .friction_kinetic = harmonic_mean(a.friction_kinetic, b.friction_kinetic)};
  }

  const Model& model_;
  Mechanism& mech_;
  Contacts& out_;
  Diagnostics& diagnostics_;
  std::vector<int> bodies_;  // per shape
  std::vector<char> sound_;  // per shape
  std::vector<int> hard_;    // per shape: in Mechanism::impacts, or −1
  std::map<std::string, At> shape_index_;
  std::map<At, bool> touched_;
  std::set<std::string> told_;
};

}  // namespace

void compile_contacts(const Model& model, Mechanism& mechanism, Diagnostics& diagnostics) {
  ContactCompiler(model, mechanism, diagnostics).run();
}

}  // namespace trammel
