// What a generated file says about the operators that it uses. It declares them itself instead of
// including their headers, so that it changes with those operators and with no others.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/emit/text/printer.h"
#include "codegen/model/model.h"
#include "schema/object_types.h"

namespace opweave::codegen {

// The operators that one file uses.
class UsedOperators {
 public:
  explicit UsedOperators(const Mutants& mutants = Mutants::none()) : mutants_(mutants) {}

  void add(const Operator& op) { ops_.push_back(&op); }
  void add(const std::vector<const Operator*>& ops) {
    ops_.insert(ops_.end(), ops.begin(), ops.end());
  }
  void add_calls_of(const FormulaNode& formula);
  // What its conditions and the description of its results ask for.
  void add_rule_of(const Operator& op);
  // What the mutants of its formulas call.
  void add_mutants_of(const Operator& op);
  bool has_mutants() const { return has_mutants_; }
  // Of the functions as which parts of its formulas print.
  std::vector<std::string> helper_headers() const {
    return {helper_headers_.begin(), helper_headers_.end()};
  }

  // Sorted by identifier, without repeats.
  std::vector<const Operator*> sorted() const;

 private:
  const Mutants& mutants_;
  std::vector<const Operator*> ops_;
  bool has_mutants_ = false;
  std::set<std::string> helper_headers_;
};

// `struct add_Tensor`: the same text in an operator's header and in every file that declares it.
void print_operator_struct(Printer& printer, const Operator& op);
// What the declarations need: "#include" lines.
// Whether `ops::<identifier>::make_view` makes the view that the rule describes.
bool has_view_function(const Operator& op);
void print_declaration_includes(Printer& printer);
// What code has to know of the declared types of objects that these operators take and return.
// At the outermost scope.
void print_object_types(Printer& printer, const std::vector<const Operator*>& ops);
void print_object_type(Printer& printer, const schema::ObjectType& type);
// Namespace opweave::ops with the structs of these operators, and what else their formulas need.
void print_declarations(Printer& printer, const UsedOperators& used);
// OW_MUTANT, by which a file with mutants chooses among them.
void print_mutant_declarations(Printer& printer);
// The function that a handwritten kernel defines, in the namespace of its target.
// One that serves all targets makes its results itself, by what it calls.
void print_kernel_declaration(Printer& printer, const Operator& op, std::string_view target);

}  // namespace opweave::codegen
