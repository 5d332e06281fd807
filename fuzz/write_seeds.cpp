// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Good files for the fuzzers of URDF and MJCF to begin with: native models written in those formats.
//   write_seeds URDF_FOLDER MJCF_FOLDER MODEL...

#include <cstdio>
#include <filesystem>
#include <fstream>

#include <trammel/readers.hpp>

namespace {

void save(const trammel::WriteResult& result, const std::filesystem::path& path) {
  if (result.ok()) std::ofstream(path, std::ios::binary) << result.text;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 4) {
    std::fputs("usage: write_seeds URDF_FOLDER MJCF_FOLDER MODEL...\n", stderr);
    return 2;
  }
  const std::filesystem::path urdf_folder(arguments[1]), mjcf_folder(arguments[2]);
  for (int i = 3; i < count; ++i) {
    const trammel::ReadResult result = trammel::read_model(arguments[i]);
    if (!result.ok()) continue;
    const std::string name = std::filesystem::path(arguments[i]).stem().string();
    save(trammel::write_urdf(result.model), urdf_folder / (name + ".urdf"));
    save(trammel::write_mjcf(result.model), mjcf_folder / (name + ".xml"));
  }
  return 0;
}
