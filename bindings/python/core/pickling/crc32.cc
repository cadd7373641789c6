// CRC-32 by folding: the remainder of a polynomial stays the same when 128 bits of it are replaced
// by their product with x^n mod P, n bits further on. Four such pieces are folded at a time.
#include "bindings/python/core/pickling/crc32.h"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace opweave::python::pickling {
namespace {

constexpr uint32_t kPolynomial = 0xEDB88320;  // bits in reverse, as everywhere below

constexpr std::array<uint32_t, 256> kOfByte = [] {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; ++i) {
    table[i] = i;
    for (int bit = 0; bit < 8; ++bit) {
      table[i] = table[i] >> 1 ^ ((table[i] & 1) != 0 ? kPolynomial : 0);
    }
  }
  return table;
}();

uint32_t byte_by_byte(std::string_view bytes, uint32_t state) {
  for (const char byte : bytes) {
    state = kOfByte[(state ^ static_cast<uint8_t>(byte)) & 0xFF] ^ state >> 8;
  }
  return state;
}

#if defined(__x86_64__)

// x^n mod P, as a factor of 64 bits whose product is one bit short.
constexpr uint64_t power(int n) {
  uint32_t value = 0x80000000;  // 1
  for (int i = 0; i < n; ++i) value = value >> 1 ^ ((value & 1) != 0 ? kPolynomial : 0);
  return uint64_t{value} << 1;
}

#define OW_CLMUL __attribute__((target("pclmul,sse4.1")))

OW_CLMUL __m128i load(const char* from) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
}

// `piece`, moved on by the distance of the factors, and added to what lies there.
OW_CLMUL __m128i fold(__m128i piece, __m128i factors, __m128i next) {
  const __m128i low = _mm_clmulepi64_si128(piece, factors, 0x00);
  const __m128i high = _mm_clmulepi64_si128(piece, factors, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

// The state after a multiple of 64 bytes, at least 64.
OW_CLMUL uint32_t by_folding(std::string_view bytes, uint32_t state) {
  // The low half of a piece is 64 bits further from the end than the high one.
  const __m128i by_64 =
      _mm_set_epi64x(static_cast<int64_t>(power(512 - 32)), static_cast<int64_t>(power(512 + 32)));
  const __m128i by_16 =
      _mm_set_epi64x(static_cast<int64_t>(power(128 - 32)), static_cast<int64_t>(power(128 + 32)));
  __m128i pieces[4];
  for (int i = 0; i < 4; ++i) pieces[i] = load(bytes.data() + 16 * i);
  pieces[0] = _mm_xor_si128(pieces[0], _mm_cvtsi32_si128(static_cast<int>(state)));
  for (size_t at = 64; at < bytes.size(); at += 64) {
    for (size_t i = 0; i < 4; ++i) {
      pieces[i] = fold(pieces[i], by_64, load(bytes.data() + at + 16 * i));
    }
  }
  for (int i = 1; i < 4; ++i) pieces[i] = fold(pieces[i - 1], by_16, pieces[i]);
  char rest[16];
  std::memcpy(rest, &pieces[3], sizeof rest);
  return byte_by_byte({rest, sizeof rest}, 0);
}

bool can_fold() { return __builtin_cpu_supports("pclmul") != 0; }

#else

uint32_t by_folding(std::string_view bytes, uint32_t state) { return byte_by_byte(bytes, state); }
bool can_fold() { return false; }

#endif

}  // namespace

std::optional<uint32_t> crc32(std::string_view bytes, uint32_t crc) {
  if (!can_fold()) return std::nullopt;
  uint32_t state = ~crc;
  const size_t folded = bytes.size() & ~size_t{63};
  if (folded > 0) state = by_folding(bytes.substr(0, folded), state);
  return ~byte_by_byte(bytes.substr(folded), state);
}

}  // namespace opweave::python::pickling
