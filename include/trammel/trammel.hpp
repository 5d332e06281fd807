// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// All of trammel's public interface.

#include <trammel/actuation.hpp>
#include <trammel/analysis.hpp>
#include <trammel/analysis_channels.hpp>
#include <trammel/applied_forces.hpp>
#include <trammel/batch.hpp>
#include <trammel/chace.hpp>
#include <trammel/closed_form.hpp>
#include <trammel/contacts.hpp>
#include <trammel/core/counted.hpp>
#include <trammel/core/dual.hpp>
#include <trammel/core/expression.hpp>
#include <trammel/core/gradient.hpp>
#include <trammel/core/series.hpp>
#include <trammel/diagnostics.hpp>
#include <trammel/dragging.hpp>
#include <trammel/drawing.hpp>
#include <trammel/dynamics.hpp>
#include <trammel/floating.hpp>
#include <trammel/fluid_forces.hpp>
#include <trammel/friction_impact.hpp>
#include <trammel/hydrodynamics.hpp>
#include <trammel/impact.hpp>
#include <trammel/kinematics.hpp>
#include <trammel/lilly_orin.hpp>
#include <trammel/linkage.hpp>
#include <trammel/loop_dynamics.hpp>
#include <trammel/loops.hpp>
#include <trammel/measures.hpp>
#include <trammel/mechanism.hpp>
#include <trammel/mobility.hpp>
#include <trammel/model.hpp>
#include <trammel/modes.hpp>
#include <trammel/profile.hpp>
#include <trammel/readers.hpp>
#include <trammel/recording.hpp>
#include <trammel/results.hpp>
#include <trammel/scene.hpp>
#include <trammel/shape.hpp>
#include <trammel/simulation.hpp>
#include <trammel/tripod_gait.hpp>
#include <trammel/version.hpp>
#include <trammel/workspace.hpp>
