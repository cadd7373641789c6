// Operators without YAML, in C++: a schema, and a function for each target.
//
//   Tensor scaled(const Tensor& self, double factor) { return opweave::mul(self, factor); }
//
//   OPWEAVE_LIBRARY(mine, library) {
//     library.define("scaled(Tensor self, float factor=2.0) -> Tensor");
//     library.implement("scaled", "cpu", &scaled);
//   }
//
// The block runs when the shared library that it is in is loaded. `opweave.ops.load_library(path)`
// loads one from Python, and says what went wrong in its blocks; the operator is then
// `opweave.ops.mine.scaled`, and everything that takes an operator takes it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/dispatch/boxing.h"
#include "runtime/dispatch/operator_record.h"

namespace opweave {

namespace detail {

// What a parameter of a kernel takes: the types of schemas that fit.
template <BaseType kBase, bool kList = false>
struct SchemaType {
  static constexpr TypeRecord kType{.base = kBase, .list = kList};
};
template <class T>
struct KernelType;
template <>
struct KernelType<Tensor> : SchemaType<BaseType::tensor> {};
template <>
struct KernelType<TensorList> : SchemaType<BaseType::tensor, true> {};
template <>
struct KernelType<std::vector<Tensor>> : SchemaType<BaseType::tensor, true> {};
template <>
struct KernelType<Scalar> : SchemaType<BaseType::scalar> {};
template <>
struct KernelType<bool> : SchemaType<BaseType::boolean> {};
template <>
struct KernelType<int64_t> : SchemaType<BaseType::integer> {};
template <>
struct KernelType<double> : SchemaType<BaseType::floating> {};
template <>
struct KernelType<std::string_view> : SchemaType<BaseType::string> {};
template <>
struct KernelType<IntList> : SchemaType<BaseType::integer, true> {};
template <>
struct KernelType<DoubleList> : SchemaType<BaseType::floating, true> {};
template <>
struct KernelType<ScalarType> : SchemaType<BaseType::scalar_type> {};
template <>
struct KernelType<Device> : SchemaType<BaseType::device> {};
template <>
struct KernelType<Layout> : SchemaType<BaseType::layout> {};
template <>
struct KernelType<MemoryFormat> : SchemaType<BaseType::memory_format> {};
template <class T>
struct KernelType<std::optional<T>> {
  static constexpr TypeRecord optional_of(TypeRecord type) {
    type.optional = true;
    return type;
  }
  static constexpr TypeRecord kType = optional_of(KernelType<T>::kType);
};

// What a kernel of this type takes and returns, for comparison with the schema.
struct KernelFace {
  std::vector<TypeRecord> arguments, returns;
};
// RuntimeError where that is not what the schema says: the text names the argument.
void check_face(const OperatorEntry& op, const KernelFace& face);

template <class R>
struct ReturnTypes {
  static void add(std::vector<TypeRecord>& types) {
    types.push_back(KernelType<std::remove_cvref_t<R>>::kType);
  }
};
template <>
struct ReturnTypes<void> {
  static void add(std::vector<TypeRecord>&) {}
};
template <class... R>
struct ReturnTypes<std::tuple<R...>> {
  static void add(std::vector<TypeRecord>& types) { (ReturnTypes<R>::add(types), ...); }
};

template <class R, class... Args>
KernelFace kernel_face(R (*)(Args...)) {
  KernelFace face{{KernelType<std::remove_cvref_t<Args>>::kType...}, {}};
  ReturnTypes<R>::add(face.returns);
  return face;
}

}  // namespace detail

// What a block registers, under one namespace.
class HandwrittenLibrary {
 public:
  explicit HandwrittenLibrary(std::string_view name) : name_(name) {}

  // "f(Tensor self, float eps=1e-5) -> Tensor"; RuntimeError for what is no schema, and for a name
  // that is taken.
  void define(std::string_view schema);
  // Makes a function the kernel of an operator ("f", "f.overload") for a target ("cpu", "cuda",
  // "meta": what results look like) or another dispatch key. Arguments are taken as
  // `const Tensor&`, `TensorList`, `int64_t`, `double`, `bool`, `const Scalar&`,
  // `std::string_view`, `IntList`, `DoubleList`, `ScalarType`, `Device` and optionals of them.
  // RuntimeError where they are not those of the schema: the text names the argument.
  template <class R, class... Args>
  void implement(std::string_view op, std::string_view target, R (*kernel)(Args...)) {
    add_kernel(op, target, detail::kernel_face(kernel),
               [kernel](const OperatorEntry&, DispatchKeySet, Stack& stack) {
                 detail::BoxedCall<R(Args...)>::call(reinterpret_cast<AnyKernel>(kernel), stack);
               });
  }

 private:
  void add_kernel(std::string_view op, std::string_view target, const detail::KernelFace& face,
                  BoxedKernel kernel);

  std::string name_;
};

namespace detail {

using LibraryBlock = void (*)(HandwrittenLibrary& library);
// Runs a block. An error is kept for take_library_errors(): nobody could catch it while a shared
// library is loaded.
bool run_library_block(std::string_view name, const char* file, int line, LibraryBlock block);

}  // namespace detail

// What went wrong in blocks since the last call, a line for each: "mine.cc:12: library 'mine': …".
std::string take_library_errors();

}  // namespace opweave

#define OPWEAVE_LIBRARY(name, library)                                                          \
  static void opweave_library_##name(::opweave::HandwrittenLibrary& library);                   \
  [[maybe_unused]] static const bool opweave_library_##name##_ran =                             \
      ::opweave::detail::run_library_block(#name, __FILE__, __LINE__, &opweave_library_##name); \
  static void opweave_library_##name(::opweave::HandwrittenLibrary& library)
