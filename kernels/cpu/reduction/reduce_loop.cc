// The loop of every reduction: blocks of results, within them runs of reduced elements.
#include <algorithm>
#include <memory>
#include <optional>

#include "kernels/cpu/reduction/reduce_kernel.h"
#include "kernels/plans/divide_up.h"
#include "kernels/plans/odometer.h"
#include "kernels/plans/reduce_plan.h"
#include "runtime/core/threads/parallel.h"

namespace opweave::cpu {
namespace {

constexpr int64_t kRowBlock = 256;
constexpr int64_t kColumnBlock = 4096;
// Splitting columns finer than this makes threads share cache lines and pages.
constexpr int64_t kMinColumnBlock = 256;

class Reduction {
 public:
  Reduction(const Tensor& self, const plans::ReducePlan& plan, const ReduceKernel& kernel,
            ReduceFinish finish)
      : plan_(plan),
        kernel_(kernel),
        finish_(finish),
        data_(static_cast<const char*>(self.raw_data())),
        inner_kept_(plan.kept.ndim() > 0 ? plan.kept.sizes[0] : 1),
        kept_stride_(plan.kept.ndim() > 0 ? plan.kept.strides[0] : 0),
        out_stride_(plan.kept.ndim() > 0 ? plan.kept.out_strides[0] : 1),
        outer_kept_(plan.kept.numel() / inner_kept_) {
    reduced_extent_ = plan.reduced.ndim() > 0 ? plan.reduced.sizes.back() : 1;
    reduced_numel_ = plan.reduced.numel();
  }

  void run() {
    const int64_t work = outer_kept_ * inner_kept_ * reduced_numel_;
    const int64_t threads =
        work <= kGrainSize || in_parallel_region() ? 1 : static_cast<int64_t>(num_threads());
    const int64_t largest = plan_.by_columns ? kColumnBlock : kRowBlock;
    block_ = std::min(inner_kept_, largest);
    if (threads > 1 && num_blocks() < threads) {
      const int64_t smallest = plan_.by_columns ? kMinColumnBlock : 1;
      block_ = std::clamp(plans::divide_up(inner_kept_ * outer_kept_, threads), smallest, largest);
      block_ = std::min(block_, inner_kept_);
    }
    if (threads > 1 && num_blocks() < threads && reduced_extent_ > 1) {
      split_reduced(threads);
    } else {
      split_kept();
    }
  }

 private:
  int64_t blocks_per_row() const { return plans::divide_up(inner_kept_, block_); }
  int64_t num_blocks() const { return outer_kept_ * blocks_per_row(); }

  struct Block {
    int64_t offset;  // of its first element in the input
    int64_t out;     // of its first result
    int64_t count;
  };

  Block block(int64_t index) const {
    const int64_t outer = index / blocks_per_row();
    const int64_t start = index % blocks_per_row() * block_;
    plans::Odometer in(plan_.kept.sizes, plan_.kept.strides, 1);
    plans::Odometer out(plan_.kept.sizes, plan_.kept.out_strides, 1);
    in.seek(outer);
    out.seek(outer);
    return {in.offset() + start * kept_stride_, out.offset() + start * out_stride_,
            std::min(block_, inner_kept_ - start)};
  }

  // Folds the positions [from, to) of the outermost reduced dimension.
  void fold(const Block& b, int64_t from, int64_t to, void* states) const {
    kernel_.init(states, b.count);
    if (from >= to || reduced_numel_ == 0) return;
    const size_t ndim = plan_.reduced.ndim();
    if (ndim <= 1) {
      const int64_t stride = ndim == 1 ? plan_.reduced.strides[0] : 0;
      fold_run(b, b.offset + from * stride, to - from, stride, from, states);
      return;
    }
    const int64_t inner = plan_.reduced.sizes[0];
    const int64_t per_step = reduced_numel_ / inner / reduced_extent_;
    plans::Odometer at(plan_.reduced.sizes, plan_.reduced.strides, 1);
    at.seek(from * per_step);
    for (int64_t i = from * per_step; i < to * per_step; ++i, at.next()) {
      fold_run(b, b.offset + at.offset(), inner, plan_.reduced.strides[0], i * inner, states);
    }
  }

  void fold_run(const Block& b, int64_t offset, int64_t n, int64_t stride, int64_t first,
                void* states) const {
    const char* in = data_ + offset * kernel_.element_size;
    if (plan_.by_columns) {
      kernel_.columns(states, in, n, stride, b.count, kept_stride_, first);
    } else {
      kernel_.rows(states, in, b.count, kept_stride_, n, stride, first);
    }
  }

