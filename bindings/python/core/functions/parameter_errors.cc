// The TypeErrors of calls that fit no overload, in PyTorch's words.
#include <vector>

#include "bindings/python/core/functions/matcher.h"
#include "bindings/python/core/objects/opaque.h"
#include "runtime/core/base/error.h"

namespace opweave::python {
namespace {

constexpr std::string_view kPlain = " argument", kPlural = " arguments";

std::string_view arguments(Py_ssize_t n) { return n == 1 ? kPlain : kPlural; }

}  // namespace

std::string_view kind_text(Kind kind) {
  constexpr std::string_view texts[] = {"Tensor",
                                        "Tensor or Number",
                                        "tuple of Tensors",
                                        "Number",
                                        "int",
                                        "tuple of ints",
                                        "float",
                                        "tuple of floats",
                                        "bool",
                                        "tuple of bools",
                                        "str",
                                        "opweave.dtype",
                                        "opweave.layout",
                                        "opweave.device",
                                        "opweave.memory_format",
                                        "an object",
                                        "object"};
  return texts[static_cast<int>(kind)];
}

void Matcher::fail_type(const Param& p, PyObject* value, int position) const {
  const std::string where = position > 0 ? str(" (position ", position, ")") : std::string();
  OW_THROW(ErrorKind::kType, function.name, "(): argument '", p.name, "'", where, " must be ",
           p.kind == Kind::kOpaque ? opaque_type(p.object).python : kind_text(p.kind), ", not ",
           type_name(value));
}

void Matcher::check_positional(const Overload& o) const {
  const int limit = positional(o);
  if (call.nargs > limit && !takes_varargs(o)) {
    int needed = 0;
    for (int i = 0; i < static_cast<int>(o.params.size()); ++i) {
      const bool is_self = call.self != nullptr && i == o.self;
      if (!is_self && (o.params[i].flags & (kKeyword | kOptional)) == 0) ++needed;
    }
    const std::string takes = needed == limit ? str(limit) : str("from ", needed, " to ", limit);
    OW_THROW(ErrorKind::kType, function.name, "() takes ", takes, " positional", arguments(limit),
             " but ", call.nargs, call.nargs == 1 ? " was given" : " were given");
  }
  int next = 0;
  for (Py_ssize_t i = 0; i < call.nargs && !takes_varargs(o); ++i, ++next) {
    if (call.self != nullptr && next == o.self) ++next;
    if (!accepts(o.params[next], call.args[i])) {
      fail_type(o.params[next], call.args[i], static_cast<int>(i) + 1);
    }
  }
}

void Matcher::check_keywords(const Overload& o) const {
  uint32_t seen = 0;
  for (Py_ssize_t k = 0; k < call.num_keywords(); ++k) {
    const std::string_view key = to_string_view(PyTuple_GET_ITEM(call.kwnames, k));
    const int i = find_keyword(o, key);
    OW_CHECK_TYPE(i >= 0, function.name, "() got an unexpected keyword argument '", key, "'");
    // Parameters before this position are taken by position.
    const int taken = static_cast<int>(call.nargs) + (call.self != nullptr && o.self <= i ? 1 : 0);
    OW_CHECK_TYPE(i >= taken && (seen >> i & 1) == 0, function.name,
                  "() got multiple values for argument '", key, "'");
    seen |= 1u << i;
    PyObject* value = call.args[call.nargs + k];
    if (!accepts(o.params[i], value)) fail_type(o.params[i], value, 0);
  }
}

void Matcher::fail_missing(const Overload& o) const {
  std::string missing;
  int count = 0;
  const int taken = static_cast<int>(call.nargs) + (call.self != nullptr ? 1 : 0);
  for (int i = 0; i < static_cast<int>(o.params.size()); ++i) {
    const Param& p = o.params[i];
    bool given = i < taken || (call.self != nullptr && i == o.self);
    for (Py_ssize_t k = 0; k < call.num_keywords(); ++k) {
      given |= find_keyword(o, to_string_view(PyTuple_GET_ITEM(call.kwnames, k))) == i;
    }
    if (given || (p.flags & kOptional) != 0) continue;
    missing += str(count == 0 ? "\"" : ", \"", p.name, "\"");
    ++count;
  }
  OW_THROW(ErrorKind::kType, function.name, "() missing ", count,
           " required positional arguments: ", missing);
}

// Whether the number of arguments could be right, so that the message can be about this overload.
bool Matcher::plausible(const Overload& o) const {
  if (!usable(o)) return false;
  const Py_ssize_t passed = call.nargs + call.num_keywords();
  Py_ssize_t needed = 0;
  for (const Param& p : o.params) needed += (p.flags & kOptional) == 0 ? 1 : 0;
  const Py_ssize_t self = call.self != nullptr ? 1 : 0;
  return takes_varargs(o) ||
         (passed + self >= needed && passed + self <= static_cast<Py_ssize_t>(o.params.size()));
}

void Matcher::fail_one(const Overload& o) const {
  check_positional(o);
  check_keywords(o);
  fail_missing(o);
}

void Matcher::fail() const {
  std::vector<const Overload*> candidates, listed;
  for (const Overload& o : function.overloads) {
    if (usable(o)) listed.push_back(&o);
    if (plausible(o)) candidates.push_back(&o);
  }
  if (listed.size() == 1) fail_one(*listed[0]);
  if (candidates.size() == 1) fail_one(*candidates[0]);
  std::string text = str(function.name, "() received an invalid combination of arguments - got (",
                         given_types(), "), but expected one of:\n");
  for (const Overload* o : listed) {
    text += str(" * ", signature(*o), "\n");
    const std::string note = mismatch_note(*o);
    if (!note.empty()) text += str("      didn't match because ", note, "\n");
  }
  OW_THROW(ErrorKind::kType, text);
}

std::string Matcher::given_types() const {
  std::string text;
  const Py_ssize_t total = call.nargs + call.num_keywords();
  for (Py_ssize_t i = 0; i < total; ++i) {
    if (i > 0) text += ", ";
    if (i >= call.nargs) {
      text += str(to_string_view(PyTuple_GET_ITEM(call.kwnames, i - call.nargs)), "=");
    }
    text += type_name(call.args[i]);
  }
  return text;
}

std::string Matcher::signature(const Overload& o) const {
  std::string text = "(";
  bool starred = false;
  for (int i = 0; i < static_cast<int>(o.params.size()); ++i) {
    const Param& p = o.params[i];
    if (call.self != nullptr && (i == o.self || (p.flags & kOut) != 0)) continue;
    if (text.size() > 1) text += ", ";
    if ((p.flags & kKeyword) != 0 && !starred) {
      text += "*, ";
      starred = true;
    }
    text += str(kind_text(p.kind), " ", p.name);
    if ((p.flags & kOptional) != 0) text += str(" = ", p.default_text);
  }
  return text + ")";
}

// Marks what is wrong, where the number of arguments is right or a keyword is unknown.
std::string Matcher::mismatch_note(const Overload& o) const {
  std::string unknown;
  for (Py_ssize_t k = 0; k < call.num_keywords(); ++k) {
    const std::string_view key = to_string_view(PyTuple_GET_ITEM(call.kwnames, k));
    if (find_keyword(o, key) < 0) unknown += str(unknown.empty() ? "" : ", ", key);
  }
  if (!unknown.empty()) return str("some of the keywords were incorrect: ", unknown);
  if (!plausible(o) || call.nargs > positional(o)) return "";
  std::string types;
  bool wrong = false;
  auto add = [&](std::string_view prefix, const Param& p, PyObject* value) {
    const bool fits = accepts(p, value);
    const char* mark = fits ? "" : "!";
    types += str(types.empty() ? "" : ", ", mark, prefix, type_name(value), mark);
    wrong |= !fits;
  };
  int next = 0;
  for (Py_ssize_t i = 0; i < call.nargs; ++i, ++next) {
    if (call.self != nullptr && next == o.self) ++next;
    add("", o.params[next], call.args[i]);
  }
  for (Py_ssize_t k = 0; k < call.num_keywords(); ++k) {
    const std::string_view key = to_string_view(PyTuple_GET_ITEM(call.kwnames, k));
    add(str(key, "="), o.params[find_keyword(o, key)], call.args[call.nargs + k]);
  }
  return wrong ? str("some of the arguments have invalid types: (", types, ")") : "";
}

}  // namespace opweave::python
