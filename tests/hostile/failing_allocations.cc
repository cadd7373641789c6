// Loaded before the library: makes one allocation of it fail, the n-th from when it was asked to.
#include <link.h>
#include <malloc.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

// Where the code of the library lies, whose allocations are counted, and nobody else's.
struct Range {
  uintptr_t begin = 0, end = 0;
};
constexpr int kMostRanges = 16;
Range ranges[kMostRanges];
int num_ranges = 0;

constinit thread_local bool counting = false;
constinit thread_local int64_t made = 0;
constinit thread_local int64_t failing = 0;          // 0: none
constinit thread_local bool memory_is_full = false;  // a second attempt fails as well

int note_library(dl_phdr_info* info, size_t, void*) {
  const char* name = std::strrchr(info->dlpi_name, '/');
  const bool ours = name != nullptr &&
                    (std::strcmp(name, "/libopweave.so") == 0 || std::strcmp(name, "/_C.so") == 0);
  for (int i = 0; ours && i < info->dlpi_phnum && num_ranges < kMostRanges; ++i) {
    const auto& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
    const uintptr_t begin = info->dlpi_addr + part.p_vaddr;
    ranges[num_ranges++] = {begin, begin + part.p_memsz};
  }
  return 0;
}

bool is_ours(const void* caller) {
  const auto address = reinterpret_cast<uintptr_t>(caller);
  for (int i = 0; i < num_ranges; ++i) {
    if (address >= ranges[i].begin && address < ranges[i].end) return true;
  }
  return false;
}

bool fails(const void* caller) { return counting && is_ours(caller) && ++made == failing; }

void* allocate(size_t size, size_t alignment, const void* caller) {
  return fails(caller) ? nullptr : memalign(alignment, size == 0 ? 1 : size);
}

void* checked(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

// Counts from now on, and fails the n-th; with 0 it only counts.
extern "C" void fail_allocation(int64_t n) {
  if (num_ranges == 0) dl_iterate_phdr(note_library, nullptr);
  made = 0;
  memory_is_full = false;
  failing = n;
  counting = true;
}
// How many there were.
extern "C" int64_t stop_failing() {
  counting = false;
  return made;
}

#define CALLER __builtin_return_address(0)

// What the memory of tensors is taken with, which is tried twice.
extern "C" void* aligned_alloc(size_t alignment, size_t size) noexcept {
  if (counting && is_ours(CALLER)) {
    if (memory_is_full || ++made == failing) {
      memory_is_full = !memory_is_full;
      return nullptr;
    }
  }
  return memalign(alignment, size);
}

constexpr size_t kUsual = alignof(std::max_align_t);

void* operator new(size_t n) { return checked(allocate(n, kUsual, CALLER)); }
void* operator new[](size_t n) { return checked(allocate(n, kUsual, CALLER)); }
void* operator new(size_t n, std::align_val_t a) {
  return checked(allocate(n, static_cast<size_t>(a), CALLER));
}
void* operator new[](size_t n, std::align_val_t a) {
  return checked(allocate(n, static_cast<size_t>(a), CALLER));
}
void* operator new(size_t n, const std::nothrow_t&) noexcept { return allocate(n, kUsual, CALLER); }
void* operator new[](size_t n, const std::nothrow_t&) noexcept {
  return allocate(n, kUsual, CALLER);
}
void* operator new(size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
  return allocate(n, static_cast<size_t>(a), CALLER);
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }
void operator delete[](void* p, size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, size_t, std::align_val_t) noexcept { std::free(p); }
