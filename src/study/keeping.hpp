// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is kept of a run: numbers that sum up columns, expressions of them, the distance of a curve from given points, and whole columns.

#include <span>
#include <vector>

#include <trammel/study.hpp>

#include "readers/messages.hpp"
#include "study/observation.hpp"

namespace trammel::study {

class Keeping {
 public:
  // `known` are all columns that a run has; names that are not among them are told.
  Keeping(const StudyPlan& plan, const std::vector<Channel>& known, readers::Messages& messages);

  // The columns that are needed.
  const std::vector<std::string>& channels() const { return channels_; }
  std::vector<double> scalars(const Channels& seen, std::span<const double> parameters) const;
  std::vector<std::vector<double>> series(const Channels& seen) const;
  const std::vector<Channel>& series_heads() const { return series_heads_; }
  // Of the first path: place − point, three numbers each.
  std::vector<double> residuals(const Channels& seen) const;
  double objective(std::span<const double> scalars, std::span<const double> parameters) const;

 private:
  void want(const std::string& channel, const std::vector<Channel>& known, const std::string& who, SourceLocation where,
            readers::Messages& messages);
  std::vector<Vec3d> offsets(const StudyKeep& keep, const Channels& seen) const;

  const StudyPlan* plan_;
  std::vector<std::string> channels_;
  std::vector<Expression> expressions_;  // per keep; of what is kept above it, then of the parameters
  std::vector<Channel> series_heads_;
  Expression objective_;
};

// A column summed up. Values that are not there (NaN) do not count; NaN where none is.
double summary(StudyKeep::What what, const std::vector<double>& over, const std::vector<double>& values);

}  // namespace trammel::study
