// Writes the parity report.
#include "codegen/torch/parity_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace opweave::codegen::torch {
namespace {

constexpr size_t kWidth = 100;
// Nobody calls these by name: they are counted, and listed in the details alone.
constexpr std::string_view kNotPublic[] = {"private", "gradients", "one backend",
                                           "copies of views"};

using Counts = std::array<size_t, kParities>;

bool is_public(const ParityRow& row) {
  return std::ranges::find(kNotPublic, row.group) == std::end(kNotPublic);
}
bool is_here(const ParityRow& row) {
  return row.parity == Parity::same || row.parity == Parity::renamed;
}
std::string_view base_name(const ParityRow& row) { return row.native->schema.base_name; }

// Names with commas, in lines of kWidth that begin with `indent` blanks.
std::string fold(const std::set<std::string_view>& names, size_t indent) {
  std::string text, line(indent, ' ');
  for (const std::string_view name : names) {
    if (line.size() > indent && line.size() + name.size() + 1 > kWidth) {
      text += line + "\n";
      line = std::string(indent, ' ');
    }
    line += fmt::format("{}{},", line.size() > indent ? " " : "", name);
  }
  if (line.ends_with(',')) line.pop_back();
  return line.size() > indent ? text + line + "\n" : text;
}

std::string counts_line(std::string_view group, const Counts& counts) {
  size_t all = 0;
  for (const size_t count : counts) all += count;
  std::string line = fmt::format("  {:18} {:>6}", group, all);
  for (const size_t count : counts) line += fmt::format(" {:>10}", count);
  return line + "\n";
}

// Public groups first, then the others; the sum last.
std::string count_groups(const std::vector<ParityRow>& rows) {
  std::map<std::pair<bool, std::string_view>, Counts> groups;
  Counts sum{};
  for (const ParityRow& row : rows) {
    ++groups[{!is_public(row), row.group}][static_cast<size_t>(row.parity)];
    ++sum[static_cast<size_t>(row.parity)];
  }
  std::string text = fmt::format("  {:18} {:>6} {:>10} {:>10} {:>10} {:>10} {:>10}\n", "group",
                                 "all", "same", "renamed", "different", "overload", "lacks");
  for (const auto& [group, counts] : groups) text += counts_line(group.second, counts);
  return text + counts_line("all", sum);
}

template <class Predicate>
std::set<std::string_view> names_where(const std::vector<ParityRow>& rows, Predicate&& wanted) {
  std::set<std::string_view> names;
  for (const ParityRow& row : rows) {
    if (wanted(row)) names.insert(base_name(row));
  }
  return names;
}

std::string core_part(const std::vector<ParityRow>& rows) {
  const auto all = std::ranges::count_if(rows, &ParityRow::is_core);
  const auto here =
      std::ranges::count_if(rows, [](const ParityRow& row) { return row.is_core && is_here(row); });
  const auto lacking = names_where(
      rows, [](const ParityRow& row) { return row.is_core && row.parity == Parity::lacks; });
  std::string text =
      fmt::format("\nCore operators (PyTorch's tag `core`): {} of {} are here.\n", here, all);
  if (!lacking.empty()) text += "  lacking altogether:\n" + fold(lacking, 4);
  return text;
}

std::string lacking_part(const std::vector<ParityRow>& rows) {
  std::map<std::pair<Effort, std::string_view>, std::set<std::string_view>> lists;
  for (const ParityRow& row : rows) {
    if (row.parity == Parity::lacks && is_public(row) && row.effort != Effort::form)
      lists[{row.effort, row.group}].insert(base_name(row));
  }
  std::string text = "\nPublic operators that are lacking, by what they would take:\n";
  for (const auto& [key, names] : lists) {
    text += fmt::format("  {}, {} ({}):\n", effort_name(key.first), key.second, names.size());
    text += fold(names, 4);
  }
  return text;
}

std::string overload_part(const std::vector<ParityRow>& rows) {
  std::set<std::string_view> names;
  for (const ParityRow& row : rows) {
    if (row.parity == Parity::lacks_overload && is_public(row)) names.insert(row.native->full_name);
  }
  return fmt::format("\nOverloads that are lacking of operators that are here ({}):\n",
                     names.size()) +
         fold(names, 4);
}

std::string schemas_of(const ParityRow& row) {
  std::string text = fmt::format("    there: {}\n    here:  {}\n", print(row.native->schema),
                                 print(row.own->schema));
  for (const Difference& difference : row.differences)
    text += fmt::format("    {}: {}\n", kind_name(difference.kind), difference.text);
  return text;
}

std::string different_part(const std::vector<ParityRow>& rows) {
  std::map<Difference::Kind, size_t> kinds;
  std::string list;
  size_t count = 0;
  for (const ParityRow& row : rows) {
    if (row.parity != Parity::different) continue;
    ++count;
    std::set<Difference::Kind> of_row;
    for (const Difference& difference : row.differences) of_row.insert(difference.kind);
    for (const Difference::Kind kind : of_row) ++kinds[kind];
    list += fmt::format("  {}\n", row.native->full_name) + schemas_of(row);
  }
  std::string text = fmt::format("\nDefined differently ({}", count);
  for (const auto& [kind, n] : kinds) text += fmt::format(", {} {}", kind_name(kind), n);
  return text + "):\n" + list;
}

}  // namespace

std::string parity_summary(const std::vector<ParityRow>& rows) {
  return fmt::format("PyTorch's {} operators beside those of Opweave:\n", rows.size()) +
         count_groups(rows) + core_part(rows) + lacking_part(rows) + overload_part(rows) +
         different_part(rows);
}

std::string parity_details(const std::vector<ParityRow>& rows) {
  std::string text;
  for (const ParityRow& row : rows) {
    text += fmt::format("{}: {} ({}, {}{})\n", row.native->full_name, parity_name(row.parity),
                        row.group, effort_name(row.effort), row.is_core ? ", core" : "");
    if (row.own && row.parity != Parity::same) {
      text += schemas_of(row);
    } else if (!row.own) {
      text += fmt::format("    there: {}\n", print(row.native->schema));
    }
  }
  return text;
}

std::string parity_json(const std::vector<ParityRow>& rows) {
  auto list = nlohmann::ordered_json::array();
  for (const ParityRow& row : rows) {
    nlohmann::ordered_json item = {{"operator", row.native->full_name},
                                   {"parity", parity_name(row.parity)},
                                   {"group", row.group},
                                   {"effort", effort_name(row.effort)},
                                   {"core", row.is_core},
                                   {"schema", print(row.native->schema)}};
    if (row.own) item["own_schema"] = print(row.own->schema);
    for (const Difference& difference : row.differences)
      item["differences"].push_back(
          {{"kind", kind_name(difference.kind)}, {"text", difference.text}});
    list.push_back(std::move(item));
  }
  return list.dump(1) + "\n";
}

}  // namespace opweave::codegen::torch
