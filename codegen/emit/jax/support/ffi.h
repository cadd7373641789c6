// Calls of XLA: buffers and attributes in, a kernel's arguments out.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>

#include "kernel.h"
#include "xla/ffi/api/ffi.h"

namespace opweave {

namespace ffi = xla::ffi;

// The threads of the call that this thread is in; null outside of one.
inline thread_local ffi::ThreadPool* current_threads = nullptr;

inline ScalarType dtype_of(ffi::DataType type) {
  switch (type) {
#define OW_DTYPE(xla, id)  \
  case ffi::DataType::xla: \
    return k##id;
    OW_DTYPE(PRED, Bool)
    OW_DTYPE(U8, Byte)
    OW_DTYPE(S8, Char)
    OW_DTYPE(S16, Short)
    OW_DTYPE(S32, Int)
    OW_DTYPE(S64, Long)
    OW_DTYPE(F16, Half)
    OW_DTYPE(BF16, BFloat16)
    OW_DTYPE(F32, Float)
    OW_DTYPE(F64, Double)
#undef OW_DTYPE
    default:
      OW_THROW(ErrorKind::kType, "kernels know no arrays of XLA's dtype ", static_cast<int>(type));
  }
}

// Copies elements of 64 bits to those of 32.
inline void narrow(const Tensor& from, const Tensor& to) {
  const auto copy = [&]<class From, class To>(const From* in, To* out) {
    for (int64_t i = 0; i < from.numel(); ++i) out[i] = static_cast<To>(in[i]);
  };
  if (from.dtype() == kLong && to.dtype() == kInt)
    return copy(from.data<int64_t>(), to.data<int32_t>());
  if (from.dtype() == kDouble && to.dtype() == kFloat)
    return copy(from.data<double>(), to.data<float>());
  OW_THROW(ErrorKind::kType, "a kernel gives ", scalar_type_name(from.dtype()),
           ", and JAX expects ", scalar_type_name(to.dtype()));
}

// One call: arguments are asked for in order.
class Call {
 public:
  Call(ffi::RemainingArgs arguments, ffi::RemainingRets results, ffi::Dictionary constants)
      : arguments_(arguments), results_(results), constants_(constants) {
    const auto counts = *constants_.get<ffi::Span<const int64_t>>("ow_counts");
    counts_.assign(counts.begin(), counts.end());
    make_results();
  }

  // Undefined where the argument is None.
  Tensor tensor() { return counts_[argument_++] == 0 ? Tensor() : next(); }
  std::vector<Tensor> tensors() {
    std::vector<Tensor> list;
    for (int64_t left = counts_[argument_++]; left > 0; --left) list.push_back(next());
    return list;
  }
  Tensor& result(size_t index) { return outputs_[index]; }

  bool has(std::string_view name) const { return constants_.contains(name); }
  int64_t integer(std::string_view name) const { return *constants_.get<int64_t>(name); }
  bool boolean(std::string_view name) const { return *constants_.get<bool>(name); }
  double real(std::string_view name) const { return scalar(name).to_double(); }
  std::string_view string(std::string_view name) const {
    return *constants_.get<std::string_view>(name);
  }
  ScalarType dtype(std::string_view name) const { return static_cast<ScalarType>(integer(name)); }
  Scalar scalar(std::string_view name) const {
    if (constants_.contains<bool>(name)) return boolean(name);
    if (constants_.contains<int64_t>(name)) return integer(name);
    return *constants_.get<double>(name);
  }
  IntList integers(std::string_view name) const { return list<int64_t>(name); }
  DoubleList reals(std::string_view name) const { return list<double>(name); }
  template <size_t kCount>
  std::array<bool, kCount> booleans(std::string_view name) const {
    std::array<bool, kCount> values;
    const IntList list = integers(name);
    for (size_t i = 0; i < kCount; ++i) values[i] = list[i] != 0;
    return values;
  }

  // Results of dtypes that JAX does not have without x64 go where it wants them.
  void finish() {
    for (const auto& [index, to] : narrow_) narrow(outputs_[index], to);
  }

 private:
  // An empty list has elements of no type.
  template <class T>
  ListRef<T> list(std::string_view name) const {
    const auto found = constants_.get<ffi::Span<const T>>(name);
    return found.has_value() ? ListRef<T>(found->begin(), found->size()) : ListRef<T>();
  }

  Tensor next() {
    const auto buffer = *arguments_.get<ffi::AnyBuffer>(position_++);
    return as_tensor(buffer);
  }
  static Tensor as_tensor(const ffi::AnyBuffer& buffer) {
    const auto sizes = buffer.dimensions();
    return {buffer.untyped_data(), {sizes.begin(), sizes.size()}, dtype_of(buffer.element_type())};
  }

  void make_results() {
    ffi::Span<const int64_t> dtypes;
    if (has("ow_dtypes")) dtypes = *constants_.get<ffi::Span<const int64_t>>("ow_dtypes");
    for (size_t i = 0; i < results_.size(); ++i) {
      const Tensor given = as_tensor(**results_.get<ffi::AnyBuffer>(i));
      const ScalarType wanted =
          dtypes.size() == 0 ? given.dtype() : static_cast<ScalarType>(dtypes[i]);
      if (wanted == given.dtype()) {
        outputs_.push_back(given);
        continue;
      }
      const auto bytes = static_cast<size_t>(given.numel()) * element_size(wanted);
      wide_.push_back(std::make_unique<char[]>(bytes));
      outputs_.emplace_back(wide_.back().get(), given.sizes(), wanted);
      narrow_.emplace_back(i, given);
    }
  }

  ffi::RemainingArgs arguments_;
  ffi::RemainingRets results_;
  ffi::Dictionary constants_;
  std::vector<int64_t> counts_;  // of arrays, of each argument
  size_t argument_ = 0, position_ = 0;
  std::vector<Tensor> outputs_;
  std::vector<std::unique_ptr<char[]>> wide_;
  std::vector<std::pair<size_t, Tensor>> narrow_;
};

// Runs a kernel; what it throws is the error of the call.
inline ffi::Error handle(void (*kernel)(Call&), ffi::ThreadPool threads,
                         ffi::RemainingArgs arguments, ffi::RemainingRets results,
                         ffi::Dictionary constants) {
  ffi::ThreadPool* const outer = std::exchange(current_threads, &threads);
  ffi::Error error = ffi::Error::Success();
  try {
    Call call(arguments, results, constants);
    kernel(call);
    call.finish();
  } catch (const std::exception& thrown) {
    error = ffi::Error(ffi::ErrorCode::kInvalidArgument, thrown.what());
  } catch (...) {
    error = ffi::Error(ffi::ErrorCode::kUnknown, "a kernel threw what is no std::exception");
  }
  current_threads = outer;
  return error;
}

// Exports `symbol`, which calls a function of a Call.
#define OPWEAVE_KERNEL(symbol, function)                                                       \
  extern "C" __attribute__((visibility("default"))) XLA_FFI_Error* symbol(XLA_FFI_CallFrame*); \
  XLA_FFI_DEFINE_HANDLER_SYMBOL(                                                               \
      symbol,                                                                                  \
      (+[](xla::ffi::ThreadPool threads, xla::ffi::RemainingArgs arguments,                    \
           xla::ffi::RemainingRets results, xla::ffi::Dictionary constants) {                  \
        return opweave::handle(&function, threads, arguments, results, constants);             \
      }),                                                                                      \
      xla::ffi::Ffi::Bind().Ctx<xla::ffi::ThreadPool>().RemainingArgs().RemainingRets().Attrs())

}  // namespace opweave
