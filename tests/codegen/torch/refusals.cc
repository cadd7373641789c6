// Reads and writes the table, and asks the checker.
#include "tests/codegen/torch/refusals.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "codegen/torch/check.h"

namespace opweave::codegen::torch {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCase = "== ";
constexpr std::string_view kDerivatives = "derivatives:";
constexpr std::string_view kExpected = "! ";

// Adds a line to the files that it is of, by its first character.
void add_line(std::string_view line, bool of_derivatives, Refusal& refusal) {
  const std::string text = std::string(line.substr(std::min<size_t>(2, line.size()))) + "\n";
  const auto member = of_derivatives ? &RefusalText::derivatives : &RefusalText::native;
  const char mark = line.empty() ? ' ' : line[0];
  if (mark == ' ' || mark == '-') refusal.wrong.*member += text;
  if (mark == ' ' || mark == '+') refusal.mended.*member += text;
}

std::string at(const Span& span) {
  const Position place = span.source->position(span.begin);
  return fmt::format("{} {}:{}", span.source->path(), place.line, place.column);
}

void describe(const Diagnostic& diagnostic, std::vector<std::string>& lines) {
  const std::string suggestion =
      diagnostic.suggestion.empty() ? "" : " -> " + diagnostic.suggestion;
  lines.push_back(fmt::format("{} {}: {}{}", at(diagnostic.span), code_name(diagnostic.code),
                              diagnostic.message, suggestion));
  for (const Note& note : diagnostic.notes) {
    const std::string place = note.span.source ? " " + at(note.span) : "";
    lines.push_back(fmt::format("  note{}: {}", place, note.message));
  }
}

}  // namespace

std::vector<fs::path> refusal_files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::absolute("tests/codegen/torch/refused"))) {
    if (entry.path().extension() == ".txt") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

std::vector<Refusal> read_refusals(const fs::path& path) {
  std::ifstream stream(path);
  std::vector<Refusal> refusals;
  bool of_derivatives = false;
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with(kCase)) {
      refusals.emplace_back().name = line.substr(kCase.size());
      of_derivatives = false;
    } else if (refusals.empty()) {
      continue;  // what the file is for
    } else if (line.starts_with(kExpected)) {
      refusals.back().expected.push_back(line.substr(kExpected.size()));
      continue;
    } else if (line == kDerivatives) {
      of_derivatives = true;
    } else if (!line.starts_with("> ")) {
      add_line(line, of_derivatives, refusals.back());
    }
    refusals.back().lines.push_back(std::move(line));
  }
  return refusals;
}

void write_refusals(const fs::path& path, const std::vector<Refusal>& refusals) {
  std::ifstream before(path);
  std::string text;
  for (std::string line; std::getline(before, line) && !line.starts_with(kCase);)
    text += line + "\n";
  before.close();
  for (const Refusal& refusal : refusals) {
    for (const std::string& line : refusal.lines) text += line + "\n";
    for (const std::string& line : refusal.expected) text += std::string(kExpected) + line + "\n";
  }
  std::ofstream(path, std::ios::binary) << text;
}

std::vector<std::string> said_of(const RefusalText& text) {
  TorchInputs inputs;
  inputs.native_functions = {"native", text.native};
  if (!text.derivatives.empty()) inputs.derivatives = {"derivatives", text.derivatives};
  TorchFiles files;
  DiagnosticSink sink;
  check_torch_files(std::move(inputs), files, sink);
  sink.sort();
  std::vector<std::string> lines;
  for (const Diagnostic& diagnostic : sink.all()) describe(diagnostic, lines);
  return lines;
}

}  // namespace opweave::codegen::torch
