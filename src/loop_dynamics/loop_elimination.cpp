// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "loop_dynamics/loop_elimination.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

#include "dynamics/link_forces.hpp"
#include "kernels/link_view.hpp"

namespace trammel {
namespace {

using Vector6 = LoopElimination::Vector6;
using Matrix6 = LoopElimination::Matrix6;
using Columns = Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, 6>;
using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;

constexpr double tolerance = 1e-13;              // of residuals, relative to the terms they are summed from
constexpr double good_enough = 1e-12;            // where they no longer fall
constexpr double balanced = 1e-11, near = 1e-6;  // of steps
constexpr double maybe_round_off = 1e-8;         // below this, residuals are compared with what they were summed from
constexpr double last_digits = 2e-15;
constexpr double no_force = 1e-18;  // that rates would take, of the multipliers: less than their last digit
constexpr double no_answer =
    1e9;  // multipliers beyond that many times the loads: rows contradict each other, and they grow with every turn
constexpr int max_iterations = 40;  // stiff; soft ones creep, but surely
constexpr int max_soft_iterations = 300;
constexpr double round_off = 1e-14;
constexpr double creeping = 0.03;  // of a step over the one before

std::size_t at(int i) { return static_cast<std::size_t>(i); }

Vector6 column(const Motion<double>& m) {
  Vector6 c;
  c << m.w.x, m.w.y, m.w.z, m.v.x, m.v.y, m.v.z;
  return c;
}
Vector6 column(const Force<double>& F) {
  Vector6 c;
  c << F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z;
  return c;
}
Eigen::Matrix3d skew(const Vec3d& a) {
  Eigen::Matrix3d m;
  m << 0, -a.z, a.y, a.z, 0, -a.x, -a.y, a.x, 0;
  return m;
}
Vec3d top(const Vector6& x) { return {x(0), x(1), x(2)}; }
Vec3d bottom(const Vector6& x) { return {x(3), x(4), x(5)}; }

// Round-off that is not symmetric would grow from link to link: in a ring of thirty sticks it was all that was left.
void make_symmetric(Matrix6& A) {
  for (int i = 0; i < 6; ++i) {
    for (int k = 0; k < i; ++k) A(i, k) = A(k, i) = 0.5 * (A(i, k) + A(k, i));
  }
}

// Xᵀ A with A taken at the link's point, X the shift of motions there from the parent's, r from that: rows of moments get r × those of forces.
void shift_rows(Matrix6& A, const Vec3d& r) {
  for (int k = 0; k < 6; ++k) {
    const double x = A(3, k), y = A(4, k), z = A(5, k);
    A(0, k) += r.y * z - r.z * y;
    A(1, k) += r.z * x - r.x * z;
    A(2, k) += r.x * y - r.y * x;
  }
}
void shift_columns(Matrix6& A, const Vec3d& r) {
  for (int i = 0; i < 6; ++i) {
    const double x = A(i, 3), y = A(i, 4), z = A(i, 5);
    A(i, 0) += r.y * z - r.z * y;
    A(i, 1) += r.z * x - r.x * z;
    A(i, 2) += r.x * y - r.y * x;
  }
}
void shift_inertia(Matrix6& A, const Vec3d& r) {
  shift_rows(A, r);
  shift_columns(A, r);
}

int link_of(const Mechanism& mech, int body) { return body == ground ? ground : mech.bodies[at(body)].link; }

}  // namespace

// Who is tied to whom: per row the links, each once.
struct LoopElimination::Ties {
  std::vector<std::vector<int>> links_of_row;
  std::vector<std::pair<int, int>> rotor_rows;
  std::vector<int> parent;
};

LoopElimination::Ties LoopElimination::ties_of(const Mechanism& mech, const std::vector<RowPiece>& pieces, int rows,
                                               const std::vector<ClosingFreedom>& closing) {
  Ties ties;
  for (const Link& link : mech.links) ties.parent.push_back(link.parent);
  ties.links_of_row.resize(at(rows) + closing.size());
  const auto tie = [&](std::size_t row, int link) {
    std::vector<int>& list = ties.links_of_row[row];
    if (link >= 0 && std::find(list.begin(), list.end(), link) == list.end()) list.push_back(link);
  };
  for (const RowPiece& piece : pieces) {
    if (piece.v >= 0) {
      const int link = mech.link_of_dof[at(piece.v)];
      tie(at(piece.row), link);
      tie(at(piece.row), mech.links[at(link)].parent);
    } else {
      tie(at(piece.row), link_of(mech, piece.first));
      tie(at(piece.row), link_of(mech, piece.second));
    }
  }
  for (std::size_t k = 0; k < closing.size(); ++k) {
    tie(at(rows) + k, link_of(mech, closing[k].first));
    tie(at(rows) + k, link_of(mech, closing[k].second));
    ties.rotor_rows.emplace_back(closing[k].joint, closing[k].dof);
  }
  return ties;
}

LoopElimination::LoopElimination(const Mechanism& mech, const std::vector<RowPiece>& pieces, int rows,
                                 const std::vector<ClosingFreedom>& closing)
    : LoopElimination(mech, ties_of(mech, pieces, rows, closing), rows) {}

LoopElimination::LoopElimination(const Mechanism& mech, const Ties& ties, int rows)
    : links_(mech.links.size()),
      rows_(ties.links_of_row.size()),
      rotor_rows_(ties.rotor_rows),
      order_(ties.parent, ties.links_of_row),
      blocks_(at(order_.block_count()), Matrix6::Zero()),
      t_(at(mech.nv)),
      delta_(at(mech.nv)),
      rates_(ties.links_of_row.size()),
      delta_y_(at(rows)),
      plain_a_(at(mech.nv)),
      plain_y_(at(rows)),
      taken_a_(at(mech.nv)),
      taken_y_(at(rows)),
      phi_rows_(rows) {
  for (std::size_t l = 0; l < links_.size(); ++l) {
    links_[l].parent = mech.links[l].parent;
    links_[l].v = mech.links[l].v;
    links_[l].nv = mech.links[l].nv;
  }
  for (const EliminationOrder::Step& step : order_.steps()) operations_of_sweep_ += 2 + 2 * step.count;
  held_.reserve(at(mech.nv));
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const std::vector<int>& list = ties.links_of_row[r];
    rows_[r].first = static_cast<int>(slots_.size());
    rows_[r].count = static_cast<int>(list.size());
    for (const int link : list) slots_.push_back({.link = link});
    for (int a = 0; a < rows_[r].count; ++a) {
      for (int b = a + 1; b < rows_[r].count; ++b) {
        bool swapped = false;
        const int block = order_.find_block(list[at(a)], list[at(b)], swapped);
        const int first = rows_[r].first + (swapped ? b : a), second = rows_[r].first + (swapped ? a : b);
        pairs_.push_back({static_cast<int>(r), first, second, block});
      }
    }
  }
}

