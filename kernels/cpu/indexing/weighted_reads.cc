// Sums of elements along a dimension, each times its weight, and the gradients: what interpolation
// is made of.
#include "opweave/kernels/cpu/weighted_reads.h"

#include <algorithm>
#include <cstring>

#include "kernels/cpu/copying/copy.h"
#include "kernels/cpu/indexing/weighted_reads_kernel.h"
#include "opweave/kernels/cpu/weighted_reads_backward.h"
#include "opweave/kernels/cpu/weighted_reads_products.h"
#include "runtime/core/base/error.h"
#include "runtime/core/threads/parallel.h"

namespace opweave::cpu {
namespace {

// What is read of every example: tensors [B, channels, n, row], [B, channels, places, row] and
// [B, taps, places].
class Examples {
 public:
  Examples(const Tensor& places, const Tensor& index, int64_t n)
      : reads_{n, places.size(3), index.size(1), index.size(2), index.data<int64_t>(), nullptr},
        count_(places.size(0)),
        channels_(places.size(1)) {
    const int64_t* at = index.data<int64_t>();
    for (int64_t i = 0; i < index.numel(); ++i) {
      OW_CHECK_INDEX(at[i] >= -1 && at[i] < n, "index ", at[i],
                     " is out of bounds for a dimension of size ", n);
    }
  }

  // body(reads, example, part) for parts of the places and of `channels` at a time.
  template <class Body>
  void run(const Tensor& weight, int64_t channels, int64_t places, Body body) const {
    const int64_t blocks = parts(channels_, channels), tiles = parts(reads_.places, places);
    const int64_t work = channels * places * reads_.row * (reads_.taps + 1);
    parallel_for(0, count_ * blocks * tiles, kGrainSize / (work + 1) + 1,
                 [&](int64_t from, int64_t to) {
                   for (int64_t u = from; u < to; ++u) {
                     const int64_t tile = u % tiles, block = u / tiles % blocks;
                     const int64_t example = u / tiles / blocks;
                     body(of(weight, example), example,
                          ReadPart{block * channels, std::min((block + 1) * channels, channels_),
                                   tile * places, std::min(places, reads_.places - tile * places)});
                   }
                 });
  }

  int64_t channels() const { return channels_; }
  // So many that their work is worth a thread's while.
  int64_t few_channels(int64_t places) const {
    const int64_t each = places * reads_.row * (reads_.taps + 1);
    return std::clamp<int64_t>(kGrainSize / (each + 1) + 1, 1, std::max<int64_t>(channels_, 1));
  }
  int64_t all_places() const { return reads_.places; }

 private:
  static int64_t parts(int64_t all, int64_t each) {
    return each == 0 ? 0 : (all + each - 1) / each;
  }
  WeightedReads of(const Tensor& weight, int64_t example) const {
    WeightedReads reads = reads_;
    const int64_t taps = reads.taps * reads.places * example;
    reads.index += taps;
    if (weight.defined())
      reads.weight = static_cast<const char*>(weight.raw_data()) +
                     taps * static_cast<int64_t>(weight.element_size());
    return reads;
  }

  WeightedReads reads_;
  int64_t count_, channels_;
};

// The first element of an example.
char* at_example(const Tensor& t, int64_t example) {
  return static_cast<char*>(t.raw_data()) +
         example * (t.numel() / t.size(0)) * static_cast<int64_t>(t.element_size());
}

}  // namespace

void weighted_reads(const Tensor& self, const Tensor& index, const Tensor& weight, Tensor& out) {
  const Dense in(self), at(index), weights(weight);
  const Examples examples(out, at, self.size(2));
  if (out.numel() == 0) return;
  if (index.size(1) == 0) return fill_elements(out, 0);
  const WeightedReadsKernel kernel = weighted_reads_kernel(out.dtype());
  const int64_t places = std::min(kReadTile, examples.all_places());
  examples.run(weights, examples.few_channels(places), places,
               [&](const WeightedReads& reads, int64_t example, const ReadPart& part) {
                 kernel.read(reads, at_example(in, example), at_example(out, example), part);
               });
}

void weighted_reads_backward(const Tensor& grad_output, const Tensor& index, const Tensor& weight,
                             int64_t size, Tensor& out) {
  const Dense grad(grad_output), at(index), weights(weight);
  const Examples examples(grad, at, size);
  std::memset(out.raw_data(), 0, out.nbytes());
  if (out.numel() == 0 || grad->numel() == 0) return;
  const WeightedReadsKernel kernel = weighted_reads_kernel(out.dtype());
  // Places may meet in one element: they are not divided.
  examples.run(weights, examples.few_channels(examples.all_places()), examples.all_places(),
               [&](const WeightedReads& reads, int64_t example, const ReadPart& part) {
                 kernel.spread(reads, at_example(grad, example), at_example(out, example), part);
               });
}

void weighted_reads_products(const Tensor& grad_output, const Tensor& self, const Tensor& index,
                             Tensor& out) {
  const Dense grad(grad_output), in(self), at(index);
  const Examples examples(grad, at, self.size(2));
  if (out.numel() == 0) return;
  if (grad->numel() == 0) return fill_elements(out, 0);
  const WeightedReadsKernel kernel = weighted_reads_kernel(out.dtype());
  examples.run({}, examples.channels(), std::min(kReadTile, examples.all_places()),
               [&](const WeightedReads& reads, int64_t example, const ReadPart& part) {
                 kernel.products(reads, at_example(grad, example), at_example(in, example),
                                 at_example(out, example), part);
               });
}

}  // namespace opweave::cpu
