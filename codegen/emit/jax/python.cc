// The Python package around the operators: functions that programs call, what builds them, and the
// calls that tests make.
#include <algorithm>

#include "codegen/emit/extension/annotations.h"
#include "codegen/emit/extension/operators.h"
#include "codegen/emit/extension/samples.h"
#include "codegen/emit/jax/face.h"
#include "codegen/emit/output/outputs.h"
#include "codegen/emit/text/comma_list.h"
#include "schema/python_text.h"

namespace opweave::codegen {
namespace {

constexpr TypeNames kTypes{.tensor = "ArrayLike",
                           .number = "float",
                           .dtype = "DTypeLike",
                           .device = "object",
                           .layout = "object",
                           .memory_format = "object"};

std::string python_result(const Operator& op) {
  const size_t count = op.schema.returns.size();
  if (count == 1) return "Array";
  CommaList list;
  for (size_t i = 0; i < count; ++i) list.add("Array");
  return "tuple[" + list.text() + "]";
}

// `: float = 4`
std::string type_and_default(const Argument& argument) {
  const std::string type = ": " + python_annotation(argument.type, kTypes);
  return argument.default_value
             ? type + " = " + jax_constant(*argument.default_value, argument.type)
             : type;
}

std::string doc_of(const Operator& op) {
  return schema::python_docstring(op.face->doc.empty() ? print(op.schema) : op.face->doc);
}

// An overload has its own name behind that of its family.
std::string function_name(const std::vector<const Operator*>& all, const Operator& op) {
  const auto is_overload = [&](const Operator* other) { return other->name.base == op.name.base; };
  const bool alone = std::ranges::count_if(all, is_overload) == 1;
  return schema::python_identifier(alone ? op.name.base : op.name.identifier);
}

std::vector<const Operator*> functions(const JaxLibrary& library) {
  std::vector<const Operator*> ops = library.operators;
  std::erase_if(ops, [](const Operator* op) { return op->face->internal; });
  std::ranges::stable_sort(
      ops, {}, [](const Operator* op) -> auto& { return op->name.identifier; });
  return ops;
}

void print_call(Printer& p, const JaxLibrary& library, const Operator& op) {
  const auto all = functions(library);
  const std::string values = comma_list(
      op.schema.arguments, [](const Argument& a) { return schema::python_identifier(a.name); });
  p.print({{"name", function_name(all, op)},
           {"parameters", python_parameters(op, type_and_default)},
           {"result", python_result(op)},
           {"doc", doc_of(op)},
           {"id", op.name.identifier},
           {"values", values}},
          "\n\ndef $name$($parameters$) -> $result$:\n"
          "    $doc$\n"
          "    return _operators.op_$id$.run($values$)");
}

}  // namespace

std::string print_jax_module(const JaxLibrary& library) {
  const auto ops = functions(library);
  const auto kernels = handwritten_operators(library.operators);
  const std::string names =
      comma_list(kernels, [](const Operator* op) { return quoted(op->name.identifier); });
  Printer p;
  p.print({{"banner", kPythonBanner}, {"package", library.package}, {"kernels", names}},
          "\"\"\"Operators for JAX.\"\"\"\n"
          "$banner$\n"
          "# ruff: noqa: E501, F401\n"
          "from collections.abc import Sequence\n"
          "from pathlib import Path\n"
          "\n"
          "from ._loading import Array, ArrayLike, DTypeLike, load\n"
          "\n"
          "load(\"$package$\", Path(__file__).parent, [$kernels$])\n"
          "\n"
          "from . import _operators  # noqa: E402");
  for (const Operator* op : ops) print_call(p, library, *op);
  p.print({{"names",
            comma_list(ops, [&](const Operator* op) { return quoted(function_name(ops, *op)); })}},
          "\n\n__all__ = [$names$]");
  return p.take();
}

std::string print_jax_setup(const JaxLibrary& library) {
  const bool has_kernels = !handwritten_operators(library.operators).empty();
  Printer p;
  p.print({{"package", library.package},
           {"import", has_kernels ? "from build_extension import build_command, extension\n" : ""},
           {"data", has_kernels ? "\"py.typed\", \"_built.txt\"" : "\"py.typed\""},
           {"modules", has_kernels ? " ext_modules=[extension(\"" + library.package +
                                         "\")], cmdclass={\"build_ext\": build_command},"
                                   : ""}},
          "\"\"\"Builds $package$: `pip install --no-build-isolation .`, or here `python setup.py "
          "build_ext --inplace`.\"\"\"\n"
          "$import$from making_wheels import check_setuptools\n"
          "from setuptools import setup\n"
          "\n"
          "check_setuptools(\"$package$\")\n"
          "setup(\n"
          "    name=\"$package$\",\n"
          "    version=\"0.1\",\n"
          "    packages=[\"$package$\"],\n"
          "    package_data={\"$package$\": [$data$]},$modules$\n"
          "    install_requires=[\"jax>=0.6\"],\n"
          ")");
  return p.take();
}

std::string print_jax_samples(const JaxLibrary& library) {
  const auto all = functions(library);
  return print_samples(all, "import " + library.package, [&](const Operator& op) {
    return library.package + "." + function_name(all, op);
  });
}

}  // namespace opweave::codegen
