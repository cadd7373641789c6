// Approximations by polynomials of functions that SLEEF does not have.
#if defined(OPWEAVE_KERNELS_CPU_POINTWISE_APPROXIMATIONS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef OPWEAVE_KERNELS_CPU_POINTWISE_APPROXIMATIONS_INL_H_
#undef OPWEAVE_KERNELS_CPU_POINTWISE_APPROXIMATIONS_INL_H_
#else
#define OPWEAVE_KERNELS_CPU_POINTWISE_APPROXIMATIONS_INL_H_
#endif

#include <cstddef>

#include "kernels/cpu/pointwise/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace opweave {
namespace cpu {
namespace HWY_NAMESPACE {
namespace approximation {

// c[0] x^(n - 1) + ... + c[n - 1].
template <class V, class T, size_t n>
OW_POINTWISE V polynomial(V x, const T (&c)[n]) {
  const hn::DFromV<V> d;
  V sum = hn::Set(d, c[0]);
  for (size_t i = 1; i < n; ++i) sum = hn::MulAdd(sum, x, hn::Set(d, c[i]));
  return sum;
}

// erfinv(x) / x from w = -log(1 - x^2): a polynomial in w below kEnd, and beyond it one in the root
// of w, of float64 another one from w = 16 on. M. Giles, Approximating the erfinv function, GPU
// Computing Gems 2, 2011.
template <class T>
struct ErfInverse;

template <>
struct ErfInverse<float> {
  static constexpr float kEnd = 5.0f;
  template <class V>
  static OW_POINTWISE V near(V w) {
    static constexpr float c[] = {2.81022636e-08f,  3.43273939e-07f, -3.5233877e-06f,
                                  -4.39150654e-06f, 0.00021858087f,  -0.00125372503f,
                                  -0.00417768164f,  0.246640727f,    1.50140941f};
    return polynomial(hn::Sub(w, hn::Set(hn::DFromV<V>(), 2.5f)), c);
  }
  template <class V>
  static OW_POINTWISE V far(V w) {
    static constexpr float c[] = {-0.000200214257f, 0.000100950558f, 0.00134934322f,
                                  -0.00367342844f,  0.00573950773f,  -0.0076224613f,
                                  0.00943887047f,   1.00167406f,     2.83297682f};
    return polynomial(hn::Sub(hn::Sqrt(w), hn::Set(hn::DFromV<V>(), 3.0f)), c);
  }
};

template <>
struct ErfInverse<double> {
  static constexpr double kEnd = 6.25;
  template <class V>
  static OW_POINTWISE V near(V w) {
    static constexpr double c[] = {
        -3.6444120640178196996e-21, -1.685059138182016589e-19,  1.2858480715256400167e-18,
        1.115787767802518096e-17,   -1.333171662854620906e-16,  2.0972767875968561637e-17,
        6.6376381343583238325e-15,  -4.0545662729752068639e-14, -8.1519341976054721522e-14,
        2.6335093153082322977e-12,  -1.2975133253453532498e-11, -5.4154120542946279317e-11,
        1.051212273321532285e-09,   -4.1126339803469836976e-09, -2.9070369957882005086e-08,
        4.2347877827932403518e-07,  -1.3654692000834678645e-06, -1.3882523362786468719e-05,
        0.0001867342080340571352,   -0.00074070253416626697512, -0.0060336708714301490533,
        0.24015818242558961693,     1.6536545626831027356};
    return polynomial(hn::Sub(w, hn::Set(hn::DFromV<V>(), 3.125)), c);
  }
  template <class V>
  static OW_POINTWISE V far(V w) {
    static constexpr double c[] = {
        2.2137376921775787049e-09, 9.0756561938885390979e-08, -2.7517406297064545428e-07,
        1.8239629214389227755e-08, 1.5027403968909827627e-06, -4.013867526981545969e-06,
        2.9234449089955446044e-06, 1.2475304481671778723e-05, -4.7318229009055733981e-05,
        6.8284851459573175448e-05, 2.4031110387097893999e-05, -0.0003550375203628474796,
        0.00095328937973738049703, -0.0016882755560235047313, 0.0024914420961078508066,
        -0.0037512085075692412107, 0.005370914553590063617,   1.0052589676941592334,
        3.0838856104922207635};
    static constexpr double last[] = {
        -2.7109920616438573243e-11, -2.5556418169965252055e-10, 1.5076572693500548083e-09,
        -3.7894654401267369937e-09, 7.6157012080783393804e-09,  -1.4960026627149240478e-08,
        2.9147953450901080826e-08,  -6.7711997758452339498e-08, 2.2900482228026654717e-07,
        -9.9298272942317002539e-07, 4.5260625972231537039e-06,  -1.9681778105531670567e-05,
        7.5995277030017761139e-05,  -0.00021503011930044477347, -0.00013871931833623122026,
        1.0103004648645343977,      4.8499064014085844221};
    const hn::DFromV<V> d;
    const V root = hn::Sqrt(w);
    return hn::IfThenElse(hn::Lt(w, hn::Set(d, 16.0)),
                          polynomial(hn::Sub(root, hn::Set(d, 3.25)), c),
                          polynomial(hn::Sub(root, hn::Set(d, 5.0)), last));
  }
};

// `log` is the logarithm of vectors. Infinity at 1, NaN beyond.
template <class V, class Log>
OW_POINTWISE V erfinv(V x, Log log) {
  using T = hn::TFromV<V>;
  const hn::DFromV<V> d;
  const V one = hn::Set(d, T(1));
  const V w = hn::Neg(log(hn::Mul(hn::Sub(one, x), hn::Add(one, x))));
  const V limit = hn::Set(d, ErfInverse<T>::kEnd);
  V quotient = ErfInverse<T>::near(w);
  if (!hn::AllTrue(d, hn::Lt(w, limit))) [[unlikely]]
    quotient = hn::IfThenElse(hn::Lt(w, limit), quotient, ErfInverse<T>::far(w));
  return hn::IfThenElse(hn::Eq(hn::Abs(x), one), hn::CopySign(hn::Inf(d), x), hn::Mul(x, quotient));
}

// exp(-|x|) I1(x): (|x| + 4)^(3/2) times it over x is a polynomial in 8 / (|x| + 4) - 1, the sum of
// its first Chebyshev polynomials.
template <class V>
OW_POINTWISE V scaled_bessel1(V x) {
  static constexpr float c[] = {-0.00457383688f, 0.00083605197f, 0.0251579586f, -0.00721961392f,
                                -0.0622176951f,  0.0272784855f,  0.0943765968f, -0.0637777181f,
                                -0.107315106f,   0.111853794f,   0.126856243f,  -0.166764269f,
                                -0.248363663f,   0.145719747f,   0.727187525f,  1.14037719f,
                                1.24942083f,     1.01116746f};
  const hn::DFromV<V> d;
  const V size = hn::Abs(x), one = hn::Set(d, 1.0f);
  const V inverse = hn::Div(one, hn::Add(size, hn::Set(d, 4.0f)));
  const V smooth = polynomial(hn::MulSub(inverse, hn::Set(d, 8.0f), one), c);
  const V root = hn::Mul(smooth, hn::Sqrt(inverse));
  // Where |x| + 4 is |x|, also where that is infinite.
  const auto far = hn::Gt(size, hn::Set(d, 1e9f));
  return hn::IfThenElse(far, hn::CopySign(root, x), hn::Mul(x, hn::Mul(root, inverse)));
}

}  // namespace approximation
}  // namespace HWY_NAMESPACE
}  // namespace cpu
}  // namespace opweave
HWY_AFTER_NAMESPACE();

#endif
