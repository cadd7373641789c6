// Tensors, numbers and errors as C++ of a library sees them.
#ifndef OPWEAVE_STABLE_TENSOR_H_
#define OPWEAVE_STABLE_TENSOR_H_

#include <cstring>
#include <exception>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "opweave/stable/abi.h"

// Each library has its own: those of others may be compiled with headers of another release, and
// even those that are loaded apart share what is inline and seen from outside.
#define OPWEAVE_STABLE_HIDDEN __attribute__((visibility("hidden")))

namespace opweave {
namespace stable OPWEAVE_STABLE_HIDDEN {

namespace detail {
inline const OwApi*& current_api() {
  static const OwApi* api = nullptr;
  return api;
}
}  // namespace detail
// The core's functions, once the library is loaded.
inline const OwApi& api() { return *detail::current_api(); }

// An error of the core or of a library; what a kernel throws becomes the Python exception of its
// kind.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& text, OwErrorKind kind = OW_RUNTIME_ERROR)
      : std::runtime_error(text), kind_(kind) {}
  OwErrorKind kind() const { return kind_; }

 private:
  OwErrorKind kind_;
};
// One that the core has kept: thrown out of a kernel, it goes on as what it was.
class CoreError : public Error {
 public:
  CoreError() : Error(api().error_text(), static_cast<OwErrorKind>(api().error_kind())) {}
};

inline void check(OwStatus status) {
  if (status != OW_DONE) throw CoreError();
}

// Runs what may throw for the core, which gets a status.
template <class F>
OwStatus guarded(F f) noexcept {
  const auto set = [](int32_t kind, const char* text) {
    return api().set_error(kind, text, std::strlen(text));
  };
  try {
    f();
    return OW_DONE;
  } catch (const CoreError&) {
    return OW_FAILED;
  } catch (const Error& error) {
    return set(error.kind(), error.what());
  } catch (const std::exception& error) {
    return set(OW_RUNTIME_ERROR, error.what());
  } catch (...) {
    return set(OW_RUNTIME_ERROR, "an exception that is none of std::exception");
  }
}

enum class Dtype : int32_t {};
constexpr Dtype kBool{OW_DTYPE_Bool}, kInt32{OW_DTYPE_Int}, kInt64{OW_DTYPE_Long};
constexpr Dtype kFloat32{OW_DTYPE_Float}, kFloat64{OW_DTYPE_Double};
template <class T>
struct DtypeOf;
#define OPWEAVE_STABLE_DTYPE(cpp, id)                        \
  template <>                                                \
  struct DtypeOf<cpp> {                                      \
    static constexpr Dtype kValue{static_cast<int32_t>(id)}; \
  };
OPWEAVE_STABLE_DTYPE(bool, OW_DTYPE_Bool)
OPWEAVE_STABLE_DTYPE(uint8_t, OW_DTYPE_Byte)
OPWEAVE_STABLE_DTYPE(int8_t, OW_DTYPE_Char)
OPWEAVE_STABLE_DTYPE(int16_t, OW_DTYPE_Short)
OPWEAVE_STABLE_DTYPE(int32_t, OW_DTYPE_Int)
OPWEAVE_STABLE_DTYPE(int64_t, OW_DTYPE_Long)
OPWEAVE_STABLE_DTYPE(float, OW_DTYPE_Float)
OPWEAVE_STABLE_DTYPE(double, OW_DTYPE_Double)
#undef OPWEAVE_STABLE_DTYPE

struct Device {
  int32_t type = 0;
  int32_t index = -1;
};
constexpr Device kCpu{};

// A number that a program passed, a Scalar of schemas.
class Number {
 public:
  Number(bool value) : Number(OW_BOOL, value) {}    // NOLINT: like a number
  Number(int value) : Number(OW_INT, value) {}      // NOLINT
  Number(int64_t value) : Number(OW_INT, value) {}  // NOLINT
  Number(double value) {                            // NOLINT
    value_.tag = OW_FLOAT;
    value_.as.real = value;
  }
  explicit Number(const OwValue& value) : value_(value) {}
  double to_double() const {
    if (value_.tag == OW_WIDE_INT)
      return static_cast<double>(static_cast<uint64_t>(value_.as.integer));
    return value_.tag == OW_FLOAT ? value_.as.real : static_cast<double>(value_.as.integer);
  }
  // Of a number beyond int64 the bits, as C++ converts uint64.
  int64_t to_int() const {
    return value_.tag == OW_FLOAT ? static_cast<int64_t>(value_.as.real) : value_.as.integer;
  }
  const OwValue& value() const { return value_; }

