// Puts actual arguments into the tree of a called pointwise operator.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "codegen/expr/element_arena.h"

namespace opweave::codegen {

// What a call gives for one argument.
struct ElementActual {
  const ElementNode* node = nullptr;  // null for none and for strings
  bool none = false;
  bool is_string = false;
  std::string_view string;  // a literal string, if string_argument < 0
  int string_argument = -1;
  bool may_be_none = false;    // an optional argument that nothing has asked for
  int optional_argument = -1;  // the caller's own optional argument, handed on
};

class ElementInliner {
 public:
  ElementInliner(ElementArena& arena, const std::vector<ElementActual>& actuals)
      : arena_(arena), actuals_(actuals) {}
  const ElementNode* inline_into(const ElementNode* node);

 private:
  const ElementNode* rebuild(const ElementNode& node);
  const ElementNode* string_equals(const ElementNode& node);
  const ElementNode* has_value(const ElementNode& node);

  ElementArena& arena_;
  const std::vector<ElementActual>& actuals_;
  std::unordered_map<const ElementNode*, const ElementNode*> done_;
};

}  // namespace opweave::codegen
