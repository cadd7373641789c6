// Kernels of pointwise operators: for each hardware target the expression, its loops, and the
// functions that are registered. One printer serves all targets; each target's runtime library
// gives the same names (OW_POINTWISE, m, PointwiseLoops, make_loops, run_pointwise,
// run_pointwise_into) their meaning.
#include <algorithm>

#include "codegen/emit/kernels/pointwise_printers.h"
#include "codegen/emit/operators/declarations.h"
#include "codegen/emit/operators/pointwise_layout.h"
#include "codegen/emit/output/output_table.h"
#include "codegen/emit/output/outputs.h"
#include "codegen/emit/text/comma_list.h"
#include "codegen/emit/text/dtypes.h"
#include "codegen/model/lowered/numbers.h"

namespace opweave::codegen {
namespace {

std::string input_array(const Operator& op, const PointwiseLayout& layout, const Signature& s) {
  if (layout.inputs.empty()) return "";
  std::string text = "const Tensor* const inputs[] = {";
  for (size_t i = 0; i < layout.inputs.size(); ++i) {
    text += (i ? ", &" : "&") + s.parameters[layout.inputs[i]].name;
  }
  (void)op;
  return text + "};";
}

std::string param_array(const PointwiseLayout& layout, const Signature& s) {
  if (layout.params.empty()) return "";
  const auto expression = [&](const PointwiseParam& p) { return param_expression(p, s); };
  return "const Scalar params[] = {" + comma_list(layout.params, expression) + "};";
}

// The call that computes a form, and what it returns.
void print_run(Printer& p, const Operator& form, const Operator& op, const Signature& s,
               const std::string& loops) {
  const std::string params = pointwise_layout(op).params.empty() ? "{}" : "params";
  if (form.forms->form == Form::functional) {
    p.print({{"id", op.name.identifier}, {"loops", loops}, {"params", params}},
            "return run_pointwise($id$_spec, $loops$inputs, $params$);");
    return;
  }
  p.print(
      {{"id", op.name.identifier},
       {"loops", loops},
       {"params", params},
       {"written", written_parameters(s, form).front()->name},
       {"resize", form.forms->form == Form::out ? "true" : "false"}},
      "run_pointwise_into($id$_spec, $loops$$written$, /*resize=*/$resize$, inputs, $params$);\n"
      "return $written$;");
}

// One form of an operator: functional, in-place or out, on top of the functional form's loops.
void print_form(Printer& p, const Operator& form, const Operator& op, bool has_loops) {
  const PointwiseLayout layout = pointwise_layout(op);
  const Signature s = definition_of(form);
  p.print({{"result", s.result},
           {"form", form.name.identifier},
           {"list", s.optional_parameter_list()},
           {"inputs", input_array(form, layout, s)},
           {"params", param_array(layout, s)},
           {"loops", has_loops ? "static const PointwiseLoops* const loops = OW_LOOPS(" +
                                     op.name.identifier + "_loops);"
                               : ""},
           {"run", [&] { print_run(p, form, op, s, has_loops ? "*loops, " : ""); }}},
          "static $result$ $form$_kernel($list$) {\n"
          "  $inputs$\n"
          "  $params$\n"
          "  $loops$\n"
          "  $run$\n"
          "}");
}

std::vector<const Operator*> forms_of(const Operator& op) {
  std::vector<const Operator*> forms{&op};
  if (op.forms->inplace != nullptr && op.forms->inplace->is_expr())
    forms.push_back(op.forms->inplace);
  if (op.forms->out != nullptr && op.forms->out->is_expr()) forms.push_back(op.forms->out);
  return forms;
}

void print_registration(Printer& p, const std::vector<const Operator*>& ops,
                        const std::string& target, const Shard& shard) {
  p.print({{"function", shard.registers}}, "\nvoid $function$([[maybe_unused]] DispatchKey key) {");
  for (const Operator* op : ops) {
    for (const Operator* form : forms_of(*op)) {
      p.print({{"id", form->name.identifier}},
              "  ops::$id$::entry.set_kernel(key, reinterpret_cast<AnyKernel>(&$id$_kernel));");
    }
  }
  p.print({{"target", target}}, "}\n\n}  // namespace $target$\n}  // namespace opweave");
}

void print_operators(Printer& p, const std::vector<const Operator*>& ops) {
  p.raw(include_lines({"runtime/dispatch/operator.h", "runtime/pointwise/spec.h"}));
  UsedOperators used;
  for (const Operator* op : ops) used.add(forms_of(*op));
  print_declarations(p, used);
  p.print("\nnamespace opweave {");
  for (const Operator* op : ops)
    p.print({{"id", op->name.identifier}}, "extern const PointwiseSpec $id$_spec;");
}

std::vector<const Operator*> pointwise_of(const Shard& shard) {
  std::vector<const Operator*> ops = shard.ops;
  std::erase_if(ops, [](const Operator* op) { return !has_pointwise_kernel(*op); });
  return ops;
}

// Without data there is nothing to loop over: the plan alone gives shape, strides and dtype. The
// constant specs that plans are made from, which all targets share, are defined here.
std::string print_meta_shard(const Shard& shard) {
  const std::vector<const Operator*> ops = pointwise_of(shard);
  Printer p;
  print_banner(p, "Pointwise operators of one shard on tensors without data.");
  p.print("#include \"kernels/meta/pointwise.h\"");
  print_operators(p, ops);
  for (const Operator* op : ops) print_pointwise_spec(p, *op);
  p.print("\nnamespace meta {\n");
  for (const Operator* op : ops) {
    for (const Operator* form : forms_of(*op)) print_form(p, *form, *op, /*has_loops=*/false);
  }
  print_registration(p, ops, "meta", shard);
  return p.take();
}

// The loops of no operator need no vocabulary, which takes long to compile.
std::string print_empty_shard(const Shard& shard) {
  const std::string& target = shard.target;
  Printer p;
  print_banner(p, "Pointwise kernels of one shard of the operators, for " + target + ": none.");
  p.print({{"target", target}},
          "#include \"runtime/core/threads/dispatch_key_set.h\"\n"
          "\n"
          "namespace opweave {\n"
          "namespace $target$ {");
  print_registration(p, {}, target, shard);
  return p.take();
}

std::string print_shard(const Shard& shard) {
  const std::vector<const Operator*> ops = pointwise_of(shard);
  if (ops.empty()) return print_empty_shard(shard);
  const std::string& target = shard.target;
  Printer p;
  print_banner(p, "Pointwise kernels of one shard of the operators, for " + target + ".");
  p.print({{"path", shard.path}, {"target", target}},
          "#define OW_POINTWISE_FILE \"$path$\"\n"
          "#include \"kernels/$target$/pointwise/begin.h\"\n"
          "OW_POINTWISE_BEGIN\n");
  if (std::ranges::any_of(ops, [&](const Operator* op) { return !shard.mutants.of(*op).empty(); }))
    print_mutant_declarations(p);
  for (const Operator* op : ops) print_pointwise_loops(p, *op, shard.mutants);
  p.print("OW_POINTWISE_END\n\n#if OW_POINTWISE_ONCE");
  p.print("");
  print_operators(p, ops);
  p.print({{"target", target}}, "\nnamespace $target$ {\n");
  for (const Operator* op : ops)
    p.print({{"id", op->name.identifier}}, "OW_EXPORT_LOOPS($id$_loops);");
  for (const Operator* op : ops) {
    for (const Operator* form : forms_of(*op)) print_form(p, *form, *op, /*has_loops=*/true);
  }
  print_registration(p, ops, target, shard);
  p.print("#endif");
  return p.take();
}

}  // namespace

void print_pointwise_loops(Printer& p, const Operator& op, const Mutants& mutants) {
  const PointwiseLayout layout = pointwise_layout(op);
  const LoopTypes types = loop_types(op);
  p.raw(print_expression_struct(op, mutants));
  uint32_t bool_inputs = 0;  // bit i: input i is read as a mask
  for (size_t i = 0; i < layout.inputs.size(); ++i) {
    if (op.elements->arguments[layout.inputs[i]].as_boolean) bool_inputs |= 1u << i;
  }
  p.print({{"id", op.name.identifier},
           {"inputs", std::to_string(layout.inputs.size())},
           {"params", std::to_string(layout.params.size())},
           {"dtypes", dtype_mask(types.dtypes)},
           {"float", types.int_to_float ? "true" : "false"},
           {"bools", std::to_string(bool_inputs)}},
          "const PointwiseLoops* $id$_loops() {\n"
          "  static const PointwiseLoops loops =\n"
          "      make_loops<$id$_expr, $inputs$, $params$, /*dtypes=*/$dtypes$, "
          "/*int_to_float=*/$float$,\n"
          "                 /*bool_inputs=*/$bools$>();\n"
          "  return &loops;\n"
          "}\n");
}

void emit_meta_kernels(Output& output) { output.each_shard(print_meta_shard); }
void emit_pointwise_kernels(Output& output) { output.each_shard(print_shard); }

}  // namespace opweave::codegen
