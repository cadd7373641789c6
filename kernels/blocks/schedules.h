// The schedules of block programs: how many threads walk a row, and which rows a block has. Names
// of kernels end in those that stand here; kernels.h makes kernels of this table, plan.h chooses
// from it.
#pragma once

// name, lanes of a row, rows of a block, whether rows lie side by side, whether rows are split,
// folded dimensions.
// clang-format off
#define OW_SCHEDULES(define, ...)                        \
  define(lanes8, 8, 16, false, false, 1, __VA_ARGS__)    \
  define(lanes32, 32, 4, false, false, 1, __VA_ARGS__)   \
  define(block, 256, 1, false, false, 1, __VA_ARGS__)    \
  define(split, 256, 1, false, true, 1, __VA_ARGS__)     \
  define(columns, 8, 32, true, false, 1, __VA_ARGS__)    \
  define(columns_split, 8, 32, true, true, 1, __VA_ARGS__)

#define OW_SCHEDULES_OVER_TWO(define, ...)                     \
  define(block_over_two, 256, 1, false, false, 2, __VA_ARGS__) \
  define(split_over_two, 256, 1, false, true, 2, __VA_ARGS__)
// clang-format on
