// Which kernels of a program a call runs, and how its rows are shared out among blocks: by the
// shape alone, so that the same call gives the same bits at all times.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "kernels/blocks/schedules.h"

namespace opweave::blocks {

struct BlockSchedule {
  std::string_view name;
  int lanes, rows;
  bool is_adjacent, is_split;
  int dims;

  constexpr int threads() const { return lanes * rows; }
};

#define OW_SCHEDULE(name, lanes, rows, adjacent, split, dims, ...) \
  {#name, lanes, rows, adjacent, split, dims},
inline constexpr BlockSchedule kSchedules[] = {OW_SCHEDULES(OW_SCHEDULE, )
                                                   OW_SCHEDULES_OVER_TWO(OW_SCHEDULE, )};
#undef OW_SCHEDULE

struct BlockShape {
  int64_t size, rows;  // folded elements of a row, and rows
  bool is_adjacent;    // neighbouring rows lie side by side, neighbouring elements do not
  bool has_sums;       // a result is summed over rows
  int dims = 1;        // folded dimensions, merged
};

struct BlockPlan {
  int schedule;  // of kSchedules
  int64_t rows_each, parts, part_size;
  int64_t row_blocks;

  constexpr const BlockSchedule& how() const { return kSchedules[schedule]; }
  constexpr int64_t blocks() const { return row_blocks * parts; }
  // How often the kernel runs.
  constexpr int64_t phases(int folds) const { return how().is_split ? folds + 1 : 1; }
  // Bytes beside operands: of all rows, for states that parts leave.
  constexpr int64_t scratch(const BlockShape& shape, int states) const {
    return how().is_split ? states * shape.rows * parts * int64_t{8} : 0;
  }
  // Groups of lanes that have a row: each leaves a sum of each element, which the second kernel
  // folds.
  constexpr int64_t sums(const BlockShape& shape) const {
    const int64_t before = (row_blocks - 1) * rows_each * how().rows;
    return (row_blocks - 1) * how().rows + std::min<int64_t>(how().rows, shape.rows - before);
  }
};

namespace plan {

inline constexpr int64_t kBusy = 512;     // blocks that are enough for a device
inline constexpr int64_t kFewer = 128;    // with fewer than these rows are split
inline constexpr int64_t kMostRows = 64;  // that are added up in float32, one after another
inline constexpr int64_t kEachLane = 32;  // elements at least, where rows are split
inline constexpr int64_t kMostBlocks = int64_t{1} << 30;

constexpr int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

constexpr int find(std::string_view name) {
  for (int k = 0; k < static_cast<int>(std::size(kSchedules)); ++k) {
    if (kSchedules[k].name == name) return k;
  }
  return -1;
}

constexpr int whole_rows(const BlockShape& shape) {
  if (shape.dims == 2) return find("block_over_two");
  if (shape.is_adjacent) return find("columns");
  return find(shape.size <= 64 ? "lanes8" : shape.size <= 1024 ? "lanes32" : "block");
}

constexpr int split_rows(const BlockShape& shape) {
  if (shape.dims == 2) return find("split_over_two");
  return find(shape.is_adjacent ? "columns_split" : "split");
}

}  // namespace plan

// Of at least one row.
constexpr BlockPlan plan_blocks(const BlockShape& shape) {
  const int whole = plan::whole_rows(shape);
  const BlockSchedule& how = kSchedules[whole];
  const int64_t groups = plan::divide_up(shape.rows, how.rows);
  const int64_t most = shape.has_sums ? plan::kMostRows : 1;
  const int64_t each = std::max(std::clamp<int64_t>(groups / plan::kBusy, 1, most),
                                plan::divide_up(groups, plan::kMostBlocks));
  BlockPlan plan{whole, each, 1, shape.size, plan::divide_up(groups, each)};
  // No row of a few thousand elements is split: a launch more takes longer.
  const int64_t least = plan::kEachLane * how.lanes;
  if (plan.row_blocks >= plan::kFewer || shape.size < 2 * least) return plan;
  const int64_t parts = std::min(shape.size / least, plan::kBusy / plan.row_blocks);
  if (parts < 2) return plan;
  plan.schedule = plan::split_rows(shape);
  plan.part_size = plan::divide_up(plan::divide_up(shape.size, parts), how.lanes) * how.lanes;
  plan.parts = plan::divide_up(shape.size, plan.part_size);
  return plan;
}

// The second kernel of results that are summed over rows: an element is a row, which is what groups
// left of it. They lie in [groups, size], or in [size, groups] where rows lie side by side.
constexpr BlockShape shape_of_sums(const BlockShape& shape, const BlockPlan& plan) {
  return {plan.sums(shape), shape.size, !plan.how().is_adjacent, false};
}

}  // namespace opweave::blocks
