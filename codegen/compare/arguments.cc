// The arguments of one operator, before and after.
#include <algorithm>

#include "codegen/compare/changes.h"
#include "codegen/emit/text/signature.h"

namespace opweave::codegen {
namespace {

std::string default_text(const Argument& argument) {
  return argument.default_value ? argument.default_value->text : "";
}

Type without_alias(Type type) {
  type.alias.reset();
  return type;
}

// Whether every value of the first type is one of the second.
bool widens(const Type& from, const Type& to) {
  if (without_alias(from) == without_alias(to)) return true;
  if (from.list != to.list || from.size != to.size || (from.optional && !to.optional)) return false;
  if (from.base == to.base) return !from.element_optional || to.element_optional;
  const bool number = to.base == BaseType::scalar || to.base == BaseType::floating;
  return number && !from.list &&
         (from.base == BaseType::integer ||
          (from.base == BaseType::floating && to.base == BaseType::scalar));
}

class Arguments {
 public:
  Arguments(const Operator& before, const Operator& after, std::vector<Change>& changes)
      : before_(before), after_(after), changes_(changes) {}

  void compare() {
    for (size_t i = 0; i < before_.schema.arguments.size(); ++i) compare_argument(i);
    for (size_t i = 0; i < after_.schema.arguments.size(); ++i) find_added(i);
    compare_order();
  }

 private:
  void add(std::string what, uint8_t breaks) {
    changes_.push_back({Change::Kind::changed, after_.name.full, std::move(what), breaks});
  }

  // An argument of another name at the same place, of the same type, that was
  // not there before.
  const Argument* renamed(size_t i) const {
    const Argument& was = before_.schema.arguments[i];
    if (i >= after_.schema.arguments.size()) return nullptr;
    const Argument& is = after_.schema.arguments[i];
    const bool fresh = before_.schema.find_argument(is.name) < 0;
    return fresh && was.type == is.type ? &is : nullptr;
  }

  void compare_argument(size_t i) {
    const Argument& was = before_.schema.arguments[i];
    const int at = after_.schema.find_argument(was.name);
    if (at >= 0) return compare_same(was, after_.schema.arguments[at]);
    if (const Argument* is = renamed(i)) {
      add("argument '" + was.name + "' was renamed to '" + is->name + "'",
          Audience::python | Audience::saved);
      return compare_same(was, *is);
    }
    add("argument '" + was.name + "' was removed", kEverybody);
  }

  void compare_same(const Argument& was, const Argument& is) {
    const std::string name = "argument '" + is.name + "' ";
    if (was.type.is_mutated() != is.type.is_mutated()) {
      add(name + (is.type.is_mutated() ? "is now written" : "is no longer written"), kEverybody);
    } else if (!(was.type == is.type)) {
      compare_types(name, was.type, is.type);
    }
    if (was.keyword_only != is.keyword_only) {
      const uint8_t breaks = is.keyword_only ? static_cast<uint8_t>(Audience::python) : kNobody;
      add(name + (is.keyword_only ? "became keyword-only" : "may now be given by position"),
          breaks);
    }
    compare_defaults(name, was, is);
  }

  void compare_types(const std::string& name, const Type& was, const Type& is) {
    const bool same_cpp = parameter_type(was) == parameter_type(is);
    const bool wider = widens(was, is);
    uint8_t breaks = wider ? kNobody : Audience::python | Audience::cpp;
    if (!wider) breaks |= static_cast<uint8_t>(Audience::saved);
    if (!same_cpp) breaks |= static_cast<uint8_t>(Audience::libraries);
    add(name + "was " + print(was) + " and is " + print(is), breaks);
  }

  void compare_defaults(const std::string& name, const Argument& was, const Argument& is) {
    const std::string before = default_text(was), after = default_text(is);
    if (before == after) return;
    const uint8_t callers = Audience::python | Audience::cpp;
    if (after.empty()) {
      add(name + "lost its default " + before, callers);
    } else if (before.empty()) {
      add(name + "got the default " + after, kNobody);
    } else {
      add(name + "had the default " + before + " and has " + after, callers);
    }
  }

  bool was_renamed_to(size_t i) const {
    return i < before_.schema.arguments.size() && renamed(i) != nullptr &&
           after_.schema.find_argument(before_.schema.arguments[i].name) < 0;
  }

  void find_added(size_t i) {
    const Argument& is = after_.schema.arguments[i];
    if (before_.schema.find_argument(is.name) >= 0 || was_renamed_to(i)) return;
    const std::string what = "argument '" + is.name + "' was added";
    if (!is.default_value) return add(what + ", without a default", kEverybody);
    add(what, static_cast<uint8_t>(Audience::libraries));
  }

  // Names of the old arguments that are still there, in an operator's order.
  static std::vector<std::string> kept(const Operator& op, const Operator& other, bool positional) {
    std::vector<std::string> names;
    for (const Argument& argument : op.schema.arguments) {
      if (positional && argument.keyword_only) continue;
      const int at = other.schema.find_argument(argument.name);
      if (at >= 0 && !(positional && other.schema.arguments[at].keyword_only))
        names.push_back(argument.name);
    }
    return names;
  }

  // Whether an added argument stands before one that callers give by position.
  bool inserted(bool positional) const {
    bool fresh = false;
    for (size_t i = 0; i < after_.schema.arguments.size(); ++i) {
      const Argument& is = after_.schema.arguments[i];
      if (positional && is.keyword_only) break;
      const bool known = before_.schema.find_argument(is.name) >= 0 || was_renamed_to(i);
      if (known && fresh) return true;
      fresh |= !known;
    }
    return false;
  }

  void compare_order() {
    uint8_t breaks = kNobody;
    for (const auto& [positional, audience] :
         {std::pair(true, Audience::python), std::pair(false, Audience::cpp)}) {
      const bool moved = kept(before_, after_, positional) != kept(after_, before_, positional);
      if (moved || inserted(positional)) breaks |= static_cast<uint8_t>(audience);
    }
    if (breaks == kNobody) return;
    add("arguments changed their places", breaks | static_cast<uint8_t>(Audience::libraries));
  }

  const Operator& before_;
  const Operator& after_;
  std::vector<Change>& changes_;
};

}  // namespace

void compare_arguments(const Operator& before, const Operator& after,
                       std::vector<Change>& changes) {
  Arguments(before, after, changes).compare();
}

}  // namespace opweave::codegen
