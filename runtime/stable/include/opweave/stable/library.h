// Operators in C++ for every release of Opweave: a layer of headers over abi.h, which needs nothing
// of the core.
//
//   #include "opweave/stable/library.h"
//   using opweave::stable::Tensor;
//
//   static opweave::stable::Operator mul("mul.Scalar(Tensor self, Scalar other) -> Tensor");
//
//   static Tensor scaled(const Tensor& self, double factor) { return mul(self, factor); }
//
//   OPWEAVE_STABLE_LIBRARY(mine, library) {
//     library.define("scaled(Tensor self, float factor=2.0) -> Tensor").kernel("cpu", &scaled);
//   }
//
// One block in a shared library; `opweave.ops.load_library(path)` loads it, compares it with this
// core and says what it refuses. The operator is then `opweave.ops.mine.scaled`.
#ifndef OPWEAVE_STABLE_LIBRARY_H_
#define OPWEAVE_STABLE_LIBRARY_H_

#include <algorithm>
#include <deque>
#include <exception>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "opweave/stable/kernel.h"
#include "opweave/stable/operator.h"
#include "opweave/stable/tensor.h"

namespace opweave {
namespace stable OPWEAVE_STABLE_HIDDEN {

// The step of a backward pass that a gradient function is in.
class Backward {
 public:
  Backward(const OwBackward* call, const OwTensor* gradients, uint32_t count, OwResults* results)
      : call_(call), gradients_(gradients), count_(count), results_(results) {}

  // How many gradients there are: of results, and of the tensors of a result that is a list.
  uint32_t count() const { return count_; }
  // Of a result of the operator; undefined where nobody asked for one.
  Tensor gradient(uint32_t result = 0) const {
    if (result >= count_)
      throw Error("gradient " + std::to_string(result) + " was asked for, and there are " +
                  std::to_string(count_));
    return Tensor::borrowed(gradients_[result]);
  }
  bool needs(uint32_t argument) const { return api().backward_needs(call_, argument) != 0; }
  // What save() named, in its order.
  template <class T = Tensor>
  T saved(uint32_t index) const {
    OwnedValue value;
    check(api().backward_saved(call_, index, value.get()));
    return FromValue<T>::get(*value.get());
  }
  // A gradient of zeros for an argument that is one tensor. Needs version 1.1, which the definition
  // says with zeros().
  Tensor zeros(uint32_t argument) const {
    OwTensor made = nullptr;
    check(api().backward_zeros(call_, argument, &made));
    return Tensor::owned(made);
  }
  // The gradient of an argument.
  template <class T>
  void set(uint32_t argument, const T& value) const {
    const ToValue<T> converted(value);
    check(api().result_set(results_, argument, converted.get()));
  }

 private:
  const OwBackward* call_;
  const OwTensor* gradients_;
  uint32_t count_;
  OwResults* results_;
};
using GradientFunction = void (*)(const Backward& call);

// How many results a function returns.
template <class R>
inline constexpr uint32_t kResultCount = 1;
template <class... R>
inline constexpr uint32_t kResultCount<std::tuple<R...>> = sizeof...(R);

// An operator that a block defines.
class Definition {
 public:
  explicit Definition(const char* schema) {
    table_.size = sizeof(OwOperator);
    table_.schema = schema;
  }
  Definition(const Definition&) = delete;

