// Lists of tensors among the inputs of a line of derivatives.yaml.
#include "codegen/model/gradients/list_inputs.h"

#include <fmt/format.h>

#include <algorithm>

namespace opweave::codegen {
namespace {

// Words in the place of formulas, which are said of each input alone.
bool is_word(std::string_view text) { return text == "zero" || text == "non_differentiable"; }

}  // namespace

bool check_list_inputs(const Operator& op, const DerivativeEntry::Line& line,
                       const std::vector<uint16_t>& inputs, DiagnosticSink& sink) {
  const std::string_view text = line.formula.text;
  const auto list =
      std::ranges::find_if(inputs, [&](uint16_t i) { return op.schema.arguments[i].type.list; });
  if (list == inputs.end() || is_word(text)) return true;
  if (text != "refused" && inputs.size() == 1) return true;
  const std::string& name = op.schema.arguments[*list].name;
  // A backward pass takes its formula's values apart: one for each input.
  sink.error(
      Code::bad_value, line.formula.whole(),
      text == "refused"
          ? fmt::format("'{}' takes a list of tensors as '{}', and 'refused' is for single ones",
                        op.name.full, name)
          : fmt::format("'{}' takes a list of tensors as '{}', whose gradients need a "
                        "formula of their own",
                        op.name.full, name));
  return false;
}

}  // namespace opweave::codegen
