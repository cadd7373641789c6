// C++ functions as kernels.
#ifndef OPWEAVE_STABLE_KERNEL_H_
#define OPWEAVE_STABLE_KERNEL_H_

#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "opweave/stable/value.h"

namespace opweave {
namespace stable OPWEAVE_STABLE_HIDDEN {

template <class T>
using Plain = std::remove_cv_t<std::remove_reference_t<T>>;

// What a function returns, as results.
template <class R>
struct Returned {
  static std::string face() { return SchemaName<R>::text(); }
  static void set(OwResults* results, const R& value) { set_one(results, 0, value); }
  template <class T>
  static void set_one(OwResults* results, uint32_t index, const T& value) {
    const ToValue<T> converted(value);
    check(api().result_set(results, index, converted.get()));
  }
};
template <class... R>
struct Returned<std::tuple<R...>> {
  static std::string face() {
    std::string text;
    ((text += (text.empty() ? "" : ", ") + SchemaName<R>::text()), ...);
    return "(" + text + ")";
  }
  static void set(OwResults* results, const std::tuple<R...>& values) {
    set(results, values, std::index_sequence_for<R...>());
  }

 private:
  template <size_t... I>
  static void set(OwResults* results, const std::tuple<R...>& values, std::index_sequence<I...>) {
    (Returned<R>::set_one(results, I, std::get<I>(values)), ...);
  }
};

// The function behind a pointer, for the core.
template <class Signature>
struct Kernel;
template <class R, class... Args>
struct Kernel<R(Args...)> {
  using Function = R (*)(Args...);

  // "(Tensor a0, float a1) -> Tensor": compared with the schema when the library is loaded.
  static std::string face() {
    std::string text;
    int n = 0;
    ((text += (n == 0 ? "" : ", ") + SchemaName<Plain<Args>>::text() + " a" + std::to_string(n),
      ++n),
     ...);
    if constexpr (std::is_void_v<R>) {
      return "(" + text + ") -> ()";
    } else {
      return "(" + text + ") -> " + Returned<Plain<R>>::face();
    }
  }

  static OwStatus run(void* function, const OwValue* arguments, uint32_t, OwResults* results) {
    return guarded([&] {
      call(reinterpret_cast<Function>(function), arguments, results,
           std::index_sequence_for<Args...>());
    });
  }

 private:
  template <size_t... I>
  static void call(Function function, [[maybe_unused]] const OwValue* arguments, OwResults* results,
                   std::index_sequence<I...>) {
    if constexpr (std::is_void_v<R>) {
      function(FromValue<Plain<Args>>::get(arguments[I])...);
    } else {
      Returned<Plain<R>>::set(results, function(FromValue<Plain<Args>>::get(arguments[I])...));
    }
  }
};

}  // namespace OPWEAVE_STABLE_HIDDEN
}  // namespace opweave

#endif  // OPWEAVE_STABLE_KERNEL_H_
