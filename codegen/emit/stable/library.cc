// The file with the operators of a library for every release, and its block.
#include <algorithm>
#include <map>
#include <set>

#include "codegen/emit/formulas/formula_printer.h"
#include "codegen/emit/formulas/out_dtypes.h"
#include "codegen/emit/formulas/rules.h"
#include "codegen/emit/operators/declarations.h"
#include "codegen/emit/output/operator_list.h"
#include "codegen/emit/output/outputs.h"
#include "codegen/emit/stable/printers.h"
#include "codegen/model/lowered/lowered.h"

namespace opweave::codegen {
namespace {

// What formulas call, and what of the library only formulas do.
std::vector<const Operator*> called(const Model& model) {
  UsedOperators used;
  for (const Operator* op : stable_operators(model)) {
    if (op->face->internal) used.add(*op);
    if (op->formulas->composite != nullptr) used.add_calls_of(*op->formulas->composite);
    if (op->policies->batching == Batching::example) used.add_calls_of(*op->formulas->batching);
    if (op->has_hardware_kernel() && op->rule != nullptr) used.add_rule_of(*op);
    if (!has_stable_gradient(*op)) continue;
    for (const FormulaNode* formula : op->lowered->backward->formulas())
      used.add_calls_of(*formula);
  }
  return used.sorted();
}

std::string out_code(const Operator& functional) {
  constexpr std::string_view kCodes[] = {"SAME", "CAST", "TRUTH", "ANY"};
  return "OW_OUT_" + std::string(kCodes[static_cast<size_t>(out_dtype(functional))]);
}

// How it comes to its results.
std::string computation(const Operator& op) {
  const Operator& functional = *op.forms->functional;
  const std::string elements =
      functional.is_expr() ? ".elements(cpu::" + functional.name.identifier + "_table())" : "";
  if (op.forms->form != Form::functional) {
    const bool through = op.gradient->differentiability == Differentiability::through;
    return elements + ".form_of(" + quoted(functional.name.full) + ", " +
           (through ? "true" : "false") + ", " + out_code(functional) + ")";
  }
  if (functional.is_expr()) return elements;
  if (op.formulas->composite != nullptr) return ".composite(&" + op.name.identifier + "_composite)";
  std::string kernels = ".kernel(\"cpu\", &" + op.name.identifier + "_kernel)";
  if (has_stable_meta(op)) kernels += ".kernel(\"meta\", &" + op.name.identifier + "_meta)";
  if (op.policies->batching == Batching::example)
    kernels += ".kernel(\"Batched\", &" + op.name.identifier + "_example)";
  if (op.lowered->hardware.knows_devices) kernels += ".any_devices()";
  return kernels;
}

// One that is made of calls is differentiated through them.
std::string gradient(const Operator& op) {
  return op.gradient->differentiability == Differentiability::through ? ""
                                                                      : stable_gradient_words(op);
}

void print_definition(Printer& p, const Operator& op, const std::string& place, bool is_called) {
  p.print({{"schema", quoted(print(op.schema))},
           {"place", quoted(place)},
           {"computation", computation(op)},
           {"arguments", stable_argument_words(op)},
           {"called", is_called ? ".called_by(ops::" + op.name.identifier + "::ow_target)" : ""},
           {"internal", op.face->internal ? ".internal()" : ""},
           {"gradient", gradient(op)}},
          "library.define($schema$)\n"
          "    .at($place$)$computation$$arguments$$called$$internal$$gradient$;");
}

void print_definitions(Printer& p, const Model& model, const std::vector<const Operator*>& called) {
  std::map<std::string, std::string> places;
  for (const ListedOperator& op : listed_operators(model)) places[op.name] = op.place;
  for (const Operator* op : stable_operators(model)) {
    const bool is_called = std::ranges::find(called, op) != called.end();
    print_definition(p, *op, places[op->name.full], is_called);
  }
}

// What definitions point at, and formulas call.
void print_functions(Printer& p, const Model& model) {
  for (const Operator* op : stable_operators(model)) {
    if (op->forms->form != Form::functional) continue;
    if (op->formulas->composite != nullptr)
      print_formula_function(p, *op, *op->formulas->composite, "_composite");
    if (op->has_hardware_kernel() && !op->is_expr()) print_stable_kernel(p, *op);
    if (has_stable_gradient(*op)) print_stable_gradient(p, *op);
  }
}

std::string includes(const Model& model) {
  std::vector<std::string> headers{"opweave/stable/form/library.h"};
  for (const Operator* op : with_kernels(model))
    headers.push_back("opweave/kernels/cpu/" + op->name.base + ".h");
  return include_lines(headers);
}

void print_tables(Printer& p, const Model& model) {
  const std::vector<const Operator*> ops = with_loops(model);
  if (ops.empty()) return;
  p.print("namespace cpu {");
  for (const Operator* op : ops)
    p.print({{"id", op->name.identifier}}, "const OwPointwise& $id$_table();");
  p.print("void add_all_loops();\n}  // namespace cpu\n");
}

}  // namespace

std::string print_stable_library(const Model& model, const EmitOptions& options) {
  const std::vector<const Operator*> called = codegen::called(model);
  const bool has_loops = !with_loops(model).empty();
  Printer p;
  print_banner(p, "The operators of a library for every release.");
  p.raw(includes(model));
  p.print({{"name", options.library},
           {"tables", [&] { print_tables(p, model); }},
           {"called",
            [&] {
              for (const Operator* op : called) print_stable_called(p, *op);
            }},
           {"functions", [&] { print_functions(p, model); }},
           {"start", has_loops ? "library.on_start(&cpu::add_all_loops);" : ""},
           {"definitions", [&] { print_definitions(p, model, called); }}},
          "\n"
          "namespace opweave {\n"
          "$tables$\n"
          "namespace ops {\n"
          "$called$\n"
          "}  // namespace ops\n"
          "\n"
          "namespace {\n"
          "$functions$\n"
          "\n"
          "void define_all(stable::Library& library) {\n"
          "  $start$\n"
          "  $definitions$\n"
          "}\n"
          "}  // namespace\n"
          "}  // namespace opweave\n"
          "\n"
          "OPWEAVE_STABLE_LIBRARY($name$, library) { opweave::define_all(library); }");
  return p.take();
}

}  // namespace opweave::codegen
