// Overloads as Python sees them.
#include "codegen/model/operators/python_overloads.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace opweave::codegen {
namespace {

constexpr size_t kMostOverloads = 250;

// What a parameter type asks of its argument: the more, the smaller.
int specificity(const Type& type) {
  // A list of ints that is no `int[2]` takes one int where methods take several one by one: an int
  // is meant.
  if (type.list && type.base == BaseType::integer && !type.size) return 6;
  if (type.list) return type.base == BaseType::tensor ? 2 : 3;
  switch (type.base) {
    case BaseType::tensor:
      return 4;
    case BaseType::integer:
      return 5;
    case BaseType::boolean:
      return 0;
    case BaseType::floating:
      return 7;
    case BaseType::scalar:
      return 9;
    default:
      return 1;
  }
}

// The kinds of Python values, as bits.
enum Values : uint32_t {
  kTensor = 1 << 0,
  kInt = 1 << 1,
  kFloat = 1 << 2,
  kBool = 1 << 3,
  kStr = 1 << 4,
  kNone = 1 << 5,
  kInts = 1 << 6,  // sequences
  kFloats = 1 << 7,
  kBools = 1 << 8,
  kTensors = 1 << 9,
  kOther = 1 << 10,  // from here on one bit for each further type
};

uint32_t single_values(BaseType base) {
  switch (base) {
    case BaseType::tensor:
      return kTensor;
    case BaseType::scalar:
      return kInt | kFloat | kBool;
    case BaseType::integer:
      return kInt;
    case BaseType::floating:
      return kInt | kFloat;
    case BaseType::boolean:
      return kBool;
    case BaseType::string:
      return kStr;
    case BaseType::device:
      return kStr | kOther << static_cast<int>(base);
    default:
      return kOther << static_cast<int>(base);
  }
}

uint32_t list_values(const Type& type) {
  // `int[2]` takes one int for both.
  const uint32_t one = type.size && type.base != BaseType::boolean ? single_values(type.base) : 0;
  switch (type.base) {
    case BaseType::tensor:
      return kTensors;
    case BaseType::floating:
    case BaseType::scalar:
      return kInts | kFloats | one;
    case BaseType::boolean:
      return kBools;
    default:
      return kInts | one;
  }
}

// One parameter of a Python call.
struct Parameter {
  const Argument* argument;
  uint32_t values;  // that it takes
  bool required() const { return !argument->default_value; }
};

// `declared`: by their types alone, without the numbers that `numbers` lets Python pass for
// tensors.
std::vector<Parameter> parameters_of(const Operator& op, bool declared = false) {
  std::vector<Parameter> parameters;
  for (uint16_t i = 0; i < op.schema.arguments.size(); ++i) {
    const Argument& argument = op.schema.arguments[i];
    uint32_t values =
        argument.type.list ? list_values(argument.type) : single_values(argument.type.base);
    if (argument.type.optional) values |= kNone;
    if (!declared && std::ranges::count(op.face->numbers, i) > 0) values |= kInt | kFloat | kBool;
    parameters.push_back({&argument, values});
  }
  return parameters;
}

// The arguments that all required parameters from `first` on need by name, if `other` takes them
// too.
std::optional<std::vector<const Argument*>> by_name(const std::vector<Parameter>& parameters,
                                                    const std::vector<Parameter>& other,
                                                    size_t first) {
  std::vector<const Argument*> names;
  for (size_t i = first; i < parameters.size(); ++i) {
    if (!parameters[i].required()) continue;
    bool taken = false;
    for (size_t j = first; j < other.size(); ++j) {
      taken = taken || (other[j].argument->name == parameters[i].argument->name &&
                        (other[j].values & parameters[i].values) != 0);
    }
    if (!taken) return std::nullopt;
    names.push_back(parameters[i].argument);
  }
  return names;
}

std::string show(const Argument& argument) {
  Type type = argument.type;
  type.alias.reset();
  return print(type);
}

// A call with the first `count` parameters by position and the others by name.
std::string show_call(const Operator& op, size_t count, const std::vector<const Argument*>& names) {
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    text += (i > 0 ? ", " : "") + show(op.schema.arguments[i]);
  }
  for (const Argument* argument : names) {
    text += (text.empty() ? "" : ", ") + argument->name + "=" + show(*argument);
  }
  return fmt::format("{}({})", op.face->python_name, text);
}

// Functions call `self` by the name `input`.
std::string_view python_name(const Argument& argument) {
  return argument.name == "self" ? "input" : std::string_view(argument.name);
}

void append_missing(std::vector<const Argument*>& names, const std::vector<const Argument*>& more) {
  for (const Argument* argument : more) {
    const auto same = [&](const Argument* known) { return known->name == argument->name; };
    if (std::ranges::none_of(names, same)) names.push_back(argument);
  }
}