Vector6 LoopElimination::from_parent(const LinkData& link, const Vector6& A) {
  if (!link.shifted) return A;
  const Vec3d v = bottom(A) + cross(top(A), link.r);
  Vector6 out = A;
  out.tail<3>() << v.x, v.y, v.z;
  return out;
}

Vector6 LoopElimination::to_parent(const LinkData& link, const Vector6& F) {
  if (!link.shifted) return F;
  const Vec3d n = top(F) + cross(link.r, bottom(F));
  Vector6 out = F;
  out.head<3>() << n.x, n.y, n.z;
  return out;
}

void LoopElimination::set_links(const Mechanism& mech, const Workspace& ws, std::span<const double> q,
                                const Loads& loads) {
  const Parameters<double>& par = ws.parameters();
  std::array<Motion<double>, 6> H;
  for (std::size_t l = 0; l < links_.size(); ++l) {
    LinkData& L = links_[l];
    const LinkView<double> view = link_view(mech, ws, static_cast<int>(l));
    const LinkInertia<double>& in_L = par.inertia[l];
    const LinkInertia<double> at_C{in_L.mass, view.X_OL * in_L.com, rotate(view.X_OL.R, in_L.I_C)};
    L.p_WO = view.p_WO, L.p_OL = view.X_OL.p;
    L.r = L.parent < 0 ? Vec3d{} : L.p_WO - links_[at(L.parent)].p_WO;
    L.shifted = L.parent >= 0 && mech.links[l].opens_point;
    L.mass = at_C.mass, L.com = at_C.com;
    L.inertia = (at_C.I_C.xx + at_C.I_C.yy + at_C.I_C.zz) / 3;
    const Eigen::Matrix3d c = skew(at_C.com);
    Eigen::Matrix3d I_C;
    I_C << at_C.I_C.xx, at_C.I_C.xy, at_C.I_C.xz, at_C.I_C.xy, at_C.I_C.yy, at_C.I_C.yz, at_C.I_C.xz, at_C.I_C.yz,
        at_C.I_C.zz;
    L.I.topLeftCorner<3, 3>() = I_C - at_C.mass * c * c;
    L.I.topRightCorner<3, 3>() = at_C.mass * c;
    L.I.bottomLeftCorner<3, 3>() = -at_C.mass * c;
    L.I.bottomRightCorner<3, 3>() = at_C.mass * Eigen::Matrix3d::Identity();
    L.p = column(newton_euler(at_C, view.V, view.A, par.gravity));
    L.A = column(view.A);
    H_FM(mech.links[l].type, q.data() + mech.links[l].q, std::span(H).first(at(L.nv)));
    for (int k = 0; k < L.nv; ++k) {
      const Vec3d w = view.X_OL.R * H[at(k)].w, v = view.X_OL.R * H[at(k)].v + cross(view.X_OL.p, w);
      L.H.col(k) << w.x, w.y, w.z, v.x, v.y, v.z;
      L.rotor(k) = par.armature[at(L.v + k)] + (loads.dof_inertia == nullptr ? 0 : loads.dof_inertia[L.v + k]);
    }
  }
  for (int b = 0; b < mech.body_count(); ++b) {
    const int l = mech.bodies[at(b)].link;
    if (l < 0) continue;
    LinkData& L = links_[at(l)];
    if (loads.wrench != nullptr) L.p -= column(loads.wrench[b]);
    if (loads.bias != nullptr) L.p += column(loads.bias[b]);
    if (loads.inertia != nullptr) {
      for (int k = 0; k < 6; ++k) {
        const auto unit = [k](int i) { return k == i ? 1.0 : 0.0; };
        const Motion<double> e{{unit(0), unit(1), unit(2)}, {unit(3), unit(4), unit(5)}};
        L.I.col(k) += column(loads.inertia[b] * e);
      }
      L.p += column(loads.inertia[b] * Motion<double>{top(L.A), bottom(L.A)});
    }
  }
}

