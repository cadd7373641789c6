// Convolutions by oneDNN. Every operand may be wanted in a blocked layout: the weight always is
// left to oneDNN, because fixed layouts fall to its slow reference kernels.
#include "kernels/cpu/convolution/convolution_onednn.h"

#include <unordered_map>

#include "kernels/cpu/common/onednn.h"
#include "kernels/cpu/copying/copy.h"
#include "runtime/core/base/fork_safe_mutex.h"
#include "runtime/core/threads/parallel.h"

namespace opweave::cpu {
namespace {

using Desc = dnnl::memory::desc;
using Tag = dnnl::memory::format_tag;
constexpr auto kF32 = dnnl::memory::data_type::f32;

enum class Pass : int64_t { kForward, kForwardBias, kData, kWeight };

// A primitive with the layouts around it.
struct ConvolutionPrimitive {
  dnnl::primitive primitive;
  OnednnOperand input, weight, output;
  Desc bias, workspace;

  template <class Primitive>
  void make(const typename Primitive::primitive_desc& description) {
    primitive = Primitive(description);
    workspace = description.scratchpad_desc();
  }
  void execute(std::unordered_map<int, dnnl::memory> arguments) const {
    Tensor keeper;
    arguments.emplace(DNNL_ARG_SCRATCHPAD, onednn_scratch(workspace, keeper));
    primitive.execute(onednn_stream(), arguments);
  }
};

class Builder {
 public:
  Builder(const plans::ConvolutionShape& shape, Pass pass, bool channels_last)
      : shape_(shape), pass_(pass), channels_last_(channels_last) {}

  ConvolutionPrimitive build() const {
    const Desc input = given(shape_.input), output = given(shape_.output);
    const Desc weight = given_weight();
    const auto forward = forward_desc();
    ConvolutionPrimitive result;
    result.bias = Desc({shape_.weight[0]}, kF32, Tag::a);
    if (pass_ == Pass::kForward || pass_ == Pass::kForwardBias) {
      result.make<dnnl::convolution_forward>(forward);
      set(result, {input, forward.src_desc()}, {weight, forward.weights_desc()},
          {output, forward.dst_desc()});
    } else if (pass_ == Pass::kData) {
      const dnnl::convolution_backward_data::primitive_desc d(
          {dnnl::algorithm::convolution_direct, wanted(shape_.input), wanted_weight(),
           wanted(shape_.output), strides(), dilations(), padding(), padding_after()},
          onednn_own_scratchpad(), onednn_engine(), forward);
      result.make<dnnl::convolution_backward_data>(d);
      set(result, {input, d.diff_src_desc()}, {weight, d.weights_desc()},
          {output, d.diff_dst_desc()});
    } else {
      const dnnl::convolution_backward_weights::primitive_desc d(
          {dnnl::algorithm::convolution_direct, wanted(shape_.input), wanted_weight(),
           wanted(shape_.output), strides(), dilations(), padding(), padding_after()},
          onednn_own_scratchpad(), onednn_engine(), forward);
      result.make<dnnl::convolution_backward_weights>(d);
      set(result, {input, d.src_desc()}, {weight, d.diff_weights_desc()},
          {output, d.diff_dst_desc()});
    }
    return result;
  }

 private:
  struct Layouts {
    Desc given, wanted;
  };

  void set(ConvolutionPrimitive& result, const Layouts& input, const Layouts& weight,
           const Layouts& output) const {
    result.input = OnednnOperand(input.given, input.wanted, pass_ == Pass::kData);
    result.weight = OnednnOperand(weight.given, weight.wanted, pass_ == Pass::kWeight);
    result.output = OnednnOperand(output.given, output.wanted,
                                  pass_ == Pass::kForward || pass_ == Pass::kForwardBias);
  }

