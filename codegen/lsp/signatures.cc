// Signatures of all forms.
#include "codegen/lsp/signatures.h"

#include <fmt/format.h>

#include "codegen/emit/python/python_face.h"
#include "codegen/emit/text/cpp_functions.h"

namespace opweave::codegen::lsp {
namespace {

// The operator and those derived from it.
std::vector<const Operator*> forms_of(const Operator& op) {
  std::vector<const Operator*> forms = {&op};
  if (op.forms->functional != &op) return forms;
  if (op.forms->inplace != nullptr) forms.push_back(op.forms->inplace);
  if (op.forms->out != nullptr) forms.push_back(op.forms->out);
  return forms;
}

std::string python_name(const PythonCallable& callable) {
  if (callable.method) return "Tensor." + callable.name;
  const std::string module = callable.module.empty()            ? ""
                             : callable.module == kNnFunctional ? "nn.functional."
                                                                : callable.module + ".";
  return "opweave." + module + callable.name;
}

std::string lines_of(const std::vector<PythonCallable>& callables, const Operator& op) {
  std::string text;
  for (const PythonCallable& callable : callables) {
    for (const PythonOverload& overload : callable.overloads) {
      const bool own = overload.op == &op || overload.out == &op ||
                       (op.forms->functional == &op && overload.op == op.forms->inplace);
      if (own) text += python_signature(overload, python_name(callable)) + "\n";
    }
  }
  return text;
}

}  // namespace

std::string cpp_signatures(const Operator& op) {
  std::string text;
  for (const CppFunction& function : cpp_functions(forms_of(op))) {
    text += fmt::format("{} opweave::{}({});\n", function.face.result, function.name,
                        function.face.parameter_list_with_defaults());
  }
  return text;
}

std::string python_signatures(const Operator& op, const Model& model) {
  if (op.face->internal) return "";
  return lines_of(public_functions(model), op) + lines_of(python_methods(model), op);
}

std::string gradient_source(const Operator& op) {
  switch (op.gradient->differentiability) {
    case Differentiability::formula:
      return op.gradient->derivative != nullptr && !op.gradient->derivative->formulas.empty() &&
                     op.gradient->derivative->formulas[0].derived
                 ? "derived from the expression"
                 : "derivatives.yaml";
    case Differentiability::through:
      return "through the operators that it calls";
    case Differentiability::not_implemented:
      return "not implemented";
    case Differentiability::none:
      break;
  }
  return "none: its results never require one";
}

}  // namespace opweave::codegen::lsp
