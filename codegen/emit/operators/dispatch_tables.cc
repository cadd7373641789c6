// Dispatch tables: the entry of every operator, its typed call, and its way from and to the stack.
#include <algorithm>

#include "codegen/emit/operators/declarations.h"
#include "codegen/emit/operators/operator_records.h"
#include "codegen/emit/output/output_table.h"
#include "codegen/emit/output/outputs.h"
#include "codegen/emit/text/signature.h"
#include "codegen/model/declarations/roles.h"

namespace opweave::codegen {
namespace {

// Whether a call cannot do without the tensor, or a tensor of the list.
bool is_required(const Type& type) { return !type.optional && !type.element_optional; }

// `self.key_set() | keys_of(tensors)`; factories go by their device argument. Checked:
// `keys_of(entry, 0, self)`, which refuses undefined tensors where the operator needs them.
std::string key_expression(const Operator& op, const Signature& s, bool checked) {
  std::string keys, device;
  for (const Parameter& p : s.parameters) {
    const Type& type = p.argument->type;
    if (type.base == BaseType::device) device = "keys_of(" + p.name + ")";
    if (!type.is_tensor_like()) continue;
    keys += keys.empty() ? "" : " | ";
    if (checked && is_required(type)) {
      const auto position = p.argument - op.schema.arguments.data();
      keys += "keys_of(entry, " + std::to_string(position) + ", " + p.name + ")";
    } else {
      keys += type.list ? "keys_of(" + p.name + ")" : p.name + ".key_set()";
    }
  }
  if (!keys.empty()) return keys;
  return device.empty() ? "keys_of(std::optional<Device>())" : device;
}

// Calls from Python, C++ and the stack all come through here.
void print_length_checks(Printer& p, const Operator& op, const Signature& s) {
  for (const Parameter& parameter : s.parameters) {
    const Argument& argument = *parameter.argument;
    const std::optional<int> length = fixed_length(op, argument);
    if (!length) continue;
    const bool may_be_empty = takes_empty_list(argument);
    p.print({{"list", parameter.name},
             {"length", std::to_string(*length)},
             {"least", may_be_empty ? "0" : "1"},
             {"name", quoted(argument.name)}},
            "check_length<$least$, $length$>(entry, $name$, $list$);");
  }
}

// Results that are references come back as the written argument.
void print_trampoline(Printer& p, const Operator& op, const Signature& s) {
  const bool reference = returns_argument(op);
  p.print({{"return", reference ? "" : "return "},
           {"id", op.name.identifier},
           {"keys", key_expression(op, s, /*checked=*/false)},
           {"args", (s.parameters.empty() ? "" : ", ") + s.argument_list()}},
          "$return$run_boxed<ops::$id$::Signature>(ops::$id$::entry, $keys$$args$);");
  if (!reference) return;
  p.print({{"written", written_parameters(s, op).front()->name}}, "return $written$;");
}

void print_operator(Printer& p, const Operator& op, const std::string& prefix) {
  const Signature s = definition_of(op);
  p.print({{"id", op.name.identifier},
           {"result", s.result},
           {"params", s.parameter_list()},
           {"args", s.argument_list()},
           {"keys", key_expression(op, s, /*checked=*/true)},
           {"checks", [&] { print_length_checks(p, op, s); }}},
          "$result$ ops::$id$::call($params$) {\n"
          "  $checks$\n"
          "  return entry.lookup<Signature>($keys$)($args$);\n"
          "}");
  p.print({{"id", op.name.identifier},
           {"result", s.result},
           {"params", s.parameter_list()},
           {"body", [&] { print_trampoline(p, op, s); }}},
          "static $result$ $id$_boxed($params$) {\n"
          "  $body$\n"
          "}");
  print_record_tables(p, op);
  p.print({{"id", op.name.identifier},
           {"record", record_expression(op)},
           {"name", quoted(prefix + op.name.base)},
           {"overload", quoted(op.name.overload)},
           {"schema", quoted(prefix + print(op.schema))}},
          "static const OperatorDef $id$_def{\n"
          "    $name$, $overload$,\n"
          "    $schema$,\n"
          "    &boxed_call<ops::$id$::Signature>, reinterpret_cast<AnyKernel>(&$id$_boxed),\n"
          "    reinterpret_cast<AnyKernel>(&ops::$id$::call),\n"
          "    $record$};\n"
          "OperatorEntry ops::$id$::entry{$id$_def};\n");
}

// Of a shard without operators.
std::string print_empty_shard(const Shard& shard) {
  Printer p;
  print_banner(p, "Dispatch tables of one shard of the operators: an empty one.");
  p.print({{"function", shard.registers}},
          "namespace opweave {\nvoid $function$() {}\n}  // namespace opweave");
  return p.take();
}

std::string print_shard(const Shard& shard, const std::string& prefix) {
  if (shard.ops.empty()) return print_empty_shard(shard);
  Printer p;
  print_banner(p, "Dispatch tables of one shard of the operators.");
  print_declaration_includes(p);
  p.raw(include_lines({"runtime/dispatch/boxing.h", "runtime/dispatch/registry.h"}));
  UsedOperators used;
  used.add(shard.ops);
  print_declarations(p, used);
  p.print("\nnamespace opweave {\n");
  for (const Operator* op : shard.ops) print_operator(p, *op, prefix);
  p.print({{"function", shard.registers}}, "void $function$() {");
  p.print("  static OperatorEntry* const entries[] = {");
  for (const Operator* op : shard.ops)
    p.print({{"id", op->name.identifier}}, "      &ops::$id$::entry,");
  p.print(
      "  };\n"
      "  register_operators(entries);\n"
      "}\n"
      "\n"
      "}  // namespace opweave");
  return p.take();
}

}  // namespace

void emit_dispatch_tables(Output& output) {
  output.each_shard(
      [&](const Shard& shard) { return print_shard(shard, output.options.prefix()); });
}

}  // namespace opweave::codegen
