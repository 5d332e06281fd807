// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/mesh_files.hpp"

#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

namespace trammel::readers {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_files = 2000;  // looked for; a network drive may take a millisecond for each

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error) && !error;
}

// "package://robot/meshes/arm.stl" → {"package", "robot/meshes/arm.stl"}; without a scheme the first is empty.
std::pair<std::string, std::string> split_scheme(const std::string& reference) {
  const std::size_t at = reference.find("://");
  if (at == std::string::npos) return {"", reference};
  return {reference.substr(0, at), reference.substr(at + 3)};
}

}  // namespace

MeshFiles::MeshFiles(const std::string& model_file, const ReadOptions& options)
    : folder_(fs::path(model_file).parent_path().string()), package_paths_(options.package_paths) {
  if (const char* more = std::getenv("ROS_PACKAGE_PATH")) {
    std::string_view rest = more;
    while (!rest.empty()) {
      const std::size_t colon = std::min(rest.find(':'), rest.size());
      if (colon > 0) package_paths_.emplace_back(rest.substr(0, colon));
      rest.remove_prefix(std::min(colon + 1, rest.size()));
    }
  }
}

// A package path may be the folder that holds packages, or a package itself; likewise each folder above the model.
std::string MeshFiles::find_in_packages(const std::string& package, const std::string& rest) const {
  const auto find_below = [&](const fs::path& folder) -> std::string {
    if (is_there(folder / package / rest)) return (folder / package / rest).string();
    return folder.filename() == package && is_there(folder / rest) ? (folder / rest).string() : "";
  };
  for (const std::string& path : package_paths_) {
    if (const std::string file = find_below(path); !file.empty()) return file;
  }
  std::error_code error;
  fs::path above = fs::absolute(folder_.empty() ? "." : folder_, error).lexically_normal();
  for (int i = 0; i < 40 && !error; ++i) {
    if (const std::string file = find_below(above); !file.empty()) return file;
    if (above == above.parent_path()) break;
    above = above.parent_path();
  }
  return {};
}

std::string MeshFiles::searched_for_packages() const {
  std::string list;
  for (const std::string& path : package_paths_) list += path + ", ";
  return list + "the folders above the file";
}

void MeshFiles::miss(const std::string& group, const std::string& reference, SourceLocation where,
                     std::string searched) {
  known_[reference] = true;
  Missing& missing = missing_.try_emplace(group, Missing{where, reference, std::move(searched), 0}).first->second;
  ++missing.count;
}

void MeshFiles::look_for(const std::string& reference, SourceLocation where) {
  if (known_.contains(reference) || known_.size() >= most_files) return;
  known_[reference] = false;
  const auto [scheme, path] = split_scheme(reference);
  if (scheme == "package" || scheme == "model") {
    const std::size_t slash = std::min(path.find('/'), path.size());
    const std::string package = path.substr(0, slash), rest = path.substr(std::min(slash + 1, path.size()));
    const std::string file = find_in_packages(package, rest);
    if (file.empty()) {
      miss("package " + quote(package), reference, where, searched_for_packages());
    } else {
      found_[reference] = file;
    }
  } else if (scheme.empty() || scheme == "file") {
    const fs::path file = scheme.empty() ? fs::path(folder_) / path : fs::path(path);
    if (!is_there(file)) {
      const bool relative = scheme.empty() && fs::path(path).is_relative();
      miss(relative ? "the model's folder" : "the file system", reference, where,
           relative ? (folder_.empty() ? "the current folder" : folder_) : "as an absolute path");
    } else if (!scheme.empty()) {
      found_[reference] = path;
    }
  } else {
    miss(scheme + "://", reference, where, "");
  }
}

void MeshFiles::tell_missing(Messages& messages) const {
  for (const auto& [group, missing] : missing_) {
    const std::string more = missing.count == 1 ? "" : fmt::format(" and {} more", missing.count - 1);
    if (missing.searched.empty()) {
      messages.warning(missing.first_place, "mesh-not-found",
                       fmt::format("meshes at {} are not looked for: {}{}", quote(group), quote(missing.first), more),
                       "give package://, file:// or a path; answers do not depend on meshes");
      continue;
    }
    messages.warning(missing.first_place, "mesh-not-found",
                     fmt::format("meshes of {} are not there: {}{}; searched: {}", group, quote(missing.first), more,
                                 missing.searched),
                     group.starts_with("package") ? "give --package-path; answers do not depend on meshes"
                                                  : "check the path; answers do not depend on meshes");
  }
}

}  // namespace trammel::readers
