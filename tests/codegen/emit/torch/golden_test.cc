// Extensions of PyTorch, line by line as they were last reviewed.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "codegen/emit/torch/torch.h"
#include "tests/codegen/support/load.h"

namespace opweave::codegen {
namespace {

namespace fs = std::filesystem;
using Texts = std::map<std::string, std::string>;

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// The same options as those of `./dev goldens`.
Texts generated() {
  const std::string path = "tests/codegen/emit/torch/golden/ops.yaml";
  Inputs inputs;
  inputs.ops.push_back({path, read(path)});
  inputs.imported_ops.push_back({"ops.yaml", read("ops.yaml")});
  const Loaded loaded(std::move(inputs));
  EmitOptions options;
  options.library = "golden";
  Texts texts;
  for (EmittedFile& file : emit_torch(*loaded.model, options))
    texts[file.path] = std::move(file.text);
  return texts;
}

Texts golden() {
  const fs::path folder = "tests/codegen/emit/torch/golden/output";
  Texts texts;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_directory()) continue;
    std::string name = entry.path().lexically_relative(folder).string();
    texts[name.substr(0, name.size() - std::string(".golden").size())] = read(entry.path());
  }
  return texts;
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

// What every extension has.
bool is_support(const std::string& path) {
  return path.starts_with("csrc/opweave/") || path == "build_extension.py" ||
         path == "compiler_messages.py" || path == "pyproject.toml" ||
         path == "golden/_support.py" || path == "golden/_loading.py" ||
         path == "tests/test_operators.py";
}

TEST_CASE("what is generated for PyTorch is what was reviewed") {
  INFO("./dev goldens writes them anew; look at the difference");
  Texts now = generated();
  std::erase_if(now, [](const auto& file) { return is_support(file.first); });
  const Texts then = golden();
  CHECK(now.size() == then.size());
  for (const auto& [name, text] : now) {
    CAPTURE(name);
    REQUIRE(then.contains(name));
    const std::vector<std::string> actual = lines(text), expected = lines(then.at(name));
    for (size_t i = 0; i < std::max(actual.size(), expected.size()); ++i) {
      INFO(name << ":" << i + 1);
      REQUIRE((i < actual.size() ? actual[i] : "(end)") ==
              (i < expected.size() ? expected[i] : "(end)"));
    }
  }
}

TEST_CASE("an extension has everything that its build reads") {
  const Texts now = generated();
  for (const char* path :
       {"setup.py", "build_extension.py", "csrc/library.cpp", "csrc/pointwise.cpp",
        "csrc/opweave/operators.h", "csrc/opweave/autograd.h", "csrc/opweave/pointwise.h",
        "csrc/opweave/vocabulary.h", "golden/__init__.py", "golden/_rules.py",
        "golden/_support.py"}) {
    CAPTURE(path);
    CHECK(now.contains(path));
  }
}

}  // namespace
}  // namespace opweave::codegen
