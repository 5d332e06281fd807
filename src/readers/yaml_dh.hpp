// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Denavit-Hartenberg rows, with the two branch parameters of McMillan, Orin and McGhee. At q = 0
//   modified (Craig):  X_AB = Rz(θ′) Tz(d′) · Rx(α) Tx(a) Rz(θ) Tz(d)      F = M = B
//   standard:          X_AB = Rz(θ′) Tz(d′) · Rz(θ) Tz(d) Tx(a) Rx(α)      F = M = A after the screw (θ′, d′)
// A turn or travel q along z of F then adds to θ or d, as the conventions want.

#include <optional>

#include "readers/yaml_fields.hpp"

namespace trammel::readers {

struct DhRow {
  Transformd X_AB;        // the second body's frame in the first's, at q = 0
  Transformd X_AF, X_BM;  // the joint's frames
};

std::optional<DhRow> read_dh_row(Reading& r, const Node& node, const std::string& what);

}  // namespace trammel::readers
