// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// All of trammel's public interface.

#include <trammel/core/counted.hpp>
#include <trammel/core/dual.hpp>
#include <trammel/batch.hpp>
#include <trammel/diagnostics.hpp>
#include <trammel/dynamics.hpp>
#include <trammel/kinematics.hpp>
#include <trammel/mechanism.hpp>
#include <trammel/model.hpp>
#include <trammel/readers.hpp>
#include <trammel/results.hpp>
#include <trammel/version.hpp>
#include <trammel/workspace.hpp>
