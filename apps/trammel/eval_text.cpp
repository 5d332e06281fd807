// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "eval_text.hpp"

#include <fmt/format.h>

#include "eval_floating.hpp"
#include "session.hpp"

namespace trammel::tool {
namespace {

using nlohmann::ordered_json;

std::string section(const std::string& title, const Table& table) {
  return fmt::format("{}\n{}\n", heading(title), table.to_string());
}

}  // namespace

std::string cell(const ordered_json& value) {
  if (value.is_null()) return "";
  if (value.is_number()) return number(value.get<double>());
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  std::string text;
  for (const ordered_json& x : value) text += (text.empty() ? "" : "  ") + cell(x);
  return text;
}

std::string matrix_text(const std::string& title, const ordered_json& matrix, const ordered_json& columns,
                        const ordered_json& rows) {
  std::vector<std::string> head{""};
  for (const ordered_json& name : columns) head.push_back(name);
  Table table(head);
  const ordered_json six{"ωx", "ωy", "ωz", "vx", "vy", "vz"};
  const bool is_of_motions = matrix.size() == 6 && matrix.size() != columns.size();
  const ordered_json& names = !rows.is_null() ? rows : is_of_motions ? six : columns;
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    std::vector<std::string> line{matrix.size() == names.size() ? names[i].get<std::string>() : ""};
    for (const ordered_json& x : matrix[i]) line.push_back(cell(x));
    table.add(line);
  }
  return section(title, table);
}

namespace {

std::string joints_text(const ordered_json& report) {
  Table table(report.contains("a") ? std::vector<std::string>{"joint", "q", "v", "a", "tau"}
                                   : std::vector<std::string>{"joint", "q", "v"});
  for (const auto& [name, q] : report["q"].items()) {
    std::vector<std::string> line{name, cell(q), cell(report["v"][name])};
    if (report.contains("a")) {
      line.push_back(cell(report["a"][name]));
      line.push_back(cell(report["tau"][name]));
    }
    table.add(line);
  }
  return section("Joints (SI, radians)", table);
}

std::string map_text(const std::string& title, const ordered_json& map, const std::vector<std::string>& keys) {
  std::vector<std::string> head{"name"};
  head.insert(head.end(), keys.begin(), keys.end());
  Table table(head);
  for (const auto& [name, entry] : map.items()) {
    std::vector<std::string> line{name};
    for (const std::string& key : keys) line.push_back(cell(entry[key]));
    table.add(line);
  }
  return section(title, table);
}

std::string loops_text(const ordered_json& loops) {
  std::string text =
      fmt::format("{}\n  state {}, open by {} m, {} rad\n  {} rows of rank {}: {} freedoms\n", heading("Loops"),
                  cell(loops["state"]), cell(loops["residual"]["m"]), cell(loops["residual"]["rad"]),
                  cell(loops["rows"]), cell(loops["rank"]), cell(loops["freedoms"]));
  for (const ordered_json& name : loops["redundant"]) text += fmt::format("  redundant: {}\n", cell(name));
  if (loops.contains("solver")) text += fmt::format("  solver: {}\n", cell(loops["solver"]));
  if (loops.contains("actuated")) {
    text += fmt::format("  actuated: {}; forces {}\n", cell(loops["actuated"]), cell(loops["actuation"]));
  }
  return text + "\n";
}

}  // namespace

std::string text_of(const ordered_json& report) {
  std::string text = joints_text(report);
  if (report.contains("poses")) {
    text += map_text("Poses in the world: position m, quaternion w x y z", report["poses"], {"position", "quaternion"});
  }
  if (report.contains("points"))
    text +=
        map_text("Points of interest, world axes", report["points"],
                 report.contains("a") ? std::vector<std::string>{"p", "v", "a"} : std::vector<std::string>{"p", "v"});
  if (report.contains("energy")) {
    const ordered_json& energy = report["energy"];
    text += fmt::format("{}\n  kinetic {} J, potential {} J\n", heading("Energy"), cell(energy["kinetic"]),
                        cell(energy["potential"]));
    if (energy.contains("of_fluid")) {
      text +=
          fmt::format("  of these the fluid has {} J and {} J; drag takes {} W\n", cell(energy["of_fluid"]["kinetic"]),
                      cell(energy["of_fluid"]["potential"]), cell(energy["of_fluid"]["dissipated_power"]));
    }
    text += "\n";
  }
  if (report.contains("com")) text += fmt::format("{}\n  {} m\n\n", heading("Centre of mass"), cell(report["com"]));
  if (report.contains("momentum")) {
    text += fmt::format("{}\n  linear {} kg m/s, angular {} kg m²/s\n\n",
                        heading("Momentum (angular about the centre of mass)"), cell(report["momentum"]["linear"]),
                        cell(report["momentum"]["angular"]));
  }
  if (report.contains("reactions")) {
    std::vector<std::string> keys{"force", "moment", "on", "at"};
    if (report.contains("loops")) keys.emplace_back("determinate");
    text += map_text("Reactions on the second body, world axes: force N, moment N m", report["reactions"], keys);
  }
  if (report.contains("constraint_forces")) {
    text += map_text("Forces of constraints on the second body, world axes: force N, moment N m",
                     report["constraint_forces"], {"force", "moment", "on", "at"});
  }
  if (report.contains("loops")) text += loops_text(report["loops"]);
  if (report.contains("mass_matrix")) text += matrix_text("Mass matrix", report["mass_matrix"], report["dofs"]);
  if (report.contains("independent_mass")) {
    const ordered_json& mass = report["independent_mass"];
    text += matrix_text("Mass matrix on independent freedoms", mass["mass_matrix"], mass["dofs"]);
  }
  if (report.contains("jacobians")) {
    for (const auto& [name, entry] : report["jacobians"].items()) {
      text += matrix_text(fmt::format("Jacobian of the origin of '{}', world axes", name), entry["J"], report["dofs"]);
    }
  }
  if (report.contains("derivatives")) {
    for (const auto& [name, matrix] : report["derivatives"].items()) {
      const bool of_force = name.starts_with("tau");
      text += matrix_text(fmt::format("Derivatives of {} by {}: a row for each freedom of {}", of_force ? "tau" : "a",
                                      name.substr(name.rfind('_') + 1), of_force ? "tau" : "a"),
                          matrix, report["dofs"], report[report.contains("actuated_dofs") ? "actuated_dofs" : "dofs"]);
    }
  }
  if (report.contains("floating")) text += floating_text(report["floating"]);
  return text;
}

}  // namespace trammel::tool
