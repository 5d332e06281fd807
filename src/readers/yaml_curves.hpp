// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Plane curves of cams and slots: {points: [[x, y], …], closed: true} or {x: "20*cos(s)", y: "15*sin(s)", from: 0, to: "2*pi"}.

#include <memory>
#include <string>

#include <trammel/constraints/curve.hpp>

#include "readers/yaml_emit.hpp"
#include "readers/yaml_fields.hpp"

namespace trammel::readers {

// Null if there was a message.
std::shared_ptr<const Curve> read_curve(Reading& r, const Node& node, const std::string& what);
std::string curve_text(const Curve& curve, const NumberText& number);

}  // namespace trammel::readers
