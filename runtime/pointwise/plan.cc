// Making plans: devices, shapes, layout of the result, coalescing.
#include "runtime/pointwise/plan.h"

#include <algorithm>

#include "runtime/core/tensor/type_promotion.h"
#include "runtime/pointwise/types.h"
#include "runtime/rules/broadcast.h"
#include "runtime/rules/out_size.h"
#include "runtime/rules/overlap.h"

namespace opweave {
namespace {

// A zero-dim tensor that the host can read goes with tensors of any device.
bool goes_anywhere(const Tensor& t) { return t.dim() == 0 && t.in_host_memory(); }

Device common_device(TensorRefs inputs) {
  const Tensor* decisive = nullptr;
  for (const Tensor* input : inputs) {
    if (!input->defined() || goes_anywhere(*input)) continue;
    if (decisive == nullptr) decisive = input;
    OW_CHECK(input->device() == decisive->device(),
             "Expected all tensors to be on the same device, but found at least two devices, ",
             decisive->device(), " and ", input->device(), "!");
  }
  return decisive != nullptr ? decisive->device() : host_device();
}

DimVector common_shape(TensorRefs inputs) {
  DimVector shape;
  bool first = true;
  for (const Tensor* input : inputs) {
    if (!input->defined()) continue;
    if (first) {
      shape.assign(input->sizes());
    } else if (!same_sizes(shape, input->sizes())) {
      shape = broadcast_sizes(shape, input->sizes());
    }
    first = false;
  }
  return shape;
}

// Whether all tensors lie in memory alike and densely, so that they can be walked as one line.
bool alike_and_dense(IntList shape, TensorRefs tensors) {
  const Tensor* first = nullptr;
  for (const Tensor* t : tensors) {
    if (!t->defined()) continue;
    if (!same_sizes(t->sizes(), shape)) return false;
    if (first == nullptr) {
      if (!t->impl()->is_non_overlapping_and_dense()) return false;
      first = t;
    } else if (!(t->is_contiguous() && first->is_contiguous()) &&
               !same_sizes(t->strides(), first->strides())) {
      return false;
    }
  }
  return first != nullptr;
}

Tensor make_like_first(IntList shape, TensorRefs inputs, ScalarType dtype, Device device) {
  for (const Tensor* input : inputs) {
    if (!input->defined()) continue;
    if (input->is_contiguous()) break;
    return make_tensor_strided(shape, input->strides(), dtype, device);
  }
  return make_tensor(shape, dtype, device);
}

// Builds one plan. Operand 0 is the result, which may still have to be made.
class Planner {
 public:
  Planner(const PointwiseSpec& spec, TensorRefs inputs, std::span<const Scalar> params,
          PointwisePlan& plan)
      : spec_(spec), inputs_(inputs), plan_(plan) {
    plan_.common = common_type(spec, inputs, params);
    device_ = common_device(inputs);
    shape_ = common_shape(inputs);
  }
  // A copy: no type is checked, and the devices may differ.
  Planner(const PointwiseSpec& spec, TensorRefs inputs, PointwisePlan& plan, Device device)
      : spec_(spec), inputs_(inputs), plan_(plan), device_(device) {
    plan_.common = inputs[0]->dtype();
    shape_ = common_shape(inputs);
  }

  Tensor make_result() {
    const ScalarType dtype = result_type();
    if (spec_.contiguous && !all_contiguous()) {
      Tensor result = make_tensor(shape_, dtype, device_);
      write_to(result, /*resize=*/false);
      return result;
    }
    if (alike_and_dense(shape_, inputs_)) {
      Tensor result = make_like_first(shape_, inputs_, dtype, device_);
      fill_line(result);
      return result;
    }
    std::array<DimVector, kMaxPointwiseInputs + 1> strides;  // the result's stays empty
    for (size_t i = 0; i < inputs_.size(); ++i) strides[i + 1] = strides_of(*inputs_[i]);
    const DimVector order = dimension_order(shape_, strides);
    Tensor result = make_tensor_strided(shape_, strides_in_order(shape_, order), dtype, device_);
    strides[0] = strides_of(result);
    fill(result, order, strides);
    return result;
  }

