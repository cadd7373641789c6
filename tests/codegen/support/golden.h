// Generated files, and those that were last reviewed: `./dev goldens` writes these.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "codegen/model/model.h"
#include "tests/support/read_file.h"

namespace opweave::codegen {

using Texts = std::map<std::string, std::string>;  // by path

template <class Files>
Texts texts_of(Files files) {
  Texts texts;
  for (auto& file : files) texts[file.path] = std::move(file.text);
  return texts;
}

// Of a library whose YAML files are in a folder, and that uses the core's operators.
inline Inputs inputs_of_library(const std::string& folder) {
  Inputs inputs;
  inputs.ops.push_back({folder + "ops.yaml", read_file(folder + "ops.yaml")});
  inputs.derivatives.push_back(
      {folder + "derivatives.yaml", read_file(folder + "derivatives.yaml")});
  inputs.imported_ops.push_back({"ops.yaml", read_file("ops.yaml")});
  return inputs;
}

inline Texts golden(const std::filesystem::path& folder) {
  Texts texts;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_directory()) continue;
    std::string name = entry.path().lexically_relative(folder).string();
    texts[name.substr(0, name.size() - std::string(".golden").size())] = read_file(entry.path());
  }
  return texts;
}

inline std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

inline std::vector<std::string> names(const Texts& texts) {
  std::vector<std::string> all;
  for (const auto& [name, text] : texts) all.push_back(name);
  return all;
}

// Names the first line that differs.
inline void check_reviewed(const Texts& now, const Texts& then) {
  INFO("./dev goldens writes them anew; look at the difference");
  REQUIRE(names(now) == names(then));
  for (const auto& [name, text] : now) {
    const auto expected = lines(then.at(name)), actual = lines(text);
    for (size_t i = 0; i < std::max(expected.size(), actual.size()); ++i) {
      INFO(name << ":" << i + 1);
      REQUIRE((i < actual.size() ? actual[i] : "(end)") ==
              (i < expected.size() ? expected[i] : "(end)"));
    }
  }
}

// A package for another framework: those of its files that differ between packages.
template <class IsOwn>
void check_reviewed_package(Texts now, const std::string& folder, IsOwn is_own) {
  std::erase_if(now, [&](const auto& file) { return !is_own(file.first); });
  check_reviewed(now, golden(folder));
}

inline void check_complete(const Texts& now, std::initializer_list<const char*> paths) {
  for (const char* path : paths) {
    CAPTURE(path);
    CHECK(now.contains(path));
  }
}

}  // namespace opweave::codegen
