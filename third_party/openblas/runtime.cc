// What OpenBLAS's objects call and get from elsewhere in the whole library: the processor's kind
// where the environment names none, and a function of Fortran's library.
#include <cstddef>
#include <cstring>

namespace {

// The kernels for what this processor can do. OpenBLAS knows processors by their model, and takes
// kernels from before AVX for a model that is newer than itself: less than half as fast. Null
// leaves an old one to it.
const char* best_core() {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) {
    return "SkylakeX";
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "Haswell";
  if (__builtin_cpu_supports("avx")) return "Sandybridge";
  return nullptr;
}

}  // namespace

extern "C" {

char* __real_getenv(const char* name);

// The linker sends OpenBLAS's calls of getenv here (--wrap).
char* __wrap_getenv(const char* name) {
  char* const value = __real_getenv(name);
  if (value != nullptr || std::strcmp(name, "OPENBLAS_CORETYPE") != 0) return value;
  __builtin_cpu_init();
  return const_cast<char*>(best_core());
}

// Fortran's `a // b`, cut or filled with blanks to `size`.
void _gfortran_concat_string(size_t size, char* out, size_t a_size, const char* a, size_t b_size,
                             const char* b) {
  const size_t from_a = a_size < size ? a_size : size;
  const size_t room = size - from_a;
  const size_t from_b = b_size < room ? b_size : room;
  std::memcpy(out, a, from_a);
  std::memcpy(out + from_a, b, from_b);
  std::memset(out + from_a + from_b, ' ', room - from_b);
}

}  // extern "C"
