// Runs every case of bad_input/: the diagnostics must be exactly those of its expected.txt.
// `OPWEAVE_UPDATE=1` in the environment writes what is found instead; run from the repository's
// root.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "codegen/diagnostics/render.h"
#include "codegen/model/model.h"

namespace opweave::codegen {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolder = "tests/codegen/bad_input";

std::string read(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

// The messages for the files of one case, named without their folder.
std::string diagnose(const fs::path& folder) {
  Inputs inputs;
  inputs.known_targets = {"cpu", "cuda"};
  inputs.ops.push_back({"ops.yaml", read(folder / "ops.yaml")});
  if (fs::exists(folder / "derivatives.yaml")) {
    inputs.derivatives.push_back({"derivatives.yaml", read(folder / "derivatives.yaml")});
  }
  if (fs::exists(folder / "target.yaml")) {
    inputs.targets.push_back({"target.yaml", read(folder / "target.yaml")});
  }
  DiagnosticSink sink;
  auto sources = std::make_shared<Sources>();
  auto model = load_model(std::move(inputs), sources, sink);
  CHECK(model == nullptr);
  sink.sort();
  return render_all(sink);
}

std::vector<fs::path> cases() {
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(kFolder)) folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  return folders;
}

TEST_CASE("bad inputs give exactly the expected diagnostics") {
  bool update = std::getenv("OPWEAVE_UPDATE") != nullptr;
  std::vector<fs::path> folders = cases();
  CHECK(folders.size() >= 100);
  for (const fs::path& folder : folders) {
    CAPTURE(folder.filename().string());
    std::string found = diagnose(folder);
    CHECK(found.find("error[OW") != std::string::npos);
    if (update) {
      std::ofstream(folder / "expected.txt", std::ios::binary) << found;
    } else {
      CHECK(found == read(folder / "expected.txt"));
    }
  }
}

}  // namespace
}  // namespace opweave::codegen
