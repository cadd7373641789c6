// A new operator: the text of an entry to start from, and what is left to do.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "codegen/model/model.h"

namespace opweave::codegen {

// How the new operator computes.
enum class Like : uint8_t { expr, composite, kernel };

struct NewOperator {
  std::string schema;  // a whole schema
  Like like = Like::expr;
  bool name_only = false;  // the author gave no schema: an overload of an operator is not meant
};

// `name` stands for an operator of one tensor.
NewOperator new_operator(std::string_view name_or_schema, Like like);
// The entry with comments, or nothing if the schema is none; the reason has been reported.
std::string entry_text(const NewOperator& op, Sources& sources, DiagnosticSink& sink);
// Reports another operator of that name, where only a name was given.
void check_name_is_free(const NewOperator& op, const Operator& in_model, const Model& model,
                        DiagnosticSink& sink);
// What to do next, for an operator whose entry the model holds.
std::string next_steps(const NewOperator& op, const Operator& in_model);

}  // namespace opweave::codegen
