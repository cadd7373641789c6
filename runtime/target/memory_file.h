// Files without a name that lie in memory, which several processes map.
#pragma once

#include <cstddef>

namespace opweave {

// Of `nbytes` of zeros, which count as used once they are written to; closed on exec, and sealed by
// nobody yet. -1 if there is none, with errno.
int make_memory_file(const char* name, size_t nbytes) noexcept;

// Asks for huge pages in fresh shared memory, of which the system makes none by itself unless its
// administrator said so. With small ones reading takes twice as long. One that is there begins
// each; `data` begins a page.
void ask_for_huge_pages(char* data, size_t nbytes) noexcept;

}  // namespace opweave
