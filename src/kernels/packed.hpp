// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// A double whose 3-vectors lie in one SIMD register: the scalar that kernels take for a single state. A product of a
// matrix and a vector is then three instructions instead of nine. Forward dynamics of a chain took 90 ns a hinge where
// plain doubles took 140 (clang 14, x86-64-v3), whose registers run out so that every second instruction moves numbers
// from or to memory.
//
// Vec3, Mat3 and Sym3 are specialised here; the fourth number of a register is kept at zero. Symmetric matrices are kept
// whole. The compilers' own vector type serves all instruction-set levels; only the kernel library includes this header.

#include <algorithm>
#include <cstdint>
#include <utility>

#include <trammel/spatial/inertia.hpp>

#include "kernels/pack.hpp"

namespace trammel {

struct Packed {
  struct Strip;  // numbers of the mass matrix

  double value = 0;

  Packed() = default;
  Packed(double v) : value(v) {}  // NOLINT(google-explicit-constructor): a number is a number
  explicit Packed(int v) : value(v) {}

  Packed& operator+=(const Packed& b) { return value += b.value, *this; }
  Packed& operator-=(const Packed& b) { return value -= b.value, *this; }
  Packed& operator*=(const Packed& b) { return value *= b.value, *this; }

  friend Packed operator-(const Packed& a) { return -a.value; }
  friend Packed operator+(const Packed& a, const Packed& b) { return a.value + b.value; }
  friend Packed operator-(const Packed& a, const Packed& b) { return a.value - b.value; }
  friend Packed operator*(const Packed& a, const Packed& b) { return a.value * b.value; }
  friend Packed operator/(const Packed& a, const Packed& b) { return a.value / b.value; }
  friend bool operator<(const Packed& a, const Packed& b) { return a.value < b.value; }
  friend bool operator>(const Packed& a, const Packed& b) { return a.value > b.value; }
};

inline Packed select(bool condition, const Packed& if_true, const Packed& if_false) {
  return condition ? if_true : if_false;
}
inline bool is_zero(const Packed& x) { return x.value == 0; }
inline double value_of(const Packed& x) { return x.value; }
inline Packed sqrt(const Packed& x) { return std::sqrt(x.value); }
inline Packed abs(const Packed& x) { return std::abs(x.value); }
inline SinCos<Packed> sin_cos(const Packed& x) {
  const auto [s, c] = fast_sin_cos(x.value);
  return {s, c};
}

template <>
struct Vec3<Packed> {
  // NOLINTNEXTLINE(modernize-use-using): g++ takes these attributes in a typedef
  typedef double Register __attribute__((vector_size(4 * sizeof(double))));
  // NOLINTNEXTLINE(modernize-use-using): g++ takes these attributes in a typedef
  typedef std::int64_t Order __attribute__((vector_size(4 * sizeof(double))));

  Register r;

  Vec3() : r{} {}
  Vec3(const Packed& x, const Packed& y, const Packed& z) : r{x.value, y.value, z.value, 0} {}
  explicit Vec3(const Register& all) : r(all) {}

  static Vec3 from(const Vec3<double>& o) { return {o.x, o.y, o.z}; }

