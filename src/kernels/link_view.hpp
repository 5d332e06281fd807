// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The state of one link, read from a workspace.

#include <trammel/workspace.hpp>

#include "kernels/kernel_table.hpp"
#include "kernels/tree_of.hpp"

namespace trammel {

template <class T>
LinkView<T> link_view(const Mechanism& mechanism, const BasicWorkspace<T>& ws, int link) {
  static_assert(sizeof(LinkView<T>) == 37 * sizeof(T));
  LinkView<T> view;
  kernels<T>().link(tree_of(mechanism), ws.numbers(), link, reinterpret_cast<T*>(&view));
  return view;
}

}  // namespace trammel
