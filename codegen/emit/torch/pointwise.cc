// Kernels of pointwise operators: loops for the CPU and for CUDA, PyTorch's operators elsewhere.
#include "codegen/emit/extension/operators.h"
#include "codegen/emit/kernels/pointwise_printers.h"
#include "codegen/emit/operators/pointwise_layout.h"
#include "codegen/emit/output/outputs.h"
#include "codegen/emit/text/comma_list.h"
#include "codegen/emit/text/dtypes.h"
#include "codegen/emit/torch/face.h"
#include "codegen/model/lowered/numbers.h"

namespace opweave::codegen {
namespace {

DtypeMask loop_dtypes(const Operator& op) { return computed_dtypes(op).bits & dtypes::kCommon; }

std::string mask_text(DtypeMask set) {
  std::string text;
  for (int i = 0; i < kNumScalarTypes; ++i) {
    if ((set >> i & 1) == 0) continue;
    text += (text.empty() ? "" : " | ") + ("dtype_bit(at::k" + std::string(kDtypes[i].id) + ")");
  }
  return text.empty() ? "0" : text;
}

uint64_t masks_of(const Operator& op, const PointwiseLayout& layout) {
  uint64_t masks = 0;
  for (size_t i = 0; i < layout.inputs.size(); ++i)
    masks |= uint64_t{op.elements->arguments[layout.inputs[i]].as_boolean} << i;
  return masks;
}

uint64_t promoting_of(const Operator& op, const PointwiseLayout& layout) {
  uint64_t promoting = 0;
  for (size_t i = 0; i < layout.params.size(); ++i) {
    const PointwiseParam& param = layout.params[i];
    const bool value = param.kind == PointwiseParam::Kind::value;
    promoting |= uint64_t{value && op.elements->arguments[param.argument].promotes} << i;
  }
  return promoting;
}

// The expression and what is known of its operator.
void print_expression(Printer& p, const Operator& op) {
  const PointwiseLayout layout = pointwise_layout(op);
  p.raw(print_expression_struct(op));
  p.print({{"id", op.name.identifier},
           {"masks", std::to_string(masks_of(op, layout))},
           {"bool", op.elements->promotion.result == ResultRule::boolean ? "true" : "false"},
           {"dtypes", mask_text(loop_dtypes(op))},
           {"name", quoted(op.face->python_name)},
           {"compute", compute_name(op.elements->promotion.compute)},
           {"promoting", std::to_string(promoting_of(op, layout))}},
          "constexpr uint64_t $id$_dtypes = $dtypes$;\n"
          "constexpr PointwiseSpec $id$_spec{$name$, Compute::$compute$, $bool$, $id$_dtypes, "
          "/*masks=*/$masks$, /*promoting=*/$promoting$};\n");
}

// The loops over an expression by the template `loops`: `<id>_loops`.
void print_loops(Printer& p, const Operator& op, std::string_view loops) {
  const PointwiseLayout layout = pointwise_layout(op);
  p.print({{"id", op.name.identifier},
           {"loops", loops},
           {"inputs", std::to_string(layout.inputs.size())},
           {"params", std::to_string(layout.params.size())},
           {"masks", std::to_string(masks_of(op, layout))},
           {"bool", op.elements->promotion.result == ResultRule::boolean ? "true" : "false"}},
          "using $id$_loops = $loops$<$id$_expr, $inputs$, $params$, /*masks=*/$masks$, "
          "/*bool_result=*/$bool$>;");
}

// The function `<id>_<suffix>` that PyTorch calls, which passes inputs and numbers on to `run`.
void print_function(Printer& p, const Operator& op, std::string_view suffix,
                    const std::string& run) {
  const PointwiseLayout layout = pointwise_layout(op);
  const Signature s = torch_signature(op);
  p.print({{"id", op.name.identifier},
           {"suffix", suffix},
           {"run", run},
           {"inputs", std::to_string(layout.inputs.size())},
           {"params", std::to_string(layout.params.size())},
           {"list", s.optional_parameter_list()},
           {"pointers",
            comma_list(layout.inputs, [&](uint16_t i) { return "&" + s.parameters[i].name; })},
           {"values",
            comma_list(layout.params,
                       [&](const PointwiseParam& param) { return param_expression(param, s); })}},
          "Tensor $id$_$suffix$($list$) {\n"
          "  const std::array<const Tensor*, $inputs$> ow_inputs{$pointers$};\n"
          "  const std::array<Scalar, $params$> ow_params{$values$};\n"
          "  return $run$($id$_spec, ow_inputs, ow_params);\n"
          "}");
}

std::string with_loops(const Operator& op) {
  return "run_pointwise<" + op.name.identifier + "_loops, " + op.name.identifier + "_dtypes>";
}

std::string with_operators(const Operator& op) {
  const PointwiseLayout layout = pointwise_layout(op);
  return "run_by_operators<" + op.name.identifier + "_expr, " +
         std::to_string(layout.inputs.size()) + ", " + std::to_string(layout.params.size()) + ">";
}

void print_registration(Printer& p, const TorchLibrary& library, std::string_view key,
                        std::string_view function) {
  p.print({{"library", library.options.library}, {"key", key}},
          "TORCH_LIBRARY_IMPL($library$, $key$, library) {");
  for (const Operator* op : library.operators) {
    if (!op->is_expr()) continue;
    p.print({{"id", op->name.identifier}, {"name", quoted(op->name.full)}, {"function", function}},
            "  library.impl($name$, TORCH_FN($id$_$function$));");
  }
  p.print("}");
}

}  // namespace

std::string print_torch_pointwise(const TorchLibrary& library) {
  Printer p;
  print_banner(p, "Pointwise operators.");
  p.print(
      "#include <torch/library.h>\n"
      "\n"
      "#include \"opweave/by_operators.h\"\n"
      "#include \"opweave/pointwise.h\"\n"
      "\n"
      "#define OW_POINTWISE inline\n"
      "\n"
      "namespace opweave {\n"
      "namespace {\n");
  for (const Operator* op : library.operators) {
    if (!op->is_expr()) continue;
    print_expression(p, *op);
    print_loops(p, *op, "Loops");
    print_function(p, *op, "kernel", with_loops(*op));
    print_function(p, *op, "elsewhere", with_operators(*op));
    p.print("");
  }
  p.print("}  // namespace\n");
  print_registration(p, library, "CPU", "kernel");
  print_registration(p, library, "CompositeExplicitAutograd", "elsewhere");
  p.print("\n}  // namespace opweave");
  return p.take();
}

std::string print_torch_cuda_pointwise(const TorchLibrary& library) {
  Printer p;
  print_banner(p, "Pointwise operators on CUDA tensors.");
  p.print(
      "#include <torch/library.h>\n"
      "\n"
      "#include \"opweave/cuda_pointwise.cuh\"\n"
      "\n"
      "#define OW_POINTWISE __device__ __forceinline__\n"
      "\n"
      "namespace opweave {\n"
      "namespace cuda {\n"
      "namespace {\n");
  for (const Operator* op : library.operators) {
    if (!op->is_expr()) continue;
    print_expression(p, *op);
    print_loops(p, *op, "Kernels");
    print_function(p, *op, "cuda", with_loops(*op));
    p.print("");
  }
  p.print("}  // namespace\n");
  print_registration(p, library, "CUDA", "cuda");
  p.print("\n}  // namespace cuda\n}  // namespace opweave");
  return p.take();
}

}  // namespace opweave::codegen
