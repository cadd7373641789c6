// The names that emitters use in generated functions, beside those of arguments: all of them are in
// codegen/emit/text/own_names.def, so that no argument has one.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include "codegen/emit/output/emit.h"
#include "codegen/emit/text/variables.h"
#include "codegen/syntax/keywords.h"
#include "tests/codegen/support/load.h"
#include "tests/support/read_file.h"

namespace opweave::codegen {
namespace {

using Names = std::set<std::string>;

// Preprocessor lines, declarations of operators and kernels, and constant tables.
bool is_no_function(const std::string& line) {
  constexpr std::string_view kStarts[] = {"#", "namespace ", "static constexpr ",
                                          "static const OperatorDef ", "OperatorEntry "};
  const auto starts = [&](std::string_view start) { return line.starts_with(start); };
  return std::ranges::any_of(kStarts, starts) || (!line.starts_with(' ') && line.ends_with(");"));
}

// The functions of a file, without those that register.
std::string functions_of(const std::string& text) {
  std::istringstream in(text);
  std::string functions, until;
  for (std::string line; std::getline(in, line);) {
    if (!until.empty()) {
      if (line.starts_with(until)) until.clear();
    } else if (line == "namespace ops {") {
      until = "}  // namespace ops";
    } else if (line.starts_with("void register_") || line.starts_with("const PointwiseSpec ")) {
      if (line.find('}') == std::string::npos) until = "}";
    } else if (!is_no_function(line)) {
      functions += line.substr(0, line.find("//")) + "\n";
    }
  }
  return std::regex_replace(functions, std::regex(R"(/\*.*?\*/)"), "");
}

std::string without_strings(const std::string& text) {
  std::string plain;
  bool inside = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (inside && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      inside = !inside;
    } else if (!inside) {
      plain.push_back(text[i]);
    }
  }
  return plain;
}

bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Identifiers that are looked up where they stand: not those behind `.`, `->` or `::`, nor those
// before `::`, which an argument cannot hide.
Names identifiers(const std::string& text) {
  Names names;
  for (size_t i = 0; i < text.size(); ++i) {
    if (!is_letter(text[i])) continue;
    size_t end = i;
    while (end < text.size() && is_letter(text[end])) ++end;
    const std::string before = text.substr(i >= 2 ? i - 2 : 0, i >= 2 ? 2 : i);
    const bool member = before.ends_with('.') || before == "->" || before == "::";
    const bool number = std::isdigit(static_cast<unsigned char>(text[i])) != 0;
    if (!member && !number && text.compare(end, 2, "::") != 0)
      names.insert(text.substr(i, end - i));
    i = end - 1;
  }
  return names;
}

// Made of an operator's name, a backward node's, or a function's of nn.functional.
bool is_of_operator(const std::string& name, const Model& model) {
  if (name.find("Backward") != std::string::npos) return true;
  if (name.starts_with("py_nn_")) return true;
  for (const Operator* op : model.operators().all()) {
    if (name.starts_with(op->name.identifier + "_") || name == op->name.identifier) return true;
    if (name == "py_" + op->name.base || name.starts_with("py_" + op->name.base + "_")) return true;
  }
  return false;
}

bool is_python(const EmittedFile& file) { return file.path.starts_with("opweave/python/"); }

bool is_cpp(const EmittedFile& file) {
  return file.path.ends_with(".cc") && !file.path.ends_with("register.cc");
}

// What emitters say where every argument has a name of its own.
Names own_names(bool python) {
  const std::filesystem::path golden = "tests/codegen/emit/golden";
  const Loaded loaded(read_file(golden / "ops.yaml"), read_file(golden / "derivatives.yaml"));
  const EveryVariableRenamed renamed;
  EmitOptions options;
  options.shards = options.kernel_shards = 1;
  Names names;
  for (const EmittedFile& file : emit_all(*loaded.model, options)) {
    if (!is_cpp(file) || is_python(file) != python) continue;
    for (const std::string& name : identifiers(functions_of(without_strings(file.text)))) {
      const bool of_argument = name.find("arg_") != std::string::npos;
      if (!of_argument && !is_cpp_keyword(name) && !is_of_operator(name, *loaded.model))
        names.insert(name);
    }
  }
  return names;
}

// Emitters that print no C++, or declarations alone.
bool prints_functions(const std::string& file) {
  constexpr std::string_view kOthers[] = {
      "entries",      "test_tables", "test_samples", "python_stubs", "python_face",
      "registration", "left_out",    "front_end",    "output_table", "python"};
  return std::ranges::none_of(kOthers, [&](std::string_view o) { return file == o; });
}

// Those of the core, and of extensions of PyTorch.
std::vector<std::filesystem::path> emitters() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("codegen/emit"))
    paths.push_back(entry);
  return paths;
}

