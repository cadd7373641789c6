// The arguments of one call of a rule function, by their types.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "codegen/shapes/functions.h"

namespace opweave::codegen {

class Arguments {
 public:
  Arguments(const Schema& schema, const Values& values) : schema_(schema), values_(values) {}

  const Size& size(size_t i) const { return get<Size>(i); }
  const Sizes& sizes(size_t i) const { return get<Sizes>(i); }
  int64_t rank(size_t i) const { return static_cast<int64_t>(sizes(i).size()); }
  bool is_none(size_t i) const { return values_[i].as<Nothing>() != nullptr; }
  std::string dtype(size_t i) const { return get<DtypeName>(i).name; }
  const std::string& text(size_t i) const { return get<std::string>(i); }
  const ShapedTensor& tensor(size_t i) const { return get<ShapedTensor>(i); }
  const Value& value(size_t i) const { return values_[i]; }
  std::vector<ShapedTensor> tensors(size_t i) const {
    // A list of none is also one of no sizes.
    if (const auto* nothing = values_[i].as<Sizes>(); nothing && nothing->empty()) return {};
    std::vector<ShapedTensor> tensors;
    for (const Value& value : get<Values>(i)) {
      if (!value.as<ShapedTensor>()) not_known(i);
      tensors.push_back(*value.as<ShapedTensor>());
    }
    return tensors;
  }

  // Dimensions and options have to be known.
  int64_t number(size_t i) const { return known(size(i), i); }
  std::vector<int64_t> numbers(size_t i) const {
    std::vector<int64_t> numbers;
    for (const Size& size : sizes(i)) numbers.push_back(known(size, i));
    return numbers;
  }
  bool truth(size_t i) const {
    const auto& condition = get<Condition>(i);
    if (condition.kind == Condition::Kind::open) not_known(i);
    return condition.kind == Condition::Kind::yes;
  }

 private:
  template <class T>
  const T& get(size_t i) const {
    if (const T* value = values_[i].as<T>()) return *value;
    not_known(i);
  }
  int64_t known(const Size& size, size_t i) const {
    if (const auto number = size.number()) return *number;
    not_known(i);
  }
  [[noreturn]] void not_known(size_t i) const {
    throw NoShape{fmt::format("{}(): '{}' has to be a known number here", schema_.base_name,
                              schema_.arguments[i].name),
                  NoShape::Kind::unknown};
  }

  const Schema& schema_;
  const Values& values_;
};

// What several files of rule functions are made of.
int64_t wrap(int64_t dim, int64_t rank);
Condition same(const Sizes& a, const Sizes& b);
size_t index_in(const Sizes& list, int64_t index, size_t end);
// NoShape where a list is shorter than one that it has an element for each of.
void expect_as_long(const Sizes& list, const Sizes& other);

// Tables by full names: each file of functions has one.
using Function = Value (*)(const Arguments&, Conditions&);
using Functions = std::map<std::string_view, Function>;
const Functions& window_functions();
const Functions& view_functions();
const Functions& tensor_functions();

// What einsum gives.
Sizes einsum_sizes(const std::string& equation, const std::vector<ShapedTensor>& operands,
                   Conditions& conditions);

}  // namespace opweave::codegen