 private:
  Number(OwTag tag, int64_t value) {
    value_.tag = tag;
    value_.as.integer = value;
  }
  OwValue value_{};
};

// A reference to a tensor; null is undefined.
class Tensor {
 public:
  Tensor() = default;
  static Tensor borrowed(OwTensor handle) {
    if (handle != nullptr) api().tensor_retain(handle);
    return Tensor(handle);
  }
  static Tensor owned(OwTensor handle) { return Tensor(handle); }
  Tensor(const Tensor& other) : Tensor(borrowed(other.handle_)) {}
  Tensor(Tensor&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Tensor& operator=(Tensor other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Tensor() {
    if (handle_ != nullptr) api().tensor_release(handle_);
  }

  // A new one, contiguous, whose elements are not set.
  static Tensor empty(const std::vector<int64_t>& sizes, Dtype dtype, Device device = {}) {
    OwTensor made = nullptr;
    check(api().tensor_empty(sizes.data(), nullptr, static_cast<uint32_t>(sizes.size()),
                             static_cast<int32_t>(dtype), {device.type, device.index}, &made));
    return owned(made);
  }
  Tensor empty_like() const { return empty(sizes(), dtype(), device()); }

  bool defined() const { return handle_ != nullptr; }
  OwTensor handle() const { return handle_; }
  int64_t dim() const { return api().tensor_dim(handle_); }
  int64_t numel() const { return api().tensor_numel(handle_); }
  std::vector<int64_t> sizes() const { return list(api().tensor_sizes(handle_)); }
  std::vector<int64_t> strides() const { return list(api().tensor_strides(handle_)); }
  // IndexError where there is no such dimension.
  int64_t size(int64_t d) const { return api().tensor_sizes(handle_)[place(d)]; }
  int64_t stride(int64_t d) const { return api().tensor_strides(handle_)[place(d)]; }
  Dtype dtype() const { return static_cast<Dtype>(api().tensor_dtype(handle_)); }
  Device device() const {
    const OwDevice device = api().tensor_device(handle_);
    return {device.type, device.index};
  }
  bool is_contiguous() const { return api().tensor_is_contiguous(handle_) != 0; }
  bool requires_grad() const { return api().tensor_requires_grad(handle_) != 0; }
  void* raw_data() const { return api().tensor_data(handle_); }
  // TypeError where elements are of another type.
  template <class T>
  T* data() const {
    if (dtype() != DtypeOf<T>::kValue) {
      throw Error("a tensor of element type " + std::to_string(static_cast<int32_t>(dtype())) +
                      " was read as one of type " +
                      std::to_string(static_cast<int32_t>(DtypeOf<T>::kValue)),
                  OW_TYPE_ERROR);
    }
    return static_cast<T*>(raw_data());
  }

 private:
  explicit Tensor(OwTensor handle) : handle_(handle) {}
  std::vector<int64_t> list(const int64_t* first) const { return {first, first + dim()}; }
  int64_t place(int64_t d) const {
    const int64_t rank = dim();
    if (d < -rank || d >= rank) {
      throw Error("Dimension out of range (expected to be in range of [" + std::to_string(-rank) +
                      ", " + std::to_string(rank - 1) + "], but got " + std::to_string(d) + ")",
                  OW_INDEX_ERROR);
    }
    return d < 0 ? d + rank : d;
  }

  OwTensor handle_ = nullptr;
};
static_assert(sizeof(Tensor) == sizeof(OwTensor), "lists of tensors are lists of handles");

// Calls body(begin, end) on disjoint ranges, on the threads of the core; what one throws is thrown
// here.
template <class F>
void parallel_for(int64_t begin, int64_t end, int64_t grain, const F& body) {
  struct Shared {
    const F& body;
    std::exception_ptr failure;
    char lock = 0;
  } shared{body, nullptr};
  const auto run = [](void* context, int64_t from, int64_t to) {
    auto& all = *static_cast<Shared*>(context);
    try {
      all.body(from, to);
    } catch (...) {
      if (!__atomic_test_and_set(&all.lock, __ATOMIC_ACQ_REL))
        all.failure = std::current_exception();
    }
  };
  check(api().parallel_for(begin, end, grain, run, &shared));
  if (shared.failure) std::rethrow_exception(shared.failure);
}

}  // namespace OPWEAVE_STABLE_HIDDEN
}  // namespace opweave

#endif  // OPWEAVE_STABLE_TENSOR_H_
