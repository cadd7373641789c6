// The arguments of a schema by what PyTorch's generator takes them for, and which form of an
// operator it is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codegen/syntax/schema.h"
#include "codegen/torch/operator_name.h"

namespace opweave::codegen::torch {

// scratch: an out form with further memory, arguments named `_scratch_...`.
enum class SchemaKind : uint8_t { functional, in_place, out, writing, scratch };
std::string_view kind_name(SchemaKind kind);  // `functional`, `in-place`, `out`, ...

// The pointers lead into the schema.
struct SchemaParts {
  explicit SchemaParts(const Schema& schema);

  std::vector<const Argument*> before_self, after_self;  // by position
  const Argument* self = nullptr;                        // by position
  // Keyword-only, without those of `options` and `out`.
  std::vector<const Argument*> keywords;
  std::vector<const Argument*>
      options;  // dtype, layout, device and pin_memory side by side, or none
  const Argument* second_options = nullptr;  // where the four stand a second time
  // Keyword-only and written, and whatever else stands behind the first such.
  std::vector<const Argument*> out;

  bool has_tensor() const;  // without `out`
  bool has_symint() const;
  std::vector<const Argument*> inputs() const;  // without `out`, in order
};

// Meaningful for schemas that are not both in place and `out`.
SchemaKind kind_of(const SchemaParts& parts, const OperatorName& name);

// forms: of one computation. views: and of what a copy of a view copies. gradients: of what has one
// entry in derivatives.yaml, whatever the defaults.
enum class SignatureOf : uint8_t { forms, views, gradients };

// What operators have in common: names without underscore and overload, what is written as a
// result, no `out`, no options.
std::string signature(const Schema& schema, const SchemaParts& parts, const OperatorName& name,
                      SignatureOf what);

}  // namespace opweave::codegen::torch
