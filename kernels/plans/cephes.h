// Logarithm, sine and cosine in float32, as polynomials (S. L. Moshier, "Cephes Mathematical
// Library"): those that PyTorch's vector code for normal numbers is made of, with its fused
// operations, so that the last bit is the same. Only for the arguments that a uniform number gives.
// Always inlined: into loops that are compiled for an instruction set.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace opweave::plans::cephes {

#define OW_CEPHES [[gnu::always_inline]] inline

template <int kTerms>
OW_CEPHES float horner(const float (&coefficients)[kTerms], float x) {
  float y = coefficients[0];
#pragma GCC unroll 16
  for (int i = 1; i < kTerms; ++i) y = std::fma(y, x, coefficients[i]);
  return y;
}

// Of a normal number of (0, 1].
OW_CEPHES float log(float value) {
  constexpr float kCoefficients[] = {7.0376836292e-2f,  -1.1514610310e-1f, 1.1676998740e-1f,
                                     -1.2420140846e-1f, 1.4249322787e-1f,  -1.6668057665e-1f,
                                     2.0000714765e-1f,  -2.4999993993e-1f, 3.3333331174e-1f};
  constexpr float kRootHalf = 0.707106781186547524f;
  const auto bits = std::bit_cast<uint32_t>(value);
  auto exponent = static_cast<float>(static_cast<int32_t>(bits >> 23) - 126);
  const float m = std::bit_cast<float>((bits & 0x007fffffu) | 0x3f000000u);  // [1/2, 1)
  const bool below = m < kRootHalf;
  exponent -= below ? 1.0f : 0.0f;
  const float x = (m - 1) + (below ? m : 0.0f);
  const float z = x * x;
  const float cubic = horner(kCoefficients, x) * x;
  float y = std::fma(cubic, z, exponent * -2.12194440e-4f);
  y = std::fma(z, -0.5f, y);
  return std::fma(exponent, 0.693359375f, x + y);
}

struct Direction {
  float cosine, sine;
};

// Of an angle of [0, 2 pi].
OW_CEPHES Direction direction(float angle) {
  constexpr float kCosine[] = {2.443315711809948e-5f, -1.388731625493765e-3f,
                               4.166664568298827e-2f};
  constexpr float kSine[] = {-1.9515295891e-4f, 8.3321608736e-3f, -1.6666654611e-1f};
  // Eighths of a turn, made even, are taken away in three steps.
  const int32_t eighths = (static_cast<int32_t>(angle * 1.27323954473516f) + 1) & ~1;
  const auto count = static_cast<float>(eighths);
  float x = std::fma(count, -0.78515625f, angle);
  x = std::fma(count, -2.4187564849853515625e-4f, x);
  x = std::fma(count, -3.77489497744594108e-8f, x);
  const float z = x * x;
  const float a = std::fma(horner(kCosine, z) * z, z, -(z * 0.5f)) + 1;
  const float b = std::fma(horner(kSine, z) * z, x, x);
  const bool straight = (eighths & 2) == 0;
  const float sine = straight ? b : a, cosine = straight ? a : b;
  return {((eighths - 2) & 4) != 0 ? cosine : -cosine, (eighths & 4) != 0 ? -sine : sine};
}

#undef OW_CEPHES

}  // namespace opweave::plans::cephes