  Vec3& operator+=(const Vec3& b) { return r += b.r, *this; }
  Vec3& operator-=(const Vec3& b) { return r -= b.r, *this; }
  friend Vec3 operator-(const Vec3& a) { return Vec3(-a.r); }
  friend Vec3 operator+(const Vec3& a, const Vec3& b) { return Vec3(a.r + b.r); }
  friend Vec3 operator-(const Vec3& a, const Vec3& b) { return Vec3(a.r - b.r); }
  friend Vec3 operator*(const Vec3& a, const Packed& s) { return Vec3(a.r * s.value); }
  friend Vec3 operator*(const Packed& s, const Vec3& a) { return Vec3(a.r * s.value); }
};

using PackedRegister = Vec3<Packed>::Register;

// Registers go by value into these: an element taken from a member of a struct would keep the struct in memory.
template <int i>
double at(PackedRegister a) {
  return a[i];
}
template <int i>
PackedRegister all_of_them(PackedRegister a) {
#if defined(__clang__)
  return __builtin_shufflevector(a, a, i, i, i, i);
#else
  return __builtin_shuffle(a, Vec3<Packed>::Order{i, i, i, i});
#endif
}
// (y, z, x)
inline PackedRegister turned_once(PackedRegister a) {
#if defined(__clang__)
  return __builtin_shufflevector(a, a, 1, 2, 0, 3);
#else
  return __builtin_shuffle(a, Vec3<Packed>::Order{1, 2, 0, 3});
#endif
}
inline Packed sum_of_three(PackedRegister a) { return (at<0>(a) + at<1>(a)) + at<2>(a); }

inline Vec3<Packed> cross(const Vec3<Packed>& a, const Vec3<Packed>& b) {
  return Vec3<Packed>(turned_once(a.r * turned_once(b.r) - turned_once(a.r) * b.r));
}
inline Packed dot(const Vec3<Packed>& a, const Vec3<Packed>& b) { return sum_of_three(a.r * b.r); }
inline Packed dot(const Motion<Packed>& V, const Force<Packed>& F) {
  return sum_of_three(V.w.r * F.n.r + V.v.r * F.f.r);
}
inline Packed plus_dot(const Packed& c, const Motion<Packed>& V, const Force<Packed>& F) { return c + dot(V, F); }
inline std::array<Packed, 3> components(const Vec3<Packed>& a) { return {at<0>(a.r), at<1>(a.r), at<2>(a.r)}; }

// A x with the columns of A.
inline Vec3<Packed> combine(const Vec3<Packed>& ex, const Vec3<Packed>& ey, const Vec3<Packed>& ez,
                            const Vec3<Packed>& x) {
  return Vec3<Packed>(ex.r * all_of_them<0>(x.r) + ey.r * all_of_them<1>(x.r) + ez.r * all_of_them<2>(x.r));
}

// Four columns i and one to four rows k of the mass matrix, H_i·F_k, for composite_body.hpp.
template <int rows>
struct PackedStrip {
  // NOLINTNEXTLINE(modernize-use-using): g++ takes these attributes in a typedef
  typedef double Loose __attribute__((vector_size(4 * sizeof(double)), aligned(sizeof(double)), may_alias));

  PackedRegister row[rows];

