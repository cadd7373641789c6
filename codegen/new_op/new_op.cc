// Entries with comments.
#include "codegen/new_op/new_op.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "codegen/emit/text/signature.h"
#include "codegen/syntax/named_values.h"
#include "codegen/syntax/schema.h"

namespace opweave::codegen {
namespace {

// As a YAML value: in quotes where a plain one would end early or mean something else.
std::string yaml_text(const std::string& text) {
  const bool plain = text.find(": ") == std::string::npos && text.find(" #") == std::string::npos &&
                     text.find_first_of("\n\t\r\\") == std::string::npos;
  return plain
             ? text
             : nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::vector<const Argument*> single_tensors(const Schema& schema) {
  std::vector<const Argument*> tensors;
  for (const Argument& argument : schema.arguments) {
    if (argument.type.is_tensor() && !argument.type.optional) tensors.push_back(&argument);
  }
  return tensors;
}

// Something that is right as it stands: the product of the tensors.
std::string product(const Schema& schema, std::string_view alone) {
  const std::vector<const Argument*> tensors = single_tensors(schema);
  if (tensors.size() == 1) return tensors[0]->name + std::string(alone);
  std::string text;
  for (const Argument* tensor : tensors) text += (text.empty() ? "" : " * ") + tensor->name;
  return text.empty() ? "0" : text;
}

// A value of a call, where a list needs one; empty if there is none to guess.
std::string call_value(const Type& type) {
  if (type.list) {
    Type element = type;
    element.list = false;
    const std::vector<std::string> values(type.size.value_or(1), call_value(element));
    return fmt::format("[{}]", fmt::join(values, ", "));
  }
  switch (type.base) {
    case BaseType::tensor:
      return "real(2x3)";
    case BaseType::integer:
      return "1";
    case BaseType::floating:
    case BaseType::scalar:
      return "0.5";
    case BaseType::boolean:
      return "true";
    case BaseType::scalar_type:
      return "float64";
    case BaseType::device:
      return "cpu";
    case BaseType::layout:
    case BaseType::memory_format:
      return std::string(value_names(type.base).front());
    default:
      return "''";
  }
}

std::string domain_of(const Argument& argument) {
  switch (argument.type.base) {
    case BaseType::tensor:
      return "real";
    case BaseType::integer:
      return "[0, 1]";
    case BaseType::floating:
    case BaseType::scalar:
      return "[0.5, 2]";
    default:
      return "[true, false]";
  }
}

// A domain says nothing of the elements of lists, nor a type of strings and dtypes.
bool has_domain(const Argument& argument) {
  switch (argument.type.base) {
    case BaseType::tensor:
    case BaseType::integer:
    case BaseType::floating:
    case BaseType::scalar:
    case BaseType::boolean:
      return !argument.type.list;
    default:
      return false;
  }
}

std::string samples(const Schema& schema) {
  const auto needs_value = [](const Argument& a) { return !a.default_value && !has_domain(a); };
  const bool calls = std::ranges::any_of(schema.arguments, needs_value);
  std::string text;
  for (const Argument& argument : schema.arguments) {
    if (calls ? argument.default_value.has_value() : !has_domain(argument)) continue;
    const std::string value = calls ? call_value(argument.type) : domain_of(argument);
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", argument.name, value);
  }
  if (calls) {
    return fmt::format(
        "  # What tests call it with, one mapping for each call; docs/yaml.md has more of it.\n"
        "  samples:\n    - {{{}}}\n",
        text);
  }
  return fmt::format(
      "  # Where tests draw the arguments from: a domain, a value, or a list of values.\n"
      "  samples: {{{}}}\n",
      text);
}

// What ints mean is for the author to say; a number is what changes nothing under vmap.
std::string roles_of(const Schema& schema) {
  std::string roles;
  for (const Argument& argument : schema.arguments) {
    if (argument.type.base != BaseType::integer) continue;
    roles += fmt::format("{}{}: number", roles.empty() ? "" : ", ", argument.name);
  }
  if (roles.empty()) return "";
  return "  # What its ints mean: `dim` names a dimension, `sizes` are those of the result, a\n"
         "  # `number` is neither. docs/yaml.md lists the others.\n"
         "  roles: {" +
         roles + "}\n";
}

// New results as large as the first tensor; the author knows better, but it is right as it stands.
std::string result_of(const Schema& schema) {
  const std::vector<const Argument*> tensors = single_tensors(schema);
  const bool makes_tensors = std::ranges::all_of(schema.returns, [](const Return& result) {
    return result.type.is_tensor() && !result.type.alias;
  });
  if (tensors.empty() || schema.returns.empty() || !makes_tensors) return "";
  const std::string sizes = tensors[0]->name + ".sizes()";
  const bool one = schema.returns.size() == 1;
  std::string rules = one ? " " + sizes + "\n" : "\n";
  for (size_t i = 0; !one && i < schema.returns.size(); ++i) {
    const std::string& name = schema.returns[i].name;
    rules += fmt::format("    {}: {}\n", name.empty() ? fmt::format("result{}", i) : name, sizes);
  }
  return fmt::format(
      "  # What its results look like before the kernel runs: their sizes; dtype and device are "
      "those\n"
      "  # of '{}' unless they are given. `require` says what a call must fulfil; docs/yaml.md has "
      "both.\n"
      "  result:{}",
      tensors[0]->name, rules);
}

std::string computation(const NewOperator& op, const Schema& schema) {
  switch (op.like) {
    case Like::expr:
      return fmt::format(
          "  # What it computes for each element. Kernels for every target, shapes, dtypes and "
          "the\n"
          "  # gradient follow from it; docs/yaml.md lists the functions.\n"
          "  expr: {}\n",
          product(schema, ""));
    case Like::composite:
      return fmt::format(
          "  # What it computes, in terms of other operators. It is differentiated through them.\n"
          "  composite: {}\n",
          product(schema, " * 1"));
    case Like::kernel:
      break;
  }
  std::string text =
      "  # The targets that have a handwritten function; `every_target` is one for all of them, "
      "and\n"
      "  # `composite` one that is differentiated through.\n"
      "  kernels: [cpu]\n" +
      result_of(schema) +
      "  # Its results have no gradient. To give it one, delete the next line and add an entry to\n"
      "  # derivatives.yaml:\n";
  text += fmt::format("  #   - name: {}\n", schema.full_name());
  for (const Argument& argument : schema.arguments) {
    if (argument.type.is_tensor_like()) text += fmt::format("  #     {}: FORMULA\n", argument.name);
  }
  return text + "  differentiable: false\n" + roles_of(schema);
}

// Lines of a file, to be copied.
std::string shown(const std::string& lines) {
  std::string text;
  for (size_t begin = 0; begin < lines.size();) {
    const size_t end = lines.find('\n', begin);
    text += "\n       " + lines.substr(begin, end - begin);
    begin = end + 1;
  }
  return text;
}

// A kernel that compiles and says when it runs that it is not written yet.
std::string step_of_kernel(const Operator& op) {
  const Signature signature = kernel_signature_of(op);
  const std::string file = fmt::format(
      "// What {0} computes.\n"
      "#include \"opweave/kernels/cpu/{1}.h\"\n"
      "#include \"runtime/core/base/error.h\"\n"
      "#include \"runtime/core/tensor/tensor.h\"\n"
      "\n"
      "namespace opweave::cpu {{\n"
      "\n"
      "{2} {3}({4}) {{\n"
      "  OW_THROW(ErrorKind::kNotImplemented, \"{0}(): the kernel is not written yet\");\n"
      "}}\n"
      "\n"
      "}}  // namespace opweave::cpu\n",
      op.name.full, op.name.base, signature.result, op.name.identifier,
      signature.optional_parameter_list());
  return fmt::format(
      "write its kernel, in a folder of kernels/cpu such as kernels/cpu/indexing/{}.cc:\n{}\n\n"
      "     in Opweave's own ops.yaml, say 'kernels: [native]' and name {} in\n"
      "     kernels/cpu/target.yaml; then run tools/codegen/update_operators.py, which lists its "
      "#include",
      op.name.base, shown(file), op.name.full);
}

// Targets without data ask the rule.
std::string step_of_meta(const Operator& op) {
  if (!op.effects.mutated.empty())
    return "say in 'require' what its arguments must be: that is all there is to do on meta";
  return "make its 'result' (and 'let', 'require') right: what meta, out= and opweave shapes know "
         "of it\n     is this rule; 'result: data' if the elements decide";
}

std::string step_of_gradient(const Operator& op) {
  std::string entry = fmt::format("- name: {}\n", op.name.full);
  for (const uint16_t i : op.tensor_arguments())
    entry += fmt::format("  {}: FORMULA   # or zero, or non_differentiable\n",
                         op.schema.arguments[i].name);
  entry += "  result: auto_linear   # the forward rule; another where it is not linear\n";
  return fmt::format(
      "give it a gradient, without 'differentiable: false', in derivatives.yaml:\n{}",
      shown(entry));
}

std::string step_of_reference(const Operator& op) {
  const std::string code = fmt::format(
      "def {0}(a):  # its arguments by name, tensors as arrays, defaults included\n"
      "    return ...\n"
      "\n"
      "OPERATORS = {{..., \"{1}\": {0}}}\n",
      op.name.identifier, op.name.full);
  return fmt::format(
      "give tests something to compare with: if PyTorch has it, tests/reference/record.py samples\n"
      "     records its answers (after ./dev gen, in a Python with PyTorch); else, in\n"
      "     tests/python/generated/numpy_operators.py:\n{}",
      shown(code));
}

}  // namespace

NewOperator new_operator(std::string_view name_or_schema, Like like) {
  std::string schema(name_or_schema);
  const bool name_only = schema.find('(') == std::string::npos;
  if (name_only) schema += "(Tensor self) -> Tensor";
  return {std::move(schema), like, name_only};
}

void check_name_is_free(const NewOperator& op, const Operator& in_model, const Model& model,
                        DiagnosticSink& sink) {
  const Operator* first = model.operators().family(in_model.name.base)->overloads.front();
  if (!op.name_only || first == &in_model) return;
  sink.error(Code::duplicate_operator, in_model.schema.name_span,
             fmt::format("there are operators named '{}'", in_model.name.base))
      .note(first->origin.span, "the first is here")
      .note({}, "for another overload give its schema, with a name of its own behind a point");
}

std::string entry_text(const NewOperator& op, Sources& sources, DiagnosticSink& sink) {
  const Source* source = sources.add("the new operator", op.schema);
  const std::optional<Schema> schema = parse_schema({source->text(), source}, sink);
  if (!schema) return {};
  const int self = schema->find_argument("self");
  const bool method = self >= 0 && schema->arguments[self].type.is_tensor();
  std::string text = fmt::format("- func: {}\n", yaml_text(op.schema));
  text += fmt::format("  # How Python calls it: opweave.{0}(...){1}\n  variants: function{2}\n",
                      schema->base_name,
                      method ? fmt::format(", x.{}(...), or both.", schema->base_name) : ".",
                      method ? ", method" : "");
  text += computation(op, *schema);
  text += "  # What it does, in a sentence. It becomes the docstring.\n";
  text += fmt::format("  doc: What {} computes.\n", schema->full_name());
  if (!schema->arguments.empty()) text += samples(*schema);
  return text;
}

std::string next_steps(const NewOperator& op, const Operator& in_model) {
  std::vector<std::string> steps;
  switch (op.like) {
    case Like::expr:
      steps.push_back("write its expression, and its doc");
      break;
    case Like::composite:
      steps.push_back("write its formula, and its doc");
      break;
    case Like::kernel:
      steps.push_back(step_of_meta(in_model));
      steps.push_back(step_of_kernel(in_model));
      if (!in_model.tensor_arguments().empty()) steps.push_back(step_of_gradient(in_model));
  }
  steps.push_back("see that its samples are inputs that it accepts, and delete the comments");
  steps.push_back(step_of_reference(in_model));
  steps.push_back("check it: opweave check --ops ops.yaml --derivatives derivatives.yaml");
  steps.push_back("take it into operators.lock: ./dev lock");
  steps.push_back("test it: ./dev test //tests/python/...");
  std::string text = fmt::format("What is left to do for '{}':\n", in_model.name.full);
  for (size_t i = 0; i < steps.size(); ++i) text += fmt::format("  {}. {}\n", i + 1, steps[i]);
  return text;
}

}  // namespace opweave::codegen
