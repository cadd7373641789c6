// What an operator computes whose entry has `over`: expressions that fold dimensions of its
// tensors.
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/expr/element.h"

namespace opweave::codegen {

// Which dimensions are folded, of the tensors whose elements lie along all axes.
struct FoldDims {
  enum class Kind : uint8_t {
    argument,  // those that an int, or a list of them, names; none or an empty list: all
    last,      // as many of the last as a list has elements
    every,
    fixed,
  };
  Kind kind = Kind::every;
  uint16_t argument = 0;      // of argument and last
  std::vector<int64_t> dims;  // of fixed

  bool names_argument() const { return kind == Kind::argument || kind == Kind::last; }
};

// In the place of an argument that there is none of.
constexpr uint16_t kNoArgument = 0xFFFF;

struct FoldFormula {
  FoldDims over;
  std::vector<AxisMask> arguments;  // parallel to the schema's; 0 of what is no tensor
  // The first argument whose elements lie along all axes and that is always given; kNoArgument:
  // there is none, but a result that does.
  uint16_t whole = 0;
  std::vector<const ElementNode*> results;  // parallel to the returns
  std::vector<AxisMask> result_axes;        // likewise: kept, folded (of gradients), or all
  // The gradient of a gradient: few programs run it, and it is compiled for one instruction set.
  bool rare = false;
  int keepdim = -1;  // the bool that says whether results keep what is folded as 1; -1: they do not

  // Values that one number for each row, or element, or column.
  bool is_row(size_t result) const { return result_axes[result] == kKeptAxes; }
  bool is_whole(size_t result) const { return result_axes[result] == kAllAxes; }
};

}  // namespace opweave::codegen
