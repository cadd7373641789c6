// Filling buckets, and their memory.
#include "runtime/distributed/training/buckets.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "opweave/ops/as_strided.h"
#include "opweave/ops/zero_.h"
#include "runtime/core/tensor/tensor_impl.h"
#include "runtime/core/threads/thread_state.h"

namespace opweave::distributed {

std::vector<std::vector<size_t>> assign_buckets(std::span<const Tensor> parameters,
                                                std::span<const size_t> order,
                                                const BucketLimits& limits) {
  std::map<std::tuple<ScalarType, DeviceType, int>, size_t> kinds;
  std::vector<GradientSize> gradients;
  for (const Tensor& t : parameters) {
    const auto found =
        kinds.try_emplace({t.dtype(), t.device().type, t.device().index}, kinds.size()).first;
    gradients.push_back({found->second, t.nbytes()});
  }
  return assign_buckets(gradients, order, limits);
}

std::vector<std::vector<size_t>> assign_buckets(std::span<const GradientSize> gradients,
                                                std::span<const size_t> order,
                                                const BucketLimits& limits) {
  struct Open {
    size_t place = 0;   // among the buckets
    size_t number = 0;  // of those of its kind
    size_t nbytes = 0;
  };
  std::map<size_t, Open> open;  // by kind
  std::vector<std::vector<size_t>> buckets;
  for (const size_t p : order) {
    const auto [kind, nbytes] = gradients[p];
    const auto [found, is_new] = open.try_emplace(kind, Open{});
    Open& bucket = found->second;
    const size_t limit = limits[std::min(bucket.number, limits.size() - 1)];
    if (is_new || (bucket.nbytes > 0 && bucket.nbytes + nbytes > limit)) {
      bucket = {buckets.size(), is_new ? 0 : bucket.number + 1, 0};
      buckets.emplace_back();
    }
    buckets[bucket.place].push_back(p);
    bucket.nbytes += nbytes;
  }
  return buckets;
}

std::vector<size_t> first_order(size_t parameters) {
  std::vector<size_t> order(parameters);
  std::iota(order.rbegin(), order.rend(), size_t{0});
  return order;
}

Bucket::Bucket(std::vector<size_t> of, std::span<const Tensor> all) : parameters(std::move(of)) {
  for (const size_t p : parameters) {
    offsets.push_back(elements);
    elements += all[p].numel();
    nbytes += all[p].nbytes();
  }
}

void Bucket::allocate(std::span<const Tensor> all) {
  if (flat.defined()) return;
  const NoGradGuard no_grad;
  const Tensor& first = all[parameters[0]];
  flat = make_tensor({elements}, first.dtype(), first.device());
  ops::zero_::call(flat);
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Tensor& t = all[parameters[i]];
    views.push_back(
        ops::as_strided::call(flat, t.sizes(), contiguous_strides(t.sizes()), offsets[i]));
  }
}

void Bucket::release() {
  flat = Tensor();
  views.clear();
}

}  // namespace opweave::distributed
