// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Numbers in a row that begin on a 64-byte boundary, as SIMD registers and cache lines like it. All start as T().

#include <algorithm>
#include <memory>
#include <new>

namespace trammel {

template <class T>
class AlignedArray {
 public:
  AlignedArray() = default;
  explicit AlignedArray(std::size_t size) : size_(size), numbers_(allocate(size)) {
    std::uninitialized_value_construct_n(numbers_.get(), size);
  }
  AlignedArray(const AlignedArray& other) : size_(other.size_), numbers_(allocate(other.size_)) {
    std::uninitialized_copy_n(other.numbers_.get(), size_, numbers_.get());
  }
  AlignedArray(AlignedArray&&) noexcept = default;
  AlignedArray& operator=(AlignedArray other) noexcept {
    size_ = other.size_;
    numbers_ = std::move(other.numbers_);
    return *this;
  }
  ~AlignedArray() = default;

  std::size_t size() const { return size_; }
  T* data() { return numbers_.get(); }
  const T* data() const { return numbers_.get(); }
  T& operator[](std::size_t i) { return numbers_.get()[i]; }
  const T& operator[](std::size_t i) const { return numbers_.get()[i]; }

 private:
  static_assert(std::is_trivially_destructible_v<T>);
  static constexpr std::align_val_t boundary{64};

  struct Free {
    void operator()(T* numbers) const { ::operator delete(numbers, boundary); }
  };
  static std::unique_ptr<T, Free> allocate(std::size_t size) {
    return std::unique_ptr<T, Free>(static_cast<T*>(::operator new(size * sizeof(T), boundary)));
  }

  std::size_t size_ = 0;
  std::unique_ptr<T, Free> numbers_;
};

}  // namespace trammel
