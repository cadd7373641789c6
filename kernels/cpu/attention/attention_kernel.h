// Attention of one head by blocks of queries and keys, so that scores and weights of all pairs are
// never in memory together: after Dao et al., "FlashAttention" (2022),
// https://arxiv.org/abs/2205.14135.
#pragma once

#include <cstdint>

#include "runtime/core/numbers/scalar_type.h"

namespace opweave::cpu {

// Rows of adjacent elements, `stride` elements apart.
struct AttentionRows {
  void* data = nullptr;
  int64_t stride = 0;
};

// A number for each pair, which is added to its score. With `replaces` pairs of -inf have no score,
// whatever their product is (NaN); strides may be 0.
struct AttentionMask {
  const void* data = nullptr;
  int64_t query_stride = 0, key_stride = 0;
  bool replaces = false;
};

// Queries (queries, width), keys (keys, width) and values (keys, value_width) of one head in
// float32 or float64. Widths are multiples of kAttentionWidth.
inline constexpr int64_t kAttentionWidth = 16;
struct AttentionHead {
  AttentionRows query, key, value;
  int64_t queries, keys, width, value_width;
  AttentionMask mask;
  double scale;
  bool causal;  // a query attends to keys up to its own place
};

struct AttentionRange {
  int64_t from, to;
};

// Of a backward pass: the gradient of the output, the output, logsumexp (a number for each query)
// and the gradients, which are added to. Those without data are not wanted.
struct AttentionGradients {
  AttentionRows grad, output;
  const void* logsumexp;
  AttentionRows query, key, value;
};

struct AttentionKernel {
  // Elements of the work memory of either function, for blocks of as many queries.
  int64_t (*room)(const AttentionHead& head, int64_t queries);
  // The attended values and logsumexp of some queries; a row of nothing is 0, and so is its
  // logsumexp.
  void (*forward)(const AttentionHead& head, AttentionRange queries, AttentionRows out,
                  void* logsumexp, void* room);
  // What pairs of some queries, by blocks of `block`, and some keys give.
  void (*backward)(const AttentionHead& head, const AttentionGradients& gradients,
                   AttentionRange queries, AttentionRange keys, int64_t block, void* room);
};
// Keys of a block: ranges of keys begin at multiples of it.
inline constexpr int64_t kAttentionKeys = 96;
AttentionKernel attention_kernel(ScalarType dtype);

}  // namespace opweave::cpu
