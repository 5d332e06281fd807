// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Three-vectors and 3×3 matrices: plain numbers in plain structs, for any scalar. Matrices are kept as three columns,
// because the columns of a rotation R_WB are the axes of B seen from W, which is how the kernels use them.

#include <array>

#include <trammel/core/scalar.hpp>

namespace trammel {

template <class T>
struct Vec3 {
  T x{}, y{}, z{};

  // Numbers of another scalar, e.g. the parameters of a mechanism taken into dual numbers.
  template <class S>
  static Vec3 from(const Vec3<S>& other) {
    return {T(other.x), T(other.y), T(other.z)};
  }

  Vec3& operator+=(const Vec3& b) { return *this = *this + b; }
  Vec3& operator-=(const Vec3& b) { return *this = *this - b; }
  friend Vec3 operator-(const Vec3& a) { return {-a.x, -a.y, -a.z}; }
  friend Vec3 operator+(const Vec3& a, const Vec3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend Vec3 operator-(const Vec3& a, const Vec3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend Vec3 operator*(const Vec3& a, const T& s) { return {a.x * s, a.y * s, a.z * s}; }
  friend Vec3 operator*(const T& s, const Vec3& a) { return {a.x * s, a.y * s, a.z * s}; }
  friend bool operator==(const Vec3&, const Vec3&) = default;
};

template <class T>
T dot(const Vec3<T>& a, const Vec3<T>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
Vec3<T> cross(const Vec3<T>& a, const Vec3<T>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class T>
T norm(const Vec3<T>& a) {
  return sqrt(dot(a, a));
}
template <class T>
std::array<T, 3> components(const Vec3<T>& a) {
  return {a.x, a.y, a.z};
}

// A symmetric 3×3 matrix in six numbers.
template <class T>
struct Sym3 {
  T xx{}, yy{}, zz{}, xy{}, xz{}, yz{};

  template <class S>
  static Sym3 from(const Sym3<S>& o) {
    return {T(o.xx), T(o.yy), T(o.zz), T(o.xy), T(o.xz), T(o.yz)};
  }
  // xx, yy, zz, xy, xz, yz
  static Sym3 of_entries(const T* e) { return {e[0], e[1], e[2], e[3], e[4], e[5]}; }
  static Sym3 diagonal(const T& d) { return {d, d, d, T(0), T(0), T(0)}; }

  Sym3& operator+=(const Sym3& b) { return *this = *this + b; }
  Sym3& operator-=(const Sym3& b) { return *this = *this - b; }
  friend Sym3 operator+(const Sym3& a, const Sym3& b) {
    return {a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
  }
  friend Sym3 operator-(const Sym3& a, const Sym3& b) {
    return {a.xx - b.xx, a.yy - b.yy, a.zz - b.zz, a.xy - b.xy, a.xz - b.xz, a.yz - b.yz};
  }
  friend Sym3 operator*(const Sym3& a, const T& s) {
    return {a.xx * s, a.yy * s, a.zz * s, a.xy * s, a.xz * s, a.yz * s};
  }
  friend Vec3<T> operator*(const Sym3& a, const Vec3<T>& v) {
    return {a.xx * v.x + a.xy * v.y + a.xz * v.z, a.xy * v.x + a.yy * v.y + a.yz * v.z,
            a.xz * v.x + a.yz * v.y + a.zz * v.z};
  }
  friend bool operator==(const Sym3&, const Sym3&) = default;
};

template <class T>
std::array<T, 6> entries(const Sym3<T>& a) {
  return {a.xx, a.yy, a.zz, a.xy, a.xz, a.yz};
}
template <class T>
T trace(const Sym3<T>& a) {
  return a.xx + a.yy + a.zz;
}

template <class T>
struct Mat3 {
  Vec3<T> ex, ey, ez;  // columns

  template <class S>
  static Mat3 from(const Mat3<S>& o) {
    return {Vec3<T>::from(o.ex), Vec3<T>::from(o.ey), Vec3<T>::from(o.ez)};
  }
  static Mat3 identity() { return {{T(1), T(0), T(0)}, {T(0), T(1), T(0)}, {T(0), T(0), T(1)}}; }

  Mat3& operator+=(const Mat3& b) { return *this = *this + b; }
  Mat3& operator-=(const Mat3& b) { return *this = *this - b; }
  friend Mat3 operator+(const Mat3& a, const Mat3& b) { return {a.ex + b.ex, a.ey + b.ey, a.ez + b.ez}; }
  friend Mat3 operator-(const Mat3& a, const Mat3& b) { return {a.ex - b.ex, a.ey - b.ey, a.ez - b.ez}; }
  friend Mat3 operator*(const Mat3& a, const T& s) { return {a.ex * s, a.ey * s, a.ez * s}; }
  friend Vec3<T> operator*(const Mat3& a, const Vec3<T>& v) {
    return {a.ex.x * v.x + a.ey.x * v.y + a.ez.x * v.z, a.ex.y * v.x + a.ey.y * v.y + a.ez.y * v.z,
            a.ex.z * v.x + a.ey.z * v.y + a.ez.z * v.z};
  }
  friend Mat3 operator*(const Mat3& a, const Mat3& b) { return {a * b.ex, a * b.ey, a * b.ez}; }
  friend bool operator==(const Mat3&, const Mat3&) = default;
};

template <class T>
Mat3<T> transpose(const Mat3<T>& a) {
  return {{a.ex.x, a.ey.x, a.ez.x}, {a.ex.y, a.ey.y, a.ez.y}, {a.ex.z, a.ey.z, a.ez.z}};
}
// aᵀ v without forming aᵀ.
template <class T>
Vec3<T> transpose_times(const Mat3<T>& a, const Vec3<T>& v) {
  return {dot(a.ex, v), dot(a.ey, v), dot(a.ez, v)};
}
// skew(a) b = a × b
template <class T>
Mat3<T> skew(const Vec3<T>& a) {
  return {{T(0), a.z, -a.y}, {-a.z, T(0), a.x}, {a.y, -a.x, T(0)}};
}
template <class T>
Mat3<T> full(const Sym3<T>& s) {
  return {{s.xx, s.xy, s.xz}, {s.xy, s.yy, s.yz}, {s.xz, s.yz, s.zz}};
}
// The symmetric matrix (a + aᵀ)/2: drops round-off in products that are symmetric by construction.
template <class T>
Sym3<T> symmetric_part(const Mat3<T>& a) {
  const T half(0.5);
  return {a.ex.x, a.ey.y, a.ez.z, half * (a.ey.x + a.ex.y), half * (a.ez.x + a.ex.z), half * (a.ez.y + a.ey.z)};
}
template <class T>
Sym3<T> outer(const Vec3<T>& a) {
  return {a.x * a.x, a.y * a.y, a.z * a.z, a.x * a.y, a.x * a.z, a.y * a.z};
}
// R S Rᵀ: a symmetric matrix seen from a rotated frame.
template <class T>
Sym3<T> rotate(const Mat3<T>& R, const Sym3<T>& S) {
  const Vec3<T> a = S * Vec3<T>{R.ex.x, R.ey.x, R.ez.x};  // S times the rows of R
  const Vec3<T> b = S * Vec3<T>{R.ex.y, R.ey.y, R.ez.y};
  const Vec3<T> c = S * Vec3<T>{R.ex.z, R.ey.z, R.ez.z};
  const auto row = [&R](int i) {
    return i == 0   ? Vec3<T>{R.ex.x, R.ey.x, R.ez.x}
           : i == 1 ? Vec3<T>{R.ex.y, R.ey.y, R.ez.y}
                    : Vec3<T>{R.ex.z, R.ey.z, R.ez.z};
  };
  return {dot(row(0), a), dot(row(1), b), dot(row(2), c), dot(row(0), b), dot(row(0), c), dot(row(1), c)};
}

// (p·a) 1 − (p aᵀ + a pᵀ)/2: with a = m p Steiner's term of a point mass.
template <class T>
Sym3<T> mixed_moment(const Vec3<T>& p, const Vec3<T>& a) {
  const T half(-0.5), xx = p.x * a.x, yy = p.y * a.y, zz = p.z * a.z;
  return {yy + zz,
          xx + zz,
          xx + yy,
          half * (p.x * a.y + p.y * a.x),
          half * (p.x * a.z + p.z * a.x),
          half * (p.y * a.z + p.z * a.y)};
}
// A + skew(a) and A + m 1, without adding zeros.
template <class T>
Mat3<T> plus_skew(const Mat3<T>& A, const Vec3<T>& a) {
  return {
      {A.ex.x, A.ex.y + a.z, A.ex.z - a.y}, {A.ey.x - a.z, A.ey.y, A.ey.z + a.x}, {A.ez.x + a.y, A.ez.y - a.x, A.ez.z}};
}
template <class T>
Sym3<T> plus_diagonal(const Sym3<T>& A, const T& m) {
  return {A.xx + m, A.yy + m, A.zz + m, A.xy, A.xz, A.yz};
}
// A − a bᵀ; for a symmetric A only the packed half is touched, where the sum of all such terms is symmetric.
template <class T>
Mat3<T> minus_outer(const Mat3<T>& A, const Vec3<T>& a, const Vec3<T>& b) {
  return {A.ex - a * b.x, A.ey - a * b.y, A.ez - a * b.z};
}
template <class T>
Sym3<T> minus_outer(const Sym3<T>& A, const Vec3<T>& a, const Vec3<T>& b) {
  return {A.xx - a.x * b.x, A.yy - a.y * b.y, A.zz - a.z * b.z, A.xy - a.x * b.y, A.xz - a.x * b.z, A.yz - a.y * b.z};
}

using Vec3d = Vec3<double>;
using Mat3d = Mat3<double>;
using Sym3d = Sym3<double>;

}  // namespace trammel
