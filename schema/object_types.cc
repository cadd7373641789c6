// The table of object types.
#include "schema/object_types.h"

#include <algorithm>
#include <deque>
#include <mutex>

namespace opweave::schema {
namespace {

struct Row {
  ObjectType type;
  bool declared = false;
  bool forgotten = false;
};

struct Table {
  std::mutex mutex;
  // Types that were read refer to the names, also to those of types that are forgotten.
  std::deque<Row> rows = {{{.name = "Generator", .cpp = "Generator", .python = "Generator"}}};

  Row* find(std::string_view name) {
    const auto found = std::ranges::find_if(
        rows, [&](const Row& row) { return !row.forgotten && row.type.name == name; });
    return found == rows.end() ? nullptr : &*found;
  }
};

Table& table() {
  static auto* made = new Table;
  return *made;
}

}  // namespace

void register_object_type(ObjectType type) {
  const std::lock_guard lock(table().mutex);
  if (table().find(type.name) == nullptr) table().rows.push_back({std::move(type)});
}

void declare_object_type(ObjectType type) {
  const std::lock_guard lock(table().mutex);
  if (Row* before = table().find(type.name)) before->forgotten = true;
  table().rows.push_back({std::move(type), /*declared=*/true});
}

void forget_declared_object_types() {
  const std::lock_guard lock(table().mutex);
  for (Row& row : table().rows) row.forgotten |= row.declared;
}

const ObjectType* find_object_type(std::string_view name) {
  const std::lock_guard lock(table().mutex);
  const Row* row = table().find(name);
  return row == nullptr ? nullptr : &row->type;
}

std::vector<std::string_view> object_type_names() {
  const std::lock_guard lock(table().mutex);
  std::vector<std::string_view> names;
  for (const Row& row : table().rows) {
    if (!row.forgotten) names.emplace_back(row.type.name);
  }
  return names;
}

}  // namespace opweave::schema
