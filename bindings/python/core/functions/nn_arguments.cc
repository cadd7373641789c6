// Reductions by name.
#include "bindings/python/core/functions/nn_arguments.h"

#include <algorithm>
#include <array>
#include <optional>

#include "bindings/python/core/objects/convert.h"
#include "bindings/python/core/objects/py_ptr.h"

namespace opweave::python {
namespace {

// In the order of their numbers.
constexpr std::array<std::string_view, 3> kReductions = {"none", "mean", "sum"};

void warn(const std::string& text) { check(PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1)); }

int64_t number_of(std::string_view name) {
  return std::ranges::find(kReductions, name) - kReductions.begin();
}

int64_t legacy_reduction(bool average, bool reduce) {
  const std::string_view name = !reduce ? "none" : average ? "mean" : "sum";
  warn(str("size_average and reduce args will be deprecated, please use reduction='", name,
           "' instead."));
  return number_of(name);
}

// An older word, which is anything, by its truth; nothing where it is not given.
std::optional<bool> truth(const Arguments& a, int i) {
  if (i < 0 || !a.given(i)) return std::nullopt;
  return check(PyObject_IsTrue(a.object(i))) != 0;
}

}  // namespace

int64_t reduction_argument(const Arguments& a, int i, int64_t otherwise, int size_average,
                           int reduce) {
  const std::optional<bool> average = truth(a, size_average), reduced = truth(a, reduce);
  if (average || reduced) return legacy_reduction(average.value_or(true), reduced.value_or(true));
  PyObject* value = a.object(i);
  if (value == nullptr) return otherwise;
  if (PyUnicode_Check(value) != 0) {
    const std::string_view name = to_string_view(value);
    if (const int64_t number = number_of(name); number < std::ssize(kReductions)) return number;
    if (name == "elementwise_mean") {
      warn("reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.");
      return number_of("mean");
    }
  }
  const PyPtr text = PyPtr::steal(check(PyObject_Str(value)));
  OW_THROW(ErrorKind::kValue, to_string_view(text.get()), " is not a valid value for reduction");
}

}  // namespace opweave::python
