// Trees over the arguments of another schema.
#pragma once

#include <functional>
#include <unordered_map>

#include "codegen/expr/element_arena.h"

namespace opweave::codegen {

// Copies trees with every argument, and every question about one, under another index.
class Renumber {
 public:
  Renumber(ElementArena& arena, std::function<uint16_t(uint16_t)> index_of)
      : arena_(arena), index_of_(std::move(index_of)) {}

  const ElementNode* apply(const ElementNode* node);

 private:
  const ElementNode* rebuild(const ElementNode& node);

  ElementArena& arena_;
  std::function<uint16_t(uint16_t)> index_of_;
  std::unordered_map<const ElementNode*, const ElementNode*> done_;
};

}  // namespace opweave::codegen
