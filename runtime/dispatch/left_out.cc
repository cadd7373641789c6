// What a build of selected operators says about the others.
#include <algorithm>
#include <vector>

#include "runtime/core/base/error.h"
#include "runtime/dispatch/registry.h"

namespace opweave {
namespace {

// Of the core or of one library.
struct LeftOut {
  std::string_view prefix;
  std::string_view selection;
  std::span<const std::string_view> operators;
};
std::vector<LeftOut>& builds() {
  static auto* builds = new std::vector<LeftOut>;
  return *builds;
}

// That of an operator by its full or base name; null where all operators were built.
const LeftOut* build_of(std::string_view name) {
  const std::string_view prefix = name.substr(0, name.size() - plain_name(name).size());
  const auto found = std::ranges::find(builds(), prefix, &LeftOut::prefix);
  return found == builds().end() ? nullptr : &*found;
}

std::string message(const LeftOut* build, std::string_view name) {
  return str("operator '", name, "' was left out of this build (selection ",
             build == nullptr ? "" : build->selection, "): add `- ", name, "` under operators");
}

// A graph that is not recorded would make gradients go missing without a word.
BoxedKernel refuse_to_record(std::string_view selection) {
  return [selection](const OperatorEntry& op, DispatchKeySet, Stack&) {
    OW_THROW(ErrorKind::kNotImplemented, plain_name(op.full_name()),
             "(): this build has no gradients (selection ", selection,
             "), but an argument requires one: call it under no_grad(), or remove "
             "`gradients: false`");
  };
}

void refuse_to_record_any(std::string_view prefix, std::string_view selection) {
  if (prefix.empty()) return register_fallback(DispatchKey::kAutograd, refuse_to_record(selection));
  for (OperatorEntry* op : all_operators()) {
    if (op->def().name.starts_with(prefix) && !op->has_kernel(DispatchKey::kAutograd))
      op->set_boxed_kernel(DispatchKey::kAutograd, refuse_to_record(selection));
  }
}

}  // namespace

void register_left_out(std::string_view prefix, std::string_view selection,
                       std::span<const std::string_view> operators, bool gradients) {
  std::lock_guard lock(registry_mutex());
  std::erase_if(builds(), [&](const LeftOut& build) { return build.prefix == prefix; });
  builds().push_back({prefix, selection, operators});
  if (!gradients) refuse_to_record_any(prefix, selection);
}

std::string left_out_message(std::string_view name) {
  std::lock_guard lock(registry_mutex());
  const LeftOut* build = build_of(name);
  if (build == nullptr) return "";
  const std::string_view plain = plain_name(name);
  for (std::string_view op : build->operators) {
    if (op == plain || op.substr(0, op.find('.')) == plain) return message(build, plain);
  }
  return "";
}

void fail_left_out(std::string_view name) {
  std::lock_guard lock(registry_mutex());
  OW_THROW(ErrorKind::kNotImplemented, message(build_of(name), plain_name(name)));
}

}  // namespace opweave
