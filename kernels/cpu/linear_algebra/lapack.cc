// Finds LAPACK in a shared library of the system. Linked, it would be loaded with the program,
// which takes longer than all else in `import opweave` and is for nothing in most programs.
#include "kernels/cpu/linear_algebra/lapack.h"

#include <dlfcn.h>

#include <span>
#include <type_traits>

#include "runtime/core/base/error.h"

namespace opweave::cpu::lapack {
namespace {

template <class Function>
Function found_in(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

// Batches are split between the threads of our own pool: a second pool below it would only be in
// the way.
void use_one_thread(void* library) {
  if (auto* set = found_in<void (*)(int)>(library, "openblas_set_num_threads")) set(1);
}

// The one that the package carries (third_party/openblas) first, except on processors of before
// 2005, whose kernels it has not; any other has the same functions.
void* load() {
  constexpr const char* kNames[] = {"libopweave_lapack.so", "libopenblas.so.0", "liblapack.so.3"};
  for (const char* name : std::span(kNames).subspan(__builtin_cpu_supports("sse3") ? 0 : 1)) {
    if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
      use_one_thread(library);
      return library;
    }
  }
  OW_THROW(ErrorKind::kRuntime, "linear algebra needs LAPACK, and neither libopenblas.so.0 nor ",
           "liblapack.so.3 could be loaded: ", dlerror());
}

void* library() {
  static void* const loaded = load();
  return loaded;
}

// OpenBLAS built without threads, or with OpenMP's, hands the same buffer to two threads that call
// it at a time, and both get wrong numbers.
bool takes_one_call_at_a_time() {
  constexpr int kOwnThreads = 1;
  static auto* const kind = found_in<int (*)()>(library(), "openblas_get_parallel");
  static const bool alone = kind != nullptr && kind() != kOwnThreads;
  return alone;
}

template <class Function>
Function function(const char* name) {
  const auto found = found_in<Function>(library(), name);
  OW_CHECK(found != nullptr, "the LAPACK that was loaded has no function ", name);
  return found;
}

}  // namespace

std::unique_lock<ForkFreedMutex> turn() {
  static ForkFreedMutex mutex;
  return takes_one_call_at_a_time() ? std::unique_lock(mutex) : std::unique_lock<ForkFreedMutex>();
}

template <class T>
Gesdd<T> gesdd() {
  static const auto found = function<Gesdd<T>>(std::is_same_v<T, float> ? "sgesdd_" : "dgesdd_");
  return found;
}

template Gesdd<float> gesdd();
template Gesdd<double> gesdd();

}  // namespace opweave::cpu::lapack
