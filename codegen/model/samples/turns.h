// Where trees turn: what conditions compare, and where functions jump or bend, along one argument.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "codegen/expr/element.h"
#include "codegen/proof/evaluate.h"

namespace opweave::codegen {

// Gives an argument, or the gradient that comes in (kGradIndex), a value.
void set_value(ElementPoint& point, uint16_t argument, long double value);

// What a tree reads: tensors, numbers and the gradient.
std::set<uint16_t> arguments_of(const ElementNode& tree);

class Turns {
 public:
  explicit Turns(const std::vector<const ElementNode*>& trees);

  bool reads(uint16_t argument) const { return reads_.contains(argument); }
  size_t arguments() const { return reads_.size(); }
  // The numbers that stand in what turns with the argument, of either sign.
  std::set<long double> numbers(uint16_t argument) const;
  // The values of the argument at which something turns, the others being what they are there.
  std::set<long double> along(const ElementPoint& point, uint16_t argument) const;

 private:
  using Node = const ElementNode*;

  // It turns where both are equal, or where the left one is zero.
  struct Turn {
    Node left, right;
    std::set<uint16_t> reads;
    std::set<long double> numbers;
  };

  void note(const ElementNode& node);
  void add(Node left, Node right);

  std::vector<Turn> turns_;
  std::set<uint16_t> reads_;
};

}  // namespace opweave::codegen
