// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// All journals of a study as one table, in the order of the tasks.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <trammel/study.hpp>

#include "study/journal.hpp"
#include "study/mixture.hpp"

namespace trammel {

using study::JournalContents;

namespace {

// Two shards may have run one task; what does not depend on the machine must be the same.
void refuse_contradictions(const std::vector<JournalContents>& journals) {
  std::map<std::uint64_t, std::pair<std::string, const JournalContents*>> seen;
  for (const JournalContents& journal : journals) {
    for (const auto& [task, result] : journal.results) {
      if (result.status == "timeout" || result.status == "killed") continue;
      const std::string record = study::record_of(task, result);
      const auto [it, fresh] = seen.try_emplace(task, record, &journal);
      if (fresh || it->second.first == record) continue;
      throw StudyError(
          fmt::format("{} and {} have different answers for task {}", it->second.second->file, journal.file, task),
          "delete one of them and run its shard again; two kinds of CPU may round differently", "study-contradiction");
    }
  }
}

// RFC 4180: in quotes where it must be.
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}
void add_cell(std::string& line, const std::string& text) {
  line += ',';
  line += text;
}
std::string cell(double x) { return std::isfinite(x) ? fmt::format("{}", x) : ""; }

}  // namespace

StudyStatus status_of(const Study& study) {
  StudyStatus status;
  status.tasks = study.plan.task_count();
  const std::vector<JournalContents> journals = study::read_journals(study.folder);
  for (const JournalContents& j : journals)
    status.journals.push_back({j.file, j.header.version, j.header.level, j.records, j.dropped});
  for (std::uint64_t task = 0; task < status.tasks; ++task) {
    if (const TaskResult* known = study::find_result(journals, task)) {
      ++status.done;
      ++status.statuses[known->status];
    } else {
      status.missing.push_back(task);
    }
  }
  return status;
}

StudyTable merge_study(const Study& study, bool partial) {
  const std::vector<JournalContents> journals = study::read_journals(study.folder);
  study::refuse_mixtures(study, journals, false);
  refuse_contradictions(journals);
  const StudyPlan& plan = study.plan;
  StudyTable table;
  for (const StudyParameter& p : plan.parameters) table.parameters.push_back(p.name);
  for (const StudyKeep& k : plan.keep) table.scalars.push_back(k.name);
  table.series = TaskRunner(plan).series_heads();
  const StudySampler sampler(plan);
  std::uint64_t missing = 0;
  for (std::uint64_t task = 0; task < plan.task_count(); ++task) {
    const TaskResult* known = study::find_result(journals, task);
    if (known == nullptr) {
      ++missing;
      continue;
    }
    table.rows.push_back({task, sampler.seed(task), sampler.values(task), *known});
    table.rows.back().result.scalars.resize(plan.keep.size(), std::nan(""));
  }
  if (missing > 0 && !partial) {
    throw StudyError(fmt::format("{} of {} tasks are not done yet", missing, plan.task_count()),
                     "go on with: trammel study run FOLDER; or merge what is there: --partial", "study-incomplete");
  }
  return table;
}

std::string write_study_csv(const StudyTable& table) {
  std::string out = "task,seed";
  for (const std::string& name : table.parameters) add_cell(out, name);
  out += ",status";
  for (const std::string& name : table.scalars) add_cell(out, name);
  out += ",reason\n";
  for (const StudyTable::Row& row : table.rows) {
    out += fmt::format("{},{}", row.task, row.seed);
    for (const double x : row.parameters) add_cell(out, cell(x));
    add_cell(out, row.result.status);
    for (const double x : row.result.scalars) add_cell(out, cell(x));
    add_cell(out, cell(row.result.reason));
    out += '\n';
  }
  return out;
}

std::string write_study_series_csv(const StudyTable& table) {
  if (table.series.empty()) return "";
  std::string out = "task";
  for (const Channel& head : table.series)
    add_cell(out,
             cell(head.unit.empty() || head.unit == "1" ? head.name : fmt::format("{} [{}]", head.name, head.unit)));
  out += "\n";
  for (const StudyTable::Row& row : table.rows) {
    const auto& columns = row.result.series;
    for (std::size_t k = 0; !columns.empty() && k < columns.front().size(); ++k) {
      out += fmt::format("{}", row.task);
      for (const std::vector<double>& column : columns) add_cell(out, (k < column.size() ? cell(column[k]) : ""));
      out += "\n";
    }
  }
  return out;
}

std::vector<double> study_column(const StudyTable& table, const std::string& name) {
  const auto place = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), name) - names.begin();
  };
  const auto p = static_cast<std::size_t>(place(table.parameters)), s = static_cast<std::size_t>(place(table.scalars));
  std::vector<double> column;
  for (const StudyTable::Row& row : table.rows) {
    column.push_back(name == "task"                ? static_cast<double>(row.task)
                     : p < table.parameters.size() ? row.parameters[p]
                     : s < table.scalars.size()    ? row.result.scalars[s]
                                                   : std::nan(""));
  }
  return column;
}

}  // namespace trammel
