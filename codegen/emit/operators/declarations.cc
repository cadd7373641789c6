// Declarations of operators and of handwritten kernels.
#include "codegen/emit/operators/declarations.h"

#include <algorithm>
#include <set>

#include "codegen/emit/formulas/formula_printer.h"
#include "codegen/emit/output/outputs.h"
#include "codegen/emit/text/signature.h"

namespace opweave::codegen {

void UsedOperators::add_calls_of(const FormulaNode& formula) {
  if (formula.kind == FormulaKind::call) add(*formula.op);
  if (const std::string_view header = helper_header(formula); !header.empty())
    helper_headers_.emplace(header);
  for (const FormulaNode* operand : formula.operands) add_calls_of(*operand);
}

void UsedOperators::add_rule_of(const Operator& op) {
  for_each_formula(*op.rule, [&](const FormulaNode& formula) { add_calls_of(formula); });
}

void UsedOperators::add_mutants_of(const Operator& op) {
  for (const Mutant& mutant : mutants_.of(op)) {
    has_mutants_ = true;
    if (mutant.formula != nullptr) add_calls_of(*mutant.formula);
  }
}

std::vector<const Operator*> UsedOperators::sorted() const {
  std::vector<const Operator*> ops = ops_;
  std::sort(ops.begin(), ops.end(), [](const Operator* a, const Operator* b) {
    return a->name.identifier < b->name.identifier;
  });
  ops.erase(std::unique(ops.begin(), ops.end()), ops.end());
  return ops;
}

// The view without a call: for kernels, whose views nobody records.
static std::string view_declaration(const Operator& op) {
  return "static Tensor make_view(" + definition_of(op).parameter_list() + ");";
}

bool has_view_function(const Operator& op) {
  return op.is_view_of_rule() && op.effects.mutated.empty() && !op.origin.imported;
}

// Several files of a small library may be compiled as one.
void print_operator_struct(Printer& printer, const Operator& op) {
  const Signature s = signature_of(op);
  printer.print({{"id", op.name.identifier},
                 {"schema", print(op.schema)},
                 {"type", s.function_type()},
                 {"result", s.result},
                 {"params", s.parameter_list()},
                 {"view", has_view_function(op) ? view_declaration(op) : ""}},
                "#ifndef OW_OPERATOR_$id$\n"
                "#define OW_OPERATOR_$id$\n"
                "// $schema$\n"
                "struct $id$ {\n"
                "  using Signature = $type$;\n"
                "  static OperatorEntry entry;\n"
                "  static $result$ call($params$);\n"
                "  $view$\n"
                "};\n"
                "#endif\n");
}

void print_declaration_includes(Printer& printer) {
  printer.print(
      "#include <array>\n"
      "#include <limits>\n"
      "#include <optional>\n"
      "#include <string_view>\n"
      "#include <tuple>\n"
      "#include <vector>\n"
      "\n"
      "#include \"runtime/core/random/generator.h\"\n"
      "#include \"runtime/core/tensor/tensor.h\"");
}

void print_object_type(Printer& printer, const schema::ObjectType& type) {
  printer.print({{"header", type.header}, {"name", type.name}, {"cpp", type.cpp}},
                "#include \"$header$\"\n"
                "#include \"runtime/dispatch/object.h\"\n"
                "#ifndef OPWEAVE_OBJECT_$name$\n"
                "#define OPWEAVE_OBJECT_$name$\n"
                "template <>\n"
                "inline constexpr const char* opweave::object_type_name<$cpp$> = \"$name$\";\n"
                "#endif");
}

void print_object_types(Printer& printer, const std::vector<const Operator*>& ops) {
  std::set<std::string_view> names;
  for (const Operator* op : ops) {
    for (const Argument& argument : op->schema.arguments) names.insert(argument.type.object);
    for (const Return& result : op->schema.returns) names.insert(result.type.object);
  }
  for (const std::string_view name : names) {
    const schema::ObjectType* type = schema::find_object_type(name);
    if (type != nullptr && !type->header.empty()) print_object_type(printer, *type);
  }
}

void print_mutant_declarations(Printer& printer) {
  printer.print(
      "#ifndef OW_MUTANT\n"
      "extern \"C\" int opweave_active_mutant;\n"
      "extern \"C\" unsigned char opweave_reached_mutants[];\n"
      "// Whether this mutant runs; notes that it could have.\n"
      "#define OW_MUTANT(id) (opweave_reached_mutants[id] = 1, opweave_active_mutant == (id))\n"
      "#endif");
}

void print_declarations(Printer& printer, const UsedOperators& used) {
  printer.raw(include_lines(used.helper_headers()));
  if (used.has_mutants()) print_mutant_declarations(printer);
  const auto ops = used.sorted();
  if (ops.empty()) return;
  print_object_types(printer, ops);
  printer.print("\nnamespace opweave {\nclass OperatorEntry;\n\nnamespace ops {\n");
  for (const Operator* op : ops) print_operator_struct(printer, *op);
  printer.print("}  // namespace ops\n}  // namespace opweave");
}

void print_kernel_declaration(Printer& printer, const Operator& op, std::string_view target) {
  const Signature s = target == "composite" ? signature_of(op) : kernel_signature_of(op);
  printer.print({{"schema", print(op.schema)},
                 {"result", s.result},
                 {"name", op.name.identifier},
                 {"params", s.parameter_list()}},
                "// $schema$\n$result$ $name$($params$);");
}

}  // namespace opweave::codegen
