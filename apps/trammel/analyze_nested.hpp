// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Plots of sweeps over several inputs.

#include <trammel/results.hpp>

namespace trammel::tool {

// Of `count` inputs, the first columns of `all`, the last one that takes several values: the abscissa of a plot.
std::size_t abscissa_of(const Channels& all, std::size_t count);

// The plotted columns over that input: a panel for each column, and in it a line for each set of values of the other inputs. Where
// only one input takes several values, a plot as of any other columns.
Plot plot_nested(const Channels& all, std::size_t count, const Channels& plotted);

}  // namespace trammel::tool
