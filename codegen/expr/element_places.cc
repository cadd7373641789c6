// Places of elements.
#include "codegen/expr/element_places.h"

#include <unordered_map>

#include "codegen/expr/folds.h"

namespace opweave::codegen {
namespace {

// What a value is made of.
enum class Made : uint8_t { of_places, of_whole_numbers, of_others };

class Making {
 public:
  Made of(const ElementNode& node) {
    const auto known = known_.find(&node);
    return known != known_.end() ? known->second : known_[&node] = find(node);
  }

 private:
  // Of operands that are all whole: a place if one of them is.
  Made of_all(const ElementNode& node, size_t first) {
    Made made = Made::of_whole_numbers;
    for (size_t i = first; i < node.operands.size(); ++i) {
      const Made each = of(node.operand(i));
      if (each == Made::of_others) return each;
      if (each == Made::of_places) made = each;
    }
    return made;
  }

  Made find(const ElementNode& node) {
    if (node.type != ElementType::value) return Made::of_others;
    switch (node.op) {
      case ElementOp::coordinate:
        return Made::of_places;
      case ElementOp::extent:
        return Made::of_whole_numbers;
      case ElementOp::literal:
        return node.is_float ? Made::of_others : Made::of_whole_numbers;
      case ElementOp::select:
        return of_all(node, 1);
      case ElementOp::fold:
        if (fold_of(node).gives == FoldGives::places) return Made::of_places;
        return fold_of(node).is_primitive() ? of_all(node, 0) : Made::of_others;
      case ElementOp::add:
      case ElementOp::subtract:
      case ElementOp::multiply:
      case ElementOp::negate:
      case ElementOp::abs:
      case ElementOp::maximum:
      case ElementOp::minimum:
      case ElementOp::floor_div:
      case ElementOp::remainder:
        return of_all(node, 0);
      default:
        return Made::of_others;
    }
  }

  std::unordered_map<const ElementNode*, Made> known_;
};

}  // namespace

bool is_place(const ElementNode& node) { return Making().of(node) == Made::of_places; }

}  // namespace opweave::codegen
