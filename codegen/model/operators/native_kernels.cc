#include "codegen/model/operators/native_kernels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "codegen/model/declarations/kernel_words.h"

namespace opweave::codegen {
namespace {

constexpr std::string_view kNative = "native";

bool is_served(const Operator& op) {
  return std::ranges::any_of(op.computation->targets, [](const std::string& target) {
    return find_kernel_word(target) == nullptr;
  });
}

void report(const Draft& draft, const std::vector<std::string>& targets, DiagnosticSink& sink) {
  const LocatedText& word = *std::ranges::find(*draft.entry->kernels, kNative, &LocatedText::text);
  const std::string hardware = targets.empty() ? "cpu" : targets.front();
  sink.error(
          Code::unknown_target, word.whole(),
          fmt::format("'{}' has a kernel where a target's file names it ('native'), and none does",
                      draft.op->name.full))
      .note({}, fmt::format("the targets are: {}", fmt::join(targets, ", ")))
      .note({},
            "name the operator in the `kernels` of a target.yaml that is built in; a library, "
            "which has none, names the target itself")
      .suggest(hardware);
}

// More of them, and no file that could name one: one report for all.
void report_lacking_file(const std::vector<const Draft*>& found, DiagnosticSink& sink) {
  const Draft& first = *found.front();
  sink.error(Code::unknown_target, first.op->schema.name_span,
             fmt::format("{} operators, of which this is the first, have kernels where a target's "
                         "file names them ('native'), and no such file was read",
                         found.size()))
      .note({}, "name it: --target FILE");
}

}  // namespace

void check_natives(const std::vector<Draft>& drafts, const std::vector<std::string>& targets,
                   bool files_read, DiagnosticSink& sink) {
  constexpr size_t kFew = 3;  // so many are mistakes of their own
  std::vector<const Draft*> found;
  for (const Draft& draft : drafts) {
    if (draft.entry == nullptr || draft.op->origin.imported) continue;
    const bool served = files_read && is_served(*draft.op);  // beside what the entry itself names
    if (draft.op->has_target(kNative) && !served) found.push_back(&draft);
  }
  if (!files_read && found.size() > kFew) return report_lacking_file(found, sink);
  for (const Draft* draft : found) report(*draft, targets, sink);
}

}  // namespace opweave::codegen
