// Parsing of the command line.
#include "codegen/cli/options.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <functional>
#include <map>
#include <string_view>

#include "codegen/diagnostics/suggest.h"
#include "codegen/syntax/keywords.h"
#include "schema/python_text.h"

namespace opweave::codegen {

const char* const kUsage =
    R"(usage: opweave gen --out DIR --ops FILE... [--derivatives FILE...] [OPTION...]
       opweave check --ops FILE... [--derivatives FILE...] [--import-ops FILE...]
       opweave explain [CODE|TOPIC|WORD...]
       opweave --version
       opweave diff OLD NEW
       opweave lock --out FILE --ops FILE... [--derivatives FILE...]
       opweave model --out FILE --ops FILE... [--derivatives FILE...]
       opweave new-op NAME_OR_SCHEMA [--like expr|composite|kernel] [--ops FILE] [--write]
       opweave schema [--out DIR]
       opweave docs --out DIR --ops FILE... [--derivatives FILE...] [--kernels DIR]
                    [--kernel-dtypes FILE] [--guide FILE...]
       opweave lint --ops FILE... [--derivatives FILE...] [--verbose]
       opweave shapes CALL --ops FILE... [--derivatives FILE...]
       opweave lsp [--import-ops FILE]
       opweave mutants --ops FILE... [--derivatives FILE...]
       opweave check --dialect=torch NATIVE_FUNCTIONS [DERIVATIVES] [--helpers HEADER...]
                     [--ops FILE... [--derivatives FILE...] [--report FILE]]

gen writes everything that has to agree about the operators; files that would not change are left
alone. check only reports what is wrong. Both exit with status 1 when the input has errors, and then
write nothing. Where no --derivatives are named, the derivatives.yaml beside ops.yaml is read, but by gen.
diff compares two sets of operators, each a folder with ops.yaml and derivatives.yaml or a file beside
its derivatives.yaml: what changed, whom it breaks, which part of the version has to grow; the exit
status is 3 if something breaks. lock writes a hash of what callers of each operator see.
model writes all that is known of the operators as one JSON document, for printers of other targets.
new-op prints an entry with comments for a new operator and says what is left to do.
schema writes JSON Schema for the YAML files, which editors use; lsp is a language server.
mutants lists, as JSON, the mistakes that gen --mutants puts into formulas for tests to notice.
docs writes a page about every operator and one of every guide, in HTML.
lint says which formulas keep tensors alive that they need not keep.
shapes prints the sizes that a call such as 'mm([N, 3], [3, M])' gives, and when they hold.
explain says what a code such as OW0102 is about, with an example, and what there is to write: of a
topic such as rules all words, of a word such as same what it means. Without any it lists them.

  --ops FILE           operators
  --derivatives FILE   their gradients
  --import-ops FILE    operators of another library, for formulas to call; not emitted
  --known-target NAME  a hardware target that `kernels` may name (default: those of --target)
  --rules-required     gen, check: kernels whose results no rule describes are an error
  --out DIR            where gen writes
  --like HOW           new-op: computes by an expression, a formula over operators, a kernel
  --write              new-op: add the entry to the --ops file
  --select FILE        only the operators that a selection names, and what they need
  --kernel-calls FILE  which operators handwritten kernels call, for --select
  --why                gen: say what would change in DIR and for which entries, write nothing
  --list-outputs       gen: print a table of the files that it writes, as JSON, and nothing else
  --mutants            gen: print every formula with its mutants, one of which a run may choose
  --verbose            check: how formulas were compared with expressions; lint: what every
                       operator keeps alive
  --kernels DIR        docs, gen --emit=torch and jax: where handwritten kernels are; gen takes
                       several, also files, and cuda=DIR for those for CUDA; --emit=stable takes
                       files, and looks at what they include
  --kernel-dtypes FILE docs: the dtypes that they take, which tests have found
  --guide FILE         docs: a handwritten page, in Markdown
  --emit WHAT          gen: opweave (the default), stable: a library that later releases of Opweave
                       load as well, torch or jax: a Python package with the operators for PyTorch
                       or for JAX
  --trace              gen: say at the end of each line which line of the generator printed it
  --lock FILE          check: compare with a lock as well
  --library NAME       names registration functions and the Python module (default opweave)
  --target NAME        a hardware target to print kernels for, or its file, which has its name;
                       may be repeated (default cpu)
  --target-file FILE   a target in a package of its own: its kernels and declarations, nothing else
  --shards N           files per sharded output (default 16)
  --kernel-shards N    files of pointwise kernels per target (default: as many as --shards)
  --format FORMAT      how errors are reported: text (on stderr), json or sarif (on stdout)
  --color WHEN         auto (on a terminal, if NO_COLOR is not set), always or never
  --dialect NAME       `torch`: check PyTorch's native_functions.yaml and derivatives.yaml
                       and, with --ops, say what of PyTorch these operators lack
  --helpers HEADER     declares functions that PyTorch's formulas call
  --report FILE        where to write the parity of every overload; JSON if it ends in .json
)";

