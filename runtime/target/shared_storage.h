// Storages in memory that other processes map as well: what queues between processes carry, and
// what stays shared across a fork.
//
// Each lies in a file without a name (memfd_create), alone or as a part of one. Another process
// gets its descriptor, through a Unix socket or by inheritance, and maps it. When the last process
// has closed and unmapped the file, killed or not, its memory is free: nothing can be left behind.
#pragma once

#include <cstddef>
#include <memory>

#include "runtime/core/tensor/storage.h"

namespace opweave {

// A file that is mapped whole.
class SharedFile {
 public:
  // Of `nbytes` of zeros. Throws Error(kOutOfMemory), which says what the system lacks.
  static std::shared_ptr<SharedFile> create(size_t nbytes);
  // The file of a descriptor, which is closed with it, or if this throws: of fewer than `nbytes`,
  // or one that its other processes could cut off under the reader.
  static std::shared_ptr<SharedFile> open(int descriptor, size_t nbytes);

  SharedFile(const SharedFile&) = delete;
  ~SharedFile();
  char* data() const noexcept { return data_; }
  size_t nbytes() const noexcept { return nbytes_; }
  int descriptor() const noexcept { return descriptor_; }

 private:
  SharedFile(int descriptor, size_t nbytes) : descriptor_(descriptor), nbytes_(nbytes) {}
  void map();

  int descriptor_;
  size_t nbytes_;
  char* data_ = nullptr;
  char* base_ = nullptr;  // of the address range
  size_t range_ = 0;
};

// Where a shared storage lies.
struct SharedPlace {
  std::shared_ptr<SharedFile> file;
  size_t offset = 0;
};

// `nbytes` of a file, from an offset on. Throws if they are not all in it.
Storage shared_storage(std::shared_ptr<SharedFile> file, size_t offset, size_t nbytes);
// Null for a storage that is not shared; lives as long as that does not move.
const SharedPlace* shared_place(const StorageImpl& storage) noexcept;
// Moves what is in a storage of host memory into a file of its own, where all its tensors see it;
// nothing happens to one that is shared. Not while others write to it. Throws for other devices.
void move_to_shared_memory(StorageImpl& storage);

}  // namespace opweave