void LoopElimination::add_to_row(int row, int link, const Force<double>& g, const Vec3d& p_W, double sign) {
  if (link < 0) return;
  const RowData& R = rows_[at(row)];
  for (int s = R.first; s < R.first + R.count; ++s) {
    if (slots_[at(s)].link != link) continue;
    const Vec3d n = g.n + cross(p_W - links_[at(link)].p_WO, g.f);
    slots_[at(s)].K += sign * column(Force<double>{n, g.f});
    return;
  }
}

// A coordinate of the tree: v̇_k = g · (dA − X dA_p), g the column of H (HᵀH)⁻¹ that belongs to it.
void LoopElimination::add_freedom_to_row(const Mechanism& mech, int row, int freedom, double factor) {
  const int l = mech.link_of_dof[at(freedom)];
  const LinkData& L = links_[at(l)];
  // At M's origin H is well conditioned; a far point O would spoil HᵀH.
  Columns H = L.H.leftCols(L.nv);
  const Eigen::Matrix3d back = skew(L.p_OL);
  H.bottomRows<3>() -= back * H.topRows<3>();
  const Small gram = H.transpose() * H;
  Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1> e(L.nv);
  e.setZero();
  e(freedom - L.v) = factor;
  Vector6 g = H * gram.llt().solve(e);
  g.head<3>() += back * g.tail<3>();
  const RowData& R = rows_[at(row)];
  for (int s = R.first; s < R.first + R.count; ++s) {
    if (slots_[at(s)].link == l) slots_[at(s)].K += g;
    if (slots_[at(s)].link == L.parent) slots_[at(s)].K -= to_parent(L, g);
  }
}

// ρ = stiffness / Σ_l K_l I_l⁻¹ K_lᵀ, with the inertias of single links; massless ones count as the average.
void LoopElimination::choose_penalties() {
  double mass = 0, inertia = 0;
  for (const LinkData& L : links_) mass += L.mass, inertia += L.inertia;
  const double count = static_cast<double>(std::max<std::size_t>(links_.size(), 1));
  mass = mass > 0 ? mass / count : 1;
  inertia = inertia > 0 ? inertia / count : 1;
  for (int r = 0; r < phi_rows_; ++r) {
    RowData& R = rows_[at(r)];
    double mobility = 0;
    for (int s = R.first; s < R.first + R.count; ++s) {
      const LinkData& L = links_[at(slots_[at(s)].link)];
      const Vec3d f = bottom(slots_[at(s)].K), n = top(slots_[at(s)].K) - cross(L.com, f);
      mobility += dot(f, f) / std::max(L.mass, 0.01 * mass) + dot(n, n) / std::max(L.inertia, 0.01 * inertia);
    }
    R.rho = R.active && mobility > 0 ? stiffness_ / mobility : 0;
  }
}

