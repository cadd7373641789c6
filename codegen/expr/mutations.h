// Small mistakes in expressions: a flipped sign, a dropped term, swapped arguments. Tests that do
// not notice them would not notice an author's mistake either; `./dev mutate` counts.
#pragma once

#include <string>
#include <vector>

#include "codegen/expr/element_arena.h"
#include "codegen/expr/syntax.h"

namespace opweave::codegen {

// A whole expression with one mistake in it. It need not type-check.
struct SyntaxMutation {
  const SyntaxNode* tree = nullptr;
  Span span;           // what was changed; points nowhere in derived expressions
  std::string change;  // "a - b -> b - a"
};

// Which signs of a formula are flipped besides those written in it: that of the whole value, or, in
// a gradient, those of the gradients that it reads, which works for several values, too, and in a
// forward rule those of the tangents.
enum class FlippedSign : uint8_t { value, gradients, tangents };

std::vector<SyntaxMutation> mutations(const SyntaxNode& root, FlippedSign flipped,
                                      SyntaxArena& arena);

// What could stand for `node` by mistake; of the same type, made of its own operands.
std::vector<const ElementNode*> mutations(const ElementNode& node, ElementArena& arena);

// The tree with `alternative` in the place of `node`.
const ElementNode* replace(const ElementNode& root, const ElementNode& node,
                           const ElementNode& alternative, ElementArena& arena);

}  // namespace opweave::codegen
