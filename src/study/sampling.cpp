// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Which numbers a task has. Parameters with lists are combined in all ways, the last one fastest; for each combination there are the same
// `samples` points of the parameters with distributions, so that combinations can be compared sample by sample:
//
//   task = combination · samples + sample

#include <cmath>
#include <numeric>

#include <trammel/study.hpp>

#include "study/random.hpp"
#include "study/sobol.hpp"

namespace trammel {

using At = std::size_t;
using study::hash_of_name;
using study::random_bits;
using study::random_unit;

double quantile(const StudyParameter& parameter, double u) {
  using Kind = StudyParameter::Kind;
  const std::vector<double>& x = parameter.numbers;
  switch (parameter.kind) {
    case Kind::uniform:
      return x[0] + (x[1] - x[0]) * u;
    case Kind::log_uniform: {
      const double ratio = x[1] / x[0];
      if (ratio > 0 && std::isfinite(ratio)) return x[0] * study::plain_exp(u * study::plain_log(ratio));
      const double from = study::plain_log(x[0]),
                   to = study::plain_log(x[1]);  // over more powers of ten than a number has
      return std::clamp(study::plain_exp(from + u * (to - from)), std::min(x[0], x[1]), std::max(x[0], x[1]));
    }
    case Kind::normal:
      return x[0] + x[1] * study::normal_quantile(u);
    case Kind::lognormal:
      return x[0] * study::plain_exp(x[1] * study::normal_quantile(u));
    case Kind::triangular: {
      const double width = x[2] - x[0], turn = (x[1] - x[0]) / width;
      return u < turn ? x[0] + std::sqrt(u * width * (x[1] - x[0])) : x[2] - std::sqrt((1 - u) * width * (x[2] - x[1]));
    }
    case Kind::values:
    case Kind::choice:
      break;
  }
  return x[std::min(static_cast<At>(u * static_cast<double>(x.size())), x.size() - 1)];
}

std::uint64_t StudyPlan::task_count() const {
  std::uint64_t count = 1;
  bool sampled = false;
  for (const StudyParameter& p : parameters) {
    if (p.is_sampled()) {
      sampled = true;
    } else {
      count *= p.numbers.size();
    }
  }
  return sampled ? count * samples : count;
}

namespace {

// A permutation of 0 … n−1 (Fisher and Yates), by the numbers of a stream.
std::vector<std::uint32_t> permutation(std::uint64_t n, std::uint64_t seed, std::uint64_t stream) {
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  for (std::uint64_t k = n; k > 1; --k) std::swap(order[k - 1], order[random_bits(seed, k, stream) % k]);
  return order;
}

constexpr std::uint64_t permuting = 0x70;  // tells this use of a parameter's stream from others

}  // namespace

StudySampler::StudySampler(const StudyPlan& plan) : plan_(&plan) {
  int dimension = 0;
  for (const StudyParameter& p : plan.parameters) {
    stream_.push_back(hash_of_name(p.name));
    dimension_.push_back(p.is_sampled() ? dimension++ : -1);
    position_.emplace_back();
    if (p.is_sampled() && plan.sampling == StudySampling::latin_hypercube)
      position_.back() = permutation(plan.samples, plan.seed, stream_.back() ^ permuting);
  }
}

// random:           a number of its own for each sample
// latin hypercube:  one sample in each of n equal cells, at random within it
// Sobol:            with a digital shift, one for each parameter, that keeps the points as even as they are
double StudySampler::unit(At p, std::uint64_t sample) const {
  const std::uint64_t stream = stream_[p];
  switch (plan_->sampling) {
    case StudySampling::random:
      break;
    case StudySampling::latin_hypercube:
      return (position_[p][sample] + random_unit(random_bits(plan_->seed, sample, stream))) /
             static_cast<double>(plan_->samples);
    case StudySampling::sobol: {
      const auto shift = static_cast<std::uint32_t>(random_bits(plan_->seed, 0, stream) >> 32);
      return (static_cast<double>(study::sobol(static_cast<std::uint32_t>(sample), dimension_[p]) ^ shift) + 0.5) *
             0x1p-32;
    }
  }
  return random_unit(random_bits(plan_->seed, sample, stream));
}

std::vector<double> StudySampler::values(std::uint64_t task) const {
  const bool sampled = plan_->task_count() > 0 && std::any_of(plan_->parameters.begin(), plan_->parameters.end(),
                                                              [](const auto& p) { return p.is_sampled(); });
  std::uint64_t combination = sampled ? task / plan_->samples : task;
  const std::uint64_t sample = sampled ? task % plan_->samples : 0;
  std::vector<double> values(plan_->parameters.size());
  for (At p = values.size(); p-- > 0;) {
    const StudyParameter& parameter = plan_->parameters[p];
    if (parameter.is_sampled()) {
      values[p] = quantile(parameter, unit(p, sample));
    } else {
      values[p] = parameter.numbers[combination % parameter.numbers.size()];
      combination /= parameter.numbers.size();
    }
  }
  return values;
}

std::uint32_t StudySampler::seed(std::uint64_t task) const {
  return static_cast<std::uint32_t>(random_bits(plan_->seed, task, hash_of_name("seed of a task")) >> 33);
}

}  // namespace trammel
