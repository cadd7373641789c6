// The Python package around the operators: what builds and loads it, results without data, rules
// for batches, stubs.
#include <algorithm>

#include "codegen/emit/extension/annotations.h"
#include "codegen/emit/extension/batching.h"
#include "codegen/emit/extension/operators.h"
#include "codegen/emit/extension/samples.h"
#include "codegen/emit/operators/pointwise_layout.h"
#include "codegen/emit/tests/test_samples.h"
#include "codegen/emit/text/comma_list.h"
#include "codegen/emit/text/dtypes.h"
#include "codegen/emit/torch/face.h"
#include "schema/python_text.h"

namespace opweave::codegen {
namespace {

std::string python_name(const std::string& name) { return schema::python_identifier(name); }

constexpr TypeNames kTypes{.tensor = "Tensor",
                           .number = "Number",
                           .dtype = "torch.dtype",
                           .device = "torch.device",
                           .layout = "torch.layout",
                           .memory_format = "torch.memory_format"};

// `: int = ...`
std::string type_and_default(const Argument& argument) {
  return ": " + python_annotation(argument.type, kTypes) + (argument.default_value ? " = ..." : "");
}

std::string python_result(const Operator& op) {
  const auto& returns = op.schema.returns;
  if (returns.empty()) return "None";
  const auto type = [](const Return& result) { return python_annotation(result.type, kTypes); };
  return returns.size() == 1 ? type(returns[0]) : "tuple[" + comma_list(returns, type) + "]";
}

// `torch.ops.squareplus_ops.squareplus.default`
std::string overload(const TorchLibrary& library, const Operator& op) {
  const std::string name = op.name.overload.empty() ? "default" : op.name.overload;
  return "torch.ops." + library.options.library + "." + op.name.base + "." + name;
}

std::string names_where(const Operator& op, const std::vector<uint16_t>& arguments,
                        bool promoting) {
  CommaList list;
  for (uint16_t i : arguments) {
    if (!promoting || !op.elements->arguments[i].as_boolean)
      list.add(python_name(op.schema.arguments[i].name));
  }
  return list.text();
}

// PyTorch takes no rule then.
bool has_keyword_tensors(const Operator& op) {
  return std::ranges::any_of(op.schema.arguments, [](const Argument& argument) {
    return argument.keyword_only && (argument.type.is_tensor() || argument.type.is_tensor_list());
  });
}

void print_pointwise_rules(Printer& p, const TorchLibrary& library, const Operator& op) {
  const PointwiseLayout layout = pointwise_layout(op);
  const bool floats = op.elements->promotion.compute == ComputeRule::int_to_float;
  const DtypeMask mask =
      op.selected->dtypes.bits & (floats ? dtypes::kCommonFloating : dtypes::kCommon);
  const std::string dtypes = comma_list(
      dtypes_of(mask), [](std::string_view name) { return "torch." + std::string(name); });
  CommaList numbers;
  for (const PointwiseParam& param : layout.params) {
    if (param.kind == PointwiseParam::Kind::value &&
        op.elements->arguments[param.argument].promotes)
      numbers.add(python_name(op.schema.arguments[param.argument].name));
  }
  const std::string strings =
      comma_list(layout.inputs, [&](uint16_t i) { return quoted(op.schema.arguments[i].name); });
  // The others are what they are, whatever dtype there is beside them.
  const bool promotes = op.elements->promotion.compute == ComputeRule::common || floats;
  CommaList deciding;
  for (uint16_t i : layout.inputs) {
    if (promotes && !op.elements->arguments[i].as_boolean)
      deciding.add(quoted(op.schema.arguments[i].name));
  }
  p.print({{"name", quoted(library.options.library + "::" + op.name.full)},
           {"id", op.name.identifier},
           {"parameters", python_parameters(op)},
           {"python", quoted(op.face->python_name)},
           {"compute", quoted(compute_name(op.elements->promotion.compute))},
           {"dtypes", dtypes},
           {"tensors", names_where(op, layout.inputs, false)},
           {"promoting", names_where(op, layout.inputs, true)},
           {"numbers", numbers.text()},
           {"bool", python_bool(op.elements->promotion.result == ResultRule::boolean)}},
          "\n\n@torch.library.register_fake($name$)\n"
          "def $id$($parameters$):\n"
          "    return pointwise($python$, $compute$, {$dtypes$},\n"
          "                     [$tensors$], [$promoting$], [$numbers$], $bool$)");
  if (has_keyword_tensors(op)) return;
  p.print({{"overload", overload(library, op)},
           {"deciding", deciding.text()},
           {"strings", strings},
           {"floats", floats ? ", floats=True" : ""}},
          "\n\nregister_pointwise_vmap($overload$, [$strings$], [$deciding$]$floats$)");
}

void print_dims_batching(Printer& p, const TorchLibrary& library, const Operator& op) {
  const auto name = [&](uint16_t i) { return quoted(op.schema.arguments[i].name); };
  p.print({{"overload", overload(library, op)},
           {"tensor", name(op.tensor_arguments()[0])},
           {"dims", comma_list(named_dims(op), name)}},
          "register_dims_vmap($overload$, $tensor$, [$dims$])");
}

// What a batch is to the operator itself. By a formula it runs in C++.
void print_batching(Printer& p, const TorchLibrary& library, const Operator& op) {
  if (op.formulas->batching != nullptr || writes_alone(op) || has_keyword_tensors(op)) return;
  const BatchWay way = batch_way(op);
  if (way == BatchWay::none) return;
  p.print("\n");
  if (way == BatchWay::dims) return print_dims_batching(p, library, op);
  const std::string tensors = comma_list(
      op.tensor_arguments(), [&](uint16_t i) { return quoted(op.schema.arguments[i].name); });
  const std::string call = overload(library, op);
  if (way == BatchWay::pointwise)
    p.print({{"overload", call}, {"tensors", tensors}},
            "register_pointwise_vmap($overload$, [$tensors$], None)");
  else
    p.print({{"way", way == BatchWay::leading ? "leading" : "loop"}, {"overload", call}},
            "register_$way$_vmap($overload$)");
}

// What the package calls an operator. One that writes is called by a function that gives back what
// it wrote.
std::string callee(const TorchLibrary& library, const Operator& op) {
  const std::string packet = "torch.ops." + library.options.library + "." + op.name.base;
  const std::vector<uint16_t> returned = returned_arguments(op);
  if (returned.empty()) return packet;
  const auto place = [&](uint16_t i) {
    return "(" + std::to_string(i) + ", " + quoted(op.schema.arguments[i].name) + ")";
  };
  return "returning(" + packet + ", [" + comma_list(returned, place) + "])";
}

}  // namespace

std::string print_torch_rules(const TorchLibrary& library) {
  Printer p;
  p.print(
      {{"banner", kPythonBanner}},
      "\"\"\"What results look like without data, and how operators run on a batch.\"\"\"\n"
      "$banner$\n"
      "import torch\n"
      "\n"
      "from ._support import (pointwise, register_dims_vmap, register_leading_vmap,  # noqa: F401\n"
      "                       register_loop_vmap, register_pointwise_vmap)");
  for (const Operator* op : library.operators) {
    if (op->is_expr())
      print_pointwise_rules(p, library, *op);
    else if (op->has_hardware_kernel())
      print_batching(p, library, *op);
  }
  return p.take();
}

std::string print_torch_samples(const TorchLibrary& library) {
  const std::string imports =
      "import " + library.options.library + "  # noqa: F401: registers the operators\nimport torch";
  return print_samples(library.operators, imports,
                       [&](const Operator& op) { return overload(library, op); });
}

std::string print_torch_module(const TorchLibrary& library) {
  const std::vector<const Operator*> ops = public_operators(library.operators);
  Printer p;
  p.print({{"banner", kPythonBanner}, {"library", library.options.library}},
          "\"\"\"Operators for PyTorch: functions here, torch.ops.$library$ for programs that "
          "trace.\"\"\"\n"
          "$banner$\n"
          "from pathlib import Path\n"
          "\n"
          "from ._loading import load, torch\n"
          "\n"
          "load(\"$library$\", Path(__file__).parent)\n"
          "\n"
          "from . import _rules  # noqa: E402\n"
          "from ._support import returning  # noqa: E402, F401\n");
  for (const Operator* op : ops) {
    p.print({{"name", python_name(op->name.base)}, {"callee", callee(library, *op)}},
            "$name$ = $callee$");
  }
  p.print(
      {{"names",
        comma_list(ops, [](const Operator* op) { return quoted(python_name(op->name.base)); })}},
      "\n__all__ = [$names$]");
  return p.take();
}

std::string print_torch_stubs(const TorchLibrary& library) {
  Printer p;
  p.print({{"banner", kPythonBanner}},
          "$banner$\n"
          "from collections.abc import Sequence\n"
          "\n"
          "import torch\n"
          "from torch import Tensor\n"
          "from torch.types import Number\n");
  for (const Operator* op : public_operators(library.operators)) {
    p.print({{"name", python_name(op->name.base)},
             {"parameters", python_parameters(*op, type_and_default)},
             {"result", python_result(*op)},
             {"doc", op->face->doc.empty() ? "..." : schema::python_docstring(op->face->doc)}},
            "def $name$($parameters$) -> $result$:\n"
            "    $doc$\n");
  }
  return p.take();
}

std::string print_torch_setup(const TorchLibrary& library) {
  Printer p;
  p.print({{"library", library.options.library}},
          "\"\"\"Builds $library$: `pip install --no-build-isolation .`, or here `python setup.py "
          "build_ext --inplace`.\"\"\"\n"
          "from build_extension import extension, build_command\n"
          "from making_wheels import check_setuptools\n"
          "from setuptools import setup\n"
          "\n"
          "check_setuptools(\"$library$\")\n"
          "setup(\n"
          "    name=\"$library$\",\n"
          "    version=\"0.1\",\n"
          "    packages=[\"$library$\"],\n"
          "    package_data={\"$library$\": [\"*.pyi\", \"py.typed\", \"_built.txt\"]},\n"
          "    ext_modules=[extension(\"$library$\")],\n"
          "    cmdclass={\"build_ext\": build_command},\n"
          "    install_requires=[\"torch\"],\n"
          ")");
  return p.take();
}

}  // namespace opweave::codegen
