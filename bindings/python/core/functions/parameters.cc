// Matching a call against the overloads of a function.
#include "bindings/python/core/functions/parameters.h"

#include <algorithm>

#include "bindings/python/core/functions/matcher.h"

namespace opweave::python {
namespace {

// The other names that NumPy's users write for PyTorch's parameters.
struct Alias {
  std::string_view name;
  std::string_view alias;
};
constexpr Alias kAliases[] = {
    {"dim", "axis"}, {"keepdim", "keepdims"}, {"input", "x"}, {"other", "x2"}};

bool is_alias(std::string_view name, std::string_view key) {
  for (const Alias& a : kAliases) {
    if (a.alias == key && a.name == name) return true;
  }
  return false;
}

// Keywords are nearly always ASCII strings, whose bytes can be compared in place.
std::string_view key_text(PyObject* key) {
  if (PyUnicode_IS_COMPACT_ASCII(key)) {
    return {reinterpret_cast<const char*>(PyUnicode_1BYTE_DATA(key)),
            static_cast<size_t>(PyUnicode_GET_LENGTH(key))};
  }
  return to_string_view(key);
}

// One by one: memset may write with a mask, and what it wrote can only be read back when it has
// left the processor's store buffer.
[[gnu::hot]] void clear(PyObject** slots, int n) {
  for (int i = 0; i < n; ++i) {
    slots[i] = nullptr;
    asm("" ::: "memory");
  }
}

}  // namespace

bool Matcher::usable(const Overload& o) const {
  return call.self != nullptr ? o.method : o.function;
}

// How many parameters the caller may pass by position.
int Matcher::positional(const Overload& o) const {
  int n = 0;
  while (n < static_cast<int>(o.params.size()) && (o.params[n].flags & kKeyword) == 0) ++n;
  return call.self != nullptr ? n - 1 : n;
}

int Matcher::find_keyword(const Overload& o, std::string_view key) const {
  for (int i = 0; i < static_cast<int>(o.params.size()); ++i) {
    const Param& p = o.params[i];
    if (p.name != key && !is_alias(p.name, key)) continue;
    if (call.self != nullptr && (i == o.self || (p.flags & kOut) != 0)) return -1;
    return i;
  }
  return -1;
}

[[gnu::hot]] bool Matcher::takes_varargs(const Overload& o) const {
  const int first = call.self != nullptr && o.self == 0 ? 1 : 0;
  return call.nargs >= 1 && positional(o) == 1 && o.params[first].kind == Kind::kIntList &&
         is_size(call.args[0]);
}

[[gnu::hot]] bool Matcher::bind_positional(const Overload& o, BoundCall& out) const {
  const int num_params = static_cast<int>(o.params.size());
  int next = 0;
  for (Py_ssize_t i = 0; i < call.nargs; ++i, ++next) {
    if (call.self != nullptr && next == o.self) ++next;
    if (next >= num_params) return false;
    const Param& p = o.params[next];
    if ((p.flags & kKeyword) != 0) return false;
    if (i == 0 && takes_varargs(o)) {
      out.slots_[next] = call.args[0];
      out.varargs_param_ = next;
      out.varargs_ = {call.args, static_cast<size_t>(call.nargs)};
      return true;
    }
    if (!accepts(p, call.args[i])) return false;
    out.slots_[next] = call.args[i];
  }
  return true;
}

[[gnu::hot]] bool Matcher::bind(const Overload& o, BoundCall& out) const {
  const int num_params = static_cast<int>(o.params.size());
  out.params_ = o.params.data();
  out.varargs_param_ = -1;
  clear(out.slots_, num_params);
  if (call.self != nullptr) out.slots_[o.self] = call.self;
  if (!bind_positional(o, out)) return false;
  if (call.kwnames != nullptr && !bind_keywords(o, out)) return false;
  for (int i = static_cast<int>(call.nargs); i < num_params; ++i) {
    if (out.slots_[i] == nullptr && (o.params[i].flags & kOptional) == 0) return false;
  }
  return true;
}

bool Matcher::bind_keywords(const Overload& o, BoundCall& out) const {
  const Py_ssize_t n = PyTuple_GET_SIZE(call.kwnames);
  for (Py_ssize_t k = 0; k < n; ++k) {
    const int i = find_keyword(o, key_text(PyTuple_GET_ITEM(call.kwnames, k)));
    if (i < 0 || out.slots_[i] != nullptr) return false;
    PyObject* value = call.args[call.nargs + k];
    if (!accepts(o.params[i], value)) return false;
    out.slots_[i] = value;
  }
  return true;
}

[[gnu::hot]] BoundCall::BoundCall(const Function& function, PyObject* self, PyObject* const* args,
                                  Py_ssize_t nargs, PyObject* kwnames)
    : function_(function) {
  const Matcher matcher{function, {self, args, nargs, kwnames}};
  for (const Overload& o : function.overloads) {
    if (matcher.usable(o) && matcher.bind(o, *this)) {
      overload_ = static_cast<int>(&o - function.overloads.data());
      return;
    }
  }
  matcher.fail();
}

}  // namespace opweave::python
