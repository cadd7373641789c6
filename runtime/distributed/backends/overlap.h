// Whether a collective writes what it still has to give.
#pragma once

#include "runtime/distributed/group/collective.h"

namespace opweave::distributed {

bool overlap(const Tensor& a, const Tensor& b);
// Whether an output of this rank lies over an input. Not where the two are the same bytes and the
// output is what this rank gives itself: those are in their place already.
bool writes_inputs(const Collective& collective, int rank);
// Whether the tensors that lie in a storage leave nothing of it out.
bool cover(const std::vector<Tensor>& tensors, const Storage& storage);

}  // namespace opweave::distributed