  void use_result(Tensor& out, bool resize) {
    OW_CHECK(out.device() == device_ || (goes_anywhere(out) && is_host(device_)),
             "Expected all tensors to be on the same device, but found at least two devices, ",
             out.device(), " and ", device_, "!");
    OW_CHECK(!resize || out.dtype() == result_type() || spec_.casts_out, spec_.name,
             "(): Expected out tensor to have dtype ", dtype_info(result_type()).spelled,
             ", but got ", dtype_info(out.dtype()).spelled, " instead");
    OW_CHECK(can_cast(result_type(), out.dtype()), "result type ", scalar_type_name(result_type()),
             " can't be cast to the desired output type ", scalar_type_name(out.dtype()));
    write_to(out, resize);
  }

  void write_to(Tensor& out, bool resize) {
    check_shape(out, resize);
    check_no_internal_overlap(out);
    for (const Tensor* input : inputs_) {
      if (input->defined()) check_no_partial_overlap(out, *input);
    }
    std::array<const Tensor*, kMaxPointwiseInputs + 1> all;
    all[0] = &out;
    std::copy(inputs_.begin(), inputs_.end(), all.begin() + 1);
    const TensorRefs tensors(all.data(), inputs_.size() + 1);
    if (alike_and_dense(shape_, tensors)) return fill_line(out);
    std::array<DimVector, kMaxPointwiseInputs + 1> strides;
    for (size_t i = 0; i < tensors.size(); ++i) strides[i] = strides_of(*tensors[i]);
    fill(out, dimension_order(shape_, strides), strides);
  }

 private:
  bool all_contiguous() const {
    return std::ranges::all_of(inputs_,
                               [](const Tensor* t) { return !t->defined() || t->is_contiguous(); });
  }
  ScalarType result_type() const { return kernel_type(spec_.result, plan_.common); }
  DimVector strides_of(const Tensor& t) const {
    return t.defined() ? broadcast_strides(t, shape_) : DimVector(shape_.size());
  }

  DimVector result_strides() const;
  const Tensor* first_input() const {
    return *std::ranges::find_if(inputs_, [](const Tensor* t) { return t->defined(); });
  }
  void check_shape(Tensor& out, bool resize);
  void fill_operands(const Tensor& result);
  void fill_line(const Tensor& result);
  void fill(const Tensor& result, const DimVector& order, std::span<const DimVector> strides);
  void append_dimension(int64_t dim, std::span<const DimVector> strides);
  bool joins_last_dimension(int64_t dim, std::span<const DimVector> strides) const;