  // rows_of_H: the first of the columns; its six components lie n numbers apart.
  static PackedStrip products(const Packed* rows_of_H, std::size_t n, const std::array<Force<Packed>, rows>& F) {
    const auto h = [&](std::size_t c) -> PackedRegister { return *reinterpret_cast<const Loose*>(rows_of_H + c * n); };
    const PackedRegister h0 = h(0), h1 = h(1), h2 = h(2), h3 = h(3), h4 = h(4), h5 = h(5);
    PackedStrip strip;
    for (int r = 0; r < rows; ++r) {
      const PackedRegister w = F[static_cast<std::size_t>(r)].n.r, v = F[static_cast<std::size_t>(r)].f.r;
      strip.row[r] = (h0 * all_of_them<0>(w) + h1 * all_of_them<1>(w) + h2 * all_of_them<2>(w)) +
                     (h3 * all_of_them<0>(v) + h4 * all_of_them<1>(v) + h5 * all_of_them<2>(v));
    }
    return strip;
  }
  // Rows are n numbers apart.
  void store(Packed* to, std::size_t n) const {
    for (std::size_t r = 0; r < rows; ++r) *reinterpret_cast<Loose*>(to + r * n) = row[r];
  }
  void store_transposed(Packed* to, std::size_t n) const {
    if constexpr (rows == 4) {
      transposed().store(to, n);
    } else {
      for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t i = 0; i < 4; ++i) to[i * n + r] = row[r][i];
      }
    }
  }
  PackedStrip transposed() const {
    static_assert(rows == 4);
    const PackedRegister ab_low = pick<0, 4, 2, 6>(row[0], row[1]), ab_high = pick<1, 5, 3, 7>(row[0], row[1]);
    const PackedRegister cd_low = pick<0, 4, 2, 6>(row[2], row[3]), cd_high = pick<1, 5, 3, 7>(row[2], row[3]);
    return {pick<0, 1, 4, 5>(ab_low, cd_low), pick<0, 1, 4, 5>(ab_high, cd_high), pick<2, 3, 6, 7>(ab_low, cd_low),
            pick<2, 3, 6, 7>(ab_high, cd_high)};
  }
  // What is above the diagonal taken from below.
  PackedStrip lower_half_mirrored() const {
    const PackedStrip t = transposed();
    return {pick<0, 5, 6, 7>(row[0], t.row[0]), pick<0, 1, 6, 7>(row[1], t.row[1]), pick<0, 1, 2, 7>(row[2], t.row[2]),
            row[3]};
  }

 private:
  template <int i, int j, int k, int l>
  static PackedRegister pick(PackedRegister a, PackedRegister b) {
#if defined(__clang__)
    return __builtin_shufflevector(a, b, i, j, k, l);
#else
    return __builtin_shuffle(a, b, Vec3<Packed>::Order{i, j, k, l});
#endif
  }
};
struct Packed::Strip {
  template <std::size_t rows>
  static auto products(const Packed* rows_of_H, std::size_t n, const std::array<Force<Packed>, rows>& F) {
    return PackedStrip<static_cast<int>(rows)>::products(rows_of_H, n, F);
  }
};

// As many numbers of a row as the registers of the level hold, but at least four, since Packed has vectors of four.
template <>
struct Pack<Packed> {
#if defined(__AVX512F__)
  static constexpr int width = 8;
#else
  static constexpr int width = 4;
#endif
  // NOLINTNEXTLINE(modernize-use-using): g++ takes these attributes in a typedef
  typedef double Register __attribute__((vector_size(width * sizeof(double))));
  // NOLINTNEXTLINE(modernize-use-using): g++ takes these attributes in a typedef
  typedef double Loose __attribute__((vector_size(width * sizeof(double)), aligned(sizeof(double)), may_alias));
  // NOLINTNEXTLINE(modernize-use-using): g++ takes these attributes in a typedef
  typedef std::int64_t Bits __attribute__((vector_size(width * sizeof(double))));

  Register r;

  static Pack load(const Packed* from) { return {*reinterpret_cast<const Loose*>(from)}; }
  static Pack all(const Packed& x) { return {x.value - Register{}}; }
  void store(Packed* to) const { *reinterpret_cast<Loose*>(to) = r; }
  // The first of them.
  void store(Packed* to, int count) const {
    if (count == width) return store(to);
    const auto store_one = [&]<int w>(std::integral_constant<int, w>) {
      if (w < count) to[w] = r[w];
    };
    [&]<int... w>(std::integer_sequence<int, w...>) { (store_one(std::integral_constant<int, w>{}), ...); }
    (std::make_integer_sequence<int, width>{});
  }

  Pack& operator+=(const Pack& b) { return r += b.r, *this; }
  Pack& operator-=(const Pack& b) { return r -= b.r, *this; }
  friend Pack operator+(const Pack& a, const Pack& b) { return {a.r + b.r}; }
  friend Pack operator*(const Pack& a, const Packed& s) { return {a.r * s.value}; }

  struct Mask {
    Bits bits;

    friend Mask operator&(Mask a, Mask b) { return {a.bits & b.bits}; }
  };
  struct Places {
    Register places;  // as doubles, which all levels compare

    static Places load(const double* from) { return {*reinterpret_cast<const Loose*>(from)}; }
    static Places counted_from(int first) {
      Places counted;
      for (int w = 0; w < width; ++w) counted.places[w] = first + w;
      return counted;
    }
    friend Mask operator>(Places a, int b) { return {a.places > (b - Register{})}; }
    friend Mask operator<(Places a, int b) { return {a.places < (b - Register{})}; }
  };
  Pack only(Mask mask) const { return {mask.bits ? r : Register{}}; }

