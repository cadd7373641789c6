// Copies between tensors and shared memory. Those of large tensors pass the caches, which saves
// reading what is about to be overwritten.
#pragma once

#include <cstddef>

#include "runtime/core/tensor/tensor.h"

namespace opweave::distributed::shm {

// A tensor of so many bytes is in no cache by the time that it has been written.
inline constexpr size_t kLarge = 8 * 1024 * 1024;

inline char* at(const Tensor& t, size_t offset) {
  return static_cast<char*>(t.raw_data()) + offset;
}
// The two do not overlap. `streams`: past the caches; whoever meets this thread later sees it.
void copy(char* to, const char* from, size_t nbytes, bool streams);

// How many of a tensor's bytes, from `offset` on, go into a piece of `room`.
size_t piece(const Tensor& t, size_t offset, size_t room);
void copy_piece(char* to, const Tensor& t, size_t offset, size_t room);
void read_piece(const Tensor& t, size_t offset, size_t room, const char* from);
// What a rank gives itself, which may lie where it is to go.
void keep_piece(const Tensor& to, const Tensor& from, size_t offset, size_t room);

}  // namespace opweave::distributed::shm
