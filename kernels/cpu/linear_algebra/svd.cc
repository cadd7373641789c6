// linalg_svd, linalg_svdvals: LAPACK's divide and conquer for each matrix of a batch.
#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <string>
#include <vector>

#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/cpu/linear_algebra/gemm.h"
#include "kernels/cpu/linear_algebra/lapack.h"
#include "kernels/plans/odometer.h"
#include "opweave/kernels/cpu/linalg_svd.h"
#include "opweave/kernels/cpu/linalg_svdvals.h"
#include "runtime/core/threads/parallel.h"

namespace opweave::cpu {
namespace {

using lapack::Int;

// What LAPACK says of an argument that it does not take; of NaN it does not always say it.
constexpr Int kNotFinite = -4;

Int to_int(int64_t n) {
  OW_CHECK(n <= std::numeric_limits<Int>::max(), "linalg.svd: a matrix with ", n,
           " rows or columns is too large for LAPACK");
  return static_cast<Int>(n);
}

// Matrices of one size, one after the other, with the room that LAPACK needs for them.
template <class T>
class Decomposition {
 public:
  Decomposition(int64_t rows, int64_t columns, char job)
      : m_(to_int(rows)), n_(to_int(columns)), k_(std::min(m_, n_)), job_(job) {
    matrix_.resize(static_cast<size_t>(rows * columns));
    integers_.resize(static_cast<size_t>(k_) * 8);
    T best = 0;
    call(nullptr, nullptr, nullptr, &best, -1);
    // A float may be smaller than the number that it stands for.
    const double room = std::ceil(static_cast<double>(best) * (1 + 1e-6));
    work_.resize(static_cast<size_t>(to_int(static_cast<int64_t>(room))));
  }

  // The results are matrices in columns. LAPACK's info: 0 where all went well.
  Int run(const Matrix& a, T* u, T* s, T* vh) {
    if (!load(a)) return kNotFinite;
    return call(u, s, vh, work_.data(), static_cast<Int>(work_.size()));
  }

 private:
  // The matrix in columns; false where an element is not finite.
  bool load(const Matrix& a) {
    const T* from = reinterpret_cast<const T*>(a.data);
    T* to = matrix_.data();
    bool finite = true;
    for (int64_t j = 0; j < a.columns; ++j) {
      for (int64_t i = 0; i < a.rows; ++i) {
        *to = from[i * a.row_stride + j * a.column_stride];
        finite &= std::isfinite(*to++);
      }
    }
    return finite;
  }

  Int call(T* u, T* s, T* vh, T* work, Int room) {
    const Int rows_of_vh = job_ == 'A' ? n_ : k_;
    Int info = 0;
    const auto turn = lapack::turn();
    routine_(&job_, &m_, &n_, matrix_.data(), &m_, s, u, &m_, vh, &rows_of_vh, work, &room,
             integers_.data(), &info, 1);
    return info;
  }

  lapack::Gesdd<T> routine_ = lapack::gesdd<T>();
  Int m_, n_, k_;
  char job_;
  std::vector<T> matrix_, work_;
  std::vector<Int> integers_;
};

// Where each matrix of a batch lies.
class Batch {
 public:
  explicit Batch(const Tensor& t) : first_(matrix_of(t)), item_(t.element_size()) {
    for (int64_t d = t.dim() - 3; d >= 0; --d) {
      sizes_.push_back(t.sizes()[static_cast<size_t>(d)]);
      strides_.push_back(t.strides()[static_cast<size_t>(d)]);
    }
  }
  Matrix at(int64_t index) const {
    plans::Odometer place(sizes_, strides_, 0);
    place.seek(index);
    Matrix matrix = first_;
    matrix.data += place.offset() * static_cast<int64_t>(item_);
    return matrix;
  }

