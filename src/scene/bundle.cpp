// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "scene/bundle.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <stdexcept>

#include <zlib.h>

namespace trammel::scene {
namespace {

static_assert(std::endian::native == std::endian::little, "blocks are little-endian");

template <class T>
std::string_view bytes_of(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

void pad(std::string& text, char with) {
  while (text.size() % 8 != 0) text += with;
}

}  // namespace

Json Bundle::add(std::string_view bytes, std::size_t count, const char* type, std::size_t shuffled_by) {
  pad(blocks_, '\0');
  Json place{{"at", blocks_.size()}, {"count", count}, {"type", type}};
  if (shuffled_by > 1) {
    place["shuffle"] = true;
    for (std::size_t plane = 0; plane < shuffled_by; ++plane) {
      for (std::size_t i = 0; i < count; ++i) blocks_ += bytes[i * shuffled_by + plane];
    }
  } else {
    blocks_ += bytes;
  }
  return place;
}

Json Bundle::numbers(std::span<const float> values) {
  if (values.size() < least_block) return std::vector<float>(values.begin(), values.end());
  return add(bytes_of(values), values.size(), "f32", sizeof(float));
}
Json Bundle::numbers(std::span<const double> values) {
  if (values.size() < least_block) return std::vector<double>(values.begin(), values.end());
  return add(bytes_of(values), values.size(), "f64", sizeof(double));
}
Json Bundle::integers(std::span<const int> values) {
  if (values.size() < least_block) return std::vector<int>(values.begin(), values.end());
  return add(bytes_of(values), values.size(), "i32", sizeof(int));
}
Json Bundle::bytes(std::string_view file) { return add(file, file.size(), "u8", 1); }

Json Bundle::grid(std::span<const double> values) {
  if (values.size() < 3) return numbers(values);
  const double from = values.front(), span = values.back() - from;
  const double step = span / static_cast<double>(values.size() - 1);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double there = from + static_cast<double>(i) * step;
    if (!(std::abs(values[i] - there) <= 1e-12 * std::max(std::abs(span), std::abs(from)))) return numbers(values);
  }
  return {{"from", from}, {"step", step}, {"count", values.size()}};
}

std::string Bundle::finish(const Json& head) const {
  std::string text = head.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string out = "TRMLSCN1";
  while ((out.size() + sizeof(std::uint32_t) + text.size()) % 8 != 0) text += ' ';
  const auto length = static_cast<std::uint32_t>(text.size());
  out.append(reinterpret_cast<const char*>(&length), sizeof length);
  out += text;
  out += blocks_;
  return out;
}

std::string gzip(std::string_view bytes) {
  z_stream stream{};
  constexpr int with_gzip_header = 15 + 16, memory = 9, level = 6;
  if (deflateInit2(&stream, level, Z_DEFLATED, with_gzip_header, memory, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("no memory to compress a scene");
  }
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  // zlib only reads it.
  stream.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(bytes.data()));  // NOLINT
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<unsigned char*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int outcome = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (outcome != Z_STREAM_END) throw std::runtime_error("a scene could not be compressed");
  return out;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      three = three << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) out += k <= count ? digits[three >> (18 - 6 * k) & 63U] : '=';
  }
  return out;
}

}  // namespace trammel::scene