void LoopElimination::set_rows(const System& system) {
  const Mechanism& mech = system.mechanism;
  for (Slot& slot : slots_) slot.K.setZero();
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    rows_[r].active = r < system.row_active.size() && system.row_active[r] != 0;
    rows_[r].scale = r < system.row_scale.size() ? system.row_scale[r] : 1;
    rows_[r].rho = 0;
  }
  for (const RowPiece& piece : system.pieces) {
    if (system.row_active[at(piece.row)] == 0) continue;
    if (piece.v >= 0) {
      add_freedom_to_row(mech, piece.row, piece.v, piece.factor);
    } else {
      add_to_row(piece.row, link_of(mech, piece.second), piece.g_W, piece.p_W, 1);
      add_to_row(piece.row, link_of(mech, piece.first), piece.g_W, piece.p_W, -1);
    }
  }
}

void LoopElimination::hold(std::span<const char> held) {
  held_.clear();
  for (std::size_t l = 0; l < links_.size(); ++l) {
    LinkData& L = links_[l];
    L.any_held = false;
    for (int k = 0; k < L.nv && !held.empty(); ++k) {
      L.held[at(k)] = held[at(L.v + k)] != 0;
      if (!L.held[at(k)]) continue;
      L.any_held = true;
      held_.push_back({static_cast<int>(l), k, L.H.col(k)});
      L.H.col(k).setZero();
    }
  }
}

// Rotors and friction at closing joints: rows whose "penalty" is the rotor's inertia, which belongs to M.
void LoopElimination::add_rotors(const System& system) {
  std::size_t k =
      0;  // both lists go by joints, then by freedoms; those of joints that are switched off are missing in one
  for (const ClosingFreedom& c : system.closing) {
    while (k < rotor_rows_.size() && rotor_rows_[k] != std::pair(c.joint, c.dof)) ++k;
    if (k == rotor_rows_.size()) return;
    const int row = phi_rows_ + static_cast<int>(k);
    add_to_row(row, link_of(system.mechanism, c.second), c.g_W, c.p_W, 1);
    add_to_row(row, link_of(system.mechanism, c.first), c.g_W, c.p_W, -1);
    RowData& R = rows_[at(row)];
    R.rho = c.inertia;
    const double force = c.inertia * c.second_rate - c.friction;
    for (int s = R.first; s < R.first + R.count; ++s) links_[at(slots_[at(s)].link)].p += slots_[at(s)].K * force;
  }
}

LoopElimination::Outcome LoopElimination::factor(const System& system, double stiffness) {
  stiffness_ = stiffness;
  set_links(system.mechanism, system.ws, system.q, system.loads);
  set_rows(system);
  for (Slot& slot : slots_) slot.turn = slot.K.head<3>().norm(), slot.travel = slot.K.tail<3>().norm();
  choose_penalties();
  add_rotors(system);
  hold(system.held);
  for (LinkData& L : links_) L.IA = L.I;
  for (Matrix6& C : blocks_) C.setZero();
  for (const RowData& R : rows_) {  // (1)
    if (R.rho == 0) continue;
    for (int s = R.first; s < R.first + R.count; ++s) {
      const Slot& slot = slots_[at(s)];
      links_[at(slot.link)].IA.noalias() += (R.rho * slot.K) * slot.K.transpose();
    }
  }
  for (const SlotPair& pair : pairs_) {
    const double rho = rows_[at(pair.row)].rho;
    if (rho != 0) blocks_[at(pair.block)].noalias() += (rho * slots_[at(pair.a)].K) * slots_[at(pair.b)].K.transpose();
  }
  Outcome outcome;
  int singular = -1;
  operations_ += order_.operations();
  outcome.regular = eliminate(singular);
  if (!outcome.regular) outcome.singular_joint = system.mechanism.links[at(singular)].joint;
  return outcome;
}

// f(n) with a link's number of freedoms known to the compiler.
template <class F>
auto with_freedoms(int nv, F&& f) {
  switch (nv) {
    case 1:
      return f(std::integral_constant<int, 1>{});
    case 2:
      return f(std::integral_constant<int, 2>{});
    case 3:
      return f(std::integral_constant<int, 3>{});
    case 4:
      return f(std::integral_constant<int, 4>{});
    case 5:
      return f(std::integral_constant<int, 5>{});
    default:
      return f(std::integral_constant<int, 6>{});
  }
}

bool LoopElimination::eliminate(int& singular_link) {
  for (const EliminationOrder::Step& step : order_.steps()) {
    if (with_freedoms(links_[at(step.link)].nv, [&](auto n) { return eliminate_link<n>(step); })) continue;
    singular_link = step.link;
    return false;
  }
  return true;
}

