// What a rule may not say, though its types fit: what cannot matter, cannot hold, or asks of
// nothing.
#pragma once

#include "codegen/model/declarations/operator.h"
#include "codegen/model/entries/rule_entry.h"

namespace opweave::codegen {

// Whether a value may have this name, which no argument has and none of the values before it;
// reported otherwise.
bool is_new_local(const LocatedText& name, const Schema& schema,
                  std::span<const FormulaLocal> before, DiagnosticSink& sink);

// Whether a value can have a name: none that only refers to what ends with the expression.
bool check_local_value(const FormulaNode& value, DiagnosticSink& sink);

// Reports conditions and values that nothing depends on, numbers that are no sizes, and questions
// that are asked of a tensor that may be none.
void check_sense(const Rule& rule, const RuleEntry& entry, const Schema& schema,
                 DiagnosticSink& sink);

}  // namespace opweave::codegen