  // A function for a target: "cpu", "cuda", or "meta", where it says what results look like. It
  // takes `const Tensor&`, `std::vector<Tensor>`, `int64_t`, `double`, `bool`, `Number` (a Scalar),
  // `std::string`, `std::vector<int64_t>`, `std::vector<double>`, `Dtype`, `Device` and optionals
  // of them, and returns what the schema says: one, a tuple, or nothing.
  template <class R, class... Args>
  Definition& kernel(const char* target, R (*function)(Args...)) {
    faces_.push_back(Kernel<R(Args...)>::face());
    kernels_.push_back({target, &Kernel<R(Args...)>::run, reinterpret_cast<void*>(function),
                        faces_.back().c_str()});
    return *this;
  }
  // In the place of kernels: a function made of calls of operators, for every device, which is
  // differentiated and batched through. Since 1.1, as all that calls since().
  template <class R, class... Args>
  Definition& composite(R (*function)(Args...)) {
    return since(1).kernel("composite", function);
  }
  // Or another form of an operator of the library, which is defined before: "f" of "f_" and
  // "f.out". `through`: whether that one is differentiated through what it calls. Beside elements()
  // it says only whose form it is.
  Definition& form_of(const char* operator_name, bool through = false,
                      OwOutDtypes out = OW_OUT_SAME) {
    form_ = {sizeof(OwForm), static_cast<uint32_t>(out), operator_name, through};
    table_.form = &form_;
    return *this;
  }
  // What the backward function gets: arguments and results by their places.
  Definition& save_argument(uint32_t index) { return save(OW_SAVE_ARGUMENT, index); }
  Definition& save_result(uint32_t index) { return save(OW_SAVE_RESULT, index); }
  // Values in the place of tensors: what a function gives of all arguments before the kernel runs,
  // or of all results, one or a tuple; then the place in it of each that the backward function
  // gets.
  template <class R, class... Args>
  Definition& of_arguments(R (*function)(Args...)) {
    gradient_.of_arguments = computed(function);
    return since(1);
  }
  template <class R, class... Args>
  Definition& of_results(R (*function)(Args...)) {
    gradient_.of_results = computed(function);
    return since(1);
  }
  Definition& save_of_arguments(uint32_t index) { return save(OW_SAVE_OF_ARGUMENTS, index); }
  Definition& save_of_results(uint32_t index) { return save(OW_SAVE_OF_RESULTS, index); }
  // Calls operators, so that gradients of gradients and tangents follow.
  Definition& gradient(GradientFunction function) {
    gradient_.apply = &run_gradient;
    gradient_.context = reinterpret_cast<void*>(function);
    return *this;
  }
  // The argument is not differentiated by.
  Definition& constant(uint32_t argument) {
    gradient_.constants |= bit(argument);
    return *this;
  }
  // Nor may it require a gradient: the results depend on it.
  Definition& refused(uint32_t argument) {
    gradient_.refused |= bit(argument);
    return constant(argument).since(1);
  }
  // The result is not differentiated.
  Definition& constant_result(uint32_t result) {
    gradient_.constant_results |= bit(result);
    return since(1);
  }
  // Gradients of results that nobody asked for are zeros, and not undefined.
  Definition& fills() {
    gradient_.fills = 1;
    return since(1);
  }
  // The backward function calls Backward::zeros().
  Definition& zeros() { return since(1); }
  // Computed element by element: by loops, in place and into `out` as well.
  Definition& elements(const OwPointwise& table) {
    table_.pointwise = &table;
    const auto* end = table.numbers + table.num_numbers;
    const bool later = std::any_of(table.numbers, end, [](const OwPointwiseNumber& number) {
      return number.use == OW_NUMBER_ONE_ELEMENT;
    });
    return later ? since(1) : *this;
  }
  // The schema's name is the whole one.
  Definition& global() { return flagged(OW_GLOBAL); }
  // No function of Python.
  Definition& internal() { return flagged(OW_INTERNAL); }
  // Others of the library call it by `callable`.
  Definition& called_by(Callable& callable) {
    table_.handle = callable.handle();
    return *this;
  }
  // Results have no gradient.
  Definition& without_gradient() { return flagged(OW_CONSTANT); }
  // Its kernels say which devices go together; else all tensors of a call are on one.
  Definition& any_devices() { return flagged(OW_ANY_DEVICES); }
  // Where its entry is, for messages: "my_ops/ops.yaml:7".
  Definition& at(const char* place) {
    table_.place = place;
    return *this;
  }
  // It allows any number of dimensions in front, or broadcasts: a vmap is one call.
  Definition& leading_dims() { return batched(OW_BATCH_LEADING_DIMS); }
  Definition& broadcasts() { return batched(OW_BATCH_POINTWISE); }
  // Or its arguments say which dimensions they count (roles).
  Definition& counts_dims() { return since(1).batched(OW_BATCH_DIMS); }
  // What each argument says about dimensions.
  Definition& roles(std::vector<OwRole> roles) {
    roles_.assign(roles.begin(), roles.end());
    return since(1);
  }
  // The argument is a tensor for which a program may pass a number.
  Definition& number(uint32_t argument) {
    table_.numbers |= bit(argument);
    return since(1);
  }
  // The minor version of the interface that has all this.
  uint32_t minor() const {
    const bool runs_another = table_.form != nullptr && table_.pointwise == nullptr;
    return runs_another ? std::max(minor_, 1u) : minor_;
  }

