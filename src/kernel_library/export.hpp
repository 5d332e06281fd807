// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Everything in libtrammel-kernels.so is hidden but what is marked so and listed in exports.map.
#define TRAMMEL_EXPORT __attribute__((visibility("default")))
