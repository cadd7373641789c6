#include "codegen/emit/functionalities/refused_inputs.h"

#include "codegen/emit/text/comma_list.h"
#include "codegen/model/lowered/lowered.h"

namespace opweave::codegen {

std::string refused_names(const Operator& op) {
  const auto name = [&](uint16_t i) { return quoted(op.schema.arguments[i].name); };
  return "[" + comma_list(op.lowered->recording.refused, name) + "]";
}

void print_refusals(Printer& p, const Operator& op, const Signature& s) {
  const Operator& named = op.forms->functional != nullptr ? *op.forms->functional : op;
  for (const uint16_t i : op.lowered->recording.refused) {
    const std::string& name = s.parameters[i].name;
    p.print({{"op", quoted(named.name.full)}, {"argument", quoted(name)}, {"name", name}},
            "check_not_differentiated($op$, $argument$, $name$);");
  }
}

}  // namespace opweave::codegen
