// What an operator computes whose entry has `over`: expressions that fold dimensions of its
// tensors.
#pragma once

#include <cstdint>
#include <string_view>
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

// A dimension of the same tensors that `axes` names for its coordinates: none that is folded.
struct NamedDim {
  std::string_view name;
  bool is_argument = false;  // an int argument says which, not `dim`
  uint16_t argument = 0;
  int64_t dim = 0;
};

// In the place of an argument that there is none of.
constexpr uint16_t kNoArgument = 0xFFFF;

struct FoldFormula {
  // Without `over` in the entry nothing is folded: it is then the dimension that `axes` names last,
  // along which the kernel walks.
  FoldDims over;
  bool has_folds = true;
  std::string_view axis;  // its name; empty: it has none
  std::vector<NamedDim> named;
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
