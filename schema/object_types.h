// Types of objects that operators take and that Opweave itself knows nothing of: a random
// generator, a group of processes, a stream. A schema names them; everything else treats them
// alike.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace opweave::schema {

struct ObjectType {
  std::string name;         // in schemas: `Generator`
  std::string cpp;          // its C++ type, `opweave::Generator`; copies of it are cheap
  std::string python;       // in stubs: `Generator`
  std::string header = {};  // what declares the C++ type; empty: everything knows it
};

// Makes a name one that schemas may use. The first registration of a name counts.
void register_object_type(ObjectType type);
// For the generator, whose files change while it runs: what they declare replaces what was
// registered under the name before, and is forgotten with them.
void declare_object_type(ObjectType type);
void forget_declared_object_types();
// Null if there is none. Stays where it is.
const ObjectType* find_object_type(std::string_view name);
std::vector<std::string_view> object_type_names();

}  // namespace opweave::schema
