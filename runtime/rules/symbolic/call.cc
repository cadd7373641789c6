// The table of rules over symbols.
#include "runtime/rules/symbolic/call.h"

#include <map>

namespace opweave::symbolic {
namespace {

std::map<std::string_view, const SymbolicRule*>& table() {
  static std::map<std::string_view, const SymbolicRule*> all;
  return all;
}

}  // namespace

SymbolicRules::SymbolicRules(std::span<const SymbolicRule> rules) {
  for (const SymbolicRule& rule : rules) table()[rule.name] = &rule;
}

const SymbolicRule* find_symbolic_rule(std::string_view name) {
  const auto found = table().find(name);
  return found == table().end() ? nullptr : found->second;
}

std::vector<const SymbolicRule*> symbolic_rules() {
  std::vector<const SymbolicRule*> all;
  for (const auto& [name, rule] : table()) all.push_back(rule);
  return all;
}

void pointwise(std::span<const SymValue> arguments, SymResult* results) {
  SymDims sizes;
  Device device;
  for (const SymValue& argument : arguments) {
    const auto* tensor = std::get_if<SymTensor>(&argument);
    if (tensor == nullptr || !tensor->defined()) continue;
    sizes = opweave::rule::generic::broadcast<SymInt, SymDims>(SymIntList(sizes), tensor->sizes());
    device = tensor->device();
  }
  results[0].set(sizes, ScalarType::kUndefined, device);
}

std::vector<SymResult> results_of(const SymbolicRule& rule, std::span<const SymValue> arguments) {
  const opweave::rule::Effort::Scope effort;
  std::vector<SymResult> results(rule.results);
  try {
    rule.call(arguments, results.data());
  } catch (const opweave::rule::NoShape& refusal) {
    OW_THROW(ErrorKind::kSize, rule.name, "(): ", refusal.why);
  }
  return results;
}

void detail::throw_wrong_argument(size_t index) {
  OW_THROW(ErrorKind::kType, "argument ", index, " of a rule is of another type");
}

}  // namespace opweave::symbolic
