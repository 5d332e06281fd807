// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Loops inside a chain, reduced within it. A block is a part of a chain in which joints close loops among its links: between an entry link
// (towards the support) and an exit link (towards the tip). Its joints that make a tree from the entry on have freedoms y; each of the
// others closes a loop, with φᶜ the forces it transmits:
//   δA_b = δA_entry + Σ (c + H y)  on the way to b,      φᶜᵀ (δA_second − δA_first − c) = 0      ⇒     G y = g                    (1)
//   y = y_p + N z                                         by elimination with full pivoting: rows that follow from others drop out   (2)
//   δA_b = δA_entry + c_b + H_b z,    H_b = Σ H N,   c_b = Σ (c + H y_p)                                                             (3)
// So the block is one joint with freedoms z between entry and exit, on which several bodies ride:
//   U = Σ I_b H_b,   D = Σ H_bᵀ I_b H_b + Nᵀ J N,   u = Nᵀ (τ − J y_p) − Σ H_bᵀ (p_b + I_b c_b)       J: rotors
//   Ia = Σ I_b − U D⁻¹ Uᵀ,   pa = Σ (p_b + I_b c_b) + U D⁻¹ u                                                                        (4)
// the steps of the algorithm remain what they are, with H of the exit. All at the exit's point O.     [the idea of embedding
// constraints: Jain, "Robot and Multibody Dynamics", 2011]

#include <cstdint>

#include "dynamics/articulated_body.hpp"
#include "dynamics/lilly_orin/closures.hpp"