// A call that both take, and in which an argument stands for a parameter of one name in `a` and of
// another in `b`: the shortest one.
std::optional<std::string> ambiguous_call(const Operator& a, const Operator& b) {
  const std::vector<Parameter> left = parameters_of(a), right = parameters_of(b);
  const size_t most = std::min(left.size(), right.size());
  bool names_differ = false;
  for (size_t k = 0; k < most; ++k) {
    const bool positional = !left[k].argument->keyword_only && !right[k].argument->keyword_only;
    if (!positional || (left[k].values & right[k].values) == 0) break;
    names_differ =
        names_differ || python_name(*left[k].argument) != python_name(*right[k].argument);
    auto names = by_name(left, right, k + 1);
    const auto others = by_name(right, left, k + 1);
    if (!names_differ || !names || !others) continue;
    append_missing(*names, *others);
    return show_call(a, k + 1, *names);
  }
  return std::nullopt;
}

// Whether every call of `b` is one of `a`. Numbers for tensors do not count: who allows them wants
// the Scalar overload for C++ alone.
bool takes_all_of(const Operator& a, const Operator& b) {
  const std::vector<Parameter> left = parameters_of(a, true), right = parameters_of(b, true);
  if (left.size() < right.size()) return false;
  for (size_t i = 0; i < left.size(); ++i) {
    if (i >= right.size()) {
      if (left[i].required()) return false;
      continue;
    }
    const bool same = left[i].argument->name == right[i].argument->name &&
                      left[i].argument->keyword_only == right[i].argument->keyword_only;
    const bool wider = (right[i].values & ~left[i].values) == 0;
    const bool may_be_left_out = !left[i].required() || right[i].required();
    if (!same || !wider || !may_be_left_out) return false;
  }
  return true;
}

bool meet_in_python(const Operator& a, const Operator& b) {
  return (a.face->function && b.face->function) || (a.face->method && b.face->method);
}

// False if it leads to an error.
bool check_pair(const Operator& first, const Operator& second, DiagnosticSink& sink) {
  const bool decided = tried_before(first, second) || tried_before(second, first);
  const Operator& before = tried_before(second, first) ? second : first;
  const Operator& after = &before == &first ? second : first;
  const std::optional<std::string> call = decided ? std::nullopt : ambiguous_call(first, second);
  if (call) {
    sink.error(Code::ambiguous_overloads, second.schema.name_span,
               fmt::format("the Python call '{}' fits '{}' and '{}' equally well, and means "
                           "something else in each",
                           *call, first.name.full, second.name.full))
        .note(first.origin.span, "the other overload is here");
    return false;
  }
  if (takes_all_of(before, after)) {
    sink.error(Code::ambiguous_overloads, after.schema.name_span,
               fmt::format("no Python call reaches '{}': '{}' takes all that it takes, and is "
                           "tried before it",
                           after.name.full, before.name.full))
        .note(before.origin.span, "the overload that is tried first is here");
    return false;
  }
  return true;
}

// Every overload is compared with all others of its name.
bool check_count(const Operator& op, size_t count, DiagnosticSink& sink) {
  if (count == kMostOverloads) {
    sink.error(Code::too_large, op.schema.name_span,
               fmt::format("a function has at most {} overloads in Python; '{}' is one more of "
                           "'{}'",
                           kMostOverloads, op.name.full, op.face->python_name));
  }
  return count < kMostOverloads;
}

}  // namespace

bool tried_before(const Operator& a, const Operator& b) {
  const auto& left = a.schema.arguments;
  const auto& right = b.schema.arguments;
  for (size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    if (left[i].keyword_only || right[i].keyword_only) break;
    const int x = specificity(left[i].type), y = specificity(right[i].type);
    if (x != y) return x < y;
  }
  return false;
}

void check_python_overloads(const std::vector<const Operator*>& operators, DiagnosticSink& sink) {
  std::map<std::pair<std::string, std::string>, std::vector<const Operator*>> by_name;
  for (const Operator* op : operators) {
    // Derived forms would only repeat what is said of those that they are derived from.
    const bool derived = op->forms->functional != nullptr && op->forms->functional != op;
    if (derived || op->face->internal || op->origin.imported) continue;
    std::vector<const Operator*>& same = by_name[{op->face->python_module, op->face->python_name}];
    // One report of each is enough.
    bool fine = check_count(*op, same.size(), sink);
    for (const Operator* other : same) {
      if (fine && meet_in_python(*other, *op)) fine = check_pair(*other, *op, sink);
    }
    same.push_back(op);
  }
}

}  // namespace opweave::codegen
