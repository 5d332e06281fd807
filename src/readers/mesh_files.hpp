// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Looks for the files of meshes, without opening them: package://PACKAGE/rest in the package paths and in the folders
// above the model, file:///absolute, anything else relative to the model's folder. Each package that is missing is told
// once, with the folders that were searched.

#include <map>
#include <string>
#include <vector>

#include <trammel/readers.hpp>

#include "readers/messages.hpp"

namespace trammel::readers {

class MeshFiles {
 public:
  MeshFiles(const std::string& model_file, const ReadOptions& options);

  void look_for(const std::string& reference, SourceLocation where);
  void tell_missing(Messages& messages) const;
  // Of references with an address such as package://: the path of the file.
  const std::map<std::string, std::string>& found() const { return found_; }

 private:
  struct Missing {
    SourceLocation first_place;
    std::string first;
    std::string searched;  // empty: of a kind that cannot be looked for
    int count = 0;
  };
  // Empty if it is not there.
  std::string find_in_packages(const std::string& package, const std::string& rest) const;
  void miss(const std::string& group, const std::string& reference, SourceLocation where, std::string searched);
  std::string searched_for_packages() const;

  std::string folder_;
  std::vector<std::string> package_paths_;
  std::map<std::string, bool> known_;  // references already looked for: is it missing
  std::map<std::string, Missing> missing_;
  std::map<std::string, std::string> found_;
};

}  // namespace trammel::readers
