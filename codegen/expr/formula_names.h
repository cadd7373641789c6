// The names that formulas know besides operators: arguments, gradients, results and constants.
#pragma once

#include "codegen/expr/formula_checker.h"

namespace opweave::codegen {

class NamesInScope {
 public:
  NamesInScope(const FormulaScope& scope, FormulaArena& arena, DiagnosticSink& sink)
      : scope_(scope), arena_(arena), sink_(sink) {}

  // Null if the name is unknown or cannot stand alone, which is reported.
  const FormulaNode* find(const SyntaxNode& name);
  // Of `grads[i]`; the caller has seen that the name is `grads`.
  const FormulaNode* gradient(const SyntaxNode& access);
  bool is_grads(const SyntaxNode& node) const;

 private:
  const FormulaNode* let(const SyntaxNode& name, size_t index, const FormulaLocal& local,
                         FormulaKind kind);
  const FormulaNode* derivative_name(const SyntaxNode& name);
  const FormulaNode* forward_name(const SyntaxNode& name);
  const FormulaNode* output_name(const SyntaxNode& name);
  const FormulaNode* constant(const SyntaxNode& name);
  const FormulaNode* unknown(const SyntaxNode& name);
  const FormulaNode* output(FormulaKind kind, size_t index, const SyntaxNode& node);

  const FormulaScope& scope_;
  FormulaArena& arena_;
  DiagnosticSink& sink_;
};

}  // namespace opweave::codegen
