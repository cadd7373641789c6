// Buckets: the gradients of a model's parameters, a few of them in one block of memory each, so
// that one collective reduces many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/core/tensor/tensor.h"

namespace opweave::distributed {

// Of those for which nothing else is said: the first is small, so that something is on its way
// soon.
constexpr size_t kFirstBucket = size_t{1} << 20, kBucket = size_t{25} << 20;

// In bytes, of one bucket after the other of a dtype and device; the last of all further ones. At
// least one.
using BucketLimits = std::vector<size_t>;

// What buckets have to know of a gradient: those of one kind, a dtype and a device, may share one.
struct GradientSize {
  size_t kind = 0;
  size_t nbytes = 0;
};

// Which gradients, by their places in the list, share a bucket, in the order in which the buckets
// are filled: `order` says in which gradients come. A bucket is of one dtype and device. A
// parameter that would make one larger than its limit begins the next; one that is larger itself
// has one alone.
std::vector<std::vector<size_t>> assign_buckets(std::span<const GradientSize> gradients,
                                                std::span<const size_t> order,
                                                const BucketLimits& limits);
// The same of parameters.
std::vector<std::vector<size_t>> assign_buckets(std::span<const Tensor> parameters,
                                                std::span<const size_t> order,
                                                const BucketLimits& limits);

// The one that a first pass is likely to have: the last layer's gradients come first.
std::vector<size_t> first_order(size_t parameters);

// A block of memory, and where in it the gradient of each of its parameters lies.
struct Bucket {
  // Without memory.
  Bucket(std::vector<size_t> parameters, std::span<const Tensor> all);
  // Zeros, where it has none.
  void allocate(std::span<const Tensor> all);
  // What somebody else has of it stays.
  void release();

  std::vector<size_t> parameters;
  std::vector<int64_t> offsets;  // elements
  int64_t elements = 0;
  size_t nbytes = 0;
  Tensor flat;                // one-dimensional
  std::vector<Tensor> views;  // of the sizes of the parameters
};

}  // namespace opweave::distributed
