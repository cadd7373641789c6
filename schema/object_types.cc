// The table of object types.
#include "schema/object_types.h"

#include <deque>
#include <mutex>

namespace opweave::schema {
namespace {

struct Table {
  std::mutex mutex;
  std::deque<ObjectType> types = {
      {.name = "Generator", .cpp = "Generator", .python = "Generator"},
  };

  const ObjectType* find(std::string_view name) const {
    for (const ObjectType& type : types) {
      if (type.name == name) return &type;
    }
    return nullptr;
  }
};

Table& table() {
  static auto* made = new Table;
  return *made;
}

}  // namespace

void register_object_type(ObjectType type) {
  const std::lock_guard lock(table().mutex);
  if (table().find(type.name) == nullptr) table().types.push_back(std::move(type));
}

const ObjectType* find_object_type(std::string_view name) {
  const std::lock_guard lock(table().mutex);
  return table().find(name);
}

std::vector<std::string_view> object_type_names() {
  const std::lock_guard lock(table().mutex);
  std::vector<std::string_view> names;
  for (const ObjectType& type : table().types) names.emplace_back(type.name);
  return names;
}

}  // namespace opweave::schema
