// Types the expressions of `expr` operators and turns them into pointwise trees.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/expr/element_arena.h"
#include "codegen/expr/element_folds.h"
#include "codegen/expr/syntax.h"
#include "codegen/syntax/schema.h"

namespace opweave::codegen {

// An `expr` operator as other expressions see it.
struct ElementCallable {
  const Schema* schema = nullptr;
  const ElementNode* body = nullptr;
};

// What an expression may call besides intrinsics.
class ElementEnvironment {
 public:
  virtual ~ElementEnvironment() = default;
  virtual bool is_operator(std::string_view base_name) const = 0;
  // The overloads that are pointwise, checked. False if one of them calls itself through this one,
  // or has errors of its own: what there was to say has been said.
  virtual bool pointwise(std::string_view base_name, Span call,
                         std::vector<ElementCallable>& overloads) = 0;
  virtual std::vector<std::string_view> pointwise_names() const = 0;
  // The schema of the first operator with this base name.
  virtual Span declaration(std::string_view base_name) const = 0;
};

// Null if the expression is wrong; the reasons have been reported. `folds`: of an entry that folds.
const ElementNode* check_element(const SyntaxNode& syntax, const Schema& schema,
                                 ElementArena& arena, ElementEnvironment& environment,
                                 DiagnosticSink& sink, const FoldScope* folds = nullptr);

// How the tree reads each argument of the schema. Keyword-only numbers and those of type `float`,
// `int` and `bool` do not promote: they are converted to the compute type.
std::vector<ElementArgument> element_arguments(std::span<const ElementNode* const> roots,
                                               const Schema& schema);
inline std::vector<ElementArgument> element_arguments(const ElementNode& root,
                                                      const Schema& schema) {
  const ElementNode* const roots[] = {&root};
  return element_arguments(roots, schema);
}

// The dtype rule that follows from the tree. Where nothing promotes the compute type is bool.
Promotion derive_promotion(const ElementNode& root);

// True if some operation of the tree exists only for integral and boolean dtypes.
bool is_bitwise(const ElementNode& root);

}  // namespace opweave::codegen
