// The table of what PyTorch's generator refuses. A file holds cases:
//
//   == name
//   > where torchgen refuses it, as torchgen_test.py records
//     a line of both files
//   - a line of the wrong one
//   + a line of the mended one
//   derivatives:         the lines below are of derivatives.yaml
//   ! what is said
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace opweave::codegen::torch {

struct RefusalText {
  std::string native, derivatives;  // empty: there is none
};

struct Refusal {
  std::string name;
  std::vector<std::string> lines;  // as in the file, without those that begin with `!`
  RefusalText wrong, mended;
  std::vector<std::string> expected;  // without `! `
};

std::vector<std::filesystem::path> refusal_files();
std::vector<Refusal> read_refusals(const std::filesystem::path& path);
void write_refusals(const std::filesystem::path& path, const std::vector<Refusal>& refusals);

// `native 2:3 OW0008: message -> suggestion`, and notes below it.
std::vector<std::string> said_of(const RefusalText& text);

}  // namespace opweave::codegen::torch
