// FreeList<T>: a per-thread stack of freed blocks of sizeof(T), so that a tensor costs no malloc.
//
// Classes that are made and dropped on every call derive from Recycled<T>. Under a sanitizer the
// lists are off, so that use after free is still found.
#pragma once

#include <cstddef>
#include <new>

namespace opweave {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kRecycle = false;
#else
inline constexpr bool kRecycle = true;
#endif

template <class T, size_t kMax = 256>
class FreeList {
 public:
  static void* take(size_t size) {
    List& list = list_;
    if (kRecycle && list.head != nullptr) [[likely]] {
      Block* block = list.head;
      list.head = block->next;
      --list.count;
      return block;
    }
    return ::operator new(size);
  }

  static void give(void* memory) noexcept {
    List& list = list_;
    if (!kRecycle || list.count >= kMax) {
      ::operator delete(memory);
      return;
    }
    auto* block = static_cast<Block*>(memory);
    block->next = list.head;
    list.head = block;
    ++list.count;
    if (list.count == 1) arm();
  }

 private:
  struct Block {
    Block* next;
  };
  struct List {  // trivially destructible, so that access needs no guard
    Block* head;
    size_t count;
  };
  struct Cleaner {
    ~Cleaner() {
      while (list_.head != nullptr) {
        Block* next = list_.head->next;
        ::operator delete(list_.head);
        list_.head = next;
      }
      list_.count = kMax;  // blocks freed later on this thread go straight back
    }
    void touch() {}
  };
  static void arm() {
    static thread_local Cleaner cleaner;
    cleaner.touch();
  }
  static inline constinit thread_local List list_{nullptr, 0};
};

// operator new/delete through a FreeList. Only for classes that nothing derives from with a larger
// size; a larger object falls back to the global allocator.
template <class T>
class Recycled {
 public:
  static void* operator new(size_t size) {
    return size == sizeof(T) ? FreeList<T>::take(size) : ::operator new(size);
  }
  static void* operator new(size_t, void* where) noexcept { return where; }
  static void operator delete(void* memory, size_t size) noexcept {
    size == sizeof(T) ? FreeList<T>::give(memory) : ::operator delete(memory);
  }
};

}  // namespace opweave