  // Four vectors at a time; the last one stands for those beyond.
  template <class F>
  static void put_components(Packed (*rows)[width], int count, F&& vector) {
    for (int first = 0; first < width; first += 4) {
      const auto at = [&](int w) { return vector(std::min(first + w, count - 1)).r; };
      const PackedStrip<4> four = PackedStrip<4>{{at(0), at(1), at(2), at(3)}}.transposed();
      for (int c = 0; c < 3; ++c) *reinterpret_cast<PackedStrip<4>::Loose*>(rows[c] + first) = four.row[c];
    }
  }
};

template <>
struct Mat3<Packed> {
  Vec3<Packed> ex, ey, ez;

  static Mat3 from(const Mat3<double>& o) {
    return {Vec3<Packed>::from(o.ex), Vec3<Packed>::from(o.ey), Vec3<Packed>::from(o.ez)};
  }
  static Mat3 identity() { return {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}; }

  Mat3& operator+=(const Mat3& b) { return *this = *this + b; }
  friend Mat3 operator+(const Mat3& a, const Mat3& b) { return {a.ex + b.ex, a.ey + b.ey, a.ez + b.ez}; }
  friend Mat3 operator-(const Mat3& a, const Mat3& b) { return {a.ex - b.ex, a.ey - b.ey, a.ez - b.ez}; }
  friend Mat3 operator*(const Mat3& a, const Packed& s) { return {a.ex * s, a.ey * s, a.ez * s}; }
  friend Vec3<Packed> operator*(const Mat3& a, const Vec3<Packed>& v) { return combine(a.ex, a.ey, a.ez, v); }
  friend Mat3 operator*(const Mat3& a, const Mat3& b) { return {a * b.ex, a * b.ey, a * b.ez}; }
};

inline Mat3<Packed> transpose(const Mat3<Packed>& a) {
  return {{at<0>(a.ex.r), at<0>(a.ey.r), at<0>(a.ez.r)},
          {at<1>(a.ex.r), at<1>(a.ey.r), at<1>(a.ez.r)},
          {at<2>(a.ex.r), at<2>(a.ey.r), at<2>(a.ez.r)}};
}
inline Vec3<Packed> transpose_times(const Mat3<Packed>& a, const Vec3<Packed>& v) { return transpose(a) * v; }
inline Mat3<Packed> skew(const Vec3<Packed>& a) {
  return {{0, at<2>(a.r), -at<1>(a.r)}, {-at<2>(a.r), 0, at<0>(a.r)}, {at<1>(a.r), -at<0>(a.r), 0}};
}

template <>
struct Sym3<Packed> {
  Vec3<Packed> ex, ey, ez;  // columns, which are also the rows

  static Sym3 from(const Sym3<double>& o) { return {{o.xx, o.xy, o.xz}, {o.xy, o.yy, o.yz}, {o.xz, o.yz, o.zz}}; }
  static Sym3 of_entries(const Packed* e) { return {{e[0], e[3], e[4]}, {e[3], e[1], e[5]}, {e[4], e[5], e[2]}}; }
  static Sym3 diagonal(const Packed& d) { return {{d, 0, 0}, {0, d, 0}, {0, 0, d}}; }

  Sym3& operator+=(const Sym3& b) { return *this = *this + b; }
  friend Sym3 operator+(const Sym3& a, const Sym3& b) { return {a.ex + b.ex, a.ey + b.ey, a.ez + b.ez}; }
  friend Sym3 operator-(const Sym3& a, const Sym3& b) { return {a.ex - b.ex, a.ey - b.ey, a.ez - b.ez}; }
  friend Vec3<Packed> operator*(const Sym3& a, const Vec3<Packed>& v) { return combine(a.ex, a.ey, a.ez, v); }
};

