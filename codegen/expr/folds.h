// The folds of expressions: names, meanings and derivatives, from folds.def.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "codegen/expr/element.h"

namespace opweave::codegen {

enum class FoldKind : uint8_t {
#define OPWEAVE_FOLD(kind, ...) kind,
#include "codegen/expr/folds.def"
  count_,
};

enum class FoldTakes : uint8_t { numbers, truths };
enum class FoldGives : uint8_t { same, floats, places };

struct Fold {
  FoldKind kind = FoldKind::count_;
  std::string_view name;
  uint8_t arity = 1;
  FoldTakes takes = FoldTakes::numbers;
  FoldGives gives = FoldGives::same;
  double start = 0;                  // of what has a `join`
  ElementOp join = ElementOp::fold;  // fold: there is none, and `meaning` says what it is
  std::string_view meaning;          // in terms of x, y, n, i; empty: one walk computes it
  std::string_view derivative;       // in terms of x, y, n, r

  // Whether one walk over the elements computes it.
  bool is_primitive() const { return meaning.empty(); }
};

std::span<const Fold> folds();
const Fold& find_fold(FoldKind kind);
inline const Fold& fold_of(const ElementNode& node) {
  return find_fold(static_cast<FoldKind>(node.index));
}
inline bool is_fold(const ElementNode& node, FoldKind kind) {
  return node.op == ElementOp::fold && static_cast<FoldKind>(node.index) == kind;
}
// A sum over all rows, which no row knows.
inline bool is_sum_of_rows(const ElementNode& node) {
  return node.op == ElementOp::fold && node.over == kKeptAxes;
}
// Null if there is none of the name.
const Fold* find_fold(std::string_view name);
std::vector<std::string_view> fold_names();

}  // namespace opweave::codegen
