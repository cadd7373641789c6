// The command line: options, reading and writing of files.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "codegen/cli/explain_command.h"
#include "codegen/cli/kernel_files.h"
#include "codegen/cli/model_files.h"
#include "codegen/cli/options.h"
#include "codegen/cli/report.h"
#include "codegen/cli/schema_command.h"
#include "codegen/emit/jax/jax.h"
#include "codegen/emit/stable/stable.h"
#include "codegen/emit/torch/torch.h"
#include "codegen/files/files.h"
#include "tests/support/folder.h"

namespace opweave::codegen {
namespace {

namespace fs = std::filesystem;

std::optional<CommandLine> parse(std::vector<const char*> arguments) {
  static const Emission* const kEmissions[] = {&core_emission(), &torch_emission(),
                                               &stable_emission(), &jax_emission()};
  return parse_command_line(arguments, kEmissions);
}

// A folder, and what is in it.
struct OutputFolder : Folder {
  std::string text(const std::string& name) const {
    std::string error;
    return read_file((path / name).string(), error).value_or("?");
  }
  size_t count() const {
    size_t files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(path))
      files += entry.is_regular_file();
    return files;
  }
};

TEST_CASE("options of gen") {
  auto line = parse({"gen", "--out",          "o", "--ops",         "a", "--ops",
                     "b",   "--derivatives",  "d", "--import-ops",  "i", "--target",
                     "cpu", "--target",       "x", "--library",     "l", "--shards",
                     "3",   "--known-target", "k", "--target-file", "t"});
  REQUIRE(line);
  CHECK(line->command == "gen");
  CHECK(line->ops == std::vector<std::string>{"a", "b"});
  CHECK(line->derivatives == std::vector<std::string>{"d"});
  CHECK(line->imported_ops == std::vector<std::string>{"i"});
  CHECK(line->target_files == std::vector<std::string>{"t"});
  CHECK(line->known_targets == std::vector<std::string>{"k"});
  CHECK(line->emit.targets == std::vector<std::string>{"cpu", "x"});
  CHECK(line->emit.library == "l");
  CHECK(line->emit.shards == 3);
  CHECK(line->emit.kernel_shards == 3);
}

TEST_CASE("libraries and targets have names that C++, Python and folders can have") {
  for (const char* option : {"--library", "--target", "--known-target"}) {
    for (const char* name : {"../../etc", "nn;x", "class", "lambda", "", "a.b", "1st"}) {
      CAPTURE(option);
      CAPTURE(name);
      CHECK_FALSE(parse({"gen", "--out", "o", "--ops", "a", option, name}));
    }
    CHECK(parse({"gen", "--out", "o", "--ops", "a", option, "nn_x1"}));
  }
  CHECK(parse({"gen", "--out", "o", "--ops", "a", "--target", "kernels/cuda/target.yaml"}));
}

TEST_CASE("a selection and the calls of kernels are read") {
  OutputFolder folder;
  const auto write = [&](const char* name, const char* text) {
    std::ofstream(folder.path / name) << text;
    return (folder.path / name).string();
  };
  const std::string ops = write("ops.yaml", "- func: f(Tensor self) -> Tensor\n  expr: -self\n");
  const std::string selection = write("s.yaml", "operators: [f]\n");
  const std::string calls = write("calls.txt", "runtime: f\n");
  const auto line = parse({"gen", "--out", "o", "--ops", ops.c_str(), "--select", selection.c_str(),
                           "--kernel-calls", calls.c_str()});
  REQUIRE(line);
  Inputs inputs;
  Sources sources;
  DiagnosticSink sink;
  CHECK(read_inputs(*line, inputs, sources, sink));
  REQUIRE(inputs.selection.size() == 1);
  CHECK(inputs.selection[0].text == "operators: [f]\n");
  CHECK(inputs.kernel_calls == "runtime: f\n");
  const auto missing =
      parse({"check", "--ops", ops.c_str(), "--kernel-calls", "/no/such/file", "--select", "none"});
  REQUIRE(missing);
  CHECK_FALSE(read_inputs(*missing, inputs, sources, sink));
  CHECK(sink.error_count() == 2);
  CHECK_FALSE(parse({"lock", "--out", "o", "--ops", "a", "--select", "s"}));
}

TEST_CASE("pointwise kernels may be split into more files") {
  auto line = parse({"gen", "--out", "o", "--ops", "a", "--kernel-shards", "48"});
  REQUIRE(line);
  CHECK(line->emit.shards == 16);
  CHECK(line->emit.kernel_shards == 48);
  CHECK_FALSE(parse({"gen", "--out", "o", "--ops", "a", "--kernel-shards", "0"}));
}

TEST_CASE("defaults of options") {
  auto line = parse({"check", "--ops", "a"});
  REQUIRE(line);
  CHECK(line->emit.targets == std::vector<std::string>{"cpu"});
  CHECK_FALSE(line->emit.only_targets);
}

TEST_CASE("PyTorch's files") {
  auto line = parse({"check", "--dialect=torch", "n", "d", "--helpers", "a.h", "--helpers=b.h"});
  REQUIRE(line);
  CHECK(line->torch);
  CHECK(line->files == std::vector<std::string>{"n", "d"});
  CHECK(line->helpers == std::vector<std::string>{"a.h", "b.h"});
  CHECK(parse({"check", "--dialect=torch", "n", "--ops", "o", "--report", "r"})->report == "r");
  CHECK_FALSE(parse({"check", "--dialect=torch", "n", "--report", "r"}));
  CHECK_FALSE(parse({"check", "--dialect=torch"}));
  CHECK_FALSE(parse({"check", "--dialect=torch", "a", "b", "c"}));
  CHECK_FALSE(parse({"check", "--dialect", "tensor", "a"}));
  CHECK_FALSE(parse({"gen", "--dialect=torch", "a", "--out", "o"}));
}

TEST_CASE("options of reports and explanations") {
  auto line = parse({"check", "--ops", "a", "--format=sarif", "--color", "never"});
  REQUIRE(line);
  CHECK(line->format == Format::sarif);
  CHECK(line->color == Color::never);
  CHECK(parse({"check", "--ops", "a"})->format == Format::text);
  CHECK(parse({"explain"})->files.empty());
  CHECK(parse({"explain", "OW0001", "OW0002"})->files ==
        std::vector<std::string>{"OW0001", "OW0002"});
  CHECK_FALSE(parse({"check", "--ops", "a", "--format", "xml"}));
  CHECK_FALSE(parse({"check", "--ops", "a", "--color=sometimes"}));
  CHECK_FALSE(parse({"explian"}));
}

TEST_CASE("diff, lock and why") {
  auto diff = parse({"diff", "old", "new"});
  REQUIRE(diff);
  CHECK(diff->files == std::vector<std::string>{"old", "new"});
  CHECK_FALSE(parse({"diff", "old"}));
  auto lock = parse({"lock", "--out", "l", "--ops", "a"});
  REQUIRE(lock);
  CHECK(lock->out == "l");
  CHECK_FALSE(parse({"lock", "--ops", "a"}));
  auto check = parse({"check", "--ops", "a", "--lock", "l"});
  REQUIRE(check);
  CHECK(check->lock == "l");
  CHECK_FALSE(parse({"gen", "--ops", "a", "--out", "o", "--lock", "l"}));
  auto why = parse({"gen", "--why", "--out", "o", "--ops", "a"});
  REQUIRE(why);
  CHECK(why->why);
  CHECK_FALSE(parse({"check", "--why", "--ops", "a"}));
}

TEST_CASE("new-op, schema and lsp") {
  auto line = parse({"new-op", "f", "--like=kernel", "--write", "--ops", "a"});
  REQUIRE(line);
  CHECK(line->files == std::vector<std::string>{"f"});
  CHECK(line->like == Like::kernel);
  CHECK(line->write);
  CHECK_FALSE(parse({"new-op"}));
  CHECK_FALSE(parse({"new-op", "f", "g"}));
  CHECK_FALSE(parse({"new-op", "f", "--write"}));
  CHECK_FALSE(parse({"new-op", "f", "--like", "gemm"}));
  CHECK(parse({"schema"})->out.empty());
  CHECK(parse({"schema", "--out", "o"})->out == "o");
  CHECK(parse({"lsp", "--stdio"}));
  CHECK_FALSE(parse({"lsp", "file"}));
}

TEST_CASE("schemas are written to a folder") {
  OutputFolder folder;
  CommandLine line = *parse({"schema"});
  CHECK(write_schemas(line) == 0);
  line.out = folder.path.string();
  CHECK(write_schemas(line) == 0);
  CHECK(folder.count() == 3);
  CHECK(folder.text("ops.schema.json").find("\"func\"") != std::string::npos);
  line.out = (folder.path / "ops.schema.json").string();
  CHECK(write_schemas(line) == 1);
}

TEST_CASE("colours on a terminal, unless the environment or the command line forbids them") {
  CHECK(wants_color(Color::automatic, nullptr, "xterm", true));
  CHECK(wants_color(Color::automatic, "", nullptr, true));
  CHECK_FALSE(wants_color(Color::automatic, nullptr, "xterm", false));
  CHECK_FALSE(wants_color(Color::automatic, "1", "xterm", true));
  CHECK_FALSE(wants_color(Color::automatic, nullptr, "dumb", true));
  CHECK(wants_color(Color::always, "1", "dumb", false));
  CHECK_FALSE(wants_color(Color::never, nullptr, "xterm", true));
}

TEST_CASE("explaining a code that there is not fails") {
  CHECK(explain_codes(*parse({"explain", "OW0102", "ow0309"})) == 0);
  CHECK(explain_codes(*parse({"explain"})) == 0);
  CHECK(explain_codes(*parse({"explain", "OW0102", "OW9999"})) == 1);
}

TEST_CASE("command lines that make no sense") {
  CHECK_FALSE(parse({"check", "--ops", "a", "b"}));
  CHECK_FALSE(parse({}));
  CHECK_FALSE(parse({"generate"}));
  CHECK_FALSE(parse({"check"}));
  CHECK_FALSE(parse({"check", "--ops"}));
  CHECK_FALSE(parse({"check", "--opps", "a"}));
  CHECK_FALSE(parse({"gen", "--ops", "a"}));
  CHECK_FALSE(parse({"gen", "--ops", "a", "--out", "o", "--shards", "0"}));
  CHECK_FALSE(parse({"gen", "--ops", "a", "--out", "o", "--shards", "many"}));
}

TEST_CASE("only files that change are written") {
  OutputFolder folder;
  std::string error;
  auto first = write_files(folder.path.string(), {{"a.h", "one"}, {"sub/b.h", "two"}}, error);
  REQUIRE(first);
  CHECK(first->written == 2);
  CHECK(folder.text("sub/b.h") == "two");
  auto stamp = fs::last_write_time(folder.path / "a.h") - std::chrono::hours(1);
  fs::last_write_time(folder.path / "a.h", stamp);
  auto second = write_files(folder.path.string(), {{"a.h", "one"}, {"sub/b.h", "new"}}, error);
  REQUIRE(second);
  CHECK(second->written == 1);
  CHECK(second->unchanged == 1);
  CHECK(fs::last_write_time(folder.path / "a.h") == stamp);
  CHECK(folder.text("sub/b.h") == "new");
  CHECK(folder.count() == 2);
}

TEST_CASE("when one file cannot be written none is") {
  OutputFolder folder;
  std::string error;
  REQUIRE(write_files(folder.path.string(), {{"a.h", "one"}, {"file", "x"}}, error));
  // `file` is no folder, so nothing can be written below it.
  auto result = write_files(folder.path.string(), {{"a.h", "two"}, {"file/b.h", "x"}}, error);
  CHECK_FALSE(result);
  CHECK(error.find("file/b.h: cannot be written: ") != std::string::npos);
  CHECK(folder.text("a.h") == "one");
  CHECK(folder.count() == 2);
}

TEST_CASE(
    "a folder that is generated as a whole keeps nothing of before, but what others put there") {
  OutputFolder folder;
  std::string error;
  const std::string path = (folder.path / "out").string();
  REQUIRE(write_whole_folder(path, {{"a.h", "one"}, {"sub/b.h", "two"}}, error));
  std::ofstream(folder.path / "out/own.txt") << "mine";
  REQUIRE(write_whole_folder(path, {{"a.h", "one"}, {"c.h", "three"}}, error));
  CHECK(folder.text("out/a.h") == "one");
  CHECK(folder.text("out/c.h") == "three");
  CHECK(folder.text("out/sub/b.h") == "?");
  CHECK(folder.text("out/own.txt") == "mine");
  CHECK(folder.text("out/generated_files.txt") == "a.h\nc.h\n");
}

TEST_CASE("a folder with files of others is not generated into") {
  OutputFolder folder;
  std::ofstream(folder.path / "own.txt") << "mine";
  std::string error;
  CHECK_FALSE(write_whole_folder(folder.path.string(), {{"a.h", "one"}}, error));
  CHECK(error == folder.path.string() +
                     ": is not empty and has no generated_files.txt by which files were generated "
                     "there before: name another folder");
  CHECK(folder.count() == 1);
}

TEST_CASE("what a list names outside of its folder stays") {
  OutputFolder folder;
  std::ofstream(folder.path / "own.txt") << "mine";
  fs::create_directory(folder.path / "out");
  std::ofstream(folder.path / "out/generated_files.txt") << "../own.txt\n";
  std::string error;
  REQUIRE(write_whole_folder((folder.path / "out").string(), {{"a.h", "one"}}, error));
  CHECK(folder.text("own.txt") == "mine");
}

TEST_CASE("kernels go where they are said to be for, and name their files") {
  OutputFolder folder;
  const fs::path odd = folder.path / "a \"b\\";
  fs::create_directories(odd);
  std::ofstream(odd / "f.cc") << "int f;\n";
  std::ofstream(odd / "g.cu") << "int g;\n";
  std::ofstream(odd / "notes.txt") << "none";
  std::string error;
  const auto all = kernel_files({odd.string()}, error);
  REQUIRE(all);
  REQUIRE(all->size() == 2);
  CHECK((*all)[0].place == "csrc/handwritten/f.cpp");
  CHECK(emitted((*all)[0]).text ==
        "#line 1 \"" + folder.path.string() + "/a \\\"b\\\\/f.cc\"\nint f;\n");
  CHECK((*all)[1].place == "csrc/handwritten_cuda/g.cu");
  const auto one = kernel_files({"cuda=" + (odd / "f.cc").string()}, error);
  REQUIRE(one);
  REQUIRE(one->size() == 1);
  CHECK((*one)[0].place == "csrc/handwritten_cuda/f_host.cpp");
}

TEST_CASE("kernels lie to each other as they did") {
  OutputFolder folder;
  for (const char* name : {"a/kernels/f.cc", "a/kernels/cpu/f.cc", "a/common/g.h",
                           "a/kernels/cuda/deep/f.cu", "a/kernels/cuda/f.cuh"}) {
    fs::create_directories((folder.path / name).parent_path());
    std::ofstream(folder.path / name) << "int f;\n";
  }
  const auto places = [&](std::initializer_list<const char*> names) {
    std::vector<std::string> given;
    for (const char* name : names) given.push_back((folder.path / name).string());
    std::string error, text;
    const auto files = kernel_files(given, error);
    REQUIRE(files);
    for (const KernelFile& file : *files) text += file.place.substr(5) + " ";
    return text;
  };
  CHECK(places({"a/kernels/f.cc", "a/kernels/cpu/f.cc"}) ==
        "handwritten/f.cpp handwritten/cpu/f.cpp ");
  CHECK(places({"a/kernels/cpu/f.cc", "a/common/g.h"}) ==
        "handwritten/kernels/cpu/f.cpp handwritten/common/g.h ");
  CHECK(places({"a/kernels/f.cc", "a/kernels/cuda/deep/f.cu", "a/kernels/cuda/f.cuh"}) ==
        "handwritten/f.cpp handwritten_cuda/deep/f.cu handwritten_cuda/f.cuh ");
}

TEST_CASE("files that cannot be read say why") {
  OutputFolder folder;
  std::string error;
  CHECK_FALSE(read_file((folder.path / "nothing").string(), error));
  CHECK(error == "No such file or directory");
  CHECK_FALSE(read_file(fs::temp_directory_path().string(), error));
  CHECK(error == "is a directory");
}

}  // namespace
}  // namespace opweave::codegen
