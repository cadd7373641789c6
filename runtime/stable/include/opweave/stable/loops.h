// Hands the loops of an expression to its table: those of each instruction set that they were
// compiled for.
#ifndef OPWEAVE_STABLE_LOOPS_H_
#define OPWEAVE_STABLE_LOOPS_H_

#include "hwy/detect_targets.h"
#include "opweave/stable/elements.h"

#if HWY_TARGETS & HWY_AVX3
#define OW_STABLE_AVX512(id) id##_elements.add_loops(OW_ISA_AVX512, &N_AVX3::id##_loops)
#else
#define OW_STABLE_AVX512(id) (void)0
#endif
#if HWY_TARGETS & HWY_AVX2
#define OW_STABLE_AVX2(id) id##_elements.add_loops(OW_ISA_AVX2, &N_AVX2::id##_loops)
#else
#define OW_STABLE_AVX2(id) (void)0
#endif
#define OW_STABLE_LOOPS(id) \
  OW_STABLE_AVX512(id);     \
  OW_STABLE_AVX2(id);       \
  id##_elements.add_loops(OW_ISA_SSE4, &N_SSE4::id##_loops)

#endif  // OPWEAVE_STABLE_LOOPS_H_
