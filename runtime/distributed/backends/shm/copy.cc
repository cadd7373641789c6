// Copies, by the processor's stores that pass the caches where it has them.
#include "runtime/distributed/backends/shm/copy.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace opweave::distributed::shm {
namespace {

constexpr size_t kLineBytes = 64;

#if defined(__x86_64__)
void stream_line(char* to, const char* from) {
  const auto* source = reinterpret_cast<const __m128i*>(from);
  auto* target = reinterpret_cast<__m128i*>(to);
  const __m128i a = _mm_loadu_si128(source), b = _mm_loadu_si128(source + 1);
  const __m128i c = _mm_loadu_si128(source + 2), d = _mm_loadu_si128(source + 3);
  _mm_stream_si128(target, a);
  _mm_stream_si128(target + 1, b);
  _mm_stream_si128(target + 2, c);
  _mm_stream_si128(target + 3, d);
}

constexpr size_t kPageBytes = 4096;

// How many pages are copied in turn. Intel's processors fetch ahead in each page by itself and no
// further: four at once take half the time there. AMD's close a line's buffer too early when lines
// of several pages alternate: four at once take five times as long there, 22 ms for 64 MiB instead
// of 4.
size_t pages_in_turn() {
  static const size_t pages = __builtin_cpu_is("intel") ? 4 : 1;
  return pages;
}

// Whole lines, of which `to` begins one.
void stream(char* to, const char* from, size_t lines) {
  const size_t pages = pages_in_turn(), round = pages * kPageBytes;
  for (; lines >= round / kLineBytes; lines -= round / kLineBytes, to += round, from += round) {
    for (size_t i = 0; i < kPageBytes; i += kLineBytes) {
      for (size_t k = 0; k < pages; ++k)
        stream_line(to + k * kPageBytes + i, from + k * kPageBytes + i);
    }
  }
  for (; lines > 0; --lines, to += kLineBytes, from += kLineBytes) stream_line(to, from);
  _mm_sfence();
}
#else
void stream(char* to, const char* from, size_t lines) { std::memcpy(to, from, lines * kLineBytes); }
#endif

}  // namespace

void copy(char* to, const char* from, size_t nbytes, bool streams) {
  if (!streams || nbytes < kLineBytes) {
    std::memcpy(to, from, nbytes);
    return;
  }
  const size_t before = (kLineBytes - reinterpret_cast<uintptr_t>(to) % kLineBytes) % kLineBytes;
  const size_t lines = (nbytes - before) / kLineBytes;
  const size_t streamed = lines * kLineBytes;
  std::memcpy(to, from, before);
  stream(to + before, from + before, lines);
  const size_t after = before + streamed;
  std::memcpy(to + after, from + after, nbytes - after);
}

size_t piece(const Tensor& t, size_t offset, size_t room) {
  return offset >= t.nbytes() ? 0 : std::min(room, t.nbytes() - offset);
}

void copy_piece(char* to, const Tensor& t, size_t offset, size_t room) {
  if (const size_t n = piece(t, offset, room); n > 0) std::memcpy(to, at(t, offset), n);
}

void read_piece(const Tensor& t, size_t offset, size_t room, const char* from) {
  if (const size_t n = piece(t, offset, room); n > 0)
    copy(at(t, offset), from, n, t.nbytes() >= kLarge);
}

void keep_piece(const Tensor& to, const Tensor& from, size_t offset, size_t room) {
  const size_t n = piece(from, offset, room);
  if (n == 0 || to.raw_data() == from.raw_data()) return;
  const char *begin = at(from, 0), *end = begin + from.nbytes();
  if (at(to, 0) < end && begin < at(to, to.nbytes()))
    std::memmove(at(to, offset), at(from, offset), n);
  else
    copy(at(to, offset), at(from, offset), n, from.nbytes() >= kLarge);
}

}  // namespace opweave::distributed::shm