// False where its inertia vanishes along a freedom.
template <int n>
bool LoopElimination::eliminate_link(const EliminationOrder::Step& step) {
  using Few = Eigen::Matrix<double, 6, n>;
  using Square = Eigen::Matrix<double, n, n>;
  LinkData& L = links_[at(step.link)];
  make_symmetric(L.IA);
  Few H = L.H.leftCols<n>(), U;
  U.noalias() = L.IA * H;  // (2)
  Square D;
  D.noalias() = H.transpose() * U;
  for (int k = 0; k < n; ++k) D(k, k) += L.rotor(k);
  if (L.any_held) {
    for (int k = 0; k < n; ++k) {
      if (L.held[at(k)]) D.row(k).setZero(), D.col(k).setZero(), D(k, k) = 1 + L.rotor(k);
    }
  }
  const double angular = L.IA.topLeftCorner<3, 3>().trace(), linear = L.IA.bottomRightCorner<3, 3>().trace();
  Square S = Square::Zero();  // lower triangle; the diagonal inverted
  for (int k = 0; k < n; ++k) {
    for (int i = k; i < n; ++i) {
      S(i, k) = D(i, k);
      for (int j = 0; j < k; ++j) S(i, k) -= S(i, j) * S(k, j);
      if (i > k) S(i, k) *= S(k, k);
      if (i != k) continue;
      const double scale =
          angular * H.col(k).template head<3>().squaredNorm() + linear * H.col(k).template tail<3>().squaredNorm();
      if (!(S(k, k) > round_off * (scale + L.rotor(k)))) return false;
      S(k, k) = 1 / std::sqrt(S(k, k));
    }
  }
  for (int k = 0; k < n; ++k) {  // (3): H S⁻ᵀ, U S⁻ᵀ
    for (int j = 0; j < k; ++j) {
      H.col(k) -= H.col(j) * S(k, j);
      U.col(k) -= U.col(j) * S(k, j);
    }
    H.col(k) *= S(k, k);
    U.col(k) *= S(k, k);
  }
  L.S.topLeftCorner<n, n>() = S;
  L.Hs.leftCols<n>() = H;
  L.U.leftCols<n>() = U;

  const EliminationOrder::Neighbour* N = order_.neighbours().data() + step.first;
  const int* pair_block = order_.pair_blocks().data() + step.first_pair;
  Matrix6 product;
  Few CH, CH_b;                           // transposed: Cᵀ H
  for (int a = 0; a < step.count; ++a) {  // (4)
    CH.noalias() = blocks_[at(N[a].block)].transpose() * H;
    links_[at(N[a].link)].IA.noalias() -= CH * CH.transpose();
    for (int b = a + 1; b < step.count; ++b) {
      CH_b.noalias() = blocks_[at(N[b].block)].transpose() * H;
      blocks_[at(*pair_block++)].noalias() -= CH * CH_b.transpose();
    }
  }
  if (L.parent < 0) return true;
  LinkData& P = links_[at(L.parent)];
  product = L.IA;
  product.noalias() -= U * U.transpose();
  if (L.shifted) shift_inertia(product, L.r);
  P.IA += product;                        // (5)
  for (int a = 0; a < step.count; ++a) {  // (6)
    const Matrix6& C = blocks_[at(N[a].block)];
    CH.noalias() = C.transpose() * H;
    product = C;
    product.noalias() -= U * CH.transpose();
    if (L.shifted) shift_rows(product, L.r);
    if (N[a].to_parent < 0) {
      P.IA += product + product.transpose();
    } else if (N[a].parent_goes_first) {
      blocks_[at(N[a].to_parent)] += product;
    } else {
      blocks_[at(N[a].to_parent)] += product.transpose();
    }
  }
  return true;
}

// (7), (8): from t_ and the links' b to delta_ and the links' dA.
void LoopElimination::sweep() {
  operations_ += operations_of_sweep_;
  for (const EliminationOrder::Step& step : order_.steps()) {
    with_freedoms(links_[at(step.link)].nv, [&](auto n) { sweep_inward<n>(step); });
  }
  for (auto it = order_.steps().rbegin(); it != order_.steps().rend(); ++it) {
    with_freedoms(links_[at(it->link)].nv, [&](auto n) { sweep_outward<n>(*it); });
  }
}