  const OwOperator* table() {
    table_.kernels = kernels_.data();
    table_.num_kernels = static_cast<uint32_t>(kernels_.size());
    gradient_.size = sizeof(OwGradient);
    gradient_.saved = saved_.data();
    gradient_.num_saved = static_cast<uint32_t>(saved_.size());
    table_.gradient = gradient_.apply != nullptr ? &gradient_ : nullptr;
    table_.roles = roles_.empty() ? nullptr : roles_.data();
    return &table_;
  }

 private:
  static OwStatus run_gradient(void* function, const OwBackward* call, const OwTensor* gradients,
                               uint32_t count, OwResults* results) {
    return guarded([&] {
      if (function == nullptr) throw Error("the definition's gradient() was given no function");
      reinterpret_cast<GradientFunction>(function)(Backward(call, gradients, count, results));
    });
  }
  template <class R, class... Args>
  static OwSavedValues computed(R (*function)(Args...)) {
    return {&Kernel<R(Args...)>::run, reinterpret_cast<void*>(function), kResultCount<Plain<R>>};
  }
  // Of a place in a mask; the core refuses those that the schema does not have. Beyond the last bit
  // there is none, nor an argument.
  static uint64_t bit(uint32_t place) { return uint64_t{1} << std::min(place, 63u); }
  Definition& since(uint32_t minor) {
    minor_ = std::max(minor_, minor);
    return *this;
  }
  Definition& save(OwSavedKind kind, uint32_t index) {
    saved_.push_back({static_cast<uint32_t>(kind), index});
    return *this;
  }
  Definition& flagged(OwOperatorFlag flag) {
    table_.flags |= flag;
    return *this;
  }
  Definition& batched(OwBatchRule rule) {
    table_.batch_rule = rule;
    return *this;
  }

  OwOperator table_{};
  OwGradient gradient_{};
  std::vector<OwKernel> kernels_;
  std::vector<OwSaved> saved_;
  std::deque<std::string> faces_;
  std::vector<uint8_t> roles_;
  OwForm form_{};
  uint32_t minor_ = 0;
};

// What a block fills.
class Library {
 public:
  explicit Library(const char* name) { table_.name = name; }
  Library(const Library&) = delete;

  // "f(Tensor self, float eps=1e-5) -> Tensor"; the text has to live for ever.
  Definition& define(const char* schema) { return operators_.emplace_back(schema); }
  // The version of Opweave that it was compiled with, for messages.
  void built_for(const char* version) { table_.built_for = version; }
  // Called when the core's functions are there, before any kernel.
  void on_start(void (*function)()) { started() = function; }
  // The least minor version of the interface that it runs with, if that is more than what its
  // definitions need.
  void needs_minor(uint32_t minor) { table_.min_minor = minor; }

  const OwLibrary* table() {
    for (Definition& op : operators_) {
      list_.push_back(op.table());
      table_.min_minor = std::max(table_.min_minor, op.minor());
    }
    for (Operator* op = Operator::all(); op != nullptr; op = op->next()) uses_.push_back(op->use());
    table_.size = sizeof(OwLibrary);
    table_.abi_major = OW_ABI_MAJOR;
    table_.operators = list_.data();
    table_.num_operators = static_cast<uint32_t>(list_.size());
    table_.uses = uses_.data();
    table_.num_uses = static_cast<uint32_t>(uses_.size());
    table_.start = [](const OwApi* given) -> OwStatus {
      detail::current_api() = given;
      return guarded([] {
        if (started() != nullptr) started()();
      });
    };
    return &table_;
  }

 private:
  static void (*&started())() {
    static void (*function)() = nullptr;
    return function;
  }

  OwLibrary table_{};
  std::deque<Definition> operators_;
  std::vector<const OwOperator*> list_;
  std::vector<OwUse> uses_;
};

}  // namespace OPWEAVE_STABLE_HIDDEN
}  // namespace opweave

#define OPWEAVE_STABLE_LIBRARY(name, library)                                            \
  static void opweave_stable_block_##name(::opweave::stable::Library& library);          \
  extern "C" __attribute__((visibility("default"))) const OwLibrary* opweave_library() { \
    static ::opweave::stable::Library* const table = [] {                                \
      auto* made = new ::opweave::stable::Library(#name);                                \
      opweave_stable_block_##name(*made);                                                \
      return made;                                                                       \
    }();                                                                                 \
    static const OwLibrary* const filled = table->table();                               \
    return filled;                                                                       \
  }                                                                                      \
  static void opweave_stable_block_##name(::opweave::stable::Library& library)

#endif  // OPWEAVE_STABLE_LIBRARY_H_
