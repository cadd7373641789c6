// Aliases of schemas, read.
#include "codegen/model/declarations/effects.h"

#include <algorithm>

namespace opweave::codegen {

bool shares_set(const Alias& a, const Alias& b) {
  return std::ranges::any_of(a.before, [&](const std::string& set) {
    return std::ranges::find(b.before, set) != b.before.end();
  });
}

static std::vector<uint16_t> mutated_arguments(const Schema& schema) {
  std::vector<uint16_t> indices;
  for (size_t i = 0; i < schema.arguments.size(); ++i) {
    const Type& type = schema.arguments[i].type;
    if (type.is_mutated() && type.is_tensor_like()) indices.push_back(static_cast<uint16_t>(i));
  }
  return indices;
}

static std::vector<ViewOf> views_of(const Schema& schema) {
  std::vector<ViewOf> views;
  for (size_t r = 0; r < schema.returns.size(); ++r) {
    const std::optional<Alias>& alias = schema.returns[r].type.alias;
    if (!alias || alias->write) continue;
    for (size_t a = 0; a < schema.arguments.size(); ++a) {
      const std::optional<Alias>& shared = schema.arguments[a].type.alias;
      if (!shared || !shares_set(*alias, *shared)) continue;
      views.push_back({static_cast<uint16_t>(r), static_cast<uint16_t>(a)});
      break;
    }
  }
  return views;
}

Effects effects_of(const Schema& schema) { return {views_of(schema), mutated_arguments(schema)}; }

}  // namespace opweave::codegen
