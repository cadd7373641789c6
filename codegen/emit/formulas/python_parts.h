// Parts of a composite in an expression of Python: (lambda m: m * m)(mean(a)).
#pragma once

#include <functional>
#include <string>

#include "codegen/emit/formulas/formula_parts.h"
#include "schema/python_text.h"

namespace opweave::codegen {

inline std::string part_name(std::string_view name) { return schema::python_identifier(name); }

// What `print` makes of a node, within functions of the parts that it needs and nothing has
// computed.
inline std::string with_parts(FormulaParts& parts, const FormulaNode& node,
                              const std::function<std::string(const FormulaNode&)>& print) {
  const FormulaParts::Branch branch(parts);
  std::string before, after;
  for (const FormulaNode* named : parts.needed(node)) {
    before += "(lambda " + part_name(parts.name(*named)) + ": ";
    after = ")(" + print(named->operand(0)) + ")" + after;
    parts.add(*named);
  }
  return before + print(node) + after;
}

}  // namespace opweave::codegen