template <int n>
void LoopElimination::sweep_inward(const EliminationOrder::Step& step) {
  using Vector = Eigen::Matrix<double, n, 1>;
  LinkData& L = links_[at(step.link)];
  Vector u = Eigen::Map<const Vector>(t_.data() + L.v);
  for (int k = 0; k < n; ++k) {
    for (int j = 0; j < k; ++j) u(k) -= L.S(k, j) * u(j);
    u(k) *= L.S(k, k);
  }
  u.noalias() -= L.Hs.leftCols<n>().transpose() * L.b;
  L.u.head<n>() = u;
  const Vector6 w = L.Hs.leftCols<n>() * u;
  const EliminationOrder::Neighbour* N = order_.neighbours().data() + step.first;
  for (int a = 0; a < step.count; ++a) links_[at(N[a].link)].b.noalias() += blocks_[at(N[a].block)].transpose() * w;
  if (L.parent < 0) return;
  Vector6 F = L.b;
  F.noalias() += L.U.leftCols<n>() * u;  // IA w
  links_[at(L.parent)].b += to_parent(L, F);
}

template <int n>
void LoopElimination::sweep_outward(const EliminationOrder::Step& step) {
  using Vector = Eigen::Matrix<double, n, 1>;
  LinkData& L = links_[at(step.link)];
  const Vector6 A_P = L.parent < 0 ? Vector6(Vector6::Zero()) : from_parent(L, links_[at(L.parent)].dA);
  Vector6 coupled = Vector6::Zero();
  const EliminationOrder::Neighbour* N = order_.neighbours().data() + step.first;
  for (int a = 0; a < step.count; ++a) coupled.noalias() += blocks_[at(N[a].block)] * links_[at(N[a].link)].dA;
  Vector delta = L.u.head<n>();
  delta.noalias() -= L.U.leftCols<n>().transpose() * A_P;
  delta.noalias() -= L.Hs.leftCols<n>().transpose() * coupled;
  L.dA = A_P;
  L.dA.noalias() += L.Hs.leftCols<n>() * delta;
  for (int k = n - 1; k >= 0; --k) {
    delta(k) *= L.S(k, k);
    for (int j = 0; j < k; ++j) delta(j) -= L.S(k, j) * delta(k);
  }
  Eigen::Map<Vector>(delta_.data() + L.v) = delta;
}

double LoopElimination::rate_of(const RowData& row, Vector6 LinkData::*motion) const {
  double rate = 0;
  for (int s = row.first; s < row.first + row.count; ++s) {
    rate += slots_[at(s)].K.dot(links_[at(slots_[at(s)].link)].*motion);
  }
  return rate;
}

// Joints of a link may accelerate against each other by far more than the link, and forces of links far out cancel on the way to the base.
// Then residuals can be had to the last digits of what cancels.
LoopElimination::Terms LoopElimination::terms_before_they_cancel(bool with_bias, std::span<const double> a,
                                                                 std::span<const double> y) {
  Terms out;
  for (LinkData& L : links_) {  // parents first
    L.turn = L.parent < 0 ? 0 : links_[at(L.parent)].turn;
    L.travel = L.parent < 0 ? 0 : links_[at(L.parent)].travel + (L.shifted ? L.turn * norm(L.r) : 0.0);
    for (int k = 0; k < L.nv; ++k) {
      const double size = std::abs(a[at(L.v + k)]);
      L.turn = std::max(L.turn, size * L.H.col(k).head<3>().norm());
      L.travel = std::max(L.travel, size * L.H.col(k).tail<3>().norm());
    }
    const double moment = L.mass * norm(L.com);
    L.u(0) = L.I.topLeftCorner<3, 3>().trace() * L.turn + moment * L.travel;  // u is free between sweeps
    L.u(1) = moment * L.turn + L.mass * L.travel;
    if (with_bias) L.u(0) += L.p.head<3>().norm(), L.u(1) += L.p.tail<3>().norm();
  }
  for (int r = 0; r < phi_rows_; ++r) {
    const RowData& R = rows_[at(r)];
    double rate = 0;
    for (int s = R.first; s < R.first + R.count && R.active; ++s) {
      const Slot& slot = slots_[at(s)];
      LinkData& L = links_[at(slot.link)];
      rate += slot.turn * L.turn + slot.travel * L.travel;
      L.u(0) += slot.turn * std::abs(y[at(r)]);
      L.u(1) += slot.travel * std::abs(y[at(r)]);
    }
    out.rate = std::max(out.rate, rate * R.scale);
  }
  for (std::size_t l = links_.size(); l-- > 0;) {
    const LinkData& L = links_[l];
    for (int k = 0; k < L.nv; ++k) {
      out.force = std::max(out.force, L.H.col(k).head<3>().norm() * L.u(0) + L.H.col(k).tail<3>().norm() * L.u(1));
    }
    if (L.parent < 0) continue;
    LinkData& P = links_[at(L.parent)];
    P.u(0) += L.u(0) + (L.shifted ? norm(L.r) * L.u(1) : 0.0);
    P.u(1) += L.u(1);
  }
  return out;
}

