// The file with the operators of a library for every release, and its block.
#include <algorithm>
#include <map>

#include "codegen/emit/declarations.h"
#include "codegen/emit/operator_list.h"
#include "codegen/emit/outputs.h"
#include "codegen/emit/signature.h"
#include "codegen/emit/stable/printers.h"
#include "codegen/model/derivative.h"

namespace opweave::codegen {
namespace {

// The operators that gradients call, and those of the library that only they do.
std::vector<const Operator*> called(const Model& model) {
  UsedOperators used;
  for (const Operator* op : stable_operators(model)) {
    if (op->internal) used.add(*op);
    if (!has_stable_gradient(*op)) continue;
    for (const DerivativeFormula& formula : op->derivative->formulas) {
      if (formula.formula != nullptr) used.add_calls_of(*formula.formula);
    }
  }
  return used.sorted();
}

// A function of the name that formulas call.
void print_called(Printer& p, const Operator& op) {
  const Signature s = definition_of(op);
  p.print({{"id", op.identifier},
           {"type", op.is_emitted() ? "Callable" : "Operator"},
           {"schema", op.is_emitted() ? "" : "{" + quoted(print(op.schema)) + "}"},
           {"parameters", s.parameter_list()},
           {"arguments", s.argument_list()}},
          "struct $id$ {\n"
          "  static inline $type$ target$schema$;\n"
          "  static Tensor call($parameters$) { return target($arguments$); }\n"
          "};");
}

std::string gradient_words(const Operator& op) {
  if (!has_stable_gradient(op)) {
    return op.differentiability == Differentiability::none ? ".without_gradient()" : "";
  }
  std::string text;
  for (const Saved& saved : op.derivative->saved) {
    text += saved.kind == Saved::Kind::argument ? ".save_argument(" : ".save_result(";
    text += std::to_string(saved.index) + ")";
  }
  for (const DerivativeFormula& formula : op.derivative->formulas) {
    if (formula.kind != DerivativeFormula::Kind::non_differentiable) continue;
    for (const uint16_t i : formula.inputs) text += ".constant(" + std::to_string(i) + ")";
  }
  return text + ".gradient(&" + op.functional->identifier + "_gradient)";
}

void print_definition(Printer& p, const Operator& op, const std::string& place, bool is_called) {
  p.print({{"schema", quoted(print(op.schema))},
           {"place", quoted(place)},
           {"elements", op.functional->identifier},
           {"called", is_called ? ".called_by(ops::" + op.identifier + "::target)" : ""},
           {"internal", op.internal ? ".internal()" : ""},
           {"gradient", gradient_words(op)}},
          "library.define($schema$)\n"
          "    .global().at($place$).elements(cpu::$elements$_elements.table())\n"
          "    $called$$internal$$gradient$;");
}

void print_definitions(Printer& p, const Model& model, const std::vector<const Operator*>& called) {
  std::map<std::string, std::string> places;
  for (const ListedOperator& op : listed_operators(model)) places[op.name] = op.place;
  for (const Operator* op : stable_operators(model)) {
    const bool is_called = std::ranges::find(called, op) != called.end();
    print_definition(p, *op, places[op->full_name], is_called);
  }
}

void print_gradients(Printer& p, const Model& model) {
  for (const Operator* op : stable_operators(model)) {
    if (op->form == Form::functional && has_stable_gradient(*op)) print_stable_gradient(p, *op);
  }
}

}  // namespace

std::string print_stable_library(const Model& model, const EmitOptions& options) {
  const std::vector<const Operator*> called = codegen::called(model);
  Printer p;
  print_banner(p, "The operators of a library for every release.");
  p.print({{"name", options.library},
           {"elements",
            [&] {
              for (const Operator* op : stable_operators(model)) {
                if (op->form == Form::functional)
                  p.print({{"id", op->identifier}}, "extern stable::Elements $id$_elements;");
              }
            }},
           {"called",
            [&] {
              for (const Operator* op : called) print_called(p, *op);
            }},
           {"gradients", [&] { print_gradients(p, model); }},
           {"definitions", [&] { print_definitions(p, model, called); }}},
          "#include \"opweave/stable/elements.h\"\n"
          "#include \"opweave/stable/generated.h\"\n"
          "\n"
          "namespace opweave {\n"
          "namespace cpu {\n"
          "$elements$\n"
          "void add_all_loops();\n"
          "}  // namespace cpu\n"
          "\n"
          "namespace stable {\n"
          "namespace {\n"
          "namespace ops {\n"
          "$called$\n"
          "}  // namespace ops\n"
          "\n"
          "$gradients$\n"
          "\n"
          "void define_all(Library& library) {\n"
          "  library.on_start(&cpu::add_all_loops);\n"
          "  $definitions$\n"
          "}\n"
          "}  // namespace\n"
          "}  // namespace stable\n"
          "}  // namespace opweave\n"
          "\n"
          "OPWEAVE_STABLE_LIBRARY($name$, library) { opweave::stable::define_all(library); }");
  return p.take();
}

}  // namespace opweave::codegen
