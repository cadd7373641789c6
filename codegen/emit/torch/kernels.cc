// Operators with handwritten kernels: what calls them, and what they give without data, both by the
// rule of the entry.
#include <algorithm>

#include "codegen/emit/comma_list.h"
#include "codegen/emit/declarations.h"
#include "codegen/emit/formula_printer.h"
#include "codegen/emit/outputs.h"
#include "codegen/emit/rule_printer.h"
#include "codegen/emit/torch/face.h"

namespace opweave::codegen {
namespace {

// Sizes are numbers of the kind that the function is printed for.
std::string rule_property(const FormulaNode& node, const FormulaNames& names) {
  const std::string tensor = formula_expression(node.operand(0), names);
  switch (node.property) {
    case Property::sizes:
      return "sizes_of<Int>(" + tensor + ")";
    case Property::strides:
      return "strides_of<Int>(" + tensor + ")";
    case Property::numel:
      return "numel_of<Int>(" + tensor + ")";
    case Property::size:
      return "size_of<Int>(" + tensor + ", " + formula_expression(node.operand(1), names) + ")";
    case Property::scalar_type:
      return tensor + ".scalar_type()";
    default:
      return {};
  }
}

std::string results_of(const Operator& op, std::string_view before, std::string_view after) {
  const size_t count = op.schema.returns.size();
  std::string text;
  for (size_t i = 0; i < count; ++i)
    text += (i ? ", " : "") + std::string(before) + std::to_string(i) + std::string(after);
  return count == 1 ? text : "{" + text + "}";
}

std::vector<const Operator*> handwritten(const TorchLibrary& library) {
  std::vector<const Operator*> ops = library.operators;
  std::erase_if(ops,
                [](const Operator* op) { return !op->has_hardware_kernel() || op->is_expr(); });
  return ops;
}

std::string passed(const Signature& s) {
  return comma_list(s.parameters, [](const Parameter& p) {
    return p.argument->type.is_tensor() ? "opweave::Tensor(" + p.name + ")" : p.name;
  });
}

// Where the kernels for a target of ours are run: by the key of PyTorch, and by the function.
struct Place {
  std::string_view target, key, suffix;
};
constexpr Place kHost{"cpu", "CPU", "kernel"};
// Its files are compiled where PyTorch has CUDA: build_extension.py says whether.
constexpr Place kCuda{"cuda", "CUDA", "cuda"};

// Kernels of a target get nothing of another device, which nobody else looks at.
std::string device_check(const Operator& op, const Signature& s) {
  CommaList tensors;
  for (const Parameter& p : s.parameters) {
    if (p.argument->type.is_tensor())
      tensors.add("{" + quoted(p.argument->name) + ", " + p.name + "}");
  }
  return "  const c10::DeviceGuard ow_guard(ow_out0.device());\n  check_devices(" +
         quoted(op.base_name) + ", ow_out0.device(), {" + tensors.text() + "});\n";
}

// The kernel of a target, with what it fills.
void print_call(Printer& p, const Operator& op, const Place& place) {
  const Signature s = torch_signature(op);
  const size_t count = op.schema.returns.size();
  CommaList outs;
  for (size_t i = 0; i < count; ++i) outs.add("ow_out" + std::to_string(i));
  p.print({{"id", op.identifier},
           {"base", op.base_name},
           {"list", s.parameter_list()},
           {"names", s.argument_list()},
           {"result", s.result},
           {"count", std::to_string(count)},
           {"target", place.target},
           {"suffix", place.suffix},
           {"makes",
            [&] {
              for (size_t i = 0; i < count; ++i)
                p.print({{"i", std::to_string(i)}},
                        "opweave::Tensor ow_out$i$ = ow_results[$i$].make();");
              if (place.target != kHost.target) p.raw(device_check(op, s));
            }},
           {"passed", passed(s)},
           {"outs", outs.text()},
           {"made", results_of(op, "ow_out", "")}},
          "$result$ $id$_$suffix$($list$) {\n"
          "  std::array<ResultSpec<int64_t>, $count$> ow_results;\n"
          "  $id$_rule<int64_t>($names$, ow_results.data());\n"
          "  $makes$\n"
          "  $target$::$base$($passed$, $outs$);\n"
          "  return $made$;\n"
          "}\n");
}

// What the rule asks of one example, whose sizes a batched tensor has.
void print_check(Printer& p, const Operator& op, const Signature& s) {
  if (!batches_are_checked(op)) return;
  p.print({{"id", op.identifier},
           {"list", s.parameter_list()},
           {"names", s.argument_list()},
           {"count", std::to_string(op.schema.returns.size())}},
          "void $id$_check($list$) {\n"
          "  std::array<ResultSpec<c10::SymInt>, $count$> ow_results;\n"
          "  $id$_rule<c10::SymInt>($names$, ow_results.data());\n"
          "}\n");
}

void print_rule(Printer& p, const Operator& op) {
  const Signature s = torch_signature(op);
  const size_t count = op.schema.returns.size();
  p.print({{"id", op.identifier},
           {"parameters", s.optional_parameter_list()},
           {"list", s.parameter_list()},
           {"names", s.argument_list()},
           {"result", s.result},
           {"count", std::to_string(count)},
           {"body", [&] { print_rule_body(p, op, rule_property); }},
           {"fakes", results_of(op, "ow_results[", "].make()")},
           {"check", [&] { print_check(p, op, s); }}},
          "template <class Int>\n"
          "void $id$_rule($parameters$, [[maybe_unused]] ResultSpec<Int>* ow_results) {\n"
          "  using rule = Rules<Int>;\n"
          "  using DimVector [[maybe_unused]] = typename rule::Vector;\n"
          "  using IntList [[maybe_unused]] = Dims;\n"
          "$body$\n"
          "}\n"
          "$result$ $id$_meta($list$) {\n"
          "  std::array<ResultSpec<c10::SymInt>, $count$> ow_results;\n"
          "  $id$_rule<c10::SymInt>($names$, ow_results.data());\n"
          "  return $fakes$;\n"
          "}\n"
          "$check$");
}

void print_registration(Printer& p, const TorchLibrary& library,
                        const std::vector<const Operator*>& ops, std::string_view key,
                        std::string_view suffix) {
  p.print({{"library", library.options.library}, {"key", key}},
          "TORCH_LIBRARY_IMPL($library$, $key$, library) {");
  for (const Operator* op : ops)
    p.print({{"name", quoted(op->full_name)}, {"id", op->identifier}, {"suffix", suffix}},
            "  library.impl($name$, TORCH_FN($id$_$suffix$));");
  p.print("}");
}

void print_place(Printer& p, const TorchLibrary& library, const Place& place) {
  const std::vector<const Operator*> ops = torch_kernels(library, place.target);
  if (ops.empty()) return;
  for (const Operator* op : ops) print_call(p, *op, place);
  print_registration(p, library, ops, place.key, place.suffix);
}

std::string includes_of(const TorchLibrary& library, const Place& place) {
  std::vector<std::string> headers;
  for (const Operator* op : torch_kernels(library, place.target))
    headers.push_back(torch_kernel_path(*op, place.target));
  return include_lines(headers);
}

}  // namespace

std::vector<const Operator*> torch_kernels(const TorchLibrary& library, std::string_view target) {
  std::vector<const Operator*> ops = handwritten(library);
  const bool wanted = std::ranges::count(library.options.targets, target) != 0;
  std::erase_if(ops, [&](const Operator* op) {
    return !wanted || std::ranges::count(op->targets, target) == 0;
  });
  return ops;
}

std::string torch_kernel_path(const Operator& op, std::string_view target) {
  return "opweave/kernels/" + std::string(target) + "/" + op.base_name + ".h";
}

std::string print_torch_kernels(const TorchLibrary& library) {
  Printer p;
  const std::vector<const Operator*> ops = handwritten(library);
  const bool has_cuda = !torch_kernels(library, kCuda.target).empty();
  print_banner(p, "Handwritten kernels, and results without data.");
  p.print("#include <torch/library.h>\n");
  p.raw(includes_of(library, kHost));
  if (has_cuda) p.raw("#ifdef OPWEAVE_TORCH_CUDA\n" + includes_of(library, kCuda) + "#endif\n");
  p.print(
      "\n"
      "namespace opweave {\n"
      "// Of PyTorch, not the one that kernels know.\n"
      "namespace calls {\n"
      "using at::Tensor;\n");
  for (const Operator* op : ops) print_rule(p, *op);
  print_place(p, library, kHost);
  print_registration(p, library, ops, "Meta", "meta");
  if (has_cuda) {
    p.raw("#ifdef OPWEAVE_TORCH_CUDA\n");
    print_place(p, library, kCuda);
    p.raw("#endif\n");
  }
  p.print("}  // namespace calls\n}  // namespace opweave");
  return p.take();
}

std::string print_torch_kernel_header(const Operator& op, std::string_view target) {
  Printer p;
  print_banner(p, "The kernel of " + op.base_name + ", which a handwritten file defines.");
  p.print({{"target", target}},
          "#pragma once\n\n#include \"opweave/kernel.h\"\n\nnamespace opweave::$target$ {");
  print_kernel_declaration(p, op, std::string(target));
  p.print({{"target", target}}, "}  // namespace opweave::$target$");
  return p.take();
}

}  // namespace opweave::codegen
