// Formulas that fold as the generator prints them, by hand: what block programs are tested with.
#pragma once

#include "kernels/blocks/kernels.h"

namespace opweave::blocks {

struct softmax_fold {
  template <class R>
  static OW_FOLD void run(R& r) {
    const auto d = r.tag();
    r.template fold<0, 1, fold::Max>([&](auto e)
                                         OW_FOLD_LAMBDA { return e.terms(e.template in<0>()); });
    r.template value<1>([&](auto e) OW_FOLD_LAMBDA {
      return m::select(m::isinf(e.template state<0>()), m::lit(d, 0.0), e.template state<0>());
    });
    r.template fold<2, 1, fold::Sum>([&](auto e) OW_FOLD_LAMBDA {
      return e.terms(m::exp(m::sub(e.template in<0>(), e.template state<1>())));
    });
    r.map([&](auto e) OW_FOLD_LAMBDA {
      const auto power = m::exp(m::sub(e.template in<0>(), e.template state<1>()));
      e.template put<0>(m::div(power, e.template state<2>()));
    });
  }
};

struct logsumexp_fold {
  template <class R>
  static OW_FOLD void run(R& r) {
    const auto d = r.tag();
    r.template fold<0, 1, fold::Max>([&](auto e)
                                         OW_FOLD_LAMBDA { return e.terms(e.template in<0>()); });
    r.template value<1>([&](auto e) OW_FOLD_LAMBDA {
      return m::select(m::isinf(e.template state<0>()), m::lit(d, 0.0), e.template state<0>());
    });
    r.template fold<2, 1, fold::Sum>([&](auto e) OW_FOLD_LAMBDA {
      return e.terms(m::exp(m::sub(e.template in<0>(), e.template state<1>())));
    });
    r.template result<0>([&](auto e) OW_FOLD_LAMBDA {
      return m::add(m::log(e.template state<2>()), e.template state<1>());
    });
  }
};

// Inputs: self, weight. Results: the normalized elements, and 1 / the root of each row.
struct rms_norm_fold {
  template <class R>
  static OW_FOLD void run(R& r) {
    const auto eps = r.template param<0>();
    const auto n = r.size();
    r.template fold<0, 1, fold::Sum>(
        [&](auto e) OW_FOLD_LAMBDA { return e.terms(m::square(e.template in<0>())); });
    r.template value<1>([&](auto e) OW_FOLD_LAMBDA {
      return m::rsqrt(m::add(m::div(e.template state<0>(), n), eps));
    });
    r.map([&](auto e) OW_FOLD_LAMBDA {
      const auto normal = m::mul(e.template in<0>(), e.template state<1>());
      e.template put<0>(m::mul(normal, e.template in<1>()));
    });
    r.template result<1>([&](auto e) OW_FOLD_LAMBDA { return e.template state<1>(); });
  }
};

// Inputs: grad, self, weight. Row inputs: 1 / the root. Results: the gradients of self and of
// weight.
struct rms_norm_backward_fold {
  template <class R>
  static OW_FOLD void run(R& r) {
    const auto n = r.size();
    r.template fold<0, 1, fold::Sum>([&](auto e) OW_FOLD_LAMBDA {
      return e.terms(m::mul(m::mul(e.template in<0>(), e.template in<2>()), e.template in<1>()));
    });
    r.template value<1>([&](auto e) OW_FOLD_LAMBDA {
      const auto root = e.template row<0>();
      return m::div(m::mul(e.template state<0>(), m::mul(root, m::square(root))), n);
    });
    r.map([&](auto e) OW_FOLD_LAMBDA {
      const auto root = e.template row<0>();
      const auto scaled = m::mul(m::mul(e.template in<0>(), e.template in<2>()), root);
      e.template put<0>(m::sub(scaled, m::mul(e.template in<1>(), e.template state<1>())));
      e.template add<1>(m::mul(m::mul(e.template in<0>(), e.template in<1>()), root));
    });
  }
};

// Param: the correction. Results: the variance and the mean.
struct var_mean_fold {
  template <class R>
  static OW_FOLD void run(R& r) {
    const auto correction = r.template param<0>();
    const auto n = r.size();
    r.template fold<0, 1, fold::Sum>([&](auto e)
                                         OW_FOLD_LAMBDA { return e.terms(e.template in<0>()); });
    r.template value<1>([&](auto e) OW_FOLD_LAMBDA { return m::div(e.template state<0>(), n); });
    r.template fold<2, 1, fold::Sum>([&](auto e) OW_FOLD_LAMBDA {
      return e.terms(m::square(m::sub(e.template in<0>(), e.template state<1>())));
    });
    r.template result<0>([&](auto e) OW_FOLD_LAMBDA {
      return m::div(e.template state<2>(), m::sub(n, correction));
    });
    r.template result<1>([&](auto e) OW_FOLD_LAMBDA { return e.template state<1>(); });
  }
};

// Inputs: grad, output.
struct softmax_backward_fold {
  template <class R>
  static OW_FOLD void run(R& r) {
    r.template fold<0, 1, fold::Sum>([&](auto e) OW_FOLD_LAMBDA {
      return e.terms(m::mul(e.template in<0>(), e.template in<1>()));
    });
    r.map([&](auto e) OW_FOLD_LAMBDA {
      const auto centred = m::sub(e.template in<0>(), e.template state<0>());
      e.template put<0>(m::mul(e.template in<1>(), centred));
    });
  }
};

// Four folds in one walk. Row inputs: a bound. Results: the least, the greatest and the sum of each
// row, and the product of the signs that its elements have beside the bound.
struct extremes_fold {
  template <class R>
  static OW_FOLD void run(R& r) {
    r.template fold<0, 1, fold::Min, fold::Max, fold::Sum, fold::Product>(
        [&](auto e) OW_FOLD_LAMBDA {
          const auto self = e.template in<0>();
          return e.terms(self, self, self, m::sign(m::sub(self, e.template row<0>())));
        });
    r.template result<0>([&](auto e) OW_FOLD_LAMBDA { return e.template state<0>(); });
    r.template result<1>([&](auto e) OW_FOLD_LAMBDA { return e.template state<1>(); });
    r.template result<2>([&](auto e) OW_FOLD_LAMBDA { return e.template state<2>(); });
    r.template result<3>([&](auto e) OW_FOLD_LAMBDA { return e.template state<3>(); });
  }
};

// Without folds: functions that devices may not have. Row inputs: an order.
struct special_fold {
  template <class R>
  static OW_FOLD void run(R& r) {
    r.map([&](auto e) OW_FOLD_LAMBDA {
      const auto self = e.template in<0>();
      e.template put<0>(m::digamma(self));
      e.template put<1>(m::trigamma(self));
      e.template put<2>(m::polygamma(e.template row<0>(), self));
      e.template put<3>(m::i0(self));
      e.template put<4>(m::i1e(self));
      e.template put<5>(m::erf(m::erfinv(m::div(self, r.size()))));
    });
  }
};

}  // namespace opweave::blocks