namespace {

bool parse_shards(const std::string& text, int& shards) {
  const auto result = std::from_chars(text.data(), text.data() + text.size(), shards);
  return result.ec == std::errc() && result.ptr == text.data() + text.size() && shards >= 1 &&
         shards <= 99;
}

bool misused(const std::string& message) {
  std::fprintf(stderr, "opweave: error: %s\n\n%s", message.c_str(), kUsage);
  return false;
}

std::string did_you_mean(const std::string& near) {
  return near.empty() ? "" : "; did you mean '" + near + "'?";
}

class Parser {
 public:
  explicit Parser(Emissions emissions) : emissions_(emissions) {}

  bool parse(std::span<const char* const> arguments, CommandLine& line) {
    if (arguments.empty()) return misused("no command");
    line.command = arguments[0];
    const std::vector<std::string_view> commands = {
        "gen", "check",   "explain", "diff", "lock",   "schema", "new-op",
        "lsp", "mutants", "lint",    "docs", "shapes", "model"};
    if (std::ranges::count(commands, line.command) == 0)
      return misused("unknown command '" + line.command + "'" +
                     did_you_mean(closest(line.command, commands)));
    for (size_t i = 1; i < arguments.size(); ++i) {
      std::string option = arguments[i];
      if (!option.starts_with("--")) {
        line.files.push_back(option);
        continue;
      }
      if (take_flag(option, line)) continue;
      const size_t equals = option.find('=');
      if (equals == std::string::npos && i + 1 >= arguments.size())
        return misused("'" + option + "' needs a value");
      const std::string value =
          equals == std::string::npos ? arguments[++i] : option.substr(equals + 1);
      if (!take(option.substr(0, equals), value, line)) return false;
    }
    return check(line);
  }

 private:
  // Options without a value. Editors add --stdio to the command of a language server.
  static bool take_flag(const std::string& option, CommandLine& line) {
    line.why |= option == "--why";
    line.list_outputs |= option == "--list-outputs";
    line.write |= option == "--write";
    line.mutants |= option == "--mutants";
    line.rules_required |= option == "--rules-required";
    line.verbose |= option == "--verbose";
    line.emit.trace |= option == "--trace";
    constexpr std::string_view kFlags[] = {"--why",          "--write",         "--mutants",
                                           "--trace",        "--stdio",         "--verbose",
                                           "--list-outputs", "--rules-required"};
    return std::ranges::find(kFlags, option) != std::end(kFlags);
  }

  bool take(const std::string& option, const std::string& value, CommandLine& line) {
    const std::map<std::string_view, std::function<void()>> options{
        {"--ops", [&] { line.ops.push_back(value); }},
        {"--derivatives", [&] { line.derivatives.push_back(value); }},
        {"--import-ops", [&] { line.imported_ops.push_back(value); }},
        {"--known-target", [&] { line.known_targets.push_back(name(value)); }},
        {"--lock", [&] { line.lock = value; }},
        {"--select", [&] { line.selection = {value}; }},
        {"--kernel-calls", [&] { line.kernel_calls = value; }},
        {"--out", [&] { line.out = value; }},
        {"--library", [&] { line.emit.library = name(value); }},
        {"--target",
         [&] {
           const bool is_file = value.ends_with(".yaml");
           is_file ? line.built_in_targets.push_back(value) : targets_.push_back(name(value));
         }},
        {"--target-file", [&] { line.target_files.push_back(value); }},
        {"--format",
         [&] {
           choose(value, {"text", "json", "sarif"}, line.format);
         }},
        {"--color",
         [&] {
           choose(value, {"auto", "always", "never"}, line.color);
         }},
        {"--like",
         [&] {
           choose(value, {"expr", "composite", "kernel"}, line.like);
         }},
        {"--emit",
         [&] {
           size_t index = 0;
           choose(value, emission_names(), index);
           line.emission = emissions_[index];
         }},
        {"--dialect", [&] { dialect_ = value; }},
        {"--kernels", [&] { line.kernels.push_back(value); }},
        {"--kernel-dtypes", [&] { line.kernel_dtypes = value; }},
        {"--guide", [&] { line.guides.push_back(value); }},
        {"--report", [&] { line.report = value; }},
        {"--helpers", [&] { line.helpers.push_back(value); }},
        {"--shards", [&] { shards_ok_ = parse_shards(value, line.emit.shards); }},
        {"--kernel-shards", [&] { shards_ok_ = parse_shards(value, kernel_shards_); }},
    };
    const auto it = options.find(option);
    if (it == options.end()) {
      Suggester suggester(option);
      for (const auto& [name, take] : options) suggester.offer(name);
      return misused("unknown option '" + option + "'" + did_you_mean(suggester.best()));
    }
    it->second();
    if (!choice_ok_) return misused(other_choices(option, value));
    if (!name_ok_)
      return misused(option +
                     " expects a name, of letters, digits and '_' and no keyword of C++ or "
                     "Python, got '" +
                     value + "'");
    return shards_ok_ || misused(option + " expects a number from 1 to 99, got '" + value + "'");
  }

