// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The viewer's page, viewer/dist/index.html, as it was when the tool was built.

#include <string_view>

namespace trammel::tool {

std::string_view embedded_page();

}  // namespace trammel::tool
