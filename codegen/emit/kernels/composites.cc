// Target-neutral kernels: composite formulas, and the in-place and out forms that run the
// functional form and write its result.
#include "codegen/emit/formulas/dtype_checks.h"
#include "codegen/emit/formulas/formula_printer.h"
#include "codegen/emit/formulas/out_dtypes.h"
#include "codegen/emit/formulas/rule_printer.h"
#include "codegen/emit/operators/declarations.h"
#include "codegen/emit/output/output_table.h"
#include "codegen/emit/output/outputs.h"
#include "codegen/emit/text/comma_list.h"
#include "codegen/model/lowered/lowered.h"

namespace opweave::codegen {
namespace {

const SharedKernel& kernel_of(const Operator& op) { return op.lowered->shared; }

bool is_handwritten(const Operator& op) { return kernel_of(op).way == SharedWay::handwritten; }

// The dtype that is asked for where none is given, behind a comma.
std::string default_dtype(const Argument& argument) {
  const std::optional<Constant>& value = argument.default_value;
  if (argument.type.base != BaseType::scalar_type || !value || value->kind == Constant::Kind::none)
    return "";
  return ", " + constant_expression(*value, argument.type);
}

// The other tensors of a call, each behind a comma: a gradient of theirs may keep the argument.
std::string tensors_beside(const Operator& op, const Signature& s, const Argument& argument) {
  std::string beside;
  for (const Argument& other : op.forms->functional->schema.arguments) {
    if (other.name != argument.name && other.type.is_tensor())
      beside += ", " + s.parameters[op.schema.find_argument(other.name)].name;
  }
  return beside;
}

std::string handed(const Operator& op, const Signature& s, const Argument& argument, Handed how) {
  const std::string& name = s.parameters[op.schema.find_argument(argument.name)].name;
  switch (how) {
    case Handed::as_it_is:
      return name;
    case Handed::as_of_out:
      return "as_of_out(" + name + ", " + written_parameters(s, op).front()->name +
             default_dtype(argument) + ")";
    case Handed::asked_or_of_out:
      return "asked_or_of(" + name + ", " + written_parameters(s, op).front()->name + ")";
    case Handed::value_before_write:
      return "value_before_write(" + name + tensors_beside(op, s, argument) + ")";
    case Handed::value_before_batched_write:
      return "value_before_batched_write(" + name + ")";
  }
  return name;
}

// The functional form's call with this form's parameters.
std::string functional_call(const Operator& op, const Signature& s) {
  const Operator& functional = *op.forms->functional;
  CommaList arguments;
  for (size_t i = 0; i < functional.schema.arguments.size(); ++i)
    arguments.add(handed(op, s, functional.schema.arguments[i], kernel_of(op).handed[i]));
  return "ops::" + functional.name.identifier + "::call(" + arguments.text() + ")";
}

// What is refused before anything is computed: results that lie in each other or partly in what is
// read, and an in-place form that asks for another dtype.
void print_write_checks(Printer& p, const Operator& op, const Signature& s) {
  const auto written = written_parameters(s, op);
  for (const Argument& argument : op.forms->functional->schema.arguments) {
    const std::string& name = s.parameters[op.schema.find_argument(argument.name)].name;
    const bool dtype = argument.type.base == BaseType::scalar_type && argument.type.optional;
    if (op.forms->form == Form::inplace && dtype && !argument.type.list)
      p.print({{"self", written.front()->name}, {"dtype", name}},
              "check_inplace_dtype($self$, $dtype$);");
    if (op.forms->form != Form::out || argument.type.base != BaseType::tensor) continue;
    for (const Parameter* out : written)
      p.print({{"out", out->name}, {"input", name}}, "check_out_overlap($out$, $input$);");
  }
  for (size_t i = 0; op.forms->form == Form::out && i < written.size(); ++i) {
    for (size_t k = 0; k < i; ++k)
      p.print({{"a", written[k]->name}, {"b", written[i]->name}}, "check_apart($a$, $b$);");
  }
}

std::string_view write_function(const Operator& op) {
  switch (kernel_of(op).write) {
    case WriteWay::inplace:
      return "write_inplace";
    case WriteWay::range:
      return "write_range";
    case WriteWay::out:
      break;
  }
  return "write_out";
}

// The call of another operator that an out form is, if it is one: what its formula's mutants
// compute in its place is no such call.
const FormulaNode* forwarded_call(const Operator& op, const Mutants& mutants) {
  const FormulaNode* call = kernel_of(op).forwarded;
  return call != nullptr && mutants.of(*op.forms->functional).empty() ? call : nullptr;
}

void print_forwarded(Printer& p, const Operator& op, const FormulaNode& call) {
  const Signature s = definition_of(op);
  FormulaNames names;
  names.op = op.forms->functional;
  names.argument = [&](uint16_t i) { return s.parameters[i].name; };
  std::string arguments = comma_list(
      call.operands, [&](const FormulaNode* node) { return formula_expression(*node, names); });
  for (const Parameter* out : written_parameters(s, op)) arguments += ", " + out->name;
  p.print({{"result", s.result},
           {"id", op.name.identifier},
           {"params", s.optional_parameter_list()},
           {"checks", [&] { print_write_checks(p, op, s); }},
           {"out", call.op->forms->out->name.identifier},
           {"arguments", arguments}},
          "static $result$ $id$_composite($params$) {\n"
          "  $checks$\n"
          "  return ops::$out$::call($arguments$);\n"
          "}");
}

// Writes the functional result into the written arguments (write_inplace, write_out).
void print_derived(Printer& p, const Operator& op) {
  const Signature s = definition_of(op);
  const auto written = written_parameters(s, op);
  const std::string write(write_function(op));
  std::string returned =
      comma_list(written, [](const Parameter* parameter) { return parameter->name; });
  if (written.size() > 1) returned = "{" + returned + "}";
  const auto print_writes = [&] {
    for (size_t i = 0; i < written.size(); ++i) {
      const std::string part =
          written.size() == 1 ? "produced" : "std::get<" + std::to_string(i) + ">(produced)";
      p.print(
          {{"write", write},
           {"operator", quoted(op.name.base)},
           {"written", written[i]->name},
           {"part", part},
           {"dtype", write == "write_out" ? ", " + out_dtype_name(kernel_of(op).out_dtype) : ""}},
          "$write$($operator$, $written$, $part$$dtype$);");
    }
  };
  p.print({{"result", s.result},
           {"id", op.name.identifier},
           {"params", s.parameter_list()},
           {"checks", [&] { print_write_checks(p, op, s); }},
           {"call", functional_call(op, s)},
           {"writes", print_writes},
           {"return", s.result == "void" ? "" : "return " + returned + ";"}},
          "static $result$ $id$_composite($params$) {\n"
          "  $checks$\n"
          "  auto produced = $call$;\n"
          "  $writes$\n"
          "  $return$\n"
          "}");
}

// Whose rules are printed here.
std::vector<const Operator*> ruled(const std::vector<const Operator*>& ops) {
  std::vector<const Operator*> all;
  for (const Operator* op : ops) {
    if (kernel_of(*op).view != nullptr) all.push_back(kernel_of(*op).view);
    if ((is_handwritten(*op) || op->formulas->composite != nullptr) && op->has_conditions())
      all.push_back(op);
  }
  return all;
}

// The operators themselves, and those that they run.
UsedOperators used_operators(const std::vector<const Operator*>& ops, const Mutants& mutants) {
  UsedOperators used(mutants);
  used.add(ops);
  for (const Operator* op : ruled(ops)) used.add_rule_of(*op);
  for (const Operator* op : ops) {
    if (op->formulas->composite != nullptr) {
      used.add_mutants_of(*op);
      used.add_calls_of(*op->formulas->composite);
    } else if (const FormulaNode* call = forwarded_call(*op, mutants)) {
      used.add(*call->op->forms->out);
      used.add_calls_of(*call);
    } else if (kernel_of(*op).way == SharedWay::written) {
      used.add(*op->forms->functional);
    } else {
      used.add_mutants_of(*op);
    }
  }
  return used;
}

void print_handwritten(Printer& p, const std::vector<const Operator*>& ops) {
  p.print("\nnamespace composite {");
  for (const Operator* op : ops) {
    if (is_handwritten(*op)) print_kernel_declaration(p, *op, "composite");
  }
  p.print("}  // namespace composite\n");
}

// Calls the handwritten kernel with what it requires and may take, below autograd where that is its
// place.
void print_wrapper(Printer& p, const Operator& op, const Mutants& mutants) {
  const Signature s = definition_of(op);
  const bool formula = op.formulas->composite != nullptr;
  const auto print_checks = [&] {
    if (!formula) print_call_checks(p, op, mutants);
  };
  p.print(
      {{"result", s.result},
       {"id", op.name.identifier},
       {"params", s.parameter_list()},
       {"arguments", s.argument_list()},
       {"checks", print_checks},
       {"guard", kernel_of(op).below_autograd ? "const BelowADInplaceOrView guard;" : ""},
       {"constant", kernel_of(op).constant ? "const GradModeGuard unrecorded(false);\n"
                                             "const ExcludeDispatchKeys no_tangents(forward_key());"
                                           : ""},
       {"function",
        formula ? op.name.identifier + "_formula" : "composite::" + op.name.identifier}},
      "static $result$ $id$_checked($params$) {\n"
      "  $checks$\n"
      "  $guard$\n"
      "  $constant$\n"
      "  return $function$($arguments$);\n"
      "}");
}

// The view that the rule describes, or the tensor changed to it. The names are those of the view's
// arguments, of which the in-place form has the same.
void print_view(Printer& p, const Operator& op, const Mutants& mutants) {
  const Operator& view = *kernel_of(op).view;
  const Signature named = definition_of(view);
  const std::string& self = named.parameters[0].name;
  const bool makes = has_view_function(op);
  const std::string parameters = comma_list(named.parameters, [&](const Parameter& parameter) {
    const bool changed = !makes && &parameter == &named.parameters[0];
    return "[[maybe_unused]] " + (changed ? "Tensor&" : parameter.type) + " " + parameter.name;
  });
  p.print({{"result", makes ? "Tensor " : "static Tensor& "},
           {"function", makes ? "ops::" + op.name.identifier + "::make_view"
                              : op.name.identifier + "_composite"},
           {"params", parameters}},
          "$result$$function$($params$) {");
  print_view_body(p, view,
                  makes ? "return make_alias(" + self + ", " : self + ".impl()->set_geometry(",
                  mutants);
  if (!makes) p.print({{"self", self}}, "  return $self$;");
  p.print("}");
}

// The function to register.
std::string kernel_name(const Operator& op) {
  if (has_view_function(op)) return "ops::" + op.name.identifier + "::make_view";
  if (!is_handwritten(op) && !kernel_of(op).constant) return op.name.identifier + "_composite";
  return kernel_of(op).is_wrapped() ? op.name.identifier + "_checked"
                                    : "composite::" + op.name.identifier;
}

std::string print_shard(const Shard& shard) {
  const Mutants& mutants = shard.mutants;
  std::vector<const Operator*> ops;
  for (const Operator* op : shard.ops) {
    if (kernel_of(*op).way != SharedWay::none) ops.push_back(op);
  }
  Printer p;
  print_banner(p, "Target-neutral kernels of one shard of the operators.");
  print_declaration_includes(p);
  p.raw(include_lines({"kernels/composite/write_result.h", "runtime/batching/batched_tensor.h",
                       "runtime/dispatch/operator.h", "runtime/forward/tangents.h",
                       "runtime/rules/functions.h"}));
  print_declarations(p, used_operators(ops, mutants));
  p.print("\nnamespace opweave {");
  print_handwritten(p, ops);
  for (const Operator* op : ops) {
    if (op->formulas->composite != nullptr) {
      const bool constant = kernel_of(*op).constant;
      print_formula_function(p, *op, *op->formulas->composite, constant ? "_formula" : "_composite",
                             mutants);
      if (constant) print_wrapper(p, *op, mutants);
    } else if (const FormulaNode* call = forwarded_call(*op, mutants)) {
      print_forwarded(p, *op, *call);
    } else if (kernel_of(*op).way == SharedWay::written) {
      print_derived(p, *op);
    } else if (kernel_of(*op).way == SharedWay::view) {
      print_view(p, *op, mutants);
    } else if (kernel_of(*op).is_wrapped()) {
      print_wrapper(p, *op, mutants);
    }
  }
  p.print({{"function", shard.registers}}, "\nvoid $function$() {");
  for (const Operator* op : ops) {
    p.print({{"id", op->name.identifier}, {"kernel", kernel_name(*op)}},
            "  ops::$id$::entry.set_composite_kernel(reinterpret_cast<AnyKernel>(&$kernel$));");
    if (kernel_of(*op).in_batches) {
      p.print({{"id", op->name.identifier}},
              "  ops::$id$::entry.set_kernel(batched_key(),\n"
              "                              reinterpret_cast<AnyKernel>(&$id$_composite));");
    }
  }
  p.print("}\n\n}  // namespace opweave");
  return p.take();
}

}  // namespace

void emit_composites(Output& output) { output.each_shard(print_shard); }

}  // namespace opweave::codegen
