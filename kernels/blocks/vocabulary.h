// What block programs are written in: threads, blocks, barriers, shared memory and what passes
// between the threads of a warp, once as CUDA has it and once as C++ for OpenCL has it. Their text
// is the same for both.
//
// Where a device has no shuffle it is shared memory between barriers: hence programs call it where
// all threads of a block do. Under OW_REVERSED the threads of an OpenCL block, and the blocks, are
// numbered backwards, so that they run in another order where they run one after another: a program
// without races gives the same bits (tests/kernels/blocks).
#pragma once

#ifdef __OPENCL_CPP_VERSION__

#define OW_BLOCK inline __attribute__((always_inline))
#define OW_GLOBAL __global
#define OW_SHARED __local
#define OW_KERNEL(threads) __kernel __attribute__((reqd_work_group_size(threads, 1, 1)))
// Arrays that a kernel declares as local are one for all blocks in some implementations: it is an
// argument.
#define OW_SHARED_ARGUMENT(name) , __local char* name
#define OW_SHARED_MEMORY(name)
#define OW_ARGUMENT
#define OW_UNROLL  // what compiles for the device may

namespace opweave::blocks {

using Index = long;

#ifdef cl_khr_fp64
#define OW_HAS_DOUBLE 1
#endif

#ifdef OW_REVERSED
OW_BLOCK int thread() { return (int)(get_local_size(0) - 1 - get_local_id(0)); }
OW_BLOCK Index block() { return (Index)(get_num_groups(0) - 1 - get_group_id(0)); }
#else
OW_BLOCK int thread() { return (int)get_local_id(0); }
OW_BLOCK Index block() { return (Index)get_group_id(0); }
#endif

// All threads of the block have come here, and see what the others wrote to shared memory.
OW_BLOCK void meet() { barrier(CLK_LOCAL_MEM_FENCE); }

// What the thread whose number differs in the bit `distance` passes; `memory` is for one T a
// thread.
template <class T>
OW_BLOCK T exchange(T value, int distance, OW_SHARED T* memory) {
  memory[thread()] = value;
  meet();
  const T other = memory[thread() ^ distance];
  meet();
  return other;
}

}  // namespace opweave::blocks

#undef OW_FOLD
#define OW_FOLD inline __attribute__((always_inline))
#undef OW_FOLD_LAMBDA
#define OW_FOLD_LAMBDA __attribute__((always_inline))

#else

#include <cstdint>

#define OW_BLOCK __device__ __forceinline__
#define OW_GLOBAL
#define OW_SHARED
#define OW_KERNEL(threads) __global__ __launch_bounds__(threads)
#define OW_SHARED_ARGUMENT(name)
#define OW_SHARED_MEMORY(name) extern __shared__ __align__(16) char name[];
#define OW_ARGUMENT const __grid_constant__
#define OW_UNROLL _Pragma("unroll kUnroll")
#define OW_HAS_DOUBLE 1

namespace opweave::blocks {

using Index = int64_t;

OW_BLOCK int thread() { return static_cast<int>(threadIdx.x); }
OW_BLOCK Index block() { return static_cast<Index>(blockIdx.x); }
OW_BLOCK void meet() { __syncthreads(); }

template <class T>
OW_BLOCK T exchange(T value, int distance, T*) {
  return __shfl_xor_sync(0xffffffffu, value, distance);
}

}  // namespace opweave::blocks

#undef OW_FOLD
#define OW_FOLD __device__ __forceinline__
#undef OW_FOLD_LAMBDA
#define OW_FOLD_LAMBDA  // nvcc inlines those of such functions

#endif

namespace opweave::blocks {

inline constexpr int kWarp = 32;  // threads between which `exchange` needs no shared memory

}  // namespace opweave::blocks
