#include "codegen/emit/functionalities/refused_inputs.h"

#include "codegen/emit/text/comma_list.h"
#include "codegen/model/lowered/lowered.h"

namespace opweave::codegen {

<<<<<<< HEAD
std::vector<uint16_t> refused_inputs(const Operator& op) {
  const BackwardPass* pass = op.lowered->backward;
  return pass == nullptr || op.forms->form == Form::out ? std::vector<uint16_t>() : pass->refused();
}

=======
>>>>>>> d938794a687d07e74d9c6b80283b0dffa5b72d59
std::string refused_names(const Operator& op) {
  const auto name = [&](uint16_t i) { return quoted(op.schema.arguments[i].name); };
  return "[" + comma_list(op.lowered->recording.refused, name) + "]";
}

void print_refusals(Printer& p, const Operator& op, const Signature& s) {
  const Operator& named = op.forms->functional != nullptr ? *op.forms->functional : op;
<<<<<<< HEAD
  for (const uint16_t i : refused_inputs(op)) {
=======
  for (const uint16_t i : op.lowered->recording.refused) {
>>>>>>> d938794a687d07e74d9c6b80283b0dffa5b72d59
    const std::string& name = s.parameters[i].name;
    p.print({{"op", quoted(named.name.full)}, {"argument", quoted(name)}, {"name", name}},
            "check_not_differentiated($op$, $argument$, $name$);");
  }
}

}  // namespace opweave::codegen
