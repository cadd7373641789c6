// Type stubs of the generated functions and methods.
#include <algorithm>
#include <cmath>

#include "codegen/emit/output_table.h"
#include "codegen/emit/outputs.h"
#include "codegen/emit/python_face.h"
#include "codegen/emit/python_operators.h"
#include "schema/python_text.h"

namespace opweave::codegen {
namespace {

std::string stub_default(const Argument& argument) {
  // What a stub may not name is left as an ellipsis.
  const Constant& c = *argument.default_value;
  const bool named =
      c.kind == Constant::Kind::symbol || (c.kind == Constant::Kind::real && std::isinf(c.real));
  return named ? "..." : python_default(argument);
}

// `spread`: the first parameter's numbers one by one, `*size: int`.
std::string stub_parameters(const PythonCallable& callable, const PythonOverload& overload,
                            bool spread) {
  std::string text = callable.method ? "self" : "";
  bool starred = false, optional_seen = false;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  for (const PythonParameter& p : overload.parameters) {
    if (spread && !starred) {
      starred = true;
      add("*" + p.name + ": int");
      continue;
    }
    if ((p.keyword_only || (optional_seen && !p.argument->default_value)) && !starred) {
      starred = true;
      add("*");
    }
    optional_seen |= p.argument->default_value.has_value();
    const bool flag = p.role == NnRole::all_results;
    const std::string literal = p.argument->default_value ? "Literal[False]" : "Literal[True]";
    std::string part = p.name + ": " + (flag ? literal : python_type(p));
    if (p.argument->default_value) part += " = " + stub_default(*p.argument);
    add(part);
  }
  const bool factory = is_factory(*overload.op);
  if ((overload.out != nullptr || factory) && !starred) add("*");
  if (overload.out != nullptr) {
    add(overload.op->schema.returns.size() == 1 ? "out: Optional[Tensor] = None"
                                                : "out: Optional[Tuple[Tensor, ...]] = None");
  }
  if (factory) add("requires_grad: bool = False");
  return text;
}

std::string docstring(const PythonOverload& overload) {
  std::string doc = overload.op->doc;
  if (doc.empty() && overload.op->functional != nullptr) doc = overload.op->functional->doc;
  return doc.empty() ? "..." : schema::python_docstring(doc);
}

// Where a list of sizes is the only positional parameter its numbers can be given one by one.
bool takes_varargs(const PythonOverload& overload) {
  size_t positional = 0;
  for (const PythonParameter& p : overload.parameters) positional += !p.keyword_only;
  if (positional != 1) return false;
  const Type& type = overload.parameters[0].argument->type;
  return type.list && type.base == BaseType::integer;
}

void print_overload(Printer& p, const PythonCallable& callable, const PythonOverload& overload,
                    const std::string& parameters, const std::string& result) {
  p.print({{"name", callable.name},
           {"params", parameters},
           {"result", result},
           {"doc", docstring(overload)}},
          "def $name$($params$) -> $result$:\n"
          "    $doc$");
}

bool has_flag_for_results(const PythonOverload& overload) {
  return std::ranges::count(overload.parameters, NnRole::all_results, &PythonParameter::role) > 0;
}

// A flag decides what is returned: one declaration for either.
void print_flag_overloads(Printer& p, const PythonCallable& callable) {
  for (PythonOverload overload : callable.overloads) {
    p.print("@overload");
    const auto flag =
        std::ranges::find(overload.parameters, NnRole::all_results, &PythonParameter::role);
    Argument absent = *flag->argument;
    print_overload(p, callable, overload, stub_parameters(callable, overload, false), "Tensor");
    // Given, it follows arguments with defaults: by name.
    absent.default_value.reset();
    flag->argument = &absent;
    p.print("@overload");
    print_overload(p, callable, overload, stub_parameters(callable, overload, false),
                   python_result(*overload.op));
  }
}

void print_callable(Printer& p, const PythonCallable& callable) {
  const auto& overloads = callable.overloads;
  if (std::ranges::any_of(overloads, has_flag_for_results))
    return print_flag_overloads(p, callable);
  const bool several =
      overloads.size() > 1 || std::any_of(overloads.begin(), overloads.end(), takes_varargs);
  for (const PythonOverload& overload : overloads) {
    if (several) p.print("@overload");
    const std::string result = python_result(*overload.op);
    print_overload(p, callable, overload, stub_parameters(callable, overload, /*spread=*/false),
                   result);
    if (!takes_varargs(overload)) continue;
    p.print("@overload");
    print_overload(p, callable, overload, stub_parameters(callable, overload, /*spread=*/true),
                   result);
  }
}

void print_preamble(Printer& p, const std::string& what) {
  p.print({{"what", what}},
          "# Types of the generated $what$.\n"
          "# Generated from ops.yaml. Do not edit.\n"
          "# An overload for numbers may follow one whose tensors may be numbers.\n"
          "# mypy: disable-error-code=\"overload-cannot-match\"\n"
          "from typing import Any, List, Literal, Optional, Sequence, Tuple, Union, overload\n"
          "\n"
          "from opweave._C import Generator, Tensor, device, dtype, layout, memory_format\n"
          "\n"
          "Number = Union[int, float, bool]\n"
          "DeviceLike = Union[device, str, int]\n");
}

// Whether signatures that stubs show name a type of objects.
bool is_shown(const ObjectDeclaration& object, const Model& model) {
  const auto names = [&](const auto& value) { return value.type.object == object.name; };
  return std::ranges::any_of(model.operators().all(), [&](const Operator* op) {
    return !op->internal && (std::ranges::any_of(op->schema.arguments, names) ||
                             std::ranges::any_of(op->schema.returns, names));
  });
}

void print_object_class(Printer& p, const ObjectDeclaration& object, const Model& model) {
  if (object.python.empty()) return p.print({{"name", object.name}}, "class $name$: ...");
  if (!is_shown(object, model)) return;
  p.print({{"name", object.name}, {"module", object.python.substr(0, object.python.rfind('.'))}},
          "from $module$ import $name$");
}

}  // namespace

void emit_nn_stubs(Output& output) {
  Printer p;
  print_preamble(p, "functions of nn.functional");
  for (const PythonCallable& callable : nn_functions(output.model)) {
    if (!callable.left_out()) print_callable(p, callable);
  }
  output.add(p.take());
}

static void print_methods(Printer& p, const Model& model) {
  p.print("\nclass TensorMethods:");
  Indented in(p);
  Indented more(p);
  const std::vector<PythonCallable> methods = python_methods(model);
  // A class has a body.
  if (std::ranges::all_of(methods, &PythonCallable::left_out)) p.print("...");
  for (const PythonCallable& callable : methods) {
    if (!callable.left_out()) print_callable(p, callable);
  }
  print_operator_stubs(p, model);
}

void emit_python_stubs(Output& output) {
  const Model& model = output.model;
  Printer p;
  print_preamble(p, "functions and methods");
  for (const ObjectDeclaration& object : model.objects()) print_object_class(p, object, model);
  for (const PythonCallable& callable : python_functions(model)) {
    if (callable.left_out()) continue;
    if (callable.module.empty() && !callable.name.starts_with('_')) print_callable(p, callable);
  }
  // Methods of a library's operators are nobody's in a stub: tensors are another module's.
  if (output.options.library == "opweave") print_methods(p, model);
  output.add(p.take());
}

}  // namespace opweave::codegen