// Functions that emitters call in text which no golden operator makes them print.
Names called_functions(bool python) {
  Names names;
  const std::regex literal(R"re("((?:[^"\\\n]|\\.)*)")re"),
      call(R"((?:^|[^\w$:>.])([a-zA-Z_]\w*)(?:<\w+>)?\()");
  for (const std::filesystem::path& path : emitters()) {
    const std::string file = path.stem().string();
    if (path.extension() != ".cc" || !prints_functions(file)) continue;
    if (file.starts_with("python_") != python) continue;
    const std::string text = read_file(path);
    for (std::sregex_iterator l(text.begin(), text.end(), literal), end; l != end; ++l) {
      const std::string printed = (*l)[1];
      for (std::sregex_iterator c(printed.begin(), printed.end(), call); c != end; ++c)
        names.insert((*c)[1]);
    }
  }
  std::erase_if(names, [](const std::string& name) {
    // No argument is called as what belongs to the compiler is.
    const bool is_reserved =
        name.starts_with("TORCH_") || name.starts_with("ow_") || name.starts_with("__");
    return is_cpp_keyword(name) || name.starts_with("register_") || is_reserved;
  });
  return names;
}

Names listed(bool python) {
  Names names;
#define OW_CPP_NAME(name) \
  if (!python) names.insert(#name);
#define OW_PYTHON_NAME(name) \
  if (python) names.insert(#name);
#include "codegen/emit/text/own_names.def"
#undef OW_CPP_NAME
#undef OW_PYTHON_NAME
  return names;
}

std::string lines(const Names& names, const Names& without, const std::string& macro) {
  std::string text;
  for (const std::string& name : names) {
    if (!without.contains(name)) text += macro + "(" + name + ")\n";
  }
  return text;
}

void check_list(bool python, const std::string& macro) {
  Names used = own_names(python);
  used.merge(called_functions(python));
  const Names known = listed(python);
  CHECK(used.size() > 20);
  CHECK_MESSAGE(lines(used, known, macro).empty(), "add to codegen/emit/text/own_names.def:\n",
                lines(used, known, macro));
  CHECK_MESSAGE(lines(known, used, macro).empty(), "take out of codegen/emit/text/own_names.def:\n",
                lines(known, used, macro));
}

}  // namespace

TEST_CASE("every name that emitters use is listed") { check_list(false, "OW_CPP_NAME"); }

TEST_CASE("every name that the bindings' emitter uses is listed") {
  check_list(true, "OW_PYTHON_NAME");
}

TEST_CASE("variables have names of their own") {
  CHECK(variable("self") == "self");
  CHECK(variable("inputs") == "arg_inputs");
  CHECK(variable("arg_inputs") == "arg_arg_inputs");
  CHECK(variable("released") == "arg_released");  // its member would be `released_`
  CHECK(variable("self_at") == "arg_self_at");
  CHECK(variable("t0") == "arg_t0");
  CHECK(variable("tau") == "tau");
  CHECK(variable("class") == "arg_class");
  CHECK(python_variable("other") == "other");
  CHECK(python_variable("args") == "args_");
  CHECK(python_variable("args_") == "args__");
}

}  // namespace opweave::codegen
