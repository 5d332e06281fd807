// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// A KAM listing and its data as a Model.

#include <vector>

#include <trammel/model.hpp>

#include "readers/kam_data.hpp"
#include "readers/kam_listing.hpp"

namespace trammel::readers::kam {

// Of several data parts the last that has a name gives it. The model is complete only if there is no error.
void lower(const Listing& listing, std::vector<DataPart>& parts, Messages& messages, Model& model);

}  // namespace trammel::readers::kam
