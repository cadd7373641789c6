// What is known of an operator, as constant tables: the generator prints them, and operators that
// are defined at run time get the same from their schema (runtime_record.h).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "schema/type.h"

namespace opweave {

class OperatorEntry;
using schema::BaseType;

// What an argument says about the dimensions of tensors, or else about the computation.
enum class ArgRole : uint8_t {
  kPlain,
  kDim,          // int, or a list of ints, that names dimensions
  kDimsOrAll,    // a list of dimensions, of which none means all
  kOrder,        // all dimensions, in an order
  kNewDim,       // a dimension of the result, which has one more than the tensors
  kSize,         // the sizes of the result
  kIndex,        // of an element
  kTraining,     // whether the call is one of training; without, it draws no numbers
  kProbability,  // beside kTraining: of 0 and 1 it draws none either
};

struct TypeRecord {
  BaseType base = BaseType::tensor;
  bool list = false;
  bool optional = false;
  bool element_optional = false;  // of a list: `Tensor?[]`
  uint8_t size = 0;               // N of `int[N]`; 0: any
  char alias = 0;                 // the set of storages that it shares, `a`; 0: its own
  bool written = false;           // `(a!)`
  std::string_view object = {};   // the name of an object's type

  constexpr bool is_tensor() const { return base == BaseType::tensor && !list; }
  constexpr bool is_tensor_list() const { return base == BaseType::tensor && list; }
  friend constexpr bool operator==(const TypeRecord&, const TypeRecord&) = default;
};

struct ArgumentRecord {
  std::string_view name;
  TypeRecord type = {};
  std::string_view default_value = {};  // as in the schema; empty: it has none
  bool keyword_only = false;
  bool number = false;  // a tensor for which Python may pass a number
  ArgRole role = ArgRole::kPlain;

  friend constexpr bool operator==(const ArgumentRecord&, const ArgumentRecord&) = default;
};

struct ReturnRecord {
  std::string_view name;  // empty if it has none
  TypeRecord type = {};

  friend constexpr bool operator==(const ReturnRecord&, const ReturnRecord&) = default;
};

// Which of the shapes of one computation an operator is.
enum class OperatorForm : uint8_t {
  kFunctional,  // makes new tensors, or views
  kInplace,     // writes its first argument and returns it
  kOut,         // writes the tensors that it is given as `out`
  kManual,      // writes in a way of its own, as its schema says
};

struct OperatorRecord {
  std::span<const ArgumentRecord> arguments;
  std::span<const ReturnRecord> returns;
  std::span<const std::string_view> tags;
  OperatorForm form = OperatorForm::kFunctional;
  // Whether it is for tensors of complex numbers, too; those of others refuse them.
  bool takes_complex = false;
  // The other forms of the computation; null where there is none.
  const OperatorEntry* functional = nullptr;
  const OperatorEntry* inplace = nullptr;
  const OperatorEntry* out = nullptr;

  constexpr bool has_tag(std::string_view tag) const {
    for (std::string_view t : tags) {
      if (t == tag) return true;
    }
    return false;
  }
  // The first argument of the role; -1: none.
  constexpr int argument_with(ArgRole role) const {
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i].role == role) return static_cast<int>(i);
    }
    return -1;
  }
  // The first that is written; -1: none.
  constexpr int written() const {
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i].type.written) return static_cast<int>(i);
    }
    return -1;
  }
};

}  // namespace opweave