// r₁ into t_, r₂ into rates_, at the accelerations `a` of joints and A of links.
LoopElimination::Residuals LoopElimination::find_residuals(std::span<const double> tau, bool with_bias,
                                                           std::span<const double> d, std::span<const double> a,
                                                           std::span<const double> y) {
  Residuals out;
  for (LinkData& L : links_) {  // forces that links need
    const Vector6 inertial = L.I * L.A;
    L.turn = L.A.head<3>().norm(), L.travel = L.A.tail<3>().norm();
    L.b = with_bias ? Vector6(L.p + inertial) : inertial;
    // In free fall they cancel, and what is left is the round-off of both.
    for (int k = 0; k < L.nv; ++k) {
      const double weight = with_bias ? L.H.col(k).cwiseAbs().dot(L.p.cwiseAbs()) : 0.0;
      out.load = std::max(out.load, weight + L.H.col(k).cwiseAbs().dot(inertial.cwiseAbs()));
    }
  }
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const RowData& R = rows_[r];
    const bool is_phi = static_cast<int>(r) < phi_rows_;
    if (is_phi ? !R.active : R.rho == 0) continue;
    const double rate = rate_of(R, &LinkData::A);
    double force = R.rho * rate;  // of a rotor
    if (is_phi) {
      double of_links = 0;
      for (int s = R.first; s < R.first + R.count; ++s) {
        // By lengths, not by components: axes are known to round-off, and a row that holds nothing consists of it.
        const Slot& slot = slots_[at(s)];
        const LinkData& L = links_[at(slot.link)];
        of_links += slot.turn * L.turn + slot.travel * L.travel;
      }
      rates_[r] = d[r] - rate;
      const double gap = std::abs(rates_[r]) * R.scale;
      if (gap > out.r2 || out.worst_row < 0) out.r2 = gap, out.worst_row = static_cast<int>(r);
      out.rate_size = std::max(out.rate_size, (std::abs(d[r]) + of_links) * R.scale);
      out.row_force = std::max(out.row_force, std::abs(y[r]) / R.scale);
      out.row_force_missing = std::max(out.row_force_missing, std::abs(rates_[r]) * R.rho / stiffness_ / R.scale);
      force = y[r];
    }
    for (int s = R.first; s < R.first + R.count; ++s) links_[at(slots_[at(s)].link)].b += slots_[at(s)].K * force;
  }
  out.force_size = out.load;
  // Tip to base in the order of links: parents come before children.
  for (std::size_t l = links_.size(); l-- > 0;) {
    LinkData& L = links_[l];
    for (int k = 0; k < L.nv; ++k) {
      out.load = std::max(out.load, std::abs(tau[at(L.v + k)]));
      if (L.any_held && L.held[at(k)]) {
        t_[at(L.v + k)] = 0;
        continue;
      }
      const double needed = L.H.col(k).dot(L.b) + L.rotor(k) * a[at(L.v + k)];
      const double terms = L.H.col(k).cwiseAbs().dot(L.b.cwiseAbs()) + std::abs(tau[at(L.v + k)]);
      t_[at(L.v + k)] = tau[at(L.v + k)] - needed;
      out.force_size = std::max(out.force_size, terms);
      out.r1 = std::max(out.r1, std::abs(t_[at(L.v + k)]));
    }
    if (L.parent >= 0) links_[at(L.parent)].b += to_parent(L, L.b);
  }
  return out;
}

// (9): from t_ and rates_ to the step of joints, delta_, and of multipliers, delta_y_.
void LoopElimination::find_step() {
  for (LinkData& L : links_) L.b.setZero();
  for (int r = 0; r < phi_rows_; ++r) {
    const RowData& R = rows_[at(r)];
    if (!R.active) continue;
    const double force = R.rho * rates_[at(r)];
    for (int s = R.first; s < R.first + R.count; ++s) links_[at(slots_[at(s)].link)].b -= slots_[at(s)].K * force;
  }
  sweep();
  for (int r = 0; r < phi_rows_; ++r) {
    const RowData& R = rows_[at(r)];
    delta_y_[at(r)] = R.active ? -R.rho * (rates_[at(r)] - rate_of(R, &LinkData::dA)) : 0;
  }
}

