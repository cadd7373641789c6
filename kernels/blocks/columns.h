// The second kernel of results that are summed over the kept dimensions (`add`): the first one
// leaves a sum for each group of lanes, which these kernels fold. A row is an element of the
// result, its elements are the groups' sums.
#pragma once

#include "kernels/blocks/kernels.h"

namespace opweave::blocks {

struct column_sums {
  template <class R>
  static OW_FOLD void run(R& r) {
    r.template fold<0, 1, fold::Sum>([&](auto e)
                                         OW_FOLD_LAMBDA { return e.terms(e.template in<0>()); });
    r.template result<0>([&](auto e) OW_FOLD_LAMBDA { return e.template state<0>(); });
  }
};

}  // namespace opweave::blocks

// From sums, of type C, into results of type T.
#define OW_COLUMN_SUMS(name, T, C) \
  OW_FOLD_KERNELS(name, opweave::blocks::column_sums, opweave::blocks::OperandsOf<1, 0, C, C, T>)
