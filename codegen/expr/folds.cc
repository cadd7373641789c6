// The table of folds.
#include "codegen/expr/folds.h"

#include <limits>

namespace opweave::codegen {
namespace {

// What the table names as `join`.
namespace join {
using enum ElementOp;
constexpr ElementOp none = ElementOp::fold;
}  // namespace join

constexpr Fold kTable[] = {
#define OPWEAVE_FOLD(kind, name, arity, takes, gives, start, joined, meaning, derivative) \
  {FoldKind::kind, name,         arity,   FoldTakes::takes, FoldGives::gives,             \
   start,          join::joined, meaning, derivative},
#include "codegen/expr/folds.def"
};

}  // namespace

std::span<const Fold> folds() { return kTable; }

const Fold& find_fold(FoldKind kind) { return kTable[static_cast<size_t>(kind)]; }

const Fold* find_fold(std::string_view name) {
  for (const Fold& fold : kTable) {
    if (fold.name == name) return &fold;
  }
  return nullptr;
}

std::vector<std::string_view> fold_names() {
  std::vector<std::string_view> names;
  for (const Fold& fold : kTable) names.push_back(fold.name);
  return names;
}

}  // namespace opweave::codegen
