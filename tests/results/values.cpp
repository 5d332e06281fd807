// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "results/reading.hpp"

namespace trammel::test {
namespace {

double value(int kind, std::mt19937_64& engine) {
  const double unit = static_cast<double>(engine() >> 11) / 9007199254740992.0;  // 0 … 1
  switch (kind) {
    case 0:
      return 200 * unit - 100;
    case 1:
      return 0;
    case 2:
      return 9.81;
    case 3:
      return 1e6 + unit * 1e-3;
    case 4:
      return 1e-300 * (unit - 0.5);
    case 5:
      return 1.79e308 * (2 * unit - 1);
    case 6:
      return 5e-324 * static_cast<double>(engine() % 5);
    case 7:
      return std::numeric_limits<double>::quiet_NaN();
    case 8:
      return 1 + 1e-15 * unit;
    case 9:
      return engine() % 2 == 0 ? std::numeric_limits<double>::infinity() : -1e5 * unit;
    default:
      return std::bit_cast<double>(static_cast<std::uint64_t>(engine()));
  }
}

}  // namespace

rc::Gen<std::vector<double>> values_of_any_kind(std::size_t count) {
  return rc::gen::map(rc::gen::pair(rc::gen::inRange(0, 11), rc::gen::arbitrary<std::uint32_t>()),
                      [count](const std::pair<int, std::uint32_t>& drawn) {
                        std::mt19937_64 engine(drawn.second);
                        std::vector<double> values;
                        for (std::size_t i = 0; i < count; ++i) {
                          const bool gap = engine() % 8 == 0;
                          values.push_back(gap ? std::nan("") : value(drawn.first, engine));
                        }
                        return values;
                      });
}

}  // namespace trammel::test