  // Of functions in C++, modules in Python, folders.
  const std::string& name(const std::string& value) {
    name_ok_ = is_identifier(value) && !is_cpp_keyword(value) && !schema::is_python_keyword(value);
    return value;
  }

  std::string other_choices(const std::string& option, const std::string& value) const {
    return fmt::format("{} can be {}, not '{}'{}", option, fmt::join(choices_, ", "), value,
                       did_you_mean(near_));
  }

  std::vector<std::string_view> emission_names() const {
    std::vector<std::string_view> names;
    for (const Emission* emission : emissions_) names.push_back(emission->name());
    return names;
  }

  // The place of a value among those that an option takes.
  template <class Enum>
  void choose(const std::string& value, const std::vector<std::string_view>& names, Enum& to) {
    const auto found = std::ranges::find(names, value);
    choice_ok_ = found != names.end();
    near_ = closest(value, names);
    choices_ = names;
    if (choice_ok_) to = static_cast<Enum>(found - names.begin());
  }

  bool check(CommandLine& line) {
    line.emit.kernel_shards = kernel_shards_ > 0 ? kernel_shards_ : line.emit.shards;
    if (!targets_.empty()) line.emit.targets = targets_;
    if (dialect_) return check_dialect(line);
    if (line.command == "explain") return true;
    if (line.command == "diff")
      return line.files.size() == 2 || misused("diff expects two files or folders");
    if (line.command == "new-op") return check_new_op(line);
    if (line.command == "shapes" && line.files.size() != 1)
      return misused("shapes expects one call");
    if (line.command != "shapes" && !line.files.empty())
      return misused("unexpected '" + line.files[0] + "'");
    if (line.list_outputs && line.command != "gen") return misused("--list-outputs is for gen");
    if (line.list_outputs || line.command == "schema" || line.command == "lsp") return true;
    if (line.ops.empty()) return misused("no --ops file");
    return check_output(line);
  }

  static bool check_new_op(const CommandLine& line) {
    if (line.files.size() != 1) return misused("new-op expects one name or schema");
    return !line.write || line.ops.size() == 1 || misused("--write needs one --ops file");
  }

  bool check_output(const CommandLine& line) {
    if (line.command == "mutants" || line.command == "shapes") return true;
    if (line.command != "check" && line.command != "lint" && line.out.empty())
      return misused(line.command + " needs --out");
    if (line.why && line.command != "gen") return misused("--why is for gen");
    if (!line.lock.empty() && line.command != "check") return misused("--lock is for check");
    if (!line.selection.empty() && line.command == "lock")
      return misused("--select is not for lock");
    return true;
  }

  bool check_dialect(CommandLine& line) {
    if (*dialect_ != "torch")
      return misused("unknown dialect '" + *dialect_ + "'; there is 'torch'");
    if (line.command != "check") return misused("--dialect is for check");
    if (line.files.empty() || line.files.size() > 2)
      return misused("--dialect=torch expects native_functions.yaml and derivatives.yaml");
    if (!line.report.empty() && line.ops.empty()) return misused("--report needs --ops");
    return line.torch = true;
  }

  Emissions emissions_;
  std::vector<std::string> targets_;
  int kernel_shards_ = 0;
  std::optional<std::string> dialect_;
  bool shards_ok_ = true;
  bool name_ok_ = true;
  bool choice_ok_ = true;
  std::vector<std::string_view> choices_;
  std::string near_;
};

}  // namespace

std::optional<CommandLine> parse_command_line(std::span<const char* const> arguments,
                                              Emissions emissions) {
  CommandLine line;
  line.emission = emissions.front();
  if (!Parser(emissions).parse(arguments, line)) return std::nullopt;
  return line;
}

}  // namespace opweave::codegen
