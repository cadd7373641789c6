// Runs every case of bad_input/: the diagnostics must be exactly those of its expected.txt.
// `OPWEAVE_UPDATE=1` in the environment writes what is found instead; run from the repository's
// root.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

#include "codegen/diagnostics/render.h"
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
    CHECK(run.has_model == run.for_emitter);
    const std::string found = render_all(run.sink);
    CHECK(found.find("error[OW") != std::string::npos);
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

}  // namespace
}  // namespace opweave::codegen
