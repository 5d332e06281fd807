// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// A few successive numbers of a row of a matrix, computed with at once. A scalar that fills a register by itself (lanes), or that nobody
// waits for, comes alone; doubles come as one vector (packed.hpp).

namespace trammel {

template <class T>
struct Pack {
  static constexpr int width = 1;

  T x;

  static Pack load(const T* from) { return {*from}; }
  static Pack all(const T& x) { return {x}; }
  void store(T* to) const { *to = x; }
  void store(T* to, int /*count*/) const { *to = x; }

  Pack& operator+=(const Pack& b) { return x += b.x, *this; }
  Pack& operator-=(const Pack& b) { return x -= b.x, *this; }
  friend Pack operator+(const Pack& a, const Pack& b) { return {a.x + b.x}; }
  friend Pack operator*(const Pack& a, const T& s) { return {a.x * s}; }

  // Which of the numbers are meant.
  struct Mask {
    bool is_meant;

    friend Mask operator&(Mask a, Mask b) { return {a.is_meant && b.is_meant}; }
  };
  // A place in the tree for each of them.
  struct Places {
    int place;

    static Places load(const double* from) { return {static_cast<int>(*from)}; }
    static Places counted_from(int first) { return {first}; }
    friend Mask operator>(Places a, int b) { return {a.place > b}; }
    friend Mask operator<(Places a, int b) { return {a.place < b}; }
  };
  // Zero but for those.
  Pack only(Mask mask) const { return mask.is_meant ? *this : Pack{T(0)}; }

  // Rows of components: x, y and z of vector(0) to vector(count − 1).
  template <class F>
  static void put_components(T (*rows)[width], int /*count*/, F&& vector) {
    const auto& a = vector(0);
    rows[0][0] = a.x, rows[1][0] = a.y, rows[2][0] = a.z;
  }
};

}  // namespace trammel