inline std::array<Packed, 6> entries(const Sym3<Packed>& a) {
  return {at<0>(a.ex.r), at<1>(a.ey.r), at<2>(a.ez.r), at<1>(a.ex.r), at<2>(a.ex.r), at<2>(a.ey.r)};
}
inline Packed trace(const Sym3<Packed>& a) { return (at<0>(a.ex.r) + at<1>(a.ey.r)) + at<2>(a.ez.r); }
inline Mat3<Packed> full(const Sym3<Packed>& s) { return {s.ex, s.ey, s.ez}; }
inline Sym3<Packed> symmetric_part(const Mat3<Packed>& a) {
  const Mat3<Packed> t = transpose(a);
  const Packed half(0.5);
  return {(a.ex + t.ex) * half, (a.ey + t.ey) * half, (a.ez + t.ez) * half};
}
inline Sym3<Packed> rotate(const Mat3<Packed>& R, const Sym3<Packed>& S) {
  const Mat3<Packed> RS = R * full(S);
  const auto column = [&]<int i>(std::integral_constant<int, i>) {  // of RS Rᵀ
    return Vec3<Packed>(RS.ex.r * all_of_them<i>(R.ex.r) + RS.ey.r * all_of_them<i>(R.ey.r) +
                        RS.ez.r * all_of_them<i>(R.ez.r));
  };
  return {column(std::integral_constant<int, 0>{}), column(std::integral_constant<int, 1>{}),
          column(std::integral_constant<int, 2>{})};
}
inline Sym3<Packed> plus_diagonal(const Sym3<Packed>& A, const Packed& m) { return A + Sym3<Packed>::diagonal(m); }
inline Mat3<Packed> plus_skew(const Mat3<Packed>& A, const Vec3<Packed>& a) { return A + skew(a); }
inline Sym3<Packed> mixed_moment(const Vec3<Packed>& p, const Vec3<Packed>& a) {
  const Packed half(-0.5);
  const Vec3<Packed> minus_half_p = p * half, minus_half_a = a * half;
  const auto column = [&]<int i>(std::integral_constant<int, i>) {
    return Vec3<Packed>(minus_half_p.r * all_of_them<i>(a.r) + minus_half_a.r * all_of_them<i>(p.r));
  };
  return plus_diagonal({column(std::integral_constant<int, 0>{}), column(std::integral_constant<int, 1>{}),
                        column(std::integral_constant<int, 2>{})},
                       dot(p, a));
}
// Steiner's term: columns −m p p_i, and m |p|² on the diagonal.
template <>
inline Sym3<Packed> RigidInertia<Packed>::point_inertia(const Packed& mass, const Vec3<Packed>& p) {
  const Vec3<Packed> minus_mp = p * -mass;
  const auto column = [&]<int i>(std::integral_constant<int, i>) {
    return Vec3<Packed>(minus_mp.r * all_of_them<i>(p.r));
  };
  return plus_diagonal({column(std::integral_constant<int, 0>{}), column(std::integral_constant<int, 1>{}),
                        column(std::integral_constant<int, 2>{})},
                       dot(p, p) * mass);
}
inline Mat3<Packed> minus_outer(const Mat3<Packed>& A, const Vec3<Packed>& a, const Vec3<Packed>& b) {
  return {Vec3<Packed>(A.ex.r - a.r * all_of_them<0>(b.r)), Vec3<Packed>(A.ey.r - a.r * all_of_them<1>(b.r)),
          Vec3<Packed>(A.ez.r - a.r * all_of_them<2>(b.r))};
}
inline Sym3<Packed> minus_outer(const Sym3<Packed>& A, const Vec3<Packed>& a, const Vec3<Packed>& b) {
  return {Vec3<Packed>(A.ex.r - a.r * all_of_them<0>(b.r)), Vec3<Packed>(A.ey.r - a.r * all_of_them<1>(b.r)),
          Vec3<Packed>(A.ez.r - a.r * all_of_them<2>(b.r))};
}

}  // namespace trammel
