// The C++ front end for model authors: ow::Tensor with methods, and ow:: functions.
#include "codegen/emit/operators/left_out.h"
#include "codegen/emit/output/output_table.h"
#include "codegen/emit/output/outputs.h"
#include "codegen/emit/text/comma_list.h"
#include "codegen/emit/text/cpp_functions.h"
#include "codegen/emit/text/signature.h"

namespace opweave::codegen {
namespace {

std::string arguments(const Signature& s, size_t self) {
  CommaList passed;
  for (size_t i = 0; i < s.parameters.size(); ++i)
    passed.add(i == self ? std::string("*this") : s.parameters[i].name);
  return passed.text();
}

void print_statements(Printer& p, const Operator& op, const Signature& s, size_t self) {
  const std::string call =
      "::opweave::ops::" + op.name.identifier + "::call(" + arguments(s, self) + ")";
  if (returns_argument(op)) {
    const std::string written = self == kNoSelf ? written_parameters(s, op).front()->name : "*this";
    p.print({{"call", call}, {"written", written}}, "$call$;\nreturn $written$;");
  } else if (s.result == "std::vector<Tensor>") {
    p.print({{"call", call}}, "return ::ow::to_front($call$);");
  } else {
    p.print({{"return", s.result == "void" ? "" : "return "}, {"call", call}}, "$return$$call$;");
  }
}

// `{…}`, or only `;` of an operator that was left out.
void print_function(Printer& p, const Operator& op, const std::string& head, size_t self) {
  if (op.selected->left_out) {
    p.print({{"head", head}}, "$head$ ;");
    return;
  }
  p.print({{"head", head}, {"body", [&] { print_statements(p, op, signature_of(op), self); }}},
          "$head$ {\n"
          "  $body$\n"
          "}");
}

bool is_public(const Operator& op) { return !op.origin.imported && !op.face->internal; }

// To call an operator that was left out does not compile: the message says what to select.
std::string missing(const Model& model, const Operator& op) {
  return op.selected->left_out
             ? "[[gnu::error(" + quoted(left_out_message(model, op.name.full)) + ")]] "
             : "";
}

void print_method(Printer& p, const Model& model, const Operator& op) {
  const Signature s = signature_of(op);
  const size_t self = method_self(op);
  if (self == kNoSelf) return;
  const std::string qualifier = op.schema.arguments[self].type.is_mutated() ? "" : " const";
  print_function(p, op,
                 missing(model, op) + s.result + " " + cpp_identifier(op.name.base) + "(" +
                     front_parameters(s, self) + ")" + qualifier,
                 self);
}

bool is_function(const Operator& op) {
  return is_public(op) && (op.face->function || op.forms->form == Form::out);
}

void print_functions(Printer& p, const Model& model) {
  std::vector<const Operator*> ops;
  for (const Operator* op : model.operators().all()) {
    if (is_function(*op)) ops.push_back(op);
  }
  for (const CppFunction& f : cpp_functions(ops)) {
    print_function(p, *f.op,
                   missing(model, *f.op) + (f.op->selected->left_out ? "" : "inline ") +
                       f.face.result + " " + f.name + "(" + front_parameters(f.face) + ")",
                   kNoSelf);
  }
}

}  // namespace

void emit_front_end(Output& output) {
  const Model& model = output.model;
  Printer p;
  print_banner(
      p, "The C++ front end: ow::Tensor with every method, and every operator as ow:: function.");
  p.print("#pragma once\n");
  std::vector<std::string> headers{"bindings/cpp/tensor_base.h"};
  for (const Operator* op : model.operators().all()) {
    if (is_public(*op)) headers.push_back(operator_header(*op));
  }
  p.raw(include_lines(std::move(headers)));
  p.print(
      "\nnamespace ow {\n"
      "\n"
      "class Tensor : public TensorBase {\n"
      " public:\n"
      "  using TensorBase::TensorBase;");
  {
    Indented in(p);
    for (const Operator* op : model.operators().all()) print_method(p, model, *op);
  }
  p.print("};\n");
  print_functions(p, model);
  p.print("\n}  // namespace ow\n\n#include \"bindings/cpp/front_end.h\"");
  output.add(p.take());
}

}  // namespace opweave::codegen
