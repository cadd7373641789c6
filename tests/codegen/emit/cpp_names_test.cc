// The names that no operator can have in generated C++: codegen/model/operators/cpp_names.def has
// them all. `OPWEAVE_UPDATE=1 bazel run //tests/codegen/emit:cpp_names_test` writes it anew.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "codegen/emit/output/emit.h"
#include "tests/codegen/support/load.h"
#include "tests/support/read_file.h"

namespace opweave::codegen {
namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

const fs::path kFile = "codegen/model/operators/cpp_names.def";
const std::string kHeader =
    "// Names that no operator can have in generated C++. Written by "
    "tests/codegen/emit/cpp_names_test:\n"
    "//   OPWEAVE_CPP_MEMBER(name)       a member of every `struct ops::...`\n"
    "//   OPWEAVE_CPP_TAKEN(name, made)  what emitters make of the name is something else "
    "already\n";

Names found(const std::string& text, const std::regex& pattern) {
  Names names;
  for (std::sregex_iterator m(text.begin(), text.end(), pattern), end; m != end; ++m)
    names.insert((*m)[1]);
  return names;
}

std::string golden_cpp(const Model& model) {
  EmitOptions options;
  options.shards = options.kernel_shards = 1;
  std::string text;
  for (const EmittedFile& file : emit_all(model, options)) {
    if (file.path.ends_with(".cc") || file.path.starts_with("opweave/ops/")) text += file.text;
  }
  return text;
}

Names members(const std::string& text) {
  Names names;
  const std::regex structs(R"(\nstruct \w+ \{\n((?:  (?:using|static) [^\n]*\n)+)\};)");
  const std::regex member(R"((?:^|\n)  (?:using (?=\w+ =)|static [^\n(;]*?(?=\w+[(;]))(\w+))");
  for (const std::string& body : found(text, structs)) names.merge(found(body, member));
  return names;
}

// What emitters put behind an operator's name, apart from the names of other operators.
Names suffixes(const std::string& text, const Model& model) {
  Names names, operators;
  for (const Operator* op : model.operators().all()) operators.insert(op->name.identifier);
  for (const std::string& word : found(text, std::regex(R"(\b([a-z]\w*)\b)"))) {
    for (size_t at = word.find('_'); at != word.npos; at = word.find('_', at + 1)) {
      if (operators.contains(word.substr(0, at)) && !operators.contains(word))
        names.insert(word.substr(at + 1));
    }
  }
  // A form's name goes on with a suffix of its own: `total_out_kernel`.
  std::erase_if(names, [](const std::string& s) { return s.empty() || s.starts_with("out"); });
  return names;
}

// What generated files call, and what the headers declare that tables of operators include.
Names taken() {
  Names names;
#define OW_CPP_NAME(name) names.insert(#name);
#define OW_PYTHON_NAME(name)
#include "codegen/emit/text/own_names.def"
#undef OW_CPP_NAME
#undef OW_PYTHON_NAME
  for (const auto& entry : fs::directory_iterator("runtime/dispatch")) {
    if (entry.path().extension() == ".h")
      names.merge(found(read_file(entry.path()),
                        std::regex(R"(\n(?:inline )?[A-Za-z][\w:<>,&* ]*?[ &*](\w+)\()")));
  }
  return names;
}

std::string table() {
  const fs::path golden = "tests/codegen/emit/golden";
  const Loaded loaded(read_file(golden / "ops.yaml"), read_file(golden / "derivatives.yaml"));
  const std::string text = golden_cpp(*loaded.model);
  const Names ours = found("\n" + read_file("ops.yaml"), std::regex(R"(\n- func: (\w+))"));
  Names lines;
  for (const std::string& name : members(text)) lines.insert("OPWEAVE_CPP_MEMBER(" + name + ")\n");
  const Names behind = suffixes(text, *loaded.model);
  for (const std::string& name : taken()) {
    for (size_t at = name.find('_'); at != name.npos; at = name.find('_', at + 1)) {
      const std::string first = name.substr(0, at);
      // What is an operator of ours is built with these names: they do not meet.
      if (!first.empty() && behind.contains(name.substr(at + 1)) && !ours.contains(first))
        lines.insert("OPWEAVE_CPP_TAKEN(" + first + ", " + name + ")\n");
    }
  }
  std::string all;
  for (const std::string& line : lines) all += line;
  return all;
}

}  // namespace

TEST_CASE("the checker knows the names that operators cannot have in C++") {
  const std::string before = read_file(kFile), wanted = table();
  CHECK(wanted.find("OPWEAVE_CPP_MEMBER(make_view)") != std::string::npos);
  CHECK(wanted.find("OPWEAVE_CPP_TAKEN(run, run_boxed)") != std::string::npos);
  if (std::getenv("OPWEAVE_UPDATE") != nullptr) {
    std::ofstream(fs::canonical(kFile), std::ios::binary) << kHeader << wanted;
  } else {
    CHECK(before == kHeader + wanted);
  }
}

}  // namespace opweave::codegen
