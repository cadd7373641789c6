// Runs every case of bad_input/: the diagnostics must be exactly those of its expected.txt.
// `OPWEAVE_UPDATE=1` in the environment writes what is found instead; run from the repository's
// root.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

#include "codegen/diagnostics/render.h"
#include "codegen/model/entries/keys.h"
#include "codegen/syntax/yaml_places.h"
#include "tests/codegen/corpus.h"

namespace opweave::codegen {
namespace {

namespace fs = std::filesystem;

TEST_CASE("bad inputs give exactly the expected diagnostics") {
  const bool update = std::getenv("OPWEAVE_UPDATE") != nullptr;
  const std::vector<fs::path> folders = corpus_cases();
  CHECK(folders.size() >= 150);
  for (const fs::path& folder : folders) {
    CAPTURE(folder.filename().string());
    const CorpusRun run(folder);
    const bool warned = !run.sink.has_errors();
    CHECK(run.has_model == (run.for_emitter || warned));
    const std::string found = render_all(run.sink);
    CHECK(found.find(warned ? "warning[OW" : "error[OW") != std::string::npos);
    if (update) {
      std::ofstream(folder / "expected.txt", std::ios::binary) << found;
    } else {
      CHECK(found == read_corpus_file(folder / "expected.txt"));
    }
  }
}

TEST_CASE("every case has a number of its own") {
  std::map<std::string, std::string> names;
  for (const fs::path& folder : corpus_cases()) {
    const std::string name = folder.filename();
    CAPTURE(name);
    const std::string number = name.substr(0, 4);
    CHECK(
        std::all_of(number.begin(), number.end(), [](unsigned char c) { return std::isdigit(c); }));
    CHECK(name.substr(4, 1) == "-");
    const auto [other, is_new] = names.emplace(number, name);
    CAPTURE(other->second);
    CHECK(is_new);
  }
}

// `OW0202_unknown_name`
std::string room_of(Code code) {
  switch (code) {
#define OPWEAVE_CODE(name, number, title) \
  case Code::name:                        \
    return code_name(code) + "_" #name;
#include "codegen/diagnostics/codes.def"
#undef OPWEAVE_CODE
  }
  return "";
}

TEST_CASE("a case lies in the folder of the rule that it breaks first") {
  for (const fs::path& folder : corpus_cases()) {
    CAPTURE(folder.filename().string());
    const CorpusRun run(folder);
    REQUIRE(!run.sink.all().empty());
    CHECK(folder.parent_path().filename() == room_of(run.sink.all().front().code));
  }
}

TEST_CASE("every code is in some case") {
  std::set<Code> seen;
  for (const fs::path& folder : corpus_cases()) {
    const CorpusRun run(folder);
    for (const Diagnostic& diagnostic : run.sink.all()) seen.insert(diagnostic.code);
  }
  for (Code code : all_codes()) {
    CAPTURE(code_name(code));
    CHECK(seen.count(code) == 1);
  }
}

// --- keys ---

// What is wrong whatever the key is.
bool is_about_form(Code code) { return code <= Code::empty_file || code == Code::encoding; }

// `ops.yaml suits`: the key that a place belongs to; empty if it is in none.
std::string key_at(const YamlNode& map, const Span& place) {
  for (const YamlNode::Entry& field : map.entries) {
    const Span value = field.value->is_null() ? field.key.whole() : extent(*field.value);
    const Span key = field.key.whole();
    if (place.begin < key.begin || place.begin > std::max(key.end, value.end)) continue;
    const bool object = map.entries.front().key.text == "object";
    return fmt::format("{} {}", object ? "objects" : place.source->path(), field.key.text);
  }
  return "";
}

std::string key_of(const Span& place) {
  YamlArena arena;
  DiagnosticSink unheard;
  const YamlNode* root = place ? parse_yaml(*place.source, arena, unheard) : nullptr;
  if (root == nullptr) return "";
  if (root->is_map()) return key_at(*root, place);
  for (const YamlNode* item : root->items) {
    const std::string key = item->is_map() && !item->entries.empty() ? key_at(*item, place) : "";
    if (!key.empty()) return key;
  }
  return "";
}

TEST_CASE("every key has a case whose value is well-formed and wrong") {
  std::set<std::string> seen;
  for (const fs::path& folder : corpus_cases()) {
    const CorpusRun run(folder);
    for (const Diagnostic& diagnostic : run.sink.all()) {
      if (!is_about_form(diagnostic.code) || diagnostic.code == Code::bad_value)
        seen.insert(key_of(diagnostic.span));
    }
  }
  const std::set<std::string_view> any_text = {"doc", "keeps"};
  const std::pair<const char*, const KeyTable*> tables[] = {
      {"ops.yaml", &operator_keys()},
      {"objects", &object_keys()},
      {"derivatives.yaml", &derivative_keys()},
      {"target.yaml", &target_keys()}};
  for (const auto& [file, table] : tables) {
    for (const Key& key : table->keys) {
      CAPTURE(file);
      CAPTURE(std::string(key.name));
      if (any_text.count(key.name) == 0)
        CHECK(seen.count(fmt::format("{} {}", file, key.name)) == 1);
    }
  }
}

}  // namespace
}  // namespace opweave::codegen
