// Values of rules whose sizes may be unknown.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "codegen/diagnostics/source.h"
#include "codegen/syntax/schema.h"
#include "rules/size.h"

namespace opweave::codegen {

using rule::Condition;
using rule::SharedParts;
using rule::Size;

using Sizes = std::vector<Size>;

// A tensor without elements.
struct ShapedTensor {
  Sizes sizes;
  std::string dtype;  // `float32`; empty where it is not known
  bool defined = true;
  bool is_number = false;        // a number in the place of a tensor: it hardly promotes
  std::optional<Sizes> strides;  // nothing where they are not known
  std::optional<Size> offset;
};
// One that is contiguous.
ShapedTensor dense_tensor(Sizes sizes, std::string dtype);
Sizes contiguous_strides(const Sizes& sizes);

struct Nothing {
  friend bool operator==(Nothing, Nothing) { return true; }
};
// What cannot be told: a stride, a device, a number that is drawn.
struct Unknown {
  std::string dtype = "";  // of a number, where it is known
};
struct DtypeName {
  std::string name;  // empty where it is not known
};

struct Value;
using Values = std::vector<Value>;

// none, a truth value, a whole number, a float, text, a dtype, a list of ints, a tensor, several
// values.
struct Value {
  std::variant<Nothing, Unknown, Condition, Size, double, std::string, DtypeName, Sizes,
               ShapedTensor, Values>
      is;

  template <class T>
  const T* as() const {
    return std::get_if<T>(&is);
  }
};

// As messages show it: `[N, 3]`, `float32`, `2`.
std::string text_of(const Value& value);
std::string text_of(const Sizes& sizes);

// A default or a constant of a formula. One number for a list of N stands N times.
Value constant_value(const Constant& constant, const Type& type);

// Why no answer can be given, with the place that says so.
struct NoShape : rule::NoShape {
  NoShape(std::string why, Kind kind = Kind::refused, Span span = {})
      : rule::NoShape{std::move(why), kind}, span(span) {}

  Span span;  // of the condition or expression
};

// NoShape, in the words of the runtime, where a size is negative.
void check_sizes(const Sizes& sizes, Span span);

}  // namespace opweave::codegen
