// Type stubs of the generated functions and methods.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <map>

#include "codegen/emit/output/output_table.h"
#include "codegen/emit/output/outputs.h"
#include "codegen/emit/python/python_face.h"
#include "codegen/emit/python/python_operators.h"
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
  std::string doc = overload.op->face->doc;
  if (doc.empty() && overload.op->forms->functional != nullptr)
    doc = overload.op->forms->functional->face->doc;
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

// The class of results with these names and types: `_values_indices`.
std::string result_class(const Operator& op) {
  std::string name;
  for (const Return& result : op.schema.returns) {
    name += "_" + result.name;
    if (result.type.base == BaseType::tensor && !result.type.list) continue;
    name += "_";
    std::ranges::copy_if(python_type(result), std::back_inserter(name),
                         [](unsigned char c) { return std::isalnum(c); });
  }
  return name;
}

std::string stub_result(const PythonCallable& callable, const Operator& op) {
  // Of nn.functional a function in Python gives them on, as a tuple.
  const bool named = has_named_results(op) && callable.module != kNnFunctional;
  return named ? result_class(op) : python_result(op);
}

void print_result_class(Printer& p, const std::string& name, const Operator& op) {
  p.print({{"name", name}}, "class $name$(NamedTuple):");
  Indented in(p);
  Indented more(p);
  for (const Return& result : op.schema.returns) {
    p.print({{"name", schema::python_identifier(result.name)}, {"type", python_type(result)}},
            "$name$: $type$");
  }
}

// Those that these functions and methods return, each once.
void print_result_classes(Printer& p, const std::vector<PythonCallable>& functions,
                          const std::vector<PythonCallable>& methods) {
  std::map<std::string, const Operator*> classes;
  for (const auto* callables : {&functions, &methods}) {
    for (const PythonCallable& callable : *callables) {
      for (const PythonOverload& overload : callable.overloads) {
        const Operator& op = *overload.op;
        if (has_named_results(op)) classes.emplace(result_class(op), &op);
      }
    }
  }
  for (const auto& [name, op] : classes) print_result_class(p, name, *op);
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
    const std::string result = stub_result(callable, *overload.op);
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
          "from typing import Any, List, Literal, NamedTuple, Optional, Sequence, Tuple, Union\n"
          "from typing import overload\n"
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
    return !op->face->internal && (std::ranges::any_of(op->schema.arguments, names) ||
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

static std::vector<PythonCallable> shown_functions(const Model& model) {
  std::vector<PythonCallable> functions = python_functions(model);
  std::erase_if(functions, [](const PythonCallable& c) {
    return c.left_out() || !c.module.empty() || c.name.starts_with('_');
  });
  return functions;
}

static void print_methods(Printer& p, const std::vector<PythonCallable>& methods,
                          const Model& model) {
  p.print("\nclass TensorMethods:");
  Indented in(p);
  Indented more(p);
  // A class has a body.
  if (methods.empty()) p.print("...");
  for (const PythonCallable& callable : methods) print_callable(p, callable);
  print_operator_stubs(p, model);
}

void emit_python_stubs(Output& output) {
  const Model& model = output.model;
  Printer p;
  print_preamble(p, "functions and methods");
  for (const ObjectDeclaration& object : model.objects()) print_object_class(p, object, model);
  const std::vector<PythonCallable> functions = shown_functions(model);
  // Methods of a library's operators are nobody's in a stub: tensors are another module's.
  const bool has_methods = output.options.library == "opweave";
  std::vector<PythonCallable> methods;
  if (has_methods) methods = python_methods(model);
  std::erase_if(methods, &PythonCallable::left_out);
  print_result_classes(p, functions, methods);
  for (const PythonCallable& callable : functions) print_callable(p, callable);
  if (has_methods) print_methods(p, methods, model);
  output.add(p.take());
}

}  // namespace opweave::codegen
