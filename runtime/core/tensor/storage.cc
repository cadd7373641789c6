// Storage: allocation, in-object small blocks, resizing.
#include "runtime/core/tensor/storage.h"

#include <sys/mman.h>

#include <algorithm>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "runtime/core/base/error.h"
#include "runtime/core/devices/devices.h"
#include "runtime/core/devices/free_list.h"
#include "runtime/core/tensor/storage_births.h"

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

namespace {

// The blocks of a storage that was resized while others looked at its memory: tensors, arrays of
// NumPy, buffers. Each lives as long as the storage, and a part that is cut off stays where it is,
// without its pages. Stands as the deleter of a storage whose memory is the allocator's.
struct Blocks {
  struct Block {
    void* data;
    size_t nbytes;
  };
  struct State {
    Device device;
    std::vector<Block> blocks;  // the last is the present one
  };
  std::shared_ptr<State> state;

  void operator()(void*) const {
    Allocator& allocator = devices_of(state->device.type).allocator();
    for (const Block& block : state->blocks) {
      allocator.deallocate(block.data, block.nbytes, state->device);
    }
  }
};

// Gives the pages of a part of a block back to the system; who reads them finds zeros.
void give_pages_back(void* data, size_t from, size_t to) {
  constexpr size_t kPage = 4096;
  const auto address = reinterpret_cast<uintptr_t>(data);
  const size_t start = (address + from + kPage - 1) / kPage * kPage;
  const size_t end = (address + to) / kPage * kPage;
  if (start < end) madvise(reinterpret_cast<void*>(start), end - start, MADV_DONTNEED);
}

}  // namespace

namespace detail {
constinit std::atomic<int> birth_watches{0};
constinit thread_local StorageBirths* births = nullptr;
}  // namespace detail

static intrusive_ptr<StorageImpl> born(intrusive_ptr<StorageImpl> storage) {
  if (detail::birth_watches.load(std::memory_order_relaxed) != 0) [[unlikely]] {
    if (detail::births != nullptr) detail::births->insert(storage.get());
  }
  return storage;
}

[[gnu::hot]] intrusive_ptr<StorageImpl> StorageImpl::allocate(size_t nbytes, Device device) {
  const Devices& devices = devices_of(device.type);
  if (devices.kind() == Devices::Kind::kHost && nbytes <= kInlineBytes) [[likely]] {
    auto* block = static_cast<InlineBlock*>(BlockList<InlineBlock>::take());
    return born(intrusive_ptr<StorageImpl>::unshared(new (block->object) StorageImpl(
        block->data, nbytes, Device(device.type), Origin::kInline)));
  }
  const Device where = resolve_device(device);
  void* data = devices.allocator().allocate(nbytes, where);
  intrusive_ptr<StorageImpl> storage;
  try {
    storage = intrusive_ptr<StorageImpl>::unshared(
        new StorageImpl(data, nbytes, where, Origin::kAllocator));
  } catch (...) {
    devices.allocator().deallocate(data, nbytes, where);
    throw;
  }
  return born(std::move(storage));
}

intrusive_ptr<StorageImpl> StorageImpl::wrap(void* data, size_t nbytes, Device device,
                                             Deleter deleter) {
  auto* impl = new StorageImpl(data, nbytes, resolve_device(device), Origin::kWrapped);
  if (deleter) impl->deleter_ = new Deleter(std::move(deleter));
  return born(intrusive_ptr<StorageImpl>::unshared(impl));
}

[[gnu::hot]] void StorageImpl::free_data() noexcept {
  if (origin_ == Origin::kAllocator && deleter_ == nullptr) [[likely]] {
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

namespace {

// Frees the memory that a storage has moved to, and then that which it has left.
struct Moved {
  StorageImpl::Deleter present;
  std::shared_ptr<void> left;
  void operator()(void* data) const { present(data); }
};

}  // namespace

void StorageImpl::move_to(void* data, Deleter deleter) {
  // A storage without a name, with which what is left lives and dies.
  intrusive_ptr<StorageImpl> left;
  if (origin_ != Origin::kInline) {
    left = intrusive_ptr<StorageImpl>::unshared(new StorageImpl(data_, nbytes_, device_, origin_));
    left->deleter_ = std::exchange(deleter_, nullptr);
  }
  const bool is_seen = left && use_count() > 1;
  if (is_seen) {
    auto kept = std::make_shared<intrusive_ptr<StorageImpl>>(std::move(left));
    deleter = Moved{std::move(deleter), std::move(kept)};
  }
  deleter_ = new Deleter(std::move(deleter));
  data_ = data;
  origin_ = Origin::kWrapped;
}

const StorageImpl::Deleter* StorageImpl::deleter() const noexcept {
  if (origin_ != Origin::kWrapped || deleter_ == nullptr) return nullptr;
  const auto* moved = deleter_->target<Moved>();
  return moved != nullptr ? &moved->present : deleter_;
}

void StorageImpl::resize(size_t nbytes) {
  OW_CHECK(resizable(), "Trying to resize storage that is not resizable");
  if (origin_ == Origin::kInline && nbytes <= kInlineBytes) {
    nbytes_ = nbytes;
    return;
  }
  Devices& devices = devices_of(device_.type);
  // The program itself may read what lies in host memory, whatever the storage says by then.
  const bool is_read = origin_ == Origin::kAllocator && devices.kind() == Devices::Kind::kHost;
  if (is_read && data_ != nullptr && deleter_ == nullptr && (nbytes < nbytes_ || use_count() > 1)) {
    const Blocks::State state{device_, {{data_, nbytes_}}};
    deleter_ = new Deleter(Blocks{std::make_shared<Blocks::State>(state)});
  }
  std::vector<Blocks::Block>* blocks = nullptr;
  if (deleter_ != nullptr) {
    blocks = &deleter_->target<Blocks>()->state->blocks;
    if (nbytes <= blocks->back().nbytes) {
      if (nbytes < nbytes_) give_pages_back(data_, nbytes, nbytes_);
      nbytes_ = nbytes;
      return;
    }
    blocks->reserve(blocks->size() + 1);
  }
  void* fresh = devices.allocator().allocate(nbytes, device_);
  const size_t kept = std::min(nbytes, nbytes_);
  if (kept > 0) devices.copy_within(fresh, data_, kept, device_);
  blocks != nullptr ? blocks->push_back({fresh, nbytes}) : free_data();
  data_ = fresh;
  nbytes_ = nbytes;
  origin_ = Origin::kAllocator;
}

}  // namespace opweave
