// FormulaParts: which parts of a composite have been computed where a printer stands. A part is
// computed once, where the formula, or a branch of it, first needs it for certain: its random
// numbers are drawn once, and what only a branch needs costs nothing elsewhere.
#pragma once

#include <string_view>
#include <vector>

#include "codegen/model/declarations/operator.h"

namespace opweave::codegen {

class FormulaParts {
 public:
  explicit FormulaParts(const Operator& op) : op_(op), computed_(op.formulas->parts.size()) {}

  bool is_computed(const FormulaNode& named) const { return computed_[named.index]; }
  // What `node` needs whatever its conditions say and nothing has computed, each behind those that
  // it needs itself.
  std::vector<const FormulaNode*> needed(const FormulaNode& node) const;
  void add(const FormulaNode& named) { add(size_t{named.index}); }
  void add(size_t part) { computed_[part] = true; }

  // What is added while it lives is forgotten when it ends.
  class Branch {
   public:
    explicit Branch(FormulaParts& parts) : parts_(parts), before_(parts.computed_) {}
    ~Branch() { parts_.computed_ = before_; }
    Branch(const Branch&) = delete;
    Branch& operator=(const Branch&) = delete;

   private:
    FormulaParts& parts_;
    std::vector<bool> before_;
  };

  std::string_view name(const FormulaNode& named) const {
    return op_.formulas->parts[named.index].name;
  }

 private:
  void collect(const FormulaNode& node, std::vector<bool>& seen,
               std::vector<const FormulaNode*>& found) const;

  const Operator& op_;
  std::vector<bool> computed_;
};

}  // namespace opweave::codegen
