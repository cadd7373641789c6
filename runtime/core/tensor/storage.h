// Storage: a block of device memory shared by all views of it, and the version of its contents.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "runtime/core/base/ref_counted.h"
#include "runtime/core/devices/device.h"

namespace opweave {

// How often in-place operators have written to a storage, and which did last, for messages. Saved
// tensors compare the number.
class VersionCounter {
 public:
  uint32_t current() const noexcept { return value_.load(std::memory_order_relaxed); }
  // `writer` names the operator and lives for ever; null when it is not known.
  void bump(const char* writer = nullptr) noexcept {
    value_.fetch_add(1, std::memory_order_relaxed);
    writer_.store(writer, std::memory_order_relaxed);
  }
  const char* last_writer() const noexcept { return writer_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint32_t> value_{0};
  std::atomic<const char*> writer_{nullptr};
};

class StorageImpl final : public RefCounted {
 public:
  // Frees external memory (NumPy, DLPack); called once with the data pointer.
  using Deleter = std::function<void(void*)>;

  // Memory from the device's allocator. Small blocks of host memory lie in the object itself: one
  // allocation.
  static intrusive_ptr<StorageImpl> allocate(size_t nbytes, Device device);
  // Memory owned by someone else; `deleter` may be empty.
  static intrusive_ptr<StorageImpl> wrap(void* data, size_t nbytes, Device device, Deleter deleter);

  void* data() const noexcept { return data_; }
  size_t nbytes() const noexcept { return nbytes_; }
  Device device() const noexcept { return device_; }
  VersionCounter& version() noexcept { return version_; }
  bool resizable() const noexcept { return origin_ != Origin::kWrapped; }

  // Makes room for `nbytes` and keeps what fits of the contents. Only where resizable().
  void resize(size_t nbytes);
  // Goes on in memory of someone else, who has put there what it holds. Whoever looks at the memory
  // that it leaves (arrays of NumPy) may do so until the storage dies.
  void move_to(void* data, Deleter deleter);
  // What frees memory of someone else; null for memory of the device's allocator.
  const Deleter* deleter() const noexcept;

 private:
  enum class Origin : uint8_t { kInline, kAllocator, kWrapped };
  static constexpr size_t kInlineBytes = 128;

  StorageImpl(void* data, size_t nbytes, Device device, Origin origin)
      : data_(data),
        nbytes_(nbytes),
        device_(device),
        origin_(origin),
        inline_object_(origin == Origin::kInline) {}
  ~StorageImpl() override { free_data(); }
  void destroy() override;
  void free_data() noexcept;

  struct InlineBlock;  // a StorageImpl followed by kInlineBytes of data

  void* data_;
  size_t nbytes_;
  Device device_;
  Origin origin_;
  const bool inline_object_;  // lies in an InlineBlock, whatever became of its data
  VersionCounter version_;
  Deleter* deleter_ = nullptr;
};

using Storage = intrusive_ptr<StorageImpl>;

}  // namespace opweave
