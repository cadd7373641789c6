// Rules.
#include "codegen/data/rules.h"

#include "codegen/data/formulas.h"

namespace opweave::codegen::data {
namespace {

Json requirement_data(const Requirement& requirement) {
  const auto part = [](const MessagePart& p) {
    return p.value ? Json{{"value", formula_data(*p.value)}} : Json{{"text", p.text}};
  };
  return {{"condition", formula_data(*requirement.condition)},
          {"error", error_class_name(requirement.error)},
          {"message", list_of(requirement.message, part)}};
}

Json output_data(const OutputRule& output) {
  Json data = Json::object();
  const auto add = [&](const char* key, const FormulaNode* formula) {
    if (formula != nullptr) data[key] = formula_data(*formula);
  };
  add("sizes", output.sizes);
  add("dtype", output.dtype);
  add("device", output.device);
  add("strides", output.strides);
  add("offset", output.offset);
  add("when", output.when);
  return data;
}

}  // namespace

Json locals_data(const std::vector<FormulaLocal>& locals) {
  return list_of(locals, [](const FormulaLocal& local) {
    return Json{{"name", local.name}, {"formula", formula_data(*local.value)}};
  });
}

Json rule_data(const Rule& rule, const Schema& schema) {
  Json data = Json::object();
  if (!rule.locals.empty()) data["locals"] = locals_data(rule.locals);
  if (!rule.requirements.empty())
    data["requirements"] = list_of(rule.requirements, requirement_data);
  if (!rule.outputs.empty()) data["outputs"] = list_of(rule.outputs, output_data);
  const int reference = reference_tensor(schema);
  if (!rule.outputs.empty() && reference >= 0) data["reference"] = reference;
  if (rule.like != nullptr) data["like"] = formula_data(*rule.like);
  add_flag(data, "data", rule.data);
  return data;
}

}  // namespace opweave::codegen::data
