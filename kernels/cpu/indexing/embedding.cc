// embedding and its gradient.
#include "opweave/kernels/cpu/embedding.h"

#include <cstring>
#include <vector>

#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/cpu/copying/wide_result.h"
#include "opweave/kernels/cpu/embedding_dense_backward.h"
#include "runtime/core/threads/parallel.h"
#include "runtime/rules/widened.h"

namespace opweave::cpu {
namespace {

// All indices as int64, checked against the number of rows.
std::vector<int64_t> index_list(const Tensor& indices, int64_t rows) {
  const Dense dense(indices, kLong);
  const int64_t* data = dense->data<int64_t>();
  std::vector<int64_t> list(data, data + dense->numel());
  for (int64_t i : list) {
    OW_CHECK_INDEX(i >= 0 && i < rows, "index out of range in self: ", i, " of ", rows, " rows");
  }
  return list;
}

}  // namespace

void embedding(const Tensor& weight, const Tensor& indices, int64_t /*padding_idx*/,
               bool /*scale_grad_by_freq*/, bool /*sparse*/, Tensor& out) {
  const Dense rows_of(weight);
  const Tensor& table = rows_of;
  const std::vector<int64_t> rows = index_list(indices, table.sizes()[0]);
  const size_t bytes = static_cast<size_t>(table.sizes()[1]) * table.element_size();
  const auto* from = static_cast<const char*>(table.raw_data());
  auto* to = static_cast<char*>(out.raw_data());
  const int64_t grain = kGrainSize / static_cast<int64_t>(bytes + 1) + 1;
  parallel_for(0, static_cast<int64_t>(rows.size()), grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const auto n = static_cast<size_t>(i);
      std::memcpy(to + n * bytes, from + static_cast<size_t>(rows[n]) * bytes, bytes);
    }
  });
}

void embedding_dense_backward(const Tensor& grad_output, const Tensor& indices, int64_t num_weights,
                              int64_t padding_idx, bool scale_grad_by_freq, Tensor& result) {
  const ScalarType dtype = rule::widened(grad_output.dtype());
  const Dense gradient(grad_output, dtype);
  const Tensor& g = gradient;
  const std::vector<int64_t> rows = index_list(indices, num_weights);
  std::vector<int64_t> uses(scale_grad_by_freq ? static_cast<size_t>(num_weights) : 0);
  if (scale_grad_by_freq) {
    for (int64_t r : rows) ++uses[static_cast<size_t>(r)];
  }
  const int64_t width = g.size(-1);
  WideResult wide(result, dtype);
  Tensor& out = wide.tensor();
  std::memset(out.raw_data(), 0, out.nbytes());
  visit_float_double("embedding_backward", g.dtype(), [&]<class T>(TypeTag<T>) {
    // A thread adds up the rows of its own part of the table, in the order of the indices.
    const int64_t work = static_cast<int64_t>(rows.size()) * width;
    const int64_t grain = work < kGrainSize ? std::max<int64_t>(num_weights, 1) : 1;
    parallel_for(0, num_weights, grain, [&](int64_t begin, int64_t end) {
      for (size_t i = 0; i < rows.size(); ++i) {
        const int64_t r = rows[i];
        if (r < begin || r >= end || r == padding_idx) continue;
        const T scale =
            scale_grad_by_freq ? T(1) / static_cast<T>(uses[static_cast<size_t>(r)]) : T(1);
        const T* from = g.data<T>() + static_cast<int64_t>(i) * width;
        T* to = out.data<T>() + r * width;
        for (int64_t c = 0; c < width; ++c) to[c] += from[c] * scale;
      }
    });
  });
  wide.finish();
}

}  // namespace opweave::cpu
