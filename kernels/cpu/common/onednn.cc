// oneDNN: engine, stream, signals, reorders.
#include "kernels/cpu/common/onednn.h"

#include <omp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>

#include "runtime/core/threads/parallel.h"

namespace opweave::cpu {
namespace {

// The kernel's set of signals, which has those that the C library keeps for itself as well: the one
// by which setuid() reaches all threads would be handled on this stack, too.
using SignalSet = uint64_t;

constexpr SignalSet bit(int signal) { return SignalSet{1} << (signal - 1); }

constexpr SignalSet kHeld = ~(bit(SIGSEGV) | bit(SIGBUS) | bit(SIGFPE) | bit(SIGILL) |
                              bit(SIGTRAP) | bit(SIGSYS) | bit(SIGABRT));

// Of one thread: how many hold its signals back, and what was held back before.
constinit thread_local int holders = 0;
constinit thread_local SignalSet before = 0;

void hold() {
  if (holders++ > 0) return;
  syscall(SYS_rt_sigprocmask, SIG_BLOCK, &kHeld, &before, sizeof(SignalSet));
}

void release() {
  if (holders == 0 || --holders > 0) return;  // a thread that joined the pool meanwhile holds none
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, nullptr, sizeof(SignalSet));
}

}  // namespace

SignalsHeld::SignalsHeld(bool pool)
    : pool_(pool && num_threads() > 1 && !in_parallel_region()), threads_(omp_get_max_threads()) {
  if (!pool_) {
    omp_set_num_threads(1);  // of this thread's regions, which those of oneDNN are
    hold();
    return;
  }
  parallel_for(0, num_threads(), 1, [](int64_t, int64_t) { hold(); });
}

SignalsHeld::~SignalsHeld() {
  // This thread first: a thread that joins the pool below begins with its signals.
  release();
  if (!pool_) {
    omp_set_num_threads(threads_);
    return;
  }
  const int* const mine = &holders;
  parallel_for(0, num_threads(), 1, [mine](int64_t, int64_t) {
    if (&holders != mine) release();
  });
}

OnednnPlansFor::OnednnPlansFor(int threads) : before_(omp_get_max_threads()) {
  omp_set_num_threads(threads);
}

OnednnPlansFor::~OnednnPlansFor() { omp_set_num_threads(before_); }

const dnnl::engine& onednn_engine() {
  note_pool();
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

dnnl::stream& onednn_stream() {
  static thread_local dnnl::stream stream(onednn_engine());
  return stream;
}

const dnnl::primitive_attr& onednn_own_scratchpad() {
  static const dnnl::primitive_attr attributes = [] {
    dnnl::primitive_attr own;
    own.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    return own;
  }();
  return attributes;
}

dnnl::memory onednn_scratch(const dnnl::memory::desc& desc, Tensor& keeper) {
  keeper = make_tensor(IntList{static_cast<int64_t>(desc.get_size())}, kByte, kCPU);
  return {desc, onednn_engine(), keeper.raw_data()};
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
  const dnnl::reorder::primitive_desc way(engine, from, engine, to, onednn_own_scratchpad());
  reorder_ = dnnl::reorder(way);
  workspace_ = way.scratchpad_desc();
}

void OnednnOperand::reorder(dnnl::memory& from, dnnl::memory& to) const {
  Tensor keeper;
  reorder_.execute(onednn_stream(), {{DNNL_ARG_FROM, from},
                                     {DNNL_ARG_TO, to},
                                     {DNNL_ARG_SCRATCHPAD, onednn_scratch(workspace_, keeper)}});
}

dnnl::memory OnednnOperand::input(void* data, Tensor& scratch) const {
  dnnl::memory given(given_, onednn_engine(), data);
  if (!reorders_) return given;
  dnnl::memory wanted = onednn_scratch(wanted_, scratch);
  reorder(given, wanted);
  return wanted;
}

dnnl::memory OnednnOperand::output(void* data, Tensor& scratch) const {
  return reorders_ ? onednn_scratch(wanted_, scratch) : dnnl::memory(given_, onednn_engine(), data);
}

void OnednnOperand::finish(const dnnl::memory& result, void* data) const {
  if (!reorders_) return;
  dnnl::memory from = result, given(given_, onednn_engine(), data);
  reorder(from, given);
}

}  // namespace opweave::cpu
