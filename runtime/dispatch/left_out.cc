// What a build of selected operators says about the others.
#include "runtime/core/error.h"
#include "runtime/dispatch/registry.h"

namespace opweave {
namespace {

struct LeftOut {
  std::string_view selection;
  std::span<const std::string_view> operators;
};
LeftOut& left_out() {
  static auto* left_out = new LeftOut;
  return *left_out;
}

std::string message(std::string_view name) {
  return str("operator '", name, "' was left out of this build (selection ", left_out().selection,
             "): add `- ", name, "` under operators");
}

// A graph that is not recorded would make gradients go missing without a word.
void refuse_to_record(const OperatorEntry& op, DispatchKeySet, Stack&) {
  OW_THROW(
      ErrorKind::kNotImplemented, op.full_name(), "(): this build has no gradients (selection ",
      left_out().selection,
      "), but an argument requires one: call it under no_grad(), or remove `gradients: false`");
}

}  // namespace

void register_left_out(std::string_view selection, std::span<const std::string_view> operators,
                       bool gradients) {
  left_out() = {selection, operators};
  if (!gradients) register_fallback(DispatchKey::kAutograd, refuse_to_record);
}

std::string left_out_message(std::string_view name) {
  for (std::string_view full_name : left_out().operators) {
    if (full_name == name || full_name.substr(0, full_name.find('.')) == name) return message(name);
  }
  return "";
}

void fail_left_out(std::string_view name) { OW_THROW(ErrorKind::kNotImplemented, message(name)); }

}  // namespace opweave
