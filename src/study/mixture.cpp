// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "study/mixture.hpp"

#include <filesystem>

#include <fmt/format.h>

namespace trammel::study {
namespace {

std::string name_of(const std::string& path) { return std::filesystem::path(path).filename().string(); }

[[noreturn]] void refuse(const std::string& first, const JournalHeader& a, const std::string& second,
                         const JournalHeader& b) {
  if (a.level != b.level) {
    throw StudyError(fmt::format("{} was computed with kernels for {}, {} with those for {}: their last digits differ",
                                 first, a.level, second, b.level),
                     "delete the journals of one of them and run these shards again on the other kind of machine",
                     "study-mixture");
  }
  throw StudyError(fmt::format("{} was computed by trammel {} ({}), {} by {} ({})", first, a.version, a.commit, second,
                               b.version, b.commit),
                   "use one program for all of a study: delete the journals of the other one and run them again",
                   "study-mixture");
}

}  // namespace

void refuse_mixtures(const Study& study, const std::vector<JournalContents>& journals, bool with_us) {
  const JournalContents* first = nullptr;
  for (const JournalContents& journal : journals) {
    if (!journal.has_header) continue;
    if (journal.header.plan != study.hash) {
      throw StudyError(fmt::format("{} belongs to another plan", name_of(journal.file)),
                       "take it out of the folder's journals", "study-other-plan");
    }
    if (journal.records == 0) continue;  // nothing that could be mixed
    if (first != nullptr && first->header != journal.header)
      refuse(name_of(first->file), first->header, name_of(journal.file), journal.header);
    if (first == nullptr) first = &journal;
  }
  if (!with_us || first == nullptr) return;
  const JournalHeader ours = own_header(study.hash);
  if (first->header != ours) refuse(name_of(first->file), first->header, "what runs here", ours);
}

const TaskResult* find_result(const std::vector<JournalContents>& journals, std::uint64_t task) {
  const TaskResult* found = nullptr;
  for (const JournalContents& journal : journals) {
    const auto it = journal.results.find(task);
    if (it == journal.results.end()) continue;
    const bool final = it->second.status != "timeout" && it->second.status != "killed";
    if (found == nullptr || final) found = &it->second;
  }
  return found;
}

}  // namespace trammel::study
