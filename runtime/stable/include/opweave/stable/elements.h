// Expressions that the generator printed, as tables: compiled against the headers of the Opweave
// that is installed, of which nothing stays but loops over numbers.
#ifndef OPWEAVE_STABLE_ELEMENTS_H_
#define OPWEAVE_STABLE_ELEMENTS_H_

#include <array>
#include <vector>

#include "kernels/cpu/pointwise/loops.h"
#include "opweave/stable/tensor.h"
#include "runtime/pointwise/spec.h"

namespace opweave {
namespace stable OPWEAVE_STABLE_HIDDEN {

// The table of one operator; its loops are filled in when it is known what the processor has.
class Elements {
 public:
  explicit Elements(const PointwiseSpec& spec) {
    for (int i = 0; i < spec.num_inputs; ++i) {
      inputs_[static_cast<size_t>(i)] = {static_cast<uint32_t>(spec.inputs[i]),
                                         spec.input_dtypes[i]};
    }
    for (int i = 0; i < spec.num_params; ++i) {
      numbers_[static_cast<size_t>(i)] = {spec.promoting_params[i], !spec.checked_params[i].empty(),
                                          static_cast<uint32_t>(spec.number_uses[i]),
                                          spec.refused_params[i]};
    }
    table_ = {sizeof(OwPointwise),
              static_cast<uint32_t>(spec.promotion),
              static_cast<uint32_t>(spec.result),
              spec.contiguous,
              spec.casts_out,
              spec.dtypes,
              inputs_.data(),
              spec.num_inputs,
              spec.num_params,
              numbers_.data(),
              nullptr,
              0,
              spec.expanded,
              spec.rounded_inputs,
              spec.rounded_params};
  }
  Elements(const Elements&) = delete;

  const OwPointwise& table() const { return table_; }
  // The loops for an instruction set: only where the processor has it, as making them uses it.
  template <class Make>
  void add_loops(OwIsa isa, Make make) {
    if (static_cast<uint32_t>(isa) > api().isa) return;
    const cpu::PointwiseLoops& loops = *make();
    for (int dtype = 0; dtype < kNumScalarTypes; ++dtype) {
      // A Scalar is what an OwNumber is: the core asserts it.
      const auto run = reinterpret_cast<OwLoopFunction>(loops.by_type[dtype]);
      if (run != nullptr) loops_.push_back({dtype, static_cast<uint32_t>(isa), run});
    }
    table_.loops = loops_.data();
    table_.num_loops = static_cast<uint32_t>(loops_.size());
  }

 private:
  std::array<OwPointwiseInput, kMaxPointwiseInputs> inputs_{};
  std::array<OwPointwiseNumber, kMaxPointwiseParams> numbers_{};
  std::vector<OwLoop> loops_;
  OwPointwise table_{};
};

}  // namespace OPWEAVE_STABLE_HIDDEN
}  // namespace opweave

#endif  // OPWEAVE_STABLE_ELEMENTS_H_
