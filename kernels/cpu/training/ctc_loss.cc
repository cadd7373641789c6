// ctc_loss: how likely scores spell a text, whatever the alignment, by the sums over its beginnings
// (alpha) and its ends (beta). Source: A. Graves et al., "Connectionist Temporal Classification",
// 2006, equations 6 to 16, in logarithms.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/cpu/copying/copy.h"
#include "opweave/kernels/cpu/_ctc_loss.h"
#include "opweave/kernels/cpu/_ctc_loss_backward.h"
#include "runtime/core/threads/parallel.h"

namespace opweave::cpu {
namespace {

template <class T>
constexpr T kNothing = -std::numeric_limits<T>::infinity();  // the logarithm of 0

// log(exp(a) + exp(b)).
template <class T>
T log_sum(T a, T b) {
  if (a < b) std::swap(a, b);
  return b == kNothing<T> || std::isinf(a) ? a : a + std::log1p(std::exp(b - a));
}
template <class T>
T log_sum(T a, T b, T c) {
  const T top = std::max({a, b, c});
  if (std::isinf(top)) return top;
  return top + std::log(std::exp(a - top) + std::exp(b - top) + std::exp(c - top));
}

// A text with a blank around each of its labels: `2 * length + 1` places.
class Text {
 public:
  Text(const int64_t* labels, int64_t length, int64_t blank)
      : labels_(labels), places_(2 * length + 1), blank_(blank) {}
  int64_t places() const { return places_; }
  int64_t label(int64_t place) const { return place % 2 == 0 ? blank_ : labels_[place / 2]; }
  // Whether the blank in front of a place may be left out.
  bool may_skip(int64_t place) const {
    return place % 2 == 1 && place >= 3 && label(place) != label(place - 2);
  }

 private:
  const int64_t* labels_;
  int64_t places_, blank_;
};

// What a call is of. The lengths and labels are checked here: nothing but the elements knows them.
class Batch {
 public:
  Batch(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
        const Tensor& target_lengths, int64_t blank, int64_t width)
      : targets_(targets, kLong),
        input_(input_lengths, kLong),
        target_(target_lengths, kLong),
        times_(log_probs.size(0)),
        examples_(log_probs.size(1)),
        classes_(log_probs.size(2)),
        width_(width),
        blank_(blank) {
    find_texts();
    for (int64_t n = 0; n < examples_; ++n) check(n);
  }

  int64_t examples() const { return examples_; }
  int64_t classes() const { return classes_; }
  int64_t width() const { return width_; }  // of a row of alpha
  int64_t steps(int64_t n) const { return lengths(input_)[n]; }
  int64_t times() const { return times_; }
  Text text(int64_t n) const {
    return {labels() + begins_[static_cast<size_t>(n)], lengths(target_)[n], blank_};
  }
  // Where the scores of a time begin.
  int64_t scores(int64_t n, int64_t t) const { return (t * examples_ + n) * classes_; }
  int64_t row(int64_t n, int64_t t) const { return (n * times_ + t) * width_; }

 private:
  static const int64_t* lengths(const Tensor& t) {
    return static_cast<const int64_t*>(t.raw_data());
  }
  const int64_t* labels() const { return lengths(targets_); }

  // Where the labels of each text begin: in rows, or one text behind the other.
  void find_texts() {
    const Tensor& targets = targets_;
    int64_t end = 0;
    for (int64_t n = 0; n < examples_; ++n) {
      const int64_t length = lengths(target_)[n];
      OW_CHECK(length >= 0, "Expected target_lengths to have value at least 0, but got value ",
               length, " (while checking arguments for batch ", n, ")");
      begins_.push_back(targets.dim() == 2 ? n * targets.size(1) : end);
      end += length;
      OW_CHECK(targets.dim() == 1 || length <= targets.size(1),
               "Expected tensor to have size at least ", length, " at dimension 1, but got size ",
               targets.size(1), " for argument 'targets' (while checking arguments for batch ", n,
               ")");
    }
    OW_CHECK(targets.dim() == 2 || end == targets.numel(), "Expected targets to be of size ", end,
             ", the sum of target_lengths, but got ", targets.numel());
  }

  void check(int64_t n) const {
    OW_CHECK(steps(n) >= 0 && steps(n) <= times_, "Expected input_lengths to have value at most ",
             times_, ", but got value ", steps(n), " (while checking arguments for batch ", n, ")");
    const Text own = text(n);
    for (int64_t place = 1; place < own.places(); place += 2)
      OW_CHECK(own.label(place) >= 0 && own.label(place) < classes_,
               "ctc_loss: expected classes from 0 to ", classes_ - 1,
               " in targets within target_lengths, but got ", own.label(place));
    OW_CHECK(own.places() <= width_, "_ctc_loss(): expected ", width_,
             " places to be enough for a text of ", own.places());
  }

