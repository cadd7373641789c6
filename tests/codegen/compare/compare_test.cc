// Comparing two sets of operators: what breaks whom, the version, the lock
// file.
#include "codegen/compare/changes.h"
#include "codegen/compare/lock.h"
#include "tests/codegen/support/load.h"

namespace opweave::codegen {
namespace {

const std::string kAdd =
    "- func: plus(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor\n"
    "  expr: self + alpha * other\n";

std::vector<Change> changes(const std::string& before, const std::string& after) {
  return compare(*Loaded(before).model, *Loaded(after).model);
}

// Of the functional form alone.
std::vector<Change> of(const std::string& name, const std::string& before,
                       const std::string& after) {
  std::vector<Change> found;
  for (const Change& change : changes(before, after)) {
    if (change.op == name) found.push_back(change);
  }
  return found;
}

std::string kernel(const std::string& schema, const std::string& more = "") {
  return "- func: " + schema + "\n  kernels: [cpu]\n  differentiable: false\n" + more;
}

TEST_CASE("changes for programs") {
  const std::string text = json_changes(changes(kernel("f(Tensor self, int dim) -> Tensor"),
                                                kernel("f(Tensor self, int axis) -> Tensor")));
  CHECK(text.starts_with("{\n  \"version\": 1,\n  \"tool\": \"opweave\",\n  \"breaking\": "));
  CHECK(text.find("  \"version_part\": \"major\",\n") != std::string::npos);
  CHECK(text.find("    {\n"
                  "      \"operator\": \"f\",\n"
                  "      \"kind\": \"changed\",\n"
                  "      \"what\": \"argument 'dim' was renamed to 'axis'\",\n"
                  "      \"breaks\": [\n        \"python\",\n        \"saved\"\n      ],\n"
                  "      \"internal\": false\n"
                  "    }") != std::string::npos);
  const std::string none = json_changes(changes(kAdd, kAdd));
  CHECK(none.find("\"version_part\": \"none\",\n  \"changes\": []") != std::string::npos);
}

struct Case {
  const char* before;
  const char* after;
  const char* what;
  uint8_t breaks;
};

TEST_CASE("changes of arguments and whom they break") {
  constexpr uint8_t python = static_cast<uint8_t>(Audience::python);
  constexpr uint8_t libraries = static_cast<uint8_t>(Audience::libraries);
  constexpr uint8_t callers = Audience::python | Audience::cpp;
  const Case cases[] = {
      {"f(Tensor self, int dim) -> Tensor", "f(Tensor self) -> Tensor",
       "argument 'dim' was removed", kEverybody},
      {"f(Tensor self, int dim) -> Tensor", "f(Tensor self, int axis) -> Tensor",
       "argument 'dim' was renamed to 'axis'", Audience::python | Audience::saved},
      {"f(Tensor self) -> Tensor", "f(Tensor self, int dim) -> Tensor",
       "argument 'dim' was added, without a default", kEverybody},
      {"f(Tensor self) -> Tensor", "f(Tensor self, int dim=0) -> Tensor",
       "argument 'dim' was added", libraries},
      {"f(Tensor self, int dim) -> Tensor", "f(Tensor self, Scalar dim) -> Tensor",
       "argument 'dim' was int and is Scalar", libraries},
      {"f(Tensor self, int dim) -> Tensor", "f(Tensor self, bool dim) -> Tensor",
       "argument 'dim' was int and is bool", kEverybody},
      {"f(Tensor self, Tensor w) -> Tensor", "f(Tensor self, Tensor? w) -> Tensor",
       "argument 'w' was Tensor and is Tensor?", kNobody},
      {"f(Tensor self, Tensor? w) -> Tensor", "f(Tensor self, Tensor w) -> Tensor",
       "argument 'w' was Tensor? and is Tensor",
       static_cast<uint8_t>(callers | static_cast<uint8_t>(Audience::saved))},
      {"f(Tensor self, int dim=0) -> Tensor", "f(Tensor self, int dim=1) -> Tensor",
       "argument 'dim' had the default 0 and has 1", callers},
      {"f(Tensor self, int dim=0) -> Tensor", "f(Tensor self, int dim) -> Tensor",
       "argument 'dim' lost its default 0", callers},
      {"f(Tensor self, int dim) -> Tensor", "f(Tensor self, int dim=0) -> Tensor",
       "argument 'dim' got the default 0", kNobody},
      {"f(Tensor self, int dim=0) -> Tensor", "f(Tensor self, *, int dim=0) -> Tensor",
       "argument 'dim' became keyword-only", python},
      {"f(Tensor self, *, int dim=0) -> Tensor", "f(Tensor self, int dim=0) -> Tensor",
       "argument 'dim' may now be given by position", kNobody},
  };
  for (const Case& c : cases) {
    INFO(c.before << " to " << c.after);
    const auto found = of("f", kernel(c.before), kernel(c.after));
    REQUIRE(found.size() == 1);
    CHECK(found[0].what == c.what);
    CHECK(int{found[0].breaks} == int{c.breaks});
  }
}

TEST_CASE(
    "an argument that is put before others moves them for callers by "
    "position") {
  const auto found = of("f", kernel("f(Tensor self, int dim=0) -> Tensor"),
                        kernel("f(Tensor self, int n=1, int dim=0) -> Tensor"));
  REQUIRE(found.size() == 2);
  CHECK(found[1].what == "arguments changed their places");
  CHECK(int{found[1].breaks} ==
        (Audience::python | Audience::cpp | static_cast<uint8_t>(Audience::libraries)));
}

TEST_CASE("results, names and dtypes") {
  const std::string f = "f(Tensor self) -> Tensor";
  CHECK(of("f", kernel(f), kernel("f(Tensor self) -> (Tensor, Tensor)"))[0].breaks == kEverybody);
  const auto module = of("f", kernel(f), kernel(f, "  python_module: nn\n"));
  REQUIRE(module.size() == 1);
  CHECK(module[0].what == "in Python was f and is nn.f");
  CHECK(module[0].breaks == static_cast<uint8_t>(Audience::python));
  const auto method = of("f", kernel(f, "  variants: function, method\n"), kernel(f));
  REQUIRE(method.size() == 1);
  CHECK(method[0].what == "is no longer a method");
  const std::string minus = "  variants: function, method\n  python_operator: __neg__\n";
  const auto syntax = of("f", kernel(f, minus), kernel(f, "  variants: function, method\n"));
  REQUIRE(syntax.size() == 1);
  CHECK(syntax[0].what == "is no longer __neg__ in Python");
  CHECK(syntax[0].breaks == static_cast<uint8_t>(Audience::python));
  const auto narrowed = of("plus", kAdd, kAdd + "  dtypes: floating\n");
  REQUIRE(narrowed.size() == 1);
  CHECK(narrowed[0].breaks != 0);
  CHECK(of("plus", kAdd + "  dtypes: floating\n", kAdd)[0].breaks == kNobody);
}

TEST_CASE("what results look like, and which tensors may be numbers") {
  const std::string f = "f(Tensor self) -> Tensor", sizes = "  result: {sizes: self.sizes()";
  const auto dtype = of("f", kernel(f, sizes + ", dtype: int64}\n"), kernel(f, sizes + "}\n"));
  REQUIRE(dtype.size() == 1);
  CHECK(dtype[0].what == "requires something else, or its results look otherwise");
  CHECK(dtype[0].breaks != 0);
  const auto numbers = of("plus", kAdd + "  numbers: [other]\n", kAdd);
  REQUIRE(numbers.size() == 1);
  CHECK(numbers[0].what == "no longer takes a number for 'other' in Python");
  CHECK(numbers[0].breaks == static_cast<uint8_t>(Audience::python));
  CHECK(of("plus", kAdd, kAdd + "  numbers: [other]\n")[0].breaks == kNobody);
}

TEST_CASE("numbers that have to suit the dtype") {
  const std::string scaled = "- func: scaled(Tensor self, Scalar n) -> Tensor\n  expr: self * n\n";
  const auto stricter = of("scaled", scaled, scaled + "  suits: [n]\n");
  REQUIRE(stricter.size() == 1);
  CHECK(stricter[0].what == "'n' has to suit the dtype");
  CHECK(stricter[0].breaks != 0);
  const auto laxer = of("scaled", scaled + "  suits: [n]\n", scaled);
  REQUIRE(laxer.size() == 1);
  CHECK(laxer[0].breaks == kNobody);
}

TEST_CASE("operators come and go; an expression may change") {
  const std::string two = kAdd + "- func: twice(Tensor self) -> Tensor\n  expr: self * 2\n";
  const auto added = of("twice", kAdd, two);
  REQUIRE(added.size() == 1);
  CHECK(added[0].kind == Change::Kind::added);
  CHECK(added[0].breaks == kNobody);
  CHECK(verdict(changes(kAdd, two)) == Version::minor);
  CHECK(of("twice", two, kAdd)[0].breaks == kEverybody);
  CHECK(verdict(changes(two, kAdd)) == Version::major);
  const std::string other = kAdd + "- func: twice(Tensor self) -> Tensor\n  expr: self + self\n";
  const auto inside = of("twice", two, other);
  REQUIRE(inside.size() == 1);
  CHECK(inside[0].what == "computes in another way");
  CHECK(verdict(changes(two, other)) == Version::patch);
  CHECK(verdict(changes(two, two)) == Version::same);
  CHECK(changes(two, two).empty());
}

TEST_CASE("the report") {
  CHECK(print_changes(changes(kernel("f(Tensor self, int dim=0) -> Tensor"),
                              kernel("f(Tensor self, int dim) -> Tensor"))) ==
        "changed:\n"
        "  f: argument 'dim' lost its default 0\n"
        "      breaks Python callers, C++ callers\n"
        "1 change, 1 breaking; version: major\n");
}

TEST_CASE("the lock notices what callers see, and nothing else") {
  const Loaded loaded(kAdd);
  const std::string lock = print_lock(*loaded.model);
  CHECK(check_lock(lock, *loaded.model).empty());
  const std::string other =
      "- func: plus(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor\n"
      "  expr: alpha * other + self\n";
  CHECK(check_lock(lock, *Loaded(other).model).empty());
  const auto narrowed = check_lock(lock, *Loaded(kAdd + "  dtypes: floating\n").model);
  REQUIRE(narrowed.size() == 1);
  CHECK(narrowed[0].starts_with("'plus' is not what was locked: it is now plus(Tensor self"));
  const std::string minus = "- func: minus(Tensor self) -> Tensor\n  expr: -self\n";
  CHECK(check_lock(lock, *Loaded(minus).model) ==
        std::vector<std::string>{"'plus' is locked and was removed or became internal",
                                 "'minus' is new and not locked yet"});
}

}  // namespace
}  // namespace opweave::codegen
