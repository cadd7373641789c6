// Makes and runs every implementation that oneDNN has of what our kernels ask it for, and prints a
// line each: of the whole library and of what is left of it, they are the same.
#include <cmath>
#include <cstdio>
#include <numeric>
#include <string>
#include <unordered_map>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

namespace {

using dnnl::memory;
using Dims = memory::dims;

constexpr auto kFloat = memory::data_type::f32;
constexpr auto kAny = memory::format_tag::any;

struct Convolution {
  Dims source, weights, result, strides, dilation, padding;
};

// Of one to three dimensions; with groups; of 1x1 windows; of each channel by itself; with strides
// and gaps.
std::vector<Convolution> convolutions() {
  return {
      {{2, 16, 20}, {32, 16, 3}, {2, 32, 20}, {1}, {0}, {1}},
      {{2, 3, 14, 14}, {16, 3, 3, 3}, {2, 16, 14, 14}, {1, 1}, {0, 0}, {1, 1}},
      {{2, 32, 14, 14}, {32, 32, 3, 3}, {2, 32, 14, 14}, {1, 1}, {0, 0}, {1, 1}},
      {{1, 64, 7, 7}, {64, 64, 1, 1}, {1, 64, 7, 7}, {1, 1}, {0, 0}, {0, 0}},
      {{2, 32, 9, 9}, {64, 32, 1, 1}, {2, 64, 5, 5}, {2, 2}, {0, 0}, {0, 0}},
      {{2, 24, 5, 5}, {40, 24, 1, 1}, {2, 40, 5, 5}, {1, 1}, {0, 0}, {0, 0}},
      {{2, 24, 4, 4}, {40, 24, 4, 4}, {2, 40, 1, 1}, {1, 1}, {0, 0}, {0, 0}},
      {{2, 5, 9, 8}, {7, 5, 3, 2}, {2, 7, 4, 4}, {2, 2}, {0, 0}, {0, 0}},
      {{1, 16, 15, 15}, {16, 16, 3, 3}, {1, 16, 11, 11}, {1, 1}, {1, 1}, {0, 0}},
      {{2, 32, 12, 12}, {32, 1, 1, 3, 3}, {2, 32, 12, 12}, {1, 1}, {0, 0}, {1, 1}},
      {{2, 32, 12, 12}, {4, 8, 8, 3, 3}, {2, 32, 12, 12}, {1, 1}, {0, 0}, {1, 1}},
      {{2, 6, 10, 10}, {2, 3, 3, 3, 3}, {2, 6, 8, 8}, {1, 1}, {0, 0}, {0, 0}},
      {{1, 16, 6, 6, 6}, {16, 16, 3, 3, 3}, {1, 16, 6, 6, 6}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}},
      {{1, 3, 6, 6, 6}, {4, 3, 2, 2, 2}, {1, 4, 5, 5, 5}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}},
  };
}

// Row by row, or with the channels last.
memory::desc described(const Dims& sizes, bool channels_last) {
  Dims strides(sizes.size());
  std::vector<size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), 0);
  if (channels_last) {
    order.erase(order.begin() + 1);
    order.push_back(1);
  }
  int64_t step = 1;
  for (size_t i = order.size(); i-- > 0; step *= sizes[order[i]]) strides[order[i]] = step;
  return {sizes, kFloat, strides};
}

class Probe {
 public:
  // Small whole numbers, whose products and sums are exact in every order.
  memory filled(const memory::desc& wanted, const Dims& sizes) {
    memory plain(described(sizes, false), engine_);
    auto* values = static_cast<float*>(plain.get_data_handle());
    const size_t count = plain.get_desc().get_size() / sizeof(float);
    for (size_t i = 0; i < count; ++i)
      values[i] = static_cast<float>(static_cast<int>(i * 7919 % 5) - 2);
    return moved(plain, wanted);
  }

  memory moved(memory& from, const memory::desc& wanted) {
    memory to(wanted, engine_);
    dnnl::reorder(from, to).execute(stream_, from, to);
    stream_.wait();
    return to;
  }

  // The sum of its elements, each times its place.
  double told(memory& result, const Dims& sizes) {
    memory plain = moved(result, described(sizes, false));
    const auto* values = static_cast<const float*>(plain.get_data_handle());
    const size_t count = plain.get_desc().get_size() / sizeof(float);
    double sum = 0;
    for (size_t i = 0; i < count; ++i)
      sum += static_cast<double>(values[i]) * static_cast<double>(i % 97 + 1);
    return sum;
  }

  // Every implementation, the first that suits and all after it.
  template <class Found, class Run>
  void each(const char* what, size_t number, bool last, Found&& found, Run run) {
    if (!found) return;
    do {
      const double sum = run(found);
      std::printf("%s %zu %d %s %.9g\n", what, number, last, found.impl_info_str(), sum);
    } while (found.next_impl());
  }

  void convolve(const Convolution& c, size_t number, bool last) {
    const auto of = [&](const Dims& sizes, bool free) {
      return free ? memory::desc(sizes, kFloat, kAny) : described(sizes, last);
    };
    using dnnl::algorithm;
    for (const bool free : {false, true}) {
      for (const auto method : {algorithm::convolution_direct, algorithm::convolution_auto,
                                algorithm::convolution_winograd}) {
        const auto source = of(c.source, free), result = of(c.result, free),
                   weights = memory::desc(c.weights, kFloat, kAny);
        for (const auto prop :
             {dnnl::prop_kind::forward_training, dnnl::prop_kind::forward_inference})
          forward(
              c, number, last,
              {prop, method, source, weights, result, c.strides, c.dilation, c.padding, c.padding});
        backward(c, number, last, method, source, weights, result);
      }
    }
  }

