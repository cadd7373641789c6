// Runs over plans::Lines on several threads.
#pragma once

#include <algorithm>

#include "kernels/plans/lines.h"
#include "kernels/plans/odometer.h"
#include "runtime/core/threads/parallel.h"

namespace opweave::cpu {

// Calls make() once a thread, and what it returned with the offsets of each line.
template <class Make>
void for_lines(const plans::Lines& lines, Make&& make) {
  const int64_t grain = kGrainSize / 8 / std::max<int64_t>(lines.n, 1) + 1;
  parallel_for(0, lines.count, grain, [&](int64_t from, int64_t to) {
    auto body = make();
    plans::Odometer in(lines.sizes, lines.in_strides, 0), out(lines.sizes, lines.out_strides, 0);
    in.seek(from);
    out.seek(from);
    for (int64_t i = from; i < to; ++i, in.next(), out.next()) body(in.offset(), out.offset());
  });
}

}  // namespace opweave::cpu