  const PointwiseSpec& spec_;
  TensorRefs inputs_;
  PointwisePlan& plan_;
  Device device_;
  DimVector shape_;
};

// How a result lies that the planner makes; none where it is contiguous.
DimVector Planner::result_strides() const {
  if (spec_.contiguous || all_contiguous()) return {};
  if (alike_and_dense(shape_, inputs_)) return first_input()->strides();
  std::array<DimVector, kMaxPointwiseInputs + 1> strides;  // the result's stays empty
  for (size_t i = 0; i < inputs_.size(); ++i) strides[i + 1] = strides_of(*inputs_[i]);
  return strides_in_order(shape_, dimension_order(shape_, strides));
}

// A result that may not be resized takes part in broadcasting, but must not be broadcast itself.
void Planner::check_shape(Tensor& out, bool resize) {
  if (same_sizes(out.sizes(), shape_)) return;
  // An input that is `out` itself would be read in its new size, and so keeps the one it has.
  const bool is_input =
      std::ranges::any_of(inputs_, [&](const Tensor* t) { return t->is_same(out); });
  if (resize && !is_input) return resize_out(out, shape_, result_strides());
  shape_ = broadcast_sizes(out.sizes(), shape_);
  OW_CHECK(same_sizes(out.sizes(), shape_), "output with shape ", out.sizes(),
           " doesn't match the broadcast shape ", IntList(shape_));
}

void Planner::fill_operands(const Tensor& result) {
  auto set = [&](PointwiseOperand& operand, const Tensor& t, OperandKind kind) {
    operand.data = t.defined() ? static_cast<char*>(t.raw_data()) : nullptr;
    operand.dtype = t.defined() ? t.dtype() : kernel_type(kind, plan_.common);
    operand.on_host = t.defined() && t.device() != device_;
    plan_.trivial &= t.defined() && operand.dtype == kernel_type(kind, plan_.common);
  };
  plan_.numel = checked_numel(shape_);
  plan_.num_operands = static_cast<int>(inputs_.size()) + 1;
  plan_.trivial = true;
  set(plan_.operands[0], result, spec_.result);
  for (size_t i = 0; i < inputs_.size(); ++i) {
    set(plan_.operands[i + 1], *inputs_[i], spec_.inputs[i]);
  }
}

// All operands are one dense line of elements.
void Planner::fill_line(const Tensor& result) {
  fill_operands(result);
  plan_.ndim = plan_.numel == 1 ? 0 : 1;
  plan_.sizes[0] = plan_.numel;
  for (int k = 0; k < plan_.num_operands; ++k) {
    PointwiseOperand& operand = plan_.operands[k];
    const bool given = k == 0 || inputs_[k - 1]->defined();
    operand.strides[0] = given ? static_cast<int64_t>(element_size(operand.dtype)) : 0;
  }
}

void Planner::fill(const Tensor& result, const DimVector& order,
                   std::span<const DimVector> strides) {
  fill_operands(result);
  plan_.ndim = 0;
  if (plan_.numel == 0) return;
  for (int64_t dim : order) append_dimension(dim, strides);
  for (int k = 0; k < plan_.num_operands; ++k) {
    const PointwiseOperand& operand = plan_.operands[k];
    plan_.trivial &= plan_.ndim == 0 ||
                     (plan_.ndim == 1 &&
                      operand.strides[0] == static_cast<int64_t>(element_size(operand.dtype)));
  }
}

// Whether walking the plan's last dimension to its end leads every operand to the next of `dim`.
bool Planner::joins_last_dimension(int64_t dim, std::span<const DimVector> strides) const {
  const int last = plan_.ndim - 1;
  for (int k = 0; k < plan_.num_operands; ++k) {
    if (stride_product(plan_.operands[k].strides[last], plan_.sizes[last]) != strides[k][dim])
      return false;
  }
  return true;
}

void Planner::append_dimension(int64_t dim, std::span<const DimVector> strides) {
  if (shape_[dim] == 1) return;
  if (plan_.ndim > 0 && joins_last_dimension(dim, strides)) {
    plan_.sizes[plan_.ndim - 1] *= shape_[dim];
    return;
  }
  OW_CHECK(plan_.ndim < kMaxPlanDims, spec_.name, ": more than ", kMaxPlanDims,
           " dimensions that cannot be joined");
  plan_.sizes[plan_.ndim] = shape_[dim];
  for (int k = 0; k < plan_.num_operands; ++k) {
    plan_.operands[k].strides[plan_.ndim] = strides[k][dim];
  }
  ++plan_.ndim;
}

}  // namespace

Tensor plan_pointwise(const PointwiseSpec& spec, TensorRefs inputs, std::span<const Scalar> params,
                      PointwisePlan& plan) {
  return Planner(spec, inputs, params, plan).make_result();
}

void plan_pointwise_into(const PointwiseSpec& spec, Tensor& out, bool resize, TensorRefs inputs,
                         std::span<const Scalar> params, PointwisePlan& plan) {
  Planner(spec, inputs, params, plan).use_result(out, resize);
}

void plan_copy(Tensor& to, const Tensor& from, PointwisePlan& plan) {
  static constexpr PointwiseSpec spec{
      "copy_", 1, 0, PointwisePromotion::kNone, OperandKind::kCommon, 0, {}, {"src"}, {}, {}, {}};
  const Tensor* const inputs[] = {&from};
  Planner(spec, inputs, plan, to.device()).write_to(to, /*resize=*/false);
}

}  // namespace opweave