namespace trammel {

// Entries of G are made dimensionless by a length; below this, over the largest and over 1, a pivot is nothing.
inline constexpr double weak_block_pivot = 1e-10;

template <class T>
struct BlockState {
  Motion<T>* H = nullptr;     // per freedom y, in the direction away from the entry
  Motion<T>* bias = nullptr;  // per link: c of the joint that carries it in the block
  Motion<T>* c = nullptr;     // per link: c_b
  Motion<T>* H_b = nullptr;   // per link and freedom z
  Force<T>* U = nullptr;      // per freedom z
  T* G = nullptr;             // rows of (1) with their right sides, then those of (2)
  T *N = nullptr, *y_p = nullptr, *y = nullptr;
  T *u = nullptr, *scale = nullptr;  // per freedom z
  T* HE = nullptr;                   // per row of the tip and freedom z
  double* least = nullptr;           // per freedom z: a motion smaller than this, squared, is round-off
  std::int64_t* pivot = nullptr;     // per freedom y: its row in (2), or −1: it is one of z
  std::int64_t z_count = 0;
  double conditioning = 1;  // the least pivot over the first
  double residual = 0;      // of rows that should follow from others
};

template <class T, class Carver>
BlockState<T> carve_block(const BlockPlan& block, Carver& carver) {
  const int n = block.freedom_count, links = static_cast<int>(block.links.size());
  BlockState<T> s;
  s.H = carver.template take<Motion<T>>(n);
  s.bias = carver.template take<Motion<T>>(links);
  s.c = carver.template take<Motion<T>>(links);
  s.H_b = carver.template take<Motion<T>>(links * n);
  s.U = carver.template take<Force<T>>(n);
  s.G = carver.template take<T>(block.row_count * (n + 1));
  s.N = carver.template take<T>(n * n);
  s.y_p = carver.template take<T>(n);
  s.y = carver.template take<T>(n);
  s.u = carver.template take<T>(n);
  s.scale = carver.template take<T>(n);
  s.HE = carver.template take<T>(6 * n);
  s.least = carver.template take<double>(n);
  s.pivot = carver.template take<std::int64_t>(n);
  return s;
}

// The size of a column as a velocity, squared: for judging ranks, so not with counted numbers.
template <class T>
double squared_size(const Motion<T>& H, double length) {
  if constexpr (!std::is_same_v<T, Counted>) {
    return value_of(dot(H.w, H.w)) * length * length + value_of(dot(H.v, H.v));
  }
  double w = 0, v = 0;
  for (const T& component : components(H.w)) w += value_of(component) * value_of(component);
  for (const T& component : components(H.v)) v += value_of(component) * value_of(component);
  return w * length * length + v;
}

// --- (1) ------------------------------------------------------------------------------------------------------------

template <class T>
void place_block_joints(const Tree& tree, const Arrays<T>& ws, const StarPlan& plan, const BlockPlan& block,
                        BlockState<T>& s) {
  const int at = block.exit();
  for (std::size_t i = 0; i < block.links.size(); ++i) {
    const ChainLink& step = block.links[i];
    Motion<T>* H = &s.H[static_cast<std::size_t>(step.freedom)];
    s.bias[i] = {};
    if (step.closure >= 0) {
      const Closed<T> closed = close_joint(tree, ws, plan.closures[step.closure], at, Wanted::basis);
      for (int k = 0; k < step.nv; ++k) H[k] = step.second_is_here ? closed.H[k] : -closed.H[k];
      s.bias[i] = step.second_is_here ? closed.c : -closed.c;
      continue;
    }
    const int carried = tree.link_of_dof[step.dof];
    for (int k = 0; k < step.nv; ++k) {
      H[k] = at_point_of(tree, ws, ws.freedoms[step.dof + k].H, carried, at);
      if (step.against) H[k] = -H[k];
    }
  }
}

// Returns how many rows there are.
template <class T>
int place_block_rows(const Tree& tree, const Arrays<T>& ws, const StarPlan& plan, const BlockPlan& block,
                     BlockState<T>& s) {
  const int n = block.freedom_count, width = n + 1;
  int rows = 0;
  for (const BlockClosing& closing : block.closings) {
    const ClosurePlan& closure = plan.closures[closing.closure];
    const Closed<T> closed = close_joint(tree, ws, closure, block.exit(), Wanted::constraint);
    std::array<Force<T>, 6> C;
    int count = 0;
    if (closure.space.constant) {
      count = place_forces(closure.space.forces, closed.X_OM, C.data());
    } else {
      std::array<Motion<T>, 6> H;
      for (int k = 0; k < closed.nv; ++k) H[k] = shift(closed.H[k], closed.X_OM.p);
      count = find_workless_forces(H.data(), closed.nv, C.data());
      for (int j = 0; j < count; ++j) C[j] = shift(C[j], -closed.X_OM.p);
    }
    for (int j = 0; j < count; ++j) {
      T* row = &s.G[static_cast<std::size_t>(rows++ * width)];
      std::fill(row, row + width, T(0));
      row[n] = dot(closed.c, C[j]);
      for (const BlockClosing::Passed& passed : closing.path) {
        const ChainLink& step = block.links[static_cast<std::size_t>(passed.link)];
        const Force<T> along = passed.towards_second ? C[j] : -C[j];
        for (int k = step.freedom; k < step.freedom + step.nv; ++k)
          row[k] += dot(s.H[static_cast<std::size_t>(k)], along);
        if (step.closure >= 0) row[n] -= dot(s.bias[static_cast<std::size_t>(passed.link)], along);
      }
      // Moments of a tip become forces at the characteristic length: turns and travels then count alike.
      const double size = squared_size(Motion<T>{C[j].n, C[j].f}, 1 / plan.length);
      const T even = T(1 / std::sqrt(size));
      for (int k = 0; k < width; ++k) row[k] = row[k] * even;
    }
  }
  return rows;
}

// --- (2) ------------------------------------------------------------------------------------------------------------

template <class T>
void reduce_block(const StarPlan& plan, const BlockPlan& block, int rows, BlockState<T>& s) {
  const int n = block.freedom_count, width = n + 1;
  const auto at = [&](int r, int k) -> T& { return s.G[static_cast<std::size_t>(r * width + k)]; };
  // A freedom that turns moves things by the length.
  const auto size_of = [&](int r, int k) {
    return std::abs(value_of(at(r, k))) / std::sqrt(squared_size(s.H[static_cast<std::size_t>(k)], plan.length));
  };
  std::fill(s.pivot, s.pivot + n, -1);
  s.conditioning = 1;
  int rank = 0;
  double first = 0;
  for (; rank < std::min(rows, n); ++rank) {
    int row = -1, column = -1;
    double largest = 0;
    for (int r = rank; r < rows; ++r) {
      for (int k = 0; k < n; ++k) {
        if (s.pivot[static_cast<std::size_t>(k)] >= 0 || !(size_of(r, k) > largest)) continue;
        largest = size_of(r, k), row = r, column = k;
      }
    }
    if (rank == 0) first = largest;
    // Rows and freedoms have length 1 here: where all rows follow from the rest of the joints, the first pivot is round-off already.
    if (row < 0 || largest <= weak_block_pivot * std::max(first, 1.0)) break;
    s.conditioning = largest / first;
    if (row != rank) std::swap_ranges(&at(row, 0), &at(row, 0) + width, &at(rank, 0));
    s.pivot[static_cast<std::size_t>(column)] = rank;
    const T inverse = T(1) / at(rank, column);
    for (int k = 0; k < width; ++k) {
      if (k == n || s.pivot[static_cast<std::size_t>(k)] < 0) at(rank, k) *= inverse;
    }
    for (int r = 0; r < rows; ++r) {
      if (r == rank) continue;
      const T factor = at(r, column);
      for (int k = 0; k < width; ++k) {
        if (k == n || s.pivot[static_cast<std::size_t>(k)] < 0) at(r, k) -= at(rank, k) * factor;
      }
    }
  }
  s.residual = 0;
  for (int r = rank; r < rows; ++r) s.residual = std::max(s.residual, std::abs(value_of(at(r, n))));
  s.z_count = 0;
  for (int k = 0; k < n; ++k) s.z_count += s.pivot[static_cast<std::size_t>(k)] < 0 ? 1 : 0;
  int z = 0;
  for (int k = 0; k < n; ++k) {
    const int row = static_cast<int>(s.pivot[k]);
    T* of_k = &s.N[static_cast<std::size_t>(k * n)];
    std::fill(of_k, of_k + s.z_count, T(0));
    s.y_p[static_cast<std::size_t>(k)] = row < 0 ? T(0) : at(row, n);
    if (row < 0) {
      of_k[z++] = T(1);
      continue;
    }
    for (int other = 0, column = 0; other < n; ++other) {
      if (s.pivot[static_cast<std::size_t>(other)] < 0) of_k[column++] = -at(row, other);
    }
  }
}

// --- (3) ------------------------------------------------------------------------------------------------------------

// How far each z moves the joints, squared; what is but round-off of that is no motion, or it would be taken for one by what judges by
// sizes alone.
template <class T>
void measure_block_motions(const StarPlan& plan, const BlockPlan& block, BlockState<T>& s) {
  const int n = block.freedom_count;
  const auto size_of = [&](int k, int z) {
    const double share = value_of(s.N[static_cast<std::size_t>(k * n + z)]);
    return squared_size(s.H[static_cast<std::size_t>(k)], plan.length) * share * share;
  };
  for (int z = 0; z < s.z_count; ++z) {
    double all = 0;
    for (int k = 0; k < n; ++k) all += size_of(k, z);
    s.least[static_cast<std::size_t>(z)] = weak_block_pivot * weak_block_pivot * all;
    for (int k = 0; k < n; ++k) {
      if (size_of(k, z) <= s.least[static_cast<std::size_t>(z)]) s.N[static_cast<std::size_t>(k * n + z)] = T(0);
    }
  }
}

template <class T>
void place_block_bodies(const StarPlan& plan, const BlockPlan& block, BlockState<T>& s) {
  const int n = block.freedom_count;
  for (std::size_t i = 0; i < block.links.size(); ++i) {
    const ChainLink& step = block.links[i];
    const int parent = block.parent[i];
    Motion<T>* H_b = &s.H_b[i * static_cast<std::size_t>(n)];
    s.c[i] = parent < 0 ? s.bias[i] : s.c[static_cast<std::size_t>(parent)] + s.bias[i];
    for (int k = step.freedom; k < step.freedom + step.nv; ++k) {
      s.c[i] += s.H[static_cast<std::size_t>(k)] * s.y_p[static_cast<std::size_t>(k)];
    }
    for (int z = 0; z < s.z_count; ++z) {
      H_b[z] = parent < 0 ? Motion<T>{} : s.H_b[static_cast<std::size_t>(parent * n + z)];
      for (int k = step.freedom; k < step.freedom + step.nv; ++k) {
        H_b[z] += s.H[static_cast<std::size_t>(k)] * s.N[static_cast<std::size_t>(k * n + z)];
      }
      if (squared_size(H_b[z], plan.length) <= s.least[static_cast<std::size_t>(z)]) H_b[z] = {};
    }
  }
}

// --- D = L Δ Lᵀ of a size that is known only now; as SmallFactor ---------------------------------------------------------

template <class T>
bool factor_square(T* D, int n, T* scale) {
  bool regular = true;
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < j; ++k) {
      const T scaled = D[n * j + k];
      D[n * j + k] = scaled * D[n * k + k];
      D[n * j + j] -= D[n * j + k] * scaled;
      scale[j] += D[n * j + k] * D[n * j + k] * scale[k];
      for (int i = j + 1; i < n; ++i) D[n * i + j] -= D[n * i + k] * D[n * j + k];
    }
    regular = regular && value_of(D[n * j + j]) > 1e-13 * value_of(scale[j]);
    D[n * j + j] = T(1) / D[n * j + j];
  }
  return regular;
}
template <class T, class X>
void solve_square(const T* D, int n, X* x) {
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < j; ++k) x[j] -= x[k] * D[n * j + k];
  }
  for (int j = n - 1; j >= 0; --j) {
    x[j] = x[j] * D[n * j + j];
    for (int i = j + 1; i < n; ++i) x[j] -= x[i] * D[n * i + j];
  }
}

template <class T, class X>
void solve_freedoms(const T* D, int n, ChainFreedom<T>* freedoms, X ChainFreedom<T>::*x) {
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < j; ++k) freedoms[j].*x -= freedoms[k].*x * D[n * j + k];
  }
  for (int j = n - 1; j >= 0; --j) {
    freedoms[j].*x = freedoms[j].*x * D[n * j + j];
    for (int i = j + 1; i < n; ++i) freedoms[j].*x -= freedoms[i].*x * D[n * i + j];
  }
}

}  // namespace trammel
