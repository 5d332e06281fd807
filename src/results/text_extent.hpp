// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// How long a text will be in a picture whose fonts are those of the reader. Counted with the widths of DejaVu Sans, the
// widest of the fonts that we ask for, so that texts end where we think they do or before.

#include <string>
#include <string_view>
#include <vector>

namespace trammel::results {

// px, for letters of `size` px.
double text_length(std::string_view text, double size);

// Cut with "…" to fit into `length`.
std::string shortened(const std::string& text, double size, double length);
// Broken at blanks into lines of at most `length`; words longer than that are cut.
std::vector<std::string> broken_lines(const std::string& text, double size, double length);

}  // namespace trammel::results
