// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What MJCF has, what of it trammel reads, and what it leaves out. One walk over the document reports every element and
// attribute that MJCF does not have (with a guess at what was meant) and tallies those that are left out; the readers of
// the sections then look only for what they want. Attributes that MJCF does not have are taken out of the document, so
// that no element has more of them than the format knows.

#include "readers/mjcf_tree.hpp"

namespace trammel::readers::mjcf {

void check_names(Element& root, Report& report);

}  // namespace trammel::readers::mjcf
