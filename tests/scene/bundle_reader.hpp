// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reads what scenes are written as, after docs/formats/scene.md and not after our own writer.

#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>
#include <zlib.h>

namespace trammel::test {

inline std::string gunzip(const std::string& bytes) {
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) throw std::runtime_error("zlib");
  std::string in = bytes, out, piece(1 << 20, '\0');
  stream.next_in = reinterpret_cast<unsigned char*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  int outcome = Z_OK;
  while (outcome == Z_OK) {
    stream.next_out = reinterpret_cast<unsigned char*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    outcome = inflate(&stream, Z_NO_FLUSH);
    out.append(piece, 0, piece.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (outcome != Z_STREAM_END) throw std::runtime_error("not gzip");
  return out;
}

struct ReadBundle {
  nlohmann::json head;
  std::string blocks;

  explicit ReadBundle(const std::string& gzipped) {
    const std::string all = gunzip(gzipped);
    if (all.substr(0, 8) != "TRMLSCN1") throw std::runtime_error("no scene");
    std::uint32_t length = 0;
    std::memcpy(&length, all.data() + 8, 4);
    if ((12 + length) % 8 != 0) throw std::runtime_error("blocks are not aligned");
    head = nlohmann::json::parse(all.substr(12, length));
    blocks = all.substr(12 + length);
  }

  template <class T>
  static std::vector<double> unpacked(std::string_view bytes, std::size_t count, bool shuffled) {
    std::vector<double> out;
    for (std::size_t i = 0; i < count; ++i) {
      char one[sizeof(T)];
      for (std::size_t b = 0; b < sizeof(T); ++b) one[b] = shuffled ? bytes[b * count + i] : bytes[i * sizeof(T) + b];
      T x;
      std::memcpy(&x, one, sizeof(T));
      out.push_back(static_cast<double>(x));
    }
    return out;
  }

  std::vector<double> numbers(const nlohmann::json& of) const {
    std::vector<double> out;
    if (of.is_array()) {
      for (const auto& x : of) out.push_back(x.is_null() ? std::numeric_limits<double>::quiet_NaN() : x.get<double>());
      return out;
    }
    const auto count = of.at("count").get<std::size_t>();
    if (of.contains("from")) {
      for (std::size_t i = 0; i < count; ++i) {
        out.push_back(of["from"].get<double>() + static_cast<double>(i) * of["step"].get<double>());
      }
      return out;
    }
    const auto at = of.at("at").get<std::size_t>();
    if (at % 8 != 0) throw std::runtime_error("a block is not aligned");
    const bool shuffled = of.value("shuffle", false);
    const std::string type = of.at("type");
    const std::string_view rest = std::string_view(blocks).substr(at);
    if (type == "f32") return unpacked<float>(rest.substr(0, 4 * count), count, shuffled);
    if (type == "f64") return unpacked<double>(rest.substr(0, 8 * count), count, shuffled);
    if (type == "i32") return unpacked<int>(rest.substr(0, 4 * count), count, shuffled);
    if (type == "u8") return unpacked<unsigned char>(rest.substr(0, count), count, shuffled);
    throw std::runtime_error("a type that nobody reads: " + type);
  }

  std::vector<double> axis() const { return numbers(head["series"]["axis"]["values"]); }
  const nlohmann::json& channel(const std::string& name) const {
    for (const auto& c : head["series"]["channels"]) {
      if (c["name"] == name) return c;
    }
    throw std::runtime_error("no channel " + name);
  }
  std::vector<double> values(const std::string& name) const { return numbers(channel(name)["values"]); }
};

}  // namespace trammel::test
