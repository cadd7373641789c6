// Operators with handwritten kernels: what calls them, and what they give without data, both by the
// rule of the entry.
#include "codegen/emit/extension/kernels.h"

#include <algorithm>

#include "codegen/emit/extension/operators.h"
#include "codegen/emit/formulas/formula_printer.h"
#include "codegen/emit/formulas/rule_printer.h"
#include "codegen/emit/output/outputs.h"
#include "codegen/emit/text/comma_list.h"
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
  const size_t count = result_count(op);
  std::string text;
  for (size_t i = 0; i < count; ++i)
    text += (i ? ", " : "") + std::string(before) + std::to_string(i) + std::string(after);
  return count == 1 ? text : "{" + text + "}";
}

// Kernels get tensors of their own type: those that they write, and lists, by names of their own.
bool has_own_name(const Parameter& p) {
  return p.argument->type.is_tensor_list() || p.argument->type.is_mutated();
}

std::string passed(const Signature& s) {
  return comma_list(s.parameters, [](const Parameter& p) {
    const Type& type = p.argument->type;
    if (has_own_name(p)) return "ow_passed_" + p.name;
    if (type.list && type.optional && type.base == BaseType::integer)
      return "optional_list(" + p.name + ")";
    return type.is_tensor() ? "opweave::Tensor(" + p.name + ")" : p.name;
  });
}

void print_passed(Printer& p, const Signature& s) {
  for (const Parameter& parameter : s.parameters) {
    if (!has_own_name(parameter)) continue;
    const bool list = parameter.argument->type.is_tensor_list();
    p.print({{"name", parameter.name}},
            list ? "const std::vector<opweave::Tensor> ow_passed_$name$($name$.begin(), "
                   "$name$.end());"
                 : "opweave::Tensor ow_passed_$name$ = opweave::for_writing($name$);");
  }
}

// Where the kernels for a target of ours are run: by the key of PyTorch, and by the function.
struct Place {
  std::string_view target, key, suffix;
};
constexpr Place kHost{"cpu", "CPU", "kernel"};
// Its files are compiled where PyTorch has CUDA: build_extension.py says whether.
constexpr Place kCuda{"cuda", "CUDA", "cuda"};

// Where a kernel of a target runs: where its results are, or what it writes.
std::string device_of(const Operator& op, const Signature& s) {
  return (result_count(op) == 0 ? s.parameters[op.effects.mutated.front()].name
                                : std::string("ow_out0")) +
         ".device()";
}

// Kernels of a target get nothing of another device, which nobody else looks at.
void print_device_check(Printer& p, const Operator& op, const Signature& s) {
  CommaList tensors;
  for (const Parameter& parameter : s.parameters) {
    if (parameter.argument->type.is_tensor())
      tensors.add("{" + quoted(parameter.argument->name) + ", " + parameter.name + "}");
  }
  p.print({{"op", quoted(op.name.base)}, {"device", device_of(op, s)}, {"tensors", tensors.text()}},
          "const c10::DeviceGuard ow_guard($device$);\n"
          "check_devices($op$, $device$, {$tensors$});");
  for (const Parameter& parameter : s.parameters) {
    if (!parameter.argument->type.is_tensor_list()) continue;
    p.print({{"op", quoted(op.name.base)},
             {"device", device_of(op, s)},
             {"name", parameter.name},
             {"argument", quoted(parameter.argument->name)}},
            "for (const Tensor& ow_one : $name$)\n"
            "  check_devices($op$, $device$, {{$argument$, ow_one}});");
  }
}

// The rule of a call, and the results that it says.
void print_made_results(Printer& p, const Operator& op, const Signature& s) {
  if (op.rule == nullptr) return;
  const size_t count = result_count(op);
  p.print({{"id", op.name.identifier},
           {"names", s.argument_list()},
           {"count", std::to_string(count)},
           {"makes",
            [&] {
              for (size_t i = 0; i < count; ++i)
                p.print({{"i", std::to_string(i)}},
                        "opweave::Tensor ow_out$i$ = ow_results[$i$].make();");
            }}},
          "std::array<ResultSpec<int64_t>, $count$> ow_results;\n"
          "$id$_rule<int64_t>($names$, ow_results.data());\n"
          "$makes$");
}

