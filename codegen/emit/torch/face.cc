// Schemas, and functions that stand for operators.
#include "codegen/emit/torch/face.h"

#include <set>

#include "codegen/emit/declarations.h"
#include "codegen/emit/outputs.h"

namespace opweave::codegen {
namespace {

std::string torch_type(const Type& type) {
  if (type.is_tensor() && type.optional) return "const std::optional<Tensor>&";
  if (type.list && type.optional && type.base == BaseType::integer)
    return "at::OptionalIntArrayRef";
  return parameter_type(type);
}

void print_own(Printer& p, const TorchLibrary& library, const Operator& op) {
  p.print({{"schema", print(op.schema)},
           {"id", op.identifier},
           {"function", torch_signature(op).function_type()},
           {"name", quoted(torch_name(library, op))},
           {"overload", quoted(op.overload_name)}},
          "// $schema$\n"
          "struct $id$ : OwnOperator<$id$, $function$> {\n"
          "  static constexpr const char* kName = $name$;\n"
          "  static constexpr const char* kOverload = $overload$;\n"
          "};");
}

}  // namespace

std::vector<const Operator*> torch_operators(const Model& model) {
  std::vector<const Operator*> operators;
  for (const Operator* op : model.operators().all()) {
    if (op->is_emitted() && (op->form == Form::functional || op->form == Form::manual))
      operators.push_back(op);
  }
  return operators;
}

Signature torch_signature(const Operator& op) {
  Signature signature = definition_of(op);
  for (Parameter& p : signature.parameters) p.type = torch_type(p.argument->type);
  return signature;
}

std::string torch_schema(const Operator& op) { return print(op.schema); }

std::string torch_name(const TorchLibrary& library, const Operator& op) {
  return library.options.library + "::" + op.base_name;
}

void print_torch_declarations(Printer& p, const TorchLibrary& library) {
  UsedOperators used;
  for (const Operator* op : library.operators) {
    if (op->composite != nullptr) used.add_calls_of(*op->composite);
    if (op->derivative == nullptr) continue;
    for (const DerivativeFormula& formula : op->derivative->formulas) {
      if (formula.formula != nullptr) used.add_calls_of(*formula.formula);
    }
    for (const ForwardFormula& forward : op->derivative->forward) {
      for (const ForwardFormula::Term& term : forward.terms) used.add_calls_of(*term.formula);
    }
  }
  std::set<std::string> headers;
  for (const Operator* op : used.sorted()) {
    if (op->imported) headers.insert("ATen/ops/" + op->base_name + "_ops.h");
  }
  for (const std::string& header : headers) p.print({{"header", header}}, "#include <$header$>");
  p.print("\nnamespace opweave::ops {");
  for (const Operator* op : used.sorted()) {
    if (op->imported)
      p.print({{"id", op->identifier}}, "using $id$ = AtenOperator<at::_ops::$id$>;");
  }
  for (const Operator* op : library.operators) print_own(p, library, *op);
  p.print("}  // namespace opweave::ops\n");
}

}  // namespace opweave::codegen
