// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0

#include <iostream>

#include <trammel/version.hpp>

int main() { std::cout << "trammel " << trammel::version() << '\n'; }