// The kernel of a target, with what it fills.
void print_call(Printer& p, const Operator& op, const Place& place) {
  const Signature s = torch_signature(op);
  const size_t count = result_count(op);
  CommaList arguments;
  arguments.add(passed(s));
  for (size_t i = 0; i < count; ++i) arguments.add("ow_out" + std::to_string(i));
  p.print({{"id", op.name.identifier},
           {"list", given_parameters(s)},
           {"result", s.result},
           {"target", place.target},
           {"suffix", place.suffix},
           {"values", [&] { print_values(p, s); }},
           {"makes",
            [&] {
              print_made_results(p, op, s);
              if (place.target != kHost.target) print_device_check(p, op, s);
              print_passed(p, s);
            }},
           {"arguments", arguments.text()},
           {"made", count == 0 ? "" : "return " + results_of(op, "ow_out", "") + ";"}},
          "$result$ $id$_$suffix$($list$) {\n"
          "  $values$\n"
          "  $makes$\n"
          "  $target$::$id$($arguments$);\n"
          "  $made$\n"
          "}\n");
}

// What the rule asks of one example, whose sizes a batched tensor has.
void print_check(Printer& p, const Operator& op, const Signature& s) {
  if (!batches_are_checked(op)) return;
  p.print({{"id", op.name.identifier},
           {"list", s.parameter_list()},
           {"names", s.argument_list()},
           {"count", std::to_string(result_count(op))}},
          "void $id$_check($list$) {\n"
          "  std::array<ResultSpec<c10::SymInt>, $count$> ow_results;\n"
          "  $id$_rule<c10::SymInt>($names$, ow_results.data());\n"
          "}\n");
}

// What a call looks like without elements: its rule.
void print_meta(Printer& p, const Operator& op) {
  const Signature s = torch_signature(op);
  const size_t count = result_count(op);
  p.print(
      {{"id", op.name.identifier},
       {"list", given_parameters(s)},
       {"result", s.result},
       {"body",
        [&] {
          if (op.rule == nullptr) return;
          p.print({{"id", op.name.identifier},
                   {"names", s.argument_list()},
                   {"values", [&] { print_values(p, s); }},
                   {"count", std::to_string(count)}},
                  "$values$\n"
                  "std::array<ResultSpec<c10::SymInt>, $count$> ow_results;\n"
                  "$id$_rule<c10::SymInt>($names$, ow_results.data());");
        }},
       {"fakes", count == 0 ? "" : "return " + results_of(op, "ow_results[", "].make()") + ";"}},
      "$result$ $id$_meta($list$) {\n"
      "  $body$\n"
      "  $fakes$\n"
      "}");
}

void print_rule(Printer& p, const Operator& op) {
  const Signature s = value_signature(op);
  if (op.rule != nullptr) {
    p.print({{"id", op.name.identifier},
             {"parameters", s.optional_parameter_list()},
             {"body", [&] { print_rule_body(p, op, Mutants::none(), rule_property); }}},
            "template <class Int>\n"
            "void $id$_rule($parameters$, [[maybe_unused]] ResultSpec<Int>* ow_results) {\n"
            "  using rule = Rules<Int>;\n"
            "  using DimVector [[maybe_unused]] = typename rule::Vector;\n"
            "  using IntList [[maybe_unused]] = Dims;\n"
            "$body$\n"
            "}");
  }
  print_meta(p, op);
  print_check(p, op, s);
}

void print_registration(Printer& p, const TorchLibrary& library,
                        const std::vector<const Operator*>& ops, std::string_view key,
                        std::string_view suffix) {
  p.print({{"library", library.options.library}, {"key", key}},
          "TORCH_LIBRARY_IMPL($library$, $key$, library) {");
  for (const Operator* op : ops)
    p.print({{"name", quoted(op->name.full)}, {"id", op->name.identifier}, {"suffix", suffix}},
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
    headers.push_back(kernel_path(*op, place.target));
  return include_lines(headers);
}

}  // namespace

std::vector<const Operator*> torch_kernels(const TorchLibrary& library, std::string_view target) {
  std::vector<const Operator*> ops = handwritten_operators(library.operators);
  const bool wanted = std::ranges::count(library.options.targets, target) != 0;
  std::erase_if(ops, [&](const Operator* op) {
    return !wanted || std::ranges::count(op->computation->targets, target) == 0;
  });
  return ops;
}

std::string print_torch_kernels(const TorchLibrary& library) {
  Printer p;
  const std::vector<const Operator*> ops = handwritten_operators(library.operators);
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
      "using at::Scalar;\n"
      "using at::Tensor;\n"
      "using at::TensorList;\n");
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

}  // namespace opweave::codegen
