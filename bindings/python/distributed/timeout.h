// Timeouts as arguments and results of opweave.distributed: a timedelta, or seconds.
#pragma once

#include <datetime.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <cmath>

#include "bindings/python/core/objects/errors.h"
#include "runtime/core/base/error.h"
#include "runtime/distributed/store/store.h"

namespace opweave::python {

// Longer ones are as good as this one, whose end has a place in 64 bits of nanoseconds.
constexpr int64_t kLongestTimeout = int64_t{100} * 365 * 24 * 3600 * 1000;

inline bool read_timeout(PyObject* given, distributed::Milliseconds& timeout) {
  if (PyDateTimeAPI == nullptr) PyDateTime_IMPORT;
  double milliseconds = 0;
  if (PyDelta_Check(given)) {
    milliseconds =
        PyDateTime_DELTA_GET_DAYS(given) * 86'400'000.0 +
        PyDateTime_DELTA_GET_SECONDS(given) * 1000.0 +
        std::ceil(PyDateTime_DELTA_GET_MICROSECONDS(given) / 1000.0);  // not over at once
  } else if (PyFloat_Check(given) || (PyLong_Check(given) && !PyBool_Check(given))) {
    milliseconds = PyFloat_AsDouble(given) * 1000;
    if (PyErr_Occurred() != nullptr) throw pybind11::error_already_set();
  } else {
    return false;
  }
  // refusals.cc says of which call.
  OW_CHECK_VALUE(!std::isnan(milliseconds), "timeout: expected a timedelta or seconds, got nan");
  const auto longest = static_cast<double>(kLongestTimeout);
  timeout =
      distributed::Milliseconds(static_cast<int64_t>(std::clamp(milliseconds, -longest, longest)));
  return true;
}

inline PyObject* to_timedelta(distributed::Milliseconds timeout) {
  if (PyDateTimeAPI == nullptr) PyDateTime_IMPORT;
  constexpr int64_t kDay = 86'400'000;
  const int64_t ms = std::clamp(timeout.count(), -kLongestTimeout, kLongestTimeout);
  const int64_t day = ms / kDay, rest = ms % kDay;
  return PyDelta_FromDSU(static_cast<int>(day), static_cast<int>(rest / 1000),
                         static_cast<int>(rest % 1000 * 1000));
}

}  // namespace opweave::python

template <>
struct pybind11::detail::type_caster<opweave::distributed::Milliseconds> {
  PYBIND11_TYPE_CASTER(opweave::distributed::Milliseconds, const_name("timedelta | float"));
  bool load(handle given, bool) {
    return given && opweave::python::read_timeout(given.ptr(), value);
  }
  static handle cast(opweave::distributed::Milliseconds timeout, return_value_policy, handle) {
    return opweave::python::to_timedelta(timeout);
  }
};
