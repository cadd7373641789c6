// The kernels of a program: OW_FOLD_KERNELS(name, program, operands) defines name_lanes8 and so on,
// one for each line of OW_SCHEDULES, for all targets with the same arguments;
// OW_FOLD_KERNELS_OVER_TWO those for two folded dimensions that do not merge. A kernel has lanes *
// rows threads, and that many times 8 bytes of shared memory.
#pragma once

#include "kernels/blocks/rows.h"
#include "kernels/blocks/schedules.h"

#define OW_OPERAND(k) OW_GLOBAL void* operand##k
#define OW_FOLD_KERNEL(schedule, lanes, rows, adjacent, split, dims, name, program, ...)           \
  OW_KERNEL(lanes* rows)                                                                           \
  void name##_##schedule(                                                                          \
      OW_OPERAND(0), OW_OPERAND(1), OW_OPERAND(2), OW_OPERAND(3), OW_OPERAND(4), OW_OPERAND(5),    \
      OW_OPERAND(6), OW_OPERAND(7), OW_OPERAND(8), OW_OPERAND(9), OW_OPERAND(10), OW_OPERAND(11),  \
      OW_GLOBAL void* scratch,                                                                     \
      OW_ARGUMENT opweave::blocks::Geometry<typename __VA_ARGS__::Value> geometry                  \
          OW_SHARED_ARGUMENT(shared)) {                                                            \
    OW_SHARED_MEMORY(shared)                                                                       \
    const opweave::blocks::Memory<typename __VA_ARGS__::Value> memory = {                          \
        {operand0, operand1, operand2, operand3, operand4, operand5, operand6, operand7, operand8, \
         operand9, operand10, operand11},                                                          \
        scratch,                                                                                   \
        shared};                                                                                   \
    opweave::blocks::run_block<program, __VA_ARGS__,                                               \
                               opweave::blocks::Schedule<lanes, rows, adjacent, split, dims>>(     \
        memory, geometry);                                                                         \
  }

#define OW_FOLD_KERNELS(...) OW_SCHEDULES(OW_FOLD_KERNEL, __VA_ARGS__)
#define OW_FOLD_KERNELS_OVER_TWO(...) OW_SCHEDULES_OVER_TWO(OW_FOLD_KERNEL, __VA_ARGS__)
