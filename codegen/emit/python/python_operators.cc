// Python's operators: the methods that the bindings put behind them, and their stubs.
#include "codegen/emit/python/python_operators.h"

#include <algorithm>

#include "codegen/emit/output/output_table.h"
#include "codegen/emit/output/outputs.h"
#include "codegen/emit/python/python_face.h"

namespace opweave::codegen {
namespace {

// A method, or a function of opweave itself; null if there is none.
const PythonCallable* find(const std::vector<PythonCallable>& callables, std::string_view name) {
  const auto found = std::ranges::find_if(callables, [&](const PythonCallable& callable) {
    return callable.name == name && (callable.method || callable.module.empty());
  });
  return found == callables.end() ? nullptr : &*found;
}

bool takes_number_first(const PythonCallable* callable) {
  return callable != nullptr &&
         std::ranges::any_of(callable->overloads, [](const PythonOverload& overload) {
           if (overload.parameters.empty()) return false;
           const PythonParameter& first = overload.parameters[0];
           return first.accepts_number || first.argument->type.base == BaseType::scalar;
         });
}

// `nb_inplace_add` of `nb_add`.
std::string inplace_slot(std::string_view slot) {
  return "nb_inplace_" + std::string(slot.substr(slot.find('_') + 1));
}

// `__radd__` of `__add__`.
std::string prefixed(char prefix, std::string_view name) {
  return "__" + std::string(1, prefix) + std::string(name.substr(2));
}

std::string_view macro(PythonOperatorKind kind) {
  switch (kind) {
    case PythonOperatorKind::binary:
      return "OW_BINARY";
    case PythonOperatorKind::unary:
      return "OW_UNARY";
    case PythonOperatorKind::comparison:
    case PythonOperatorKind::equality:
      break;
  }
  return "OW_COMPARISON";
}

void print_row(Printer& p, std::string_view macro, const std::string& slot,
               const std::string& method) {
  p.print({{"macro", std::string(macro)}, {"slot", slot}, {"method", quoted(method)}},
          "$macro$($slot$, $method$)");
}

void print_stub(Printer& p, const std::string& name, const std::string& operand) {
  p.print({{"name", name}, {"operand", operand.empty() ? "" : ", other: " + operand}},
          "def $name$(self$operand$) -> Tensor: ...");
}

}  // namespace

std::vector<PythonOperatorFace> python_operators(const Model& model) {
  const std::vector<PythonCallable> methods = python_methods(model);
  const std::vector<PythonCallable> functions = python_functions(model);
  std::vector<PythonOperatorFace> faces;
  for (const PythonOperator& python : kPythonOperators) {
    for (const Operator* op : model.operators().all()) {
      if (op->face->python_operator != &python || op->origin.imported) continue;
      PythonOperatorFace face{.python = &python, .method = op->face->python_name};
      face.inplace = python.is_binary() && find(methods, face.method + "_") != nullptr;
      face.reflected = python.is_binary() && takes_number_first(find(functions, face.method));
      face.takes_number = takes_number_first(find(methods, face.method));
      faces.push_back(std::move(face));
    }
  }
  return faces;
}

void print_operator_stubs(Printer& p, const Model& model) {
  for (const PythonOperatorFace& face : python_operators(model)) {
    const std::string name(face.python->name);
    const std::string other = face.takes_number ? "Union[Tensor, Number]" : "Tensor";
    if (face.python->kind == PythonOperatorKind::equality) {
      p.print({{"name", name}},
              "def $name$(self, other: object) -> Tensor: ...  # type: ignore[override]");
      continue;
    }
    print_stub(p, name, face.python->is_unary() ? "" : other);
    if (face.reflected) print_stub(p, prefixed('r', name), other);
    if (face.inplace) print_stub(p, prefixed('i', name), other);
  }
}

void emit_python_operators(Output& output) {
  Printer p;
  p.print(
      "// The operators of Python on tensors: their slots, and the methods that they call.\n"
      "// Generated from ops.yaml. Do not edit.");
  const std::string_view macros[] = {"OW_BINARY", "OW_INPLACE", "OW_UNARY", "OW_COMPARISON"};
  for (std::string_view name : macros) {
    p.print({{"name", std::string(name)}},
            "#ifndef $name$\n"
            "#define $name$(slot, method)\n"
            "#endif");
  }
  for (const PythonOperatorFace& face : python_operators(output.model)) {
    const std::string slot(face.python->slot);
    print_row(p, macro(face.python->kind), slot, face.method);
    if (face.inplace) print_row(p, "OW_INPLACE", inplace_slot(slot), face.method + "_");
  }
  for (std::string_view name : macros) p.print({{"name", std::string(name)}}, "#undef $name$");
  output.add(p.take());
}

}  // namespace opweave::codegen
