// All operators of one run, by full name and by base name.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "codegen/model/declarations/derivative.h"
#include "codegen/model/declarations/operator.h"

namespace opweave::codegen {

class OperatorTable {
 public:
  // Null if there is none.
  const Operator* find(std::string_view full_name) const;
  const OperatorFamily* family(std::string_view base_name) const;
  // The base name, or with a number the first that no operator has.
  std::string free_name(const std::string& base_name) const;

  // Every operator, imported ones included: as defined in the files, each followed by the forms
  // derived from it, generated backward operators last.
  const std::vector<const Operator*>& all() const { return order_; }
  // Sorted by base name.
  const std::map<std::string, OperatorFamily, std::less<>>& families() const { return families_; }

  // For the model builder: takes the operator in; false if the full name is taken.
  bool add(Operator* op);

 private:
  std::vector<const Operator*> order_;
  std::unordered_map<std::string_view, const Operator*> by_full_name_;
  std::map<std::string, OperatorFamily, std::less<>> families_;
};

}  // namespace opweave::codegen