  dnnl::convolution_forward::primitive_desc forward_desc() const {
    const auto kind = dnnl::prop_kind::forward_training;
    const auto algorithm = dnnl::algorithm::convolution_direct;
    const Desc input = wanted(shape_.input), output = wanted(shape_.output);
    const Desc weight = wanted_weight();
    if (pass_ != Pass::kForwardBias) {
      return {{kind, algorithm, input, weight, output, strides(), dilations(), padding(),
               padding_after()},
              onednn_own_scratchpad(),
              onednn_engine()};
    }
    const Desc bias({shape_.weight[0]}, kF32, Tag::a);
    return {{kind, algorithm, input, weight, bias, output, strides(), dilations(), padding(),
             padding_after()},
            onednn_own_scratchpad(),
            onednn_engine()};
  }

  DimVector layout(const DimVector& sizes) const {
    if (!channels_last_) return contiguous_strides(sizes);
    return strides_for(
        sizes, sizes.size() == 4 ? MemoryFormat::kChannelsLast : MemoryFormat::kChannelsLast3d);
  }
  Desc given(const DimVector& sizes) const { return onednn_desc(sizes, layout(sizes)); }
  Desc wanted(const DimVector& sizes) const {
    if (channels_last_) return given(sizes);
    return Desc(onednn_dims(sizes), kF32, Tag::any);
  }

  DimVector grouped_weight() const {
    if (shape_.groups == 1) return shape_.weight;
    DimVector sizes{shape_.groups, shape_.weight[0] / shape_.groups};
    for (size_t i = 1; i < shape_.weight.size(); ++i) sizes.push_back(shape_.weight[i]);
    return sizes;
  }
  Desc given_weight() const {
    const DimVector sizes = grouped_weight();
    return onednn_desc(sizes, contiguous_strides(sizes));
  }
  Desc wanted_weight() const { return Desc(onednn_dims(grouped_weight()), kF32, Tag::any); }

  dnnl::memory::dims strides() const { return onednn_dims(shape_.stride); }
  dnnl::memory::dims padding() const { return onednn_dims(shape_.padding); }
  dnnl::memory::dims dilations() const {  // oneDNN counts the gaps
    dnnl::memory::dims dilations;
    for (int64_t d : shape_.dilation) dilations.push_back(d - 1);
    return dilations;
  }
  // What remains of the padded input after the last position of the kernel may be less than the
  // padding, or nothing.
  dnnl::memory::dims padding_after() const {
    dnnl::memory::dims after;
    for (size_t i = 0; i < shape_.spatial(); ++i) {
      const int64_t reach = (shape_.output[i + 2] - 1) * shape_.stride[i] +
                            shape_.dilation[i] * (shape_.weight[i + 2] - 1) + 1;
      after.push_back(reach - shape_.input[i + 2] - shape_.padding[i]);
    }
    return after;
  }

