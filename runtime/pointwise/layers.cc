// Layers of tensors that repeat their elements.
#include "runtime/pointwise/layers.h"

#include <string>
#include <vector>

#include "runtime/rules/broadcast.h"
#include "runtime/rules/out_size.h"
#include "runtime/rules/overlap.h"

namespace opweave {
namespace {

// The dimensions in which a tensor repeats its elements, or all where they overlap in another way,
// and views of others along them.
class Layers {
 public:
  explicit Layers(const Tensor& out) : shape_(out.sizes()), layer_(out.sizes()) {
    take([&](size_t d) { return out.strides()[d] == 0; });
    if (may_overlap(make_alias(out, layer_, out.strides(), out.storage_offset())))
      take([](size_t) { return true; });
  }

  int64_t count() const { return count_; }

  // A single number is the same in all layers, and may lie on another device.
  Tensor at(const Tensor& tensor, int64_t number) const {
    if (!tensor.defined() || tensor.dim() == 0) return tensor;
    DimVector strides = broadcast_strides(tensor, shape_);
    for (int64_t& stride : strides) stride /= static_cast<int64_t>(tensor.element_size());
    int64_t offset = tensor.storage_offset();
    for (size_t i = repeated_.size(); i-- > 0; number /= shape_[repeated_[i]]) {
      offset += number % shape_[repeated_[i]] * strides[repeated_[i]];
    }
    return make_alias(tensor, layer_, strides, offset);
  }

 private:
  template <class Taken>
  void take(Taken taken) {
    repeated_.clear();
    count_ = 1;
    for (size_t d = 0; d < shape_.size(); ++d) {
      if (shape_[d] <= 1 || !taken(d)) continue;
      repeated_.push_back(static_cast<int64_t>(d));
      layer_[d] = 1;
      count_ *= shape_[d];
    }
  }

  DimVector shape_, layer_, repeated_;
  int64_t count_ = 1;
};

void check_broadcasts(const Tensor& out, const Tensor& input) {
  const DimVector shape = broadcast_sizes(out.sizes(), input.sizes());
  OW_CHECK(same_sizes(out.sizes(), shape), "output with shape ", out.sizes(),
           " doesn't match the broadcast shape ", IntList(shape));
}

}  // namespace

bool writes_layers(const PointwiseSpec& spec, const Tensor& out, bool resize) {
  return spec.expanded && !resize && may_overlap(out);
}

void write_layers(const PointwiseSpec& spec, const Tensor& out, TensorRefs inputs,
                  const std::function<void(Tensor& out, TensorRefs inputs)>& write) {
  warn_of_repeated_elements(out, std::string(spec.name) + "_", "tensor[mask] = scalar");
  for (const Tensor* input : inputs) {
    if (input->defined()) check_broadcasts(out, *input);
  }
  const Layers layers(out);
  for (int64_t number = 0; number < layers.count(); ++number) {
    Tensor layer = layers.at(out, number);
    std::vector<Tensor> parts;
    parts.reserve(inputs.size());
    for (const Tensor* input : inputs) parts.push_back(layers.at(*input, number));
    std::vector<const Tensor*> given;
    for (const Tensor& part : parts) given.push_back(&part);
    write(layer, given);
  }
}

}  // namespace opweave
