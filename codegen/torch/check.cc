// Reads PyTorch's files in order and counts.
#include "codegen/torch/check.h"

#include <fmt/format.h>

#include "codegen/torch/relations.h"
#include "codegen/torch/views.h"

namespace opweave::codegen::torch {

void check_torch_files(TorchInputs inputs, TorchFiles& files, DiagnosticSink& sink) {
  for (InputFile& header : inputs.headers) {
    files.headers.add_header(
        files.sources.add(std::move(header.path), std::move(header.text))->text());
  }
  auto read = [&](InputFile& file, auto&& read_root) {
    const Source* source = files.sources.add(std::move(file.path), std::move(file.text));
    if (const YamlNode* root = parse_yaml(*source, files.yaml, sink)) read_root(*root, *source);
  };
  std::vector<std::string_view> tags = known_tags();
  if (inputs.tags) {
    read(*inputs.tags,
         [&](const YamlNode& root, const Source& source) { tags = read_tags(root, source, sink); });
  }
  read(inputs.native_functions, [&](const YamlNode& root, const Source& source) {
    files.functions = read_native_functions(root, source, tags, sink);
  });
  const std::vector<FormGroup> groups = check_relations(files.functions, sink);
  if (!inputs.derivatives) return check_replayed(groups, nullptr, sink);
  read(*inputs.derivatives, [&](const YamlNode& root, const Source& source) {
    files.derivatives = read_native_derivatives(
        root, source, {files.functions, groups, files.headers}, files.cpp, sink);
  });
  check_replayed(groups, &files.derivatives, sink);
}

std::string summary(const TorchFiles& files) {
  const NativeDerivatives& derivatives = files.derivatives;
  std::string text = fmt::format("{} schemas read, each prints back to the letter\n",
                                 files.functions.all().size());
  if (derivatives.formulas == 0) return text;
  text += fmt::format(
      "{} formulas in {} entries: {} parsed, {} words such as auto_linear, {} not parsed ({:.1f} "
      "%)\n",
      derivatives.formulas, derivatives.entries.size(),
      derivatives.formulas - derivatives.words - derivatives.unparsed, derivatives.words,
      derivatives.unparsed,
      100.0 * static_cast<double>(derivatives.unparsed) /
          static_cast<double>(derivatives.formulas));
  if (derivatives.helpers > 0) {
    text += fmt::format(
        "{} helpers were not looked up: give the headers that declare them with --helpers\n",
        derivatives.helpers);
  }
  return text;
}

}  // namespace opweave::codegen::torch
