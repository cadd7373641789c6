// Takes names of operators apart.
#include "codegen/torch/operator_name.h"

#include <fmt/format.h>

#include <algorithm>

namespace opweave::codegen::torch {
namespace {

constexpr std::string_view kFunctional = "_functional";
constexpr std::string_view kAugmented[] = {"add", "sub",    "mul",    "div", "mod", "pow",
                                           "and", "lshift", "rshift", "xor", "or"};

std::string dotted(std::string_view name, std::string_view overload) {
  return overload.empty() ? std::string(name) : fmt::format("{}.{}", name, overload);
}

bool is_identifier(std::string_view text) {
  constexpr std::string_view kCharacters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  return !text.empty() && text.find_first_not_of(kCharacters) == std::string_view::npos &&
         !(text[0] >= '0' && text[0] <= '9');
}

// The name between two underscores on either side, without underscores in it; empty if it is none.
std::string_view between_underscores(std::string_view name) {
  if (name.size() < 5 || !name.starts_with("__") || !name.ends_with("__")) return {};
  const std::string_view inner = name.substr(2, name.size() - 4);
  return inner.find('_') == std::string_view::npos ? inner : std::string_view();
}

bool parse_dunder(std::string_view inner, OperatorName& name) {
  name.dunder = true;
  name.base = inner;
  if (inner[0] != 'i') return true;
  name.base = inner.substr(1);
  name.in_place = std::ranges::find(kAugmented, name.base) != std::end(kAugmented);
  return name.in_place;
}

void parse_plain(std::string_view text, OperatorName& name) {
  name.in_place = text.ends_with('_');
  if (name.in_place) text.remove_suffix(1);
  name.functional = text.ends_with(kFunctional);
  if (name.functional) text.remove_suffix(kFunctional.size());
  name.base = text;
}

NameProblem unknown_dunder(std::string_view name) {
  return {
      fmt::format("'{}' is no operator of Python that works in place", name),
      fmt::format("names that begin with '__i' are: __i{}__", fmt::join(kAugmented, "__, __i"))};
}

}  // namespace

std::string OperatorName::without_overload() const {
  if (dunder) return fmt::format("__{}{}__", in_place ? "i" : "", base);
  return fmt::format("{}{}", base, in_place ? "_" : functional ? kFunctional : "");
}

std::string OperatorName::full() const { return dotted(without_overload(), overload); }

std::optional<OperatorName> parse_operator_name(std::string_view base, std::string_view overload,
                                                NameProblem& problem) {
  if (!is_identifier(base)) {
    problem = {base.empty() ? "the name of an operator is missing"
                            : fmt::format("'{}' is no name of an operator", base),
               ""};
    return {};
  }
  if (base.ends_with("_out")) {
    problem = {
        fmt::format("'{}' ends in '_out', which is kept for what writes into `out`", base),
        fmt::format("write: {}.{}", base.substr(0, base.size() - 4), dotted("out", overload))};
    return {};
  }
  OperatorName name;
  name.overload = overload;
  const std::string_view inner = between_underscores(base);
  if (inner.empty()) {
    parse_plain(base, name);
  } else if (!parse_dunder(inner, name)) {
    problem = unknown_dunder(base);
    return {};
  }
  if (!name.functional || !name.in_place) return name;
  problem = {fmt::format("'{}' says that it works in place, and that it writes nothing", base),
             fmt::format("write: {}_, or {}{}", name.base, name.base, kFunctional)};
  return {};
}

std::optional<OperatorName> parse_operator_name(std::string_view name, NameProblem& problem) {
  const size_t point = std::min(name.find('.'), name.size());
  const std::string_view base = name.substr(0, point);
  if (point + 1 == name.size()) {
    problem = {fmt::format("'{}' has no overload behind the point", name),
               fmt::format("write: {}", base)};
    return {};
  }
  return parse_operator_name(base, point < name.size() ? name.substr(point + 1) : "", problem);
}

}  // namespace opweave::codegen::torch
