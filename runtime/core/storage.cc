// Storage: allocation, in-object small blocks, resizing.
#include "runtime/core/storage.h"

#include <algorithm>
#include <new>

#include "runtime/core/devices.h"
#include "runtime/core/error.h"
#include "runtime/core/free_list.h"

namespace opweave {

// The data comes first, so that the block's alignment is the data's.
struct alignas(64) StorageImpl::InlineBlock {
  std::byte data[kInlineBytes];
  alignas(StorageImpl) std::byte object[sizeof(StorageImpl)];

  static void* operator new(size_t) = delete;
};

namespace {

template <class Block>
class BlockList {  // FreeList with the block's alignment
 public:
  static void* take() {
    if (kRecycle && head_ != nullptr) [[likely]] {
      Link* link = head_;
      head_ = link->next;
      --count_;
      return link;
    }
    return ::operator new(sizeof(Block), std::align_val_t(alignof(Block)));
  }
  static void give(void* memory) noexcept {
    if (!kRecycle || count_ >= kMax) {
      ::operator delete(memory, std::align_val_t(alignof(Block)));
      return;
    }
    if (!armed_) arm();
    auto* link = static_cast<Link*>(memory);
    link->next = head_;
    head_ = link;
    ++count_;
  }

 private:
  static constexpr int kMax = 256;
  struct Link {
    Link* next;
  };
  struct Cleaner {
    ~Cleaner() {
      while (Link* link = head_) {
        head_ = link->next;
        ::operator delete(link, std::align_val_t(alignof(Block)));
      }
      count_ = kMax;
    }
    void touch() { armed_ = true; }
  };
  static void arm() {
    static thread_local Cleaner cleaner;
    cleaner.touch();
  }
  static inline constinit thread_local Link* head_ = nullptr;
  static inline constinit thread_local int count_ = 0;
  static inline constinit thread_local bool armed_ = false;
};

}  // namespace

[[gnu::hot]] intrusive_ptr<StorageImpl> StorageImpl::allocate(size_t nbytes, Device device) {
  const Devices& devices = devices_of(device.type);
  if (devices.kind() == Devices::Kind::kHost && nbytes <= kInlineBytes) [[likely]] {
    auto* block = static_cast<InlineBlock*>(BlockList<InlineBlock>::take());
    return intrusive_ptr<StorageImpl>::unshared(
        new (block->object) StorageImpl(block->data, nbytes, Device(device.type), Origin::kInline));
  }
  const Device where = resolve_device(device);
  void* data = devices.allocator().allocate(nbytes, where);
  try {
    return intrusive_ptr<StorageImpl>::unshared(
        new StorageImpl(data, nbytes, where, Origin::kAllocator));
  } catch (...) {
    devices.allocator().deallocate(data, nbytes, where);
    throw;
  }
}

intrusive_ptr<StorageImpl> StorageImpl::wrap(void* data, size_t nbytes, Device device,
                                             Deleter deleter) {
  auto* impl = new StorageImpl(data, nbytes, resolve_device(device), Origin::kWrapped);
  if (deleter) impl->deleter_ = new Deleter(std::move(deleter));
  return intrusive_ptr<StorageImpl>::unshared(impl);
}

[[gnu::hot]] void StorageImpl::free_data() noexcept {
  if (origin_ == Origin::kAllocator) {
    devices_of(device_.type).allocator().deallocate(data_, nbytes_, device_);
  } else if (deleter_ != nullptr) {
    (*deleter_)(data_);
    delete deleter_;
  }
}

[[gnu::hot]] void StorageImpl::destroy() {
  if (inline_object_) {
    auto* block = reinterpret_cast<std::byte*>(this) - offsetof(InlineBlock, object);
    this->~StorageImpl();
    BlockList<InlineBlock>::give(block);
  } else {
    delete this;
  }
}

void StorageImpl::resize(size_t nbytes) {
  OW_CHECK(resizable(), "Trying to resize storage that is not resizable");
  if (origin_ == Origin::kInline && nbytes <= kInlineBytes) {
    nbytes_ = nbytes;
    return;
  }
  Devices& devices = devices_of(device_.type);
  void* fresh = devices.allocator().allocate(nbytes, device_);
  const size_t kept = std::min(nbytes, nbytes_);
  if (kept > 0) devices.copy_within(fresh, data_, kept, device_);
  free_data();
  data_ = fresh;
  nbytes_ = nbytes;
  origin_ = Origin::kAllocator;
}

}  // namespace opweave