 private:
  Matrix first_;
  size_t item_;
  DimVector sizes_, strides_;
};

// The matrix that failed first, and why. Threads tell it what they meet.
class Failure {
 public:
  void note(int64_t index, Int info) {
    const std::lock_guard lock(mutex_);
    if (index < index_) index_ = index, info_ = info;
  }
  void check(bool batched) const {
    if (info_ == 0) return;
    const std::string which =
        batched ? "(Batch element " + std::to_string(index_) + "): " : std::string();
    OW_CHECK(
        info_ != kNotFinite, "linalg.svd: ", which,
        "The algorithm failed to converge because the input matrix contained non-finite values.");
    OW_CHECK(
        info_ < 0, "linalg.svd: ", which,
        "The algorithm failed to converge because the input matrix is ill-conditioned or has too "
        "many repeated singular values (error code: ",
        info_, ").");
    OW_THROW(ErrorKind::kRuntime, "linalg.svd: ", which, "LAPACK refused argument ", -info_);
  }

 private:
  std::mutex mutex_;
  int64_t index_ = std::numeric_limits<int64_t>::max();
  Int info_ = 0;
};

// Where the results begin, and how many elements of each belong to a matrix.
template <class T>
struct Part {
  T* data = nullptr;
  int64_t step = 0;

  Part() = default;
  Part(const Tensor& t, int64_t count)
      : data(static_cast<T*>(t.raw_data())), step(t.numel() / count) {}
  T* at(int64_t index) const { return data == nullptr ? nullptr : data + index * step; }
};

template <class T>
void decompose(const Tensor& a, char job, const Part<T>& u, const Part<T>& s, const Part<T>& vh) {
  const int64_t m = a.size(-2), n = a.size(-1), count = a.numel() / (m * n);
  const Batch batch(a);
  Failure failure;
  const auto run = [&](int64_t from, int64_t to) {
    Decomposition<T> decomposition(m, n, job);
    for (int64_t i = from; i < to; ++i) {
      const Int info = decomposition.run(batch.at(i), u.at(i), s.at(i), vh.at(i));
      if (info != 0) return failure.note(i, info);
    }
  };
  // About the operations of one matrix; the library itself runs on one thread.
  const double work =
      10.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(std::min(m, n));
  parallel_for(0, count, static_cast<int64_t>(std::max(kGrainSize / work, 1.0)), run);
  failure.check(a.dim() > 2);
}

// Without elements there are no singular values, and any orthonormal vectors do.
template <class T>
void fill_with_identities(Tensor& t) {
  const int64_t rows = t.size(-2), columns = t.size(-1);
  T* to = static_cast<T*>(t.raw_data());
  std::fill_n(to, t.numel(), T(0));
  if (t.numel() == 0) return;
  for (T* end = to + t.numel(); to < end; to += rows * columns) {
    for (int64_t i = 0; i < std::min(rows, columns); ++i) to[i * (rows + 1)] = 1;
  }
}

}  // namespace

void linalg_svd(const Tensor& A, bool full_matrices, std::optional<std::string_view> /*driver*/,
                Tensor& U, Tensor& S, Tensor& Vh) {
  visit_float_double("linalg_svd_cpu", A.dtype(), [&]<class T>(TypeTag<T>) {
    if (A.numel() == 0) {
      fill_with_identities<T>(U);
      fill_with_identities<T>(Vh);
      return;
    }
    const int64_t count = A.numel() / (A.size(-2) * A.size(-1));
    decompose<T>(A, full_matrices ? 'A' : 'S', {U, count}, {S, count}, {Vh, count});
  });
}

void linalg_svdvals(const Tensor& A, std::optional<std::string_view> /*driver*/, Tensor& out) {
  if (A.numel() == 0) return;
  visit_float_double("linalg_svd_cpu", A.dtype(), [&]<class T>(TypeTag<T>) {
    const int64_t count = A.numel() / (A.size(-2) * A.size(-1));
    decompose<T>(A, 'N', {}, {out, count}, {});
  });
}

}  // namespace opweave::cpu
