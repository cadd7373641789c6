// A folder of its own for one test, gone with it.
#pragma once

#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

namespace opweave {

struct Folder {
  Folder() {
    // mkdtemp() replaces the letters X.
    std::string name = (std::filesystem::temp_directory_path() / "opweave_test_XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~Folder() { std::filesystem::remove_all(path); }
  Folder(const Folder&) = delete;

  std::filesystem::path path;
};

}  // namespace opweave