  void reorders() {
    using tag = memory::format_tag;
    const Dims sizes = {32, 32, 6, 5};
    const tag tags[] = {tag::nchw,    tag::nhwc,     tag::chwn,       tag::nChw8c,     tag::nChw16c,
                        tag::nChw4c,  tag::OIhw8i8o, tag::OIhw16i16o, tag::OIhw16o16i, tag::Ohwi8o,
                        tag::Ohwi16o, tag::hwio,     tag::OIhw4i4o};
    for (const tag from : tags) {
      memory given = filled(memory::desc(sizes, kFloat, from), sizes);
      for (const tag to : tags) {
        memory result = moved(given, memory::desc(sizes, kFloat, to));
        std::printf("reorder %d %d %.9g\n", static_cast<int>(from), static_cast<int>(to),
                    told(result, sizes));
      }
    }
  }

  void products() {
    for (const char left : {'N', 'T'}) {
      for (const char right : {'N', 'T'}) {
        for (const int64_t m : {1, 3, 17, 64, 200}) {
          for (const int64_t n : {1, 5, 48, 130}) product(left, right, m, n, 37);
        }
      }
    }
  }

 private:
  using Arguments = std::unordered_map<int, memory>;

  double ran(const dnnl::primitive& primitive, const Arguments& arguments, memory result,
             const Dims& sizes) {
    primitive.execute(stream_, arguments);
    stream_.wait();
    return told(result, sizes);
  }

  void forward(const Convolution& c, size_t number, bool last,
               const dnnl::convolution_forward::desc& wanted) {
    dnnl::convolution_forward::primitive_desc first(wanted, engine_, true);
    each("forward", number, last, first, [&](const auto& found) {
      memory result(found.dst_desc(), engine_);
      return ran(dnnl::convolution_forward(found),
                 {{DNNL_ARG_SRC, filled(found.src_desc(), c.source)},
                  {DNNL_ARG_WEIGHTS, filled(found.weights_desc(), c.weights)},
                  {DNNL_ARG_DST, result}},
                 result, c.result);
    });
  }

  void backward(const Convolution& c, size_t number, bool last, dnnl::algorithm method,
                const memory::desc& source, const memory::desc& weights,
                const memory::desc& result) {
    // What is asked for has to live as long as next_impl() is called.
    const dnnl::convolution_forward::desc of_hint(dnnl::prop_kind::forward_training, method, source,
                                                  weights, result, c.strides, c.dilation, c.padding,
                                                  c.padding);
    const dnnl::convolution_forward::primitive_desc hint(of_hint, engine_, true);
    if (!hint) return;
    using OfData = dnnl::convolution_backward_data;
    const OfData::desc wanted_of_data(method, source, weights, result, c.strides, c.dilation,
                                      c.padding, c.padding);
    OfData::primitive_desc of_data(wanted_of_data, engine_, hint, true);
    each("of data", number, last, of_data, [&](const auto& found) {
      memory to(found.diff_src_desc(), engine_);
      return ran(dnnl::convolution_backward_data(found),
                 {{DNNL_ARG_DIFF_DST, filled(found.diff_dst_desc(), c.result)},
                  {DNNL_ARG_WEIGHTS, filled(found.weights_desc(), c.weights)},
                  {DNNL_ARG_DIFF_SRC, to}},
                 to, c.source);
    });
    using OfWeights = dnnl::convolution_backward_weights;
    const OfWeights::desc wanted_of_weights(method, source, weights, result, c.strides, c.dilation,
                                            c.padding, c.padding);
    OfWeights::primitive_desc of_weights(wanted_of_weights, engine_, hint, true);
    each("of weights", number, last, of_weights, [&](const auto& found) {
      memory to(found.diff_weights_desc(), engine_);
      return ran(dnnl::convolution_backward_weights(found),
                 {{DNNL_ARG_SRC, filled(found.src_desc(), c.source)},
                  {DNNL_ARG_DIFF_DST, filled(found.diff_dst_desc(), c.result)},
                  {DNNL_ARG_DIFF_WEIGHTS, to}},
                 to, c.weights);
    });
  }

  void product(char left, char right, int64_t m, int64_t n, int64_t k) {
    const Dims a = {m, k}, b = {k, n};
    memory x = filled(described(a, false), a), y = filled(described(b, false), b);
    std::vector<float> out(static_cast<size_t>(m * n));
    dnnl_sgemm(left, right, m, n, k, 1.0F, static_cast<float*>(x.get_data_handle()),
               left == 'N' ? k : m, static_cast<float*>(y.get_data_handle()), right == 'N' ? n : k,
               0.0F, out.data(), n);
    double sum = 0;
    for (size_t i = 0; i < out.size(); ++i)
      sum += static_cast<double>(out[i]) * static_cast<double>(i % 89 + 1);
    std::printf("sgemm %c%c %ld %ld %.9g\n", left, right, static_cast<long>(m),
                static_cast<long>(n), sum);
  }

  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
};

}  // namespace

int main() {
  Probe probe;
  const std::vector<Convolution> all = convolutions();
  for (size_t i = 0; i < all.size(); ++i) {
    for (const bool last : {false, true}) probe.convolve(all[i], i, last);
  }
  probe.reorders();
  probe.products();
}
