// Conditions that hints decide.
#include "runtime/rules/symbolic/guards.h"

#include <algorithm>

#include "runtime/core/base/error.h"

namespace opweave::symbolic {

using rule::Condition;

thread_local Guards* Guards::current_ = nullptr;

bool Guards::decide(const Condition& condition, bool hint) {
  if (condition.kind != Condition::Kind::open) return condition.kind == Condition::Kind::yes;
  OW_CHECK(current_ != nullptr, "whether ", condition.text,
           " depends on sizes that are not known, and nobody records it");
  std::vector<std::string>& all = current_->all_;
  const std::string text = hint ? condition.text : negated(condition).text;
  if (std::ranges::find(all, text) == all.end()) all.push_back(text);
  return hint;
}

}  // namespace opweave::symbolic