// (10): delta_ and delta_y_ become the step s that is taken.
void LoopElimination::lengthen_step(bool plain) {
  double size = 0, size_before = 0, change = 0, along = 0;
  for (int r = 0; r < phi_rows_; ++r) {
    const RowData& R = rows_[at(r)];
    if (!R.active || R.rho == 0) continue;
    const double f = delta_y_[at(r)], before = plain_y_[at(r)];
    size += f * f / R.rho;
    size_before += before * before / R.rho;
    change += (f - before) * (f - before) / R.rho;
    along += f * (f - before) / R.rho;
  }
  const bool creeps = !plain && size > creeping * creeping * size_before && size < size_before;
  const double beta = creeps ? along / change : 0;
  const auto lengthen = [beta](std::vector<double>& step, std::vector<double>& before, std::vector<double>& taken) {
    for (std::size_t k = 0; k < step.size(); ++k) {
      const double f = step[k];
      if (beta != 0) step[k] -= beta * (taken[k] + f - before[k]);
      before[k] = f;
      taken[k] = step[k];
    }
  };
  lengthen(delta_, plain_a_, taken_a_);
  lengthen(delta_y_, plain_y_, taken_y_);
}

void LoopElimination::forces_of_held(std::span<const double> a, std::span<double> forces) const {
  for (const HeldFreedom& h : held_) {
    const LinkData& L = links_[at(h.link)];
    forces[at(L.v + h.k)] = h.H.dot(L.b) + L.rotor(h.k) * a[at(L.v + h.k)];
  }
}

LoopElimination::Outcome LoopElimination::solve(std::span<const double> tau, bool with_bias, std::span<const double> d,
                                                std::span<double> a, std::span<double> y, Wanted wanted) {
  Outcome outcome;
  std::fill(a.begin(), a.end(), 0.0);
  std::fill(y.begin(), y.end(), 0.0);
  for (LinkData& L : links_) L.A.setZero();  // dA of `a` so far
  double least_r1 = infinity, least_r2 = infinity;
  const auto share = [](double part, double whole) { return part == 0 ? 0 : part / whole; };
  for (int stalled = 0;; ++outcome.iterations) {
    const Residuals x = find_residuals(tau, with_bias, d, a, y);
    outcome.residual = x.r2;
    outcome.worst_row = x.worst_row;
    const double e1 = share(x.r1, x.force_size), e2 = share(x.r2, x.rate_size);
    if (!std::isfinite(e1) || !std::isfinite(e2)) return outcome;
    // Where nothing accelerates, rates are round-off of nothing; there they are judged by the forces that they would take.
    const bool answers = x.row_force <= no_answer * x.load;
    const double of_force = answers ? share(x.row_force_missing, x.row_force) : infinity;
    if (outcome.iterations > 0) {
      bool balances = e1 <= tolerance, fits = e2 <= tolerance || of_force <= no_force;
      if (e1 <= maybe_round_off && e2 <= maybe_round_off && !(balances && fits)) {
        const Terms terms = terms_before_they_cancel(with_bias, a, y);
        balances = balances || x.r1 <= last_digits * terms.force;
        fits = fits || x.r2 <= last_digits * terms.rate;
      }
      const bool is_step =
          wanted == Wanted::step && (balances || e1 <= balanced) && (e2 <= near || !(x.r2 < 0.5 * least_r2));
      if (is_step || (balances && fits && answers)) {
        outcome.converged = true;
        return outcome;
      }
      if (!answers) return outcome;
      const bool falls = (e1 > tolerance && x.r1 < 0.5 * least_r1) || (e2 > tolerance && x.r2 < 0.5 * least_r2);
      stalled = falls ? 0 : stalled + 1;
      if (stalled >= (stiffness_ < stiff ? 10 : 2) ||
          outcome.iterations == (stiffness_ < stiff ? max_soft_iterations : max_iterations)) {
        outcome.converged =
            (balances || e1 <= good_enough) && (fits || e2 <= good_enough || of_force <= 100 * no_force);
        return outcome;
      }
      least_r1 = std::min(least_r1, x.r1);
      least_r2 = std::min(least_r2, x.r2);
    }
    find_step();
    lengthen_step(outcome.iterations == 0 || e2 <= good_enough);
    for (std::size_t k = 0; k < a.size(); ++k) a[k] += delta_[k];
    for (std::size_t r = 0; r < y.size(); ++r) y[r] += delta_y_[r];
    for (LinkData& L : links_) {  // parents first
      L.A = L.parent < 0 ? Vector6(Vector6::Zero()) : from_parent(L, links_[at(L.parent)].A);
      L.A.noalias() += L.H.leftCols(L.nv) * Eigen::Map<const Eigen::VectorXd>(a.data() + L.v, L.nv);
    }
  }
}

}  // namespace trammel
