// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Grids of heights in files of their own, in metres:
//   DynaMechs (.dat)   nx ny spacing, then nx rows of ny heights; # begins a comment
//   ESRI ASCII (.asc)  a header (ncols, nrows, xllcorner or xllcenter, yllcorner or yllcenter, cellsize, NODATA_value), then rows of heights
//                      from north to south

#include <string>
#include <string_view>

#include <trammel/contacts.hpp>

namespace trammel::readers {

struct TerrainFileError {
  std::string id, what, fix;  // `id` empty: there was none
};
// Fills nodes, spacing and heights; x0 and y0 are where the first node is.
struct TerrainGrid {
  int nx = 0, ny = 0;
  double spacing = 1, x0 = 0, y0 = 0;
  std::vector<double> heights;
};
TerrainFileError parse_dynamechs_terrain(std::string_view text, TerrainGrid& grid);
TerrainFileError parse_esri_terrain(std::string_view text, TerrainGrid& grid);

}  // namespace trammel::readers
