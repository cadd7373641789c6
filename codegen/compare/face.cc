// Operators as text.
#include "codegen/compare/face.h"

#include "codegen/emit/entries/entries.h"

namespace opweave::codegen {

std::string face(const Operator& op) {
  const bool differentiable = op.gradient->differentiability != Differentiability::none;
  std::string text = print(op.schema);
  for (const EntryPart& part : entry_parts(op)) {
    const bool more = part.seen == Seen::by_callers && part.name != "schema";
    if (more && !part.text.empty()) text += " " + part.text;
  }
  return text + (differentiable ? " differentiable" : "");
}

std::string inside(const Operator& op) {
  std::string text;
  for (const EntryPart& part : entry_parts(op)) {
    if (part.seen == Seen::inside) text += part.text;
  }
  return text;
}

}  // namespace opweave::codegen