  std::unique_ptr<char[]> make_states(int64_t n) const {
    return std::unique_ptr<char[]>(new char[n * kernel_.state_size]);
  }

  void split_kept() const {
    const int64_t block_work = std::max<int64_t>(block_ * reduced_numel_, 1);
    parallel_for(0, num_blocks(), plans::divide_up(kGrainSize, block_work),
                 [&](int64_t from, int64_t to) {
                   const auto states = make_states(block_);
                   for (int64_t i = from; i < to; ++i) {
                     const Block b = block(i);
                     fold(b, 0, reduced_extent_, states.get());
                     finish_(states.get(), b.count, b.out, out_stride_);
                   }
                 });
  }

  // Every thread folds a part of the elements of all results; the parts are merged in order.
  void split_reduced(int64_t pieces) const {
    pieces = std::min(pieces, reduced_extent_);
    const int64_t blocks = num_blocks(), bytes = blocks * block_ * kernel_.state_size;
    const auto states = std::unique_ptr<char[]>(new char[pieces * bytes]);
    auto at = [&](int64_t piece, int64_t i) {
      return states.get() + piece * bytes + i * block_ * kernel_.state_size;
    };
    const int64_t each = plans::divide_up(reduced_extent_, pieces);
    parallel_for(0, pieces, 1, [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p) {
        const int64_t from = p * each, to = std::min(reduced_extent_, from + each);
        for (int64_t i = 0; i < blocks; ++i) fold(block(i), from, to, at(p, i));
      }
    });
    for (int64_t i = 0; i < blocks; ++i) {
      const Block b = block(i);
      for (int64_t p = 1; p < pieces; ++p) kernel_.merge(at(0, i), at(p, i), b.count);
      finish_(at(0, i), b.count, b.out, out_stride_);
    }
  }

  const plans::ReducePlan& plan_;
  const ReduceKernel& kernel_;
  ReduceFinish finish_;
  const char* data_;
  int64_t inner_kept_, kept_stride_, out_stride_, outer_kept_;
  int64_t reduced_extent_, reduced_numel_;
  int64_t block_ = 1;
};

// Dimensions of a contiguous tensor that are reduced side by side: outer × reduced × inner.
struct Runs {
  int64_t outer = 1, reduced = 1, inner = 1;

  // Nothing if there are kept dimensions between reduced ones.
  static std::optional<Runs> of(const Tensor& self, DimMask mask) {
    Runs runs;
    const IntList sizes = self.sizes();
    size_t d = 0;
    for (; d < sizes.size() && !mask[d]; ++d) runs.outer *= sizes[d];
    for (; d < sizes.size() && mask[d]; ++d) runs.reduced *= sizes[d];
    for (; d < sizes.size() && !mask[d]; ++d) runs.inner *= sizes[d];
    return d == sizes.size() ? std::optional(runs) : std::nullopt;
  }
};

// What is small and contiguous needs no plan, no threads and no memory for its states.
bool reduce_directly(const Tensor& self, DimMask mask, const ReduceKernel& kernel,
                     ReduceFinish finish) {
  constexpr int64_t kMaxStates = 4096;  // bytes
  if (!self.is_contiguous() || self.numel() == 0 || self.numel() > kGrainSize) return false;
  const auto runs = Runs::of(self, mask);
  if (!runs) return false;
  const int64_t together = runs->inner == 1 ? runs->outer : runs->inner;
  if (together > kMaxStates / kernel.state_size) return false;
  alignas(16) char states[kMaxStates];
  const auto* in = static_cast<const char*>(self.raw_data());
  if (runs->inner == 1) {
    kernel.init(states, together);
    kernel.rows(states, in, together, runs->reduced, runs->reduced, 1, 0);
    finish(states, together, 0, 1);
    return true;
  }
  const int64_t step = runs->reduced * runs->inner;
  for (int64_t i = 0; i < runs->outer; ++i) {
    kernel.init(states, together);
    kernel.columns(states, in + i * step * kernel.element_size, runs->reduced, runs->inner,
                   runs->inner, 1, 0);
    finish(states, together, i * together, 1);
  }
  return true;
}

}  // namespace

[[gnu::hot]] void reduce(const Tensor& self, DimMask mask, const ReduceKernel& kernel,
                         ReduceFinish finish) {
  if (reduce_directly(self, mask, kernel, finish)) return;
  const plans::ReducePlan plan = plans::plan_reduction(self, mask, kernel.ordered);
  if (plan.kept.numel() == 0) return;
  Reduction(self, plan, kernel, finish).run();
}

}  // namespace opweave::cpu
