// Plain loops over memory and direct calls of oneDNN, timed from Python through ctypes.
#include <emmintrin.h>

#include <dnnl.hpp>
#include <memory>
#include <vector>

#include "benchmarks/cpp/serve.h"

namespace {

// Keeps the compiler from dropping or merging the loops of successive runs.
void finish(const float* out) { asm volatile("" : : "r"(out) : "memory"); }

struct Matrices {
  explicit Matrices(int64_t n) : a(n * n, 1.0f), b(n * n, 1.0f), c(n * n) {}
  std::vector<float> a, b, c;
};

// The matmul primitive on plain row-major matrices, set up once.
class Matmul {
 public:
  Matmul(int64_t n, Matrices& m)
      : engine_(dnnl::engine::kind::cpu, 0),
        stream_(engine_),
        desc_({n, n}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::ab),
        a_(desc_, engine_, m.a.data()),
        b_(desc_, engine_, m.b.data()),
        c_(desc_, engine_, m.c.data()),
        matmul_({{desc_, desc_, desc_}, engine_}) {}

  void run() {
    matmul_.execute(stream_, {{DNNL_ARG_SRC, a_}, {DNNL_ARG_WEIGHTS, b_}, {DNNL_ARG_DST, c_}});
    stream_.wait();
  }

 private:
  dnnl::engine engine_;
  dnnl::stream stream_;
  dnnl::memory::desc desc_;
  dnnl::memory a_, b_, c_;
  dnnl::matmul matmul_;
};

}  // namespace

extern "C" {

double baseline_triad(const float* a, const float* b, float* c, int64_t n, int64_t runs) {
  return seconds_of(runs, [=] {
    for (int64_t i = 0; i < n; ++i) c[i] = a[i] + 2.0f * b[i];
    finish(c);
  });
}

// The same with stores that pass the cache by. The arrays are 16-byte aligned, n is a multiple
// of 4.
double baseline_triad_streaming(const float* a, const float* b, float* c, int64_t n, int64_t runs) {
  const __m128 two = _mm_set1_ps(2.0f);
  return seconds_of(runs, [=] {
    for (int64_t i = 0; i < n; i += 4) {
      _mm_stream_ps(c + i, _mm_add_ps(_mm_load_ps(a + i), _mm_mul_ps(two, _mm_load_ps(b + i))));
    }
    _mm_sfence();
    finish(c);
  });
}

// A loop, not memcpy, which would use streaming stores.
double baseline_copy(const float* a, const float*, float* c, int64_t n, int64_t runs) {
  return seconds_of(runs, [=] {
    for (int64_t i = 0; i < n; i += 4) _mm_store_ps(c + i, _mm_load_ps(a + i));
    finish(c);
  });
}

double baseline_sgemm(int64_t n, int64_t runs) {
  Matrices m(n);
  return seconds_of(runs, [&] {
    dnnl_sgemm('N', 'N', n, n, n, 1, m.a.data(), n, m.b.data(), n, 0, m.c.data(), n);
  });
}

double baseline_matmul(int64_t n, int64_t runs) {
  Matrices m(n);
  Matmul matmul(n, m);
  return seconds_of(runs, [&] { matmul.run(); });
}

}  // extern "C"
