// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Journals of one study fit together only where one program wrote them: other versions and other instruction-set levels round differently.

#include <vector>

#include <trammel/study.hpp>

#include "study/journal.hpp"

namespace trammel::study {

// Throws StudyError where a journal belongs to another plan, or where two were written by different programs or at different levels; where `with_us`
// also where this program is another one.
void refuse_mixtures(const Study& study, const std::vector<JournalContents>& journals, bool with_us);

// What is known of a task: of several answers one that does not depend on the machine, where there is one. Null: nothing.
const TaskResult* find_result(const std::vector<JournalContents>& journals, std::uint64_t task);

}  // namespace trammel::study
