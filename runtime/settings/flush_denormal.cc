#include "runtime/settings/flush_denormal.h"

#include "runtime/core/threads/parallel.h"

#if defined(__x86_64__)
#include <pmmintrin.h>
#include <xmmintrin.h>
#endif

namespace opweave {
namespace {

// Results and operands: the bits FTZ and DAZ of the control register MXCSR, which a thread inherits
// from the one that starts it. Every processor of 64 bits has both.
bool set_for_this_thread([[maybe_unused]] bool flush) {
#if defined(__x86_64__)
  _MM_SET_FLUSH_ZERO_MODE(flush ? _MM_FLUSH_ZERO_ON : _MM_FLUSH_ZERO_OFF);
  _MM_SET_DENORMALS_ZERO_MODE(flush ? _MM_DENORMALS_ZERO_ON : _MM_DENORMALS_ZERO_OFF);
  return true;
#else
  return false;
#endif
}

}  // namespace

bool set_flush_denormal(bool flush) {
  if (!set_for_this_thread(flush)) return false;
  note_pool();
#pragma omp parallel num_threads(num_threads())
  set_for_this_thread(flush);
  return true;
}

}  // namespace opweave
