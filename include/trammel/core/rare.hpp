// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// A member that most objects leave as it is by default: it takes a pointer's worth of memory until it is written to. Reading a constant one,
// and copying one that was never written to, does not allocate.

#include <memory>

namespace trammel {

template <class T>
class Rare {
 public:
  Rare() = default;
  Rare(const T& value) : value_(std::make_unique<T>(value)) {}  // NOLINT(google-explicit-constructor): it is one
  Rare(const Rare& other) : value_(other.value_ ? std::make_unique<T>(*other.value_) : nullptr) {}
  Rare(Rare&&) noexcept = default;
  Rare& operator=(const Rare& other) {
    if (this != &other) value_ = other.value_ ? std::make_unique<T>(*other.value_) : nullptr;
    return *this;
  }
  Rare& operator=(Rare&&) noexcept = default;
  ~Rare() = default;

  bool is_usual() const { return value_ == nullptr; }  // never written to
  const T& operator*() const {
    static const T usual;
    return value_ ? *value_ : usual;
  }
  const T* operator->() const { return &**this; }
  T& operator*() {
    if (!value_) value_ = std::make_unique<T>();
    return *value_;
  }
  T* operator->() { return &**this; }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace trammel
