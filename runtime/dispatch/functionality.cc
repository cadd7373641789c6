// Keys of functionalities, their places in the order, and the rules that serve all operators.
#include "runtime/dispatch/functionality.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "runtime/core/base/error.h"
#include "runtime/core/devices/device.h"
#include "runtime/dispatch/registry.h"

namespace opweave {
namespace {

struct Registered {
  std::string name;
  std::vector<std::string> above, below;
};

// By the number of the key.
using Table = std::array<std::optional<Registered>, kNumDispatchKeys>;

Table& table() {
  static auto* t = [] {
    auto* made = new Table;
    const auto set = [&](DispatchKey key, const char* name) {
      (*made)[static_cast<size_t>(key)] = Registered{name, {}, {}};
    };
    set(DispatchKey::kADInplaceOrView, "ADInplaceOrView");
    set(DispatchKey::kAutograd, "Autograd");
    set(DispatchKey::kComplex, "Complex");
    set(DispatchKey::kGlobalObserver, "GlobalObserver");
    set(DispatchKey::kThreadObserver, "ThreadObserver");
    return made;
  }();
  return *t;
}

std::map<DispatchKey, FunctionalityRule>& rules() {
  static auto* all = new std::map<DispatchKey, FunctionalityRule>;
  return *all;
}

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> list;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    if (end > 0) list.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return list;
}

bool has(const std::vector<std::string>& list, std::string_view name) {
  return std::ranges::find(list, name) != list.end();
}

// The free numbers that a functionality may have lie between these two.
struct Range {
  int low = static_cast<int>(DispatchKey::kFirstFunctionality) - 1;
  int high = static_cast<int>(DispatchKey::kComplex);
};

// Others may have said where they are relative to this one before it came.
Range range_of(const Registered& wanted) {
  Range range;
  for (int i = 0; i < kNumDispatchKeys; ++i) {
    const std::optional<Registered>& other = table()[static_cast<size_t>(i)];
    if (!other || observer_keys().has(static_cast<DispatchKey>(i))) continue;
    if (has(wanted.above, other->name) || has(other->below, wanted.name))
      range.low = std::max(range.low, i);
    if (has(wanted.below, other->name) || has(other->above, wanted.name))
      range.high = std::min(range.high, i);
  }
  return range;
}

// Where those without a place begin: what has one stays below, whoever comes first.
constexpr int kFirstUnplaced = 46;

int highest_taken() {
  for (int i = static_cast<int>(DispatchKey::kComplex) - 1;; --i) {
    if (table()[static_cast<size_t>(i)]) return i;
  }
}

// How many of the names nobody has registered yet.
int count_unknown(const std::vector<std::string>& names) {
  return static_cast<int>(std::ranges::count_if(names, [](const std::string& name) {
    return std::ranges::none_of(
        table(), [&](const std::optional<Registered>& key) { return key && key->name == name; });
  }));
}

// Near the lower end, with room on both sides for those that come between, and for those that have
// yet to come below.
int choose(const Registered& wanted, bool opt_in) {
  Range range = range_of(wanted);
  const bool anywhere = wanted.above.empty() && wanted.below.empty();
  if (anywhere) range.low = std::max({range.low, highest_taken(), kFirstUnplaced - 1});
  const int middle = (range.low + range.high) / 2;
  const int target =
      anywhere ? range.low + 1 : std::min(range.low + 3 + 2 * count_unknown(wanted.above), middle);
  int best = -1;
  for (int i = range.low + 1; i < range.high; ++i) {
    const bool fits = opt_in_keys().has(static_cast<DispatchKey>(i)) == opt_in;
    if (!fits || table()[static_cast<size_t>(i)]) continue;
    if (best < 0 || std::abs(i - target) < std::abs(best - target)) best = i;
  }
  return best;
}

std::string list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += str(text.empty() ? "" : ", ", name);
  return text.empty() ? "any" : text;
}

}  // namespace

DispatchKey register_functionality(std::string_view name, FunctionalityPlace place) {
  const std::lock_guard lock(registry_mutex());
  for (size_t i = kMaxDeviceTypes; i < table().size(); ++i) {
    if (table()[i] && table()[i]->name == name) return static_cast<DispatchKey>(i);
  }
  const Registered wanted{std::string(name), words(place.above), words(place.below)};
  const int key = choose(wanted, place.opt_in);
  OW_CHECK(key >= 0, "there is no room for the functionality '", name, "' above ",
           list(wanted.above), " and below ", list(wanted.below), " in the order of dispatch keys");
  table()[static_cast<size_t>(key)] = wanted;
  return static_cast<DispatchKey>(key);
}

void register_rule(DispatchKey key, FunctionalityRule rule) {
  const std::lock_guard lock(registry_mutex());
  for (OperatorEntry* op : all_operators()) rule(*op, key);
  rules()[key] = std::move(rule);
}

void apply_rules(OperatorEntry& op) {
  for (const auto& [key, rule] : rules()) rule(op, key);
}

std::string key_name(DispatchKey key) {
  const auto index = static_cast<size_t>(key);
  if (index < kMaxDeviceTypes) {
    return std::string(device_type_name(static_cast<DeviceType>(index)));
  }
  for (const LayoutInfo& layout : kLayouts) {
    const bool has_key = layout.dispatch > 0;
    if (has_key && index + 1 == static_cast<size_t>(kMaxDeviceTypes + layout.dispatch))
      return std::string(layout.id);
  }
  const std::lock_guard lock(registry_mutex());
  return table()[index] ? table()[index]->name : std::string();
}

DispatchKey parse_key(std::string_view name) {
  std::string known;
  for (int i = 0; i < kNumDispatchKeys; ++i) {
    const auto key = static_cast<DispatchKey>(i);
    const std::string candidate = key_name(key);
    if (candidate.empty() || observer_keys().has(key)) continue;
    if (candidate == name) return key;
    known += str(known.empty() ? "" : ", ", candidate);
  }
  OW_THROW(ErrorKind::kRuntime, "unknown dispatch key '", name, "'; known: ", known);
}

}  // namespace opweave
