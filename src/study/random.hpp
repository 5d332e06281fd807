// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Random numbers that are looked up, not drawn: the number of a task and a parameter is a function of the study's seed, so that it does not
// matter who computes which task, when, and in which order. Only +, −, ×, ÷, √ and integer operations are used, which IEEE 754 rounds
// alike everywhere: the mathematical library's log and exp differ in the last bit from CPU to CPU.

#include <cstdint>
#include <string_view>

namespace trammel::study {

// One step of SplitMix64 (Steele, Lea and Flood 2014): a bijection of 64 bits that leaves no pattern.
std::uint64_t mix(std::uint64_t bits);
// FNV-1a of 64 bits: parameters are told apart by their names, so that a new one changes no number of the others.
std::uint64_t hash_of_name(std::string_view name);
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t task, std::uint64_t stream);
// 53 of these bits as a number in the open interval (0, 1), the middle of its cell.
double random_unit(std::uint64_t bits);

// Elementary functions by series, to two units in the last place or so.
double plain_log(double x);
double plain_exp(double x);
// x with Φ(x) = p, 0 < p < 1.
double normal_quantile(double p);

}  // namespace trammel::study