  const plans::ConvolutionShape& shape_;
  Pass pass_;
  bool channels_last_;
};

struct KeyHash {
  size_t operator()(const std::vector<int64_t>& key) const {
    size_t hash = key.size();
    for (int64_t v : key) hash = (hash ^ static_cast<size_t>(v)) * 0x9e3779b97f4a7c15u;
    return hash;
  }
};

// For how many threads a primitive is compiled.
int planned_threads() { return in_parallel_region() ? 1 : num_threads(); }

std::vector<int64_t> key_of(const plans::ConvolutionShape& shape, Pass pass, bool channels_last) {
  std::vector<int64_t> key{static_cast<int64_t>(pass), int64_t{channels_last}, shape.groups,
                           planned_threads()};
  for (const DimVector* part : {&shape.input, &shape.weight, &shape.output, &shape.stride,
                                &shape.padding, &shape.dilation}) {
    key.insert(key.end(), part->begin(), part->end());
  }
  return key;
}

using PrimitivePtr = std::shared_ptr<const ConvolutionPrimitive>;

// Primitives are compiled for their shape, which takes longer than running a small one. Null where
// oneDNN has none.
PrimitivePtr primitive_for(const plans::ConvolutionShape& shape, Pass pass, bool channels_last) {
  constexpr size_t kCapacity = 512;
  static ForkSafeMutex mutex;
  static std::unordered_map<std::vector<int64_t>, PrimitivePtr, KeyHash> cache;
  auto key = key_of(shape, pass, channels_last);
  {
    const std::lock_guard lock(mutex);
    if (const auto it = cache.find(key); it != cache.end()) return it->second;
  }
  PrimitivePtr made;
  const OnednnPlansFor threads(planned_threads());
  try {
    made =
        std::make_shared<const ConvolutionPrimitive>(Builder(shape, pass, channels_last).build());
  } catch (const dnnl::error&) {
    // Dilated kernels that leave out the end of their input, for one.
  }
  const std::lock_guard lock(mutex);
  if (cache.size() >= kCapacity) cache.clear();
  return cache.emplace(std::move(key), std::move(made)).first->second;
}

MemoryFormat channels_last_format(const Tensor& t) {
  return t.dim() == 4 ? MemoryFormat::kChannelsLast : MemoryFormat::kChannelsLast3d;
}

bool is_channels_last(const Tensor& t) {
  return t.dim() >= 4 && !t.is_contiguous() && t.is_contiguous(channels_last_format(t));
}

Tensor in_layout(const Tensor& t, bool channels_last) {
  return laid_out(t, channels_last ? channels_last_format(t) : MemoryFormat::kContiguous);
}

}  // namespace

bool onednn_convolution(const plans::ConvolutionShape& shape, const Tensor& input,
                        const Tensor& weight, const Tensor& bias, Tensor& out) {
  const bool last = is_channels_last(input);
  const Tensor x = in_layout(input, last), w = laid_out(weight);
  const Pass pass = bias.defined() ? Pass::kForwardBias : Pass::kForward;
  const PrimitivePtr p = primitive_for(shape, pass, last);
  if (p == nullptr) return false;
  Tensor scratch[3];
  const dnnl::memory target = p->output.output(out.raw_data(), scratch[2]);
  std::unordered_map<int, dnnl::memory> arguments{
      {DNNL_ARG_SRC, p->input.input(x.raw_data(), scratch[0])},
      {DNNL_ARG_WEIGHTS, p->weight.input(w.raw_data(), scratch[1])},
      {DNNL_ARG_DST, target}};
  Tensor b;
  if (bias.defined()) {
    b = laid_out(bias);
    arguments.emplace(DNNL_ARG_BIAS, dnnl::memory(p->bias, onednn_engine(), b.raw_data()));
  }
  const SignalsHeld held(true);
  p->execute(std::move(arguments));
  p->output.finish(target, out.raw_data());
  return true;
}

bool onednn_convolution_data(const plans::ConvolutionShape& shape, const Tensor& grad_output,
                             const Tensor& weight, Tensor& out) {
  const bool last = is_channels_last(grad_output);
  const Tensor g = in_layout(grad_output, last), w = laid_out(weight);
  const PrimitivePtr p = primitive_for(shape, Pass::kData, last);
  if (p == nullptr) return false;
  Tensor scratch[3];
  const dnnl::memory target = p->input.output(out.raw_data(), scratch[2]);
  const SignalsHeld held(true);
  p->execute({{DNNL_ARG_DIFF_DST, p->output.input(g.raw_data(), scratch[0])},
              {DNNL_ARG_WEIGHTS, p->weight.input(w.raw_data(), scratch[1])},
              {DNNL_ARG_DIFF_SRC, target}});
  p->input.finish(target, out.raw_data());
  return true;
}

bool onednn_convolution_weight(const plans::ConvolutionShape& shape, const Tensor& grad_output,
                               const Tensor& input, Tensor& out) {
  const bool last = is_channels_last(input);
  const Tensor x = in_layout(input, last), g = in_layout(grad_output, last);
  const PrimitivePtr p = primitive_for(shape, Pass::kWeight, last);
  if (p == nullptr) return false;
  Tensor scratch[3];
  const dnnl::memory target = p->weight.output(out.raw_data(), scratch[2]);
  const SignalsHeld held(true);
  p->execute({{DNNL_ARG_SRC, p->input.input(x.raw_data(), scratch[0])},
              {DNNL_ARG_DIFF_DST, p->output.input(g.raw_data(), scratch[1])},
              {DNNL_ARG_DIFF_WEIGHTS, target}});
  p->weight.finish(target, out.raw_data());
  return true;
}

}  // namespace opweave::cpu
