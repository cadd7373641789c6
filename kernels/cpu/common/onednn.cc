// oneDNN: engine, stream, reorders.
#include "kernels/cpu/common/onednn.h"

#include "runtime/core/parallel.h"

namespace opweave::cpu {

const dnnl::engine& onednn_engine() {
  note_pool();
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

dnnl::stream& onednn_stream() {
  static thread_local dnnl::stream stream(onednn_engine());
  return stream;
}

dnnl::memory::desc onednn_desc(IntList sizes, IntList strides) {
  return {onednn_dims(sizes), dnnl::memory::data_type::f32, onednn_dims(strides)};
}

OnednnOperand::OnednnOperand(const dnnl::memory::desc& given, const dnnl::memory::desc& wanted,
                             bool is_output)
    : given_(given), wanted_(wanted), reorders_(given != wanted) {
  if (!reorders_) return;
  const dnnl::engine& engine = onednn_engine();
  const auto& from = is_output ? wanted : given;
  const auto& to = is_output ? given : wanted;
  reorder_ = dnnl::reorder(dnnl::reorder::primitive_desc(engine, from, engine, to));
}

dnnl::memory OnednnOperand::make_scratch(Tensor& scratch) const {
  const int64_t bytes = static_cast<int64_t>(wanted_.get_size());
  scratch = make_tensor(IntList{bytes}, kByte, kCPU);
  return {wanted_, onednn_engine(), scratch.raw_data()};
}

dnnl::memory OnednnOperand::input(void* data, Tensor& scratch) const {
  dnnl::memory given(given_, onednn_engine(), data);
  if (!reorders_) return given;
  dnnl::memory wanted = make_scratch(scratch);
  reorder_.execute(onednn_stream(), given, wanted);
  return wanted;
}

dnnl::memory OnednnOperand::output(void* data, Tensor& scratch) const {
  return reorders_ ? make_scratch(scratch) : dnnl::memory(given_, onednn_engine(), data);
}

void OnednnOperand::finish(const dnnl::memory& result, void* data) const {
  if (!reorders_) return;
  dnnl::memory from = result, given(given_, onednn_engine(), data);
  reorder_.execute(onednn_stream(), from, given);
}

}  // namespace opweave::cpu
