// Whether a collective writes what it still has to give.
#pragma once

#include "runtime/distributed/group/collective.h"

namespace opweave::distributed {

bool overlap(const Tensor& a, const Tensor& b);
// Whether an output of this rank lies over an input. Not where the two are the same bytes and the
// output is what this rank gives itself: those are in their place already.
bool writes_inputs(const Collective& collective, int rank);
// Whether an output begins within an input, or an input within an output: what is written of one
// early is still to be read of the other, even if each part is read before it is written.
bool overlap_shifted(const Collective& collective);
// The same with copies of its inputs.
Collective with_copied_inputs(const Collective& collective);
// Whether the tensors that lie in a storage leave nothing of it out.
bool cover(const std::vector<Tensor>& tensors, const Storage& storage);

}  // namespace opweave::distributed
