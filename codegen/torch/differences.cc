// In what two schemas of one operator differ.
#include <fmt/format.h>

#include <map>

#include "codegen/torch/parity.h"

namespace opweave::codegen::torch {
namespace {

using Kind = Difference::Kind;

// As it is read: `SymInt` is an int. Aliases are compared on their own.
Type plain(Type type) {
  type.symbolic = false;
  type.alias.reset();
  return type;
}

std::string alias_of(const Type& type) { return type.alias ? print(*type.alias) : "none"; }

std::string default_of(const Argument& argument) {
  return argument.default_value ? argument.default_value->text : "none";
}

bool same_default(const Argument& a, const Argument& b) {
  if (!a.default_value || !b.default_value) return !a.default_value && !b.default_value;
  const Constant& x = *a.default_value;
  const Constant& y = *b.default_value;
  if (x.kind == y.kind && x.kind == Constant::Kind::real) return x.real == y.real;
  if (x.kind == y.kind && x.kind == Constant::Kind::string) return x.string == y.string;
  return x.text == y.text;
}

class SchemaComparison {
 public:
  SchemaComparison(const Schema& theirs, const Schema& ours) : theirs_(theirs), ours_(ours) {}

  std::vector<Difference> compare() {
    for (size_t i = 0; i < theirs_.arguments.size(); ++i) compare_argument(i);
    for (const Argument& own : ours_.arguments) {
      if (theirs_.find_argument(own.name) < 0 && !is_renamed_[own.name])
        add(Kind::arguments, fmt::format("'{}' is here only", own.name));
    }
    compare_order();
    compare_results();
    return std::move(found_);
  }

 private:
  void add(Kind kind, std::string text) { found_.push_back({kind, std::move(text)}); }

  void compare_argument(size_t index) {
    const Argument& there = theirs_.arguments[index];
    const int place = ours_.find_argument(there.name);
    if (place >= 0) return compare_pair(there, ours_.arguments[place]);
    // Nothing of this name: the same type in the same place is the argument by another name.
    const bool renamed = index < ours_.arguments.size() &&
                         plain(ours_.arguments[index].type) == plain(there.type) &&
                         theirs_.find_argument(ours_.arguments[index].name) < 0;
    if (!renamed) return add(Kind::arguments, fmt::format("'{}' is there only", there.name));
    const Argument& here = ours_.arguments[index];
    is_renamed_[here.name] = true;
    add(Kind::names, fmt::format("'{}' is called '{}' here", there.name, here.name));
    compare_pair(there, here);
  }

  void compare_pair(const Argument& there, const Argument& here) {
    if (plain(there.type) != plain(here.type)) {
      add(Kind::types, fmt::format("'{}' is {} there, {} here", there.name,
                                   print(plain(there.type)), print(plain(here.type))));
    }
    if (!same_default(there, here)) {
      add(Kind::defaults, fmt::format("default of '{}' is {} there, {} here", there.name,
                                      default_of(there), default_of(here)));
    }
    if (there.type.alias != here.type.alias) {
      add(Kind::alias, fmt::format("alias of '{}' is {} there, {} here", there.name,
                                   alias_of(there.type), alias_of(here.type)));
    }
    if (there.keyword_only != here.keyword_only) {
      add(Kind::order, fmt::format("'{}' is {} there, {} here", there.name, way(there), way(here)));
    }
  }

  static std::string_view way(const Argument& argument) {
    return argument.keyword_only ? "keyword-only" : "positional";
  }

  // Arguments that both have, in another order.
  void compare_order() {
    int last = -1;
    for (const Argument& there : theirs_.arguments) {
      const int place = ours_.find_argument(there.name);
      if (place < 0) continue;
      if (place < last) return add(Kind::order, "the arguments stand in another order");
      last = place;
    }
  }

  void compare_results() {
    const size_t count = theirs_.returns.size();
    if (count != ours_.returns.size()) {
      return add(Kind::results, fmt::format("{} result{} there, {} here", count,
                                            count == 1 ? "" : "s", ours_.returns.size()));
    }
    for (size_t i = 0; i < count; ++i) {
      const Return& there = theirs_.returns[i];
      const Return& here = ours_.returns[i];
      if (plain(there.type) != plain(here.type) || there.type.alias != here.type.alias) {
        add(Kind::results,
            fmt::format("result {} is {} there, {} here", i, print(there.type), print(here.type)));
      }
      if (there.name != here.name) {
        add(Kind::results,
            fmt::format("result {} is called '{}' there, '{}' here", i, there.name, here.name));
      }
    }
  }

  const Schema& theirs_;
  const Schema& ours_;
  std::map<std::string_view, bool> is_renamed_;
  std::vector<Difference> found_;
};

}  // namespace

std::string_view kind_name(Kind kind) {
  constexpr std::string_view kNames[] = {"arguments", "names", "types",  "defaults",
                                         "alias",     "order", "results"};
  return kNames[static_cast<size_t>(kind)];
}

std::vector<Difference> differences(const Schema& theirs, const Schema& ours) {
  return SchemaComparison(theirs, ours).compare();
}

}  // namespace opweave::codegen::torch
