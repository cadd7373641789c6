// LAPACK's routines, from a library that is loaded when the first of them is called.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/core/base/fork_safe_mutex.h"

namespace opweave::cpu::lapack {

using Int = int32_t;

// Singular values, and vectors as `jobz` says ('N', 'S' or 'A'), of a matrix in columns, which is
// overwritten. With lwork == -1 the best lwork is written to *work. The last argument is the length
// of the first.
template <class T>
using Gesdd = void (*)(const char* jobz, const Int* m, const Int* n, T* a, const Int* lda, T* s,
                       T* u, const Int* ldu, T* vt, const Int* ldvt, T* work, const Int* lwork,
                       Int* iwork, Int* info, size_t);

// To be held while a routine runs: a lock where the library cannot be called by several threads.
std::unique_lock<ForkFreedMutex> turn();

// For float and double. RuntimeError where there is no LAPACK.
template <class T>
Gesdd<T> gesdd();

}  // namespace opweave::cpu::lapack
