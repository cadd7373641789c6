// memfd_create, and the advice that makes its pages huge.
#include "runtime/target/memory_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25  // of Linux 6.1, which the headers of Debian 12 lack
#endif

namespace opweave {

int make_memory_file(const char* name, size_t nbytes) noexcept {
  const int file = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0 || ftruncate(file, static_cast<off_t>(nbytes)) == 0) return file;
  const int error = errno;
  close(file);
  errno = error;
  return -1;
}

void ask_for_huge_pages(char* data, size_t nbytes) noexcept {
  constexpr size_t kHugePage = 2 * 1024 * 1024;
  madvise(data, nbytes, MADV_HUGEPAGE);
  const size_t first = (kHugePage - reinterpret_cast<uintptr_t>(data) % kHugePage) % kHugePage;
  for (size_t i = first; i + kHugePage <= nbytes; i += kHugePage) {
    data[i] = 0;
    madvise(data + i, kHugePage, MADV_COLLAPSE);
  }
}

}  // namespace opweave