  Dense targets_, input_, target_;
  int64_t times_, examples_, classes_, width_, blank_;
  std::vector<int64_t> begins_;
};

// The sums over all beginnings that end at each place, of one example; alpha's rows are its times.
template <class T>
T fill_alpha(const Batch& batch, int64_t n, const T* scores, T* alpha) {
  const Text text = batch.text(n);
  const int64_t places = text.places(), steps = batch.steps(n);
  if (steps == 0) return places == 1 ? T(0) : kNothing<T>;
  for (int64_t s = 0; s < std::min<int64_t>(places, 2); ++s)
    alpha[batch.row(n, 0) + s] = scores[batch.scores(n, 0) + text.label(s)];
  for (int64_t t = 1; t < steps; ++t) {
    const T *before = alpha + batch.row(n, t - 1), *emitted = scores + batch.scores(n, t);
    T* now = alpha + batch.row(n, t);
    for (int64_t s = 0; s < places; ++s) {
      const T stays = before[s], comes = s > 0 ? before[s - 1] : kNothing<T>;
      const T ways =
          text.may_skip(s) ? log_sum(stays, comes, before[s - 2]) : log_sum(stays, comes);
      now[s] = ways + emitted[text.label(s)];
    }
  }
  const T* last = alpha + batch.row(n, steps - 1);
  return places == 1 ? last[0] : log_sum(last[places - 1], last[places - 2]);
}

// The sums over all ends that begin at each place, from one time to the one before it; both with
// what they emit.
template <class T>
void step_back(const Text& text, const T* emitted, const T* after, T* now) {
  const int64_t places = text.places();
  for (int64_t s = 0; s < places; ++s) {
    const T stays = after[s], goes = s + 1 < places ? after[s + 1] : kNothing<T>;
    const T ways = s + 2 < places && text.may_skip(s + 2) ? log_sum(stays, goes, after[s + 2])
                                                          : log_sum(stays, goes);
    now[s] = ways + emitted[text.label(s)];
  }
}

template <class T>
std::vector<T> last_ends(const Text& text, const T* emitted) {
  const int64_t places = text.places();
  std::vector<T> beta(static_cast<size_t>(places), kNothing<T>);
  for (int64_t s = std::max<int64_t>(places - 2, 0); s < places; ++s)
    beta[static_cast<size_t>(s)] = emitted[text.label(s)];
  return beta;
}

// That of the scores before log_softmax: each score's probability, less the share of the alignments
// that emit its label at that time.
template <class T>
void fill_gradient(const Batch& batch, int64_t n, const T* scores, const T* alpha, T loss,
                   T upstream, T* grad) {
  const Text text = batch.text(n);
  const int64_t steps = batch.steps(n);
  // Nothing is a share of what is impossible.
  const bool impossible = loss == -kNothing<T>;
  std::vector<T> beta, after;
  for (int64_t t = steps - 1; t >= 0; --t) {
    const T* emitted = scores + batch.scores(n, t);
    if (t == steps - 1) {
      beta = last_ends(text, emitted);
    } else {
      beta.swap(after);
      beta.resize(after.size());
      step_back(text, emitted, after.data(), beta.data());
    }
    const T* begun = alpha + batch.row(n, t);
    T* out = grad + batch.scores(n, t);
    for (int64_t c = 0; c < batch.classes(); ++c)
      out[c] = impossible ? std::numeric_limits<T>::quiet_NaN() : std::exp(emitted[c]);
    for (int64_t s = 0; s < text.places(); ++s) {
      const int64_t label = text.label(s);
      const T both = begun[s] + beta[static_cast<size_t>(s)];
      if (both != kNothing<T>) out[label] -= std::exp(both + loss - emitted[label]);
    }
    for (int64_t c = 0; c < batch.classes(); ++c) out[c] *= upstream;
  }
}

template <class T>
const T* elements(const Tensor& t) {
  return static_cast<const T*>(t.raw_data());
}

}  // namespace

void _ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
               const Tensor& target_lengths, int64_t blank, int64_t longest, bool, Tensor& loss,
               Tensor& log_alpha) {
  const Dense scores(log_probs);
  const Batch batch(log_probs, targets, input_lengths, target_lengths, blank, 2 * longest + 1);
  visit_float_double("ctc_loss_cpu", log_probs.dtype(), [&]<class T>(TypeTag<T>) {
    T *alpha = static_cast<T*>(log_alpha.raw_data()), *out = static_cast<T*>(loss.raw_data());
    std::fill_n(alpha, log_alpha.numel(), kNothing<T>);
    parallel_for(0, batch.examples(), 1, [&](int64_t from, int64_t to) {
      for (int64_t n = from; n < to; ++n)
        out[n] = -fill_alpha(batch, n, elements<T>(scores), alpha);
    });
  });
}

void _ctc_loss_backward(const Tensor& grad_output, const Tensor& log_probs, const Tensor& targets,
                        const Tensor& input_lengths, const Tensor& target_lengths,
                        const Tensor& loss, const Tensor& log_alpha, int64_t blank,
                        bool zero_infinity, Tensor& grad) {
  const Dense scores(log_probs), upstream(grad_output), losses(loss), alpha(log_alpha);
  const Batch batch(log_probs, targets, input_lengths, target_lengths, blank, log_alpha.size(2));
  visit_float_double("ctc_loss_backward_cpu", log_probs.dtype(), [&]<class T>(TypeTag<T>) {
    T* out = static_cast<T*>(grad.raw_data());
    std::fill_n(out, grad.numel(), T(0));
    parallel_for(0, batch.examples(), 1, [&](int64_t from, int64_t to) {
      for (int64_t n = from; n < to; ++n) {
        const T own = elements<T>(losses)[n];
        if (zero_infinity && own == -kNothing<T>) continue;
        fill_gradient(batch, n, elements<T>(scores), elements<T>(alpha), own,
                      elements<T>(upstream)[n], out);
      }
    });
  });
}

}  // namespace opweave::cpu
