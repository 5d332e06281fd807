// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// All the ways in which a linkage can be assembled while its inputs are held (KAM's solution modes).
//
//   const Modes modes = find_modes(mechanism, {{.joint = crank}}, {0.3});
//   for (const AssemblyMode& mode : modes.list) draw(mode.q);

#include <functional>
#include <vector>

#include <trammel/loops.hpp>

namespace trammel {

struct AssemblyMode {
  int id = 1;
  std::vector<double> q;  // of the tree; angles between −π and π, but for driven ones
  // Reached from the design position with the inputs moved there; of planar dyads, where nothing is, the one with the signs of the
  // drawing. Always the first.
  bool drawn = false;
  bool singular = false;  // the inputs do not determine the motion: two modes meet here
  bool continuum =
      false;  // the linkage moves on from here while the inputs stand still: one position stands for all such
};

struct ModesOptions {
  bool search = false;   // also where a closed form gives all modes
  int starts = 20'000;   // the search tries at most so many
  int patience = 1'000;  // and stops when so many assemblies in a row, and ten times the modes known, were known ones
  std::vector<double> start = {};  // coordinates that the drawn mode is reached from; empty: the design position
  std::function<void(double)> progress = {};  // called now and then with the share done, 0 to 1
};

struct Modes {
  enum class Status {
    ok,            // perhaps without any mode
    under_driven,  // a motion is left free: there is a continuum of positions
  };
  Status status = Status::ok;
  // True: there are no others, since a closed form gives them all. False: those that the search met; it cannot prove that they
  // are all.
  bool complete = false;
  bool cut_short = false;                // a closed form has so many that only the first were listed
  int starts = 0, assembled = 0;         // of the search: positions tried, and those that closed
  int in_continuum = 0;                  // positions met that one mode stands for
  std::vector<AssemblyMode> list;        // the drawn one first, then by their coordinates
  std::vector<FreeMotion> free_motions;  // of an under-driven linkage
};

// At the given values of the drivers. A structure without freedom needs none. Same input, same answer: the starts are fixed numbers.
Modes find_modes(const Mechanism& mechanism, const std::vector<Driver>& drivers, const std::vector<double>& inputs,
                 const ModesOptions& options = {});

}  // namespace trammel
