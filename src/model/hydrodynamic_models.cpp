// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The one list of users' hydrodynamic models that files can name.

#include <trammel/hydrodynamics.hpp>

namespace trammel {
namespace {

std::map<std::string, HydrodynamicModelMaker, std::less<>>& makers() {
  static std::map<std::string, HydrodynamicModelMaker, std::less<>> list;
  return list;
}

}  // namespace

bool register_hydrodynamic_model(std::string name, HydrodynamicModelMaker maker) {
  return makers().emplace(std::move(name), std::move(maker)).second;
}

const HydrodynamicModelMaker* find_hydrodynamic_model(std::string_view name) {
  const auto found = makers().find(name);
  return found == makers().end() ? nullptr : &found->second;
}

std::vector<std::string> hydrodynamic_model_names() {
  std::vector<std::string> names;
  for (const auto& [name, maker] : makers()) names.push_back(name);
  return names;
}

}  // namespace trammel
