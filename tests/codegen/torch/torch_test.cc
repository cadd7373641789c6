// The dialect of PyTorch's files: C++ formulas, what they may name, and the keys of entries.
#include <doctest/doctest.h>

#include "codegen/diagnostics/render.h"
#include "codegen/torch/check.h"

namespace opweave::codegen::torch {
namespace {

std::string printed(std::string_view text) {
  const Source source("f", std::string(text));
  CppArena arena;
  DiagnosticSink sink;
  const CppNode* tree = parse_cpp({source.text(), &source}, arena, sink);
  INFO(render_all(sink));
  REQUIRE(tree);
  return print(*tree);
}

std::string error_of(std::string_view text) {
  const Source source("f", std::string(text));
  CppArena arena;
  DiagnosticSink sink;
  CHECK(parse_cpp({source.text(), &source}, arena, sink) == nullptr);
  REQUIRE(sink.error_count() == 1);
  const Diagnostic& d = sink.all()[0];
  return std::to_string(d.span.begin + 1) + ": " + d.message;
}

TEST_CASE("formulas that print back to the letter") {
  for (const std::string_view text : {
           "grad",
           "-grad * (x - 1.).conj()",
           "!a || ~b && -(-c)",
           "- -a",
           "a < b ? c >= 2 : d != 1e-05",
           "at::where(self > min, grad, at::scalar_tensor(0., grad.options()))",
           "std::get<0>(two(grad))",
           "ok ? std::tuple<Tensor, Tensor>() : std::tuple<Tensor, Tensor>(a, b)",
           "std::vector<std::vector<c10::SymInt>>(pads.size(), 0)",
           "f({}, {{1, 1}}, Tensor(), IntArrayRef({}), Shape{1, 2})",
           "bias->sizes()[0]",
           "grads[1].defined() ? grads[1] : zero",
           "div(x, /*mode=*/\"a \\\"b\\\" c\")",
           "f(/*first=*/-a, /*second=*/(b), /*third=*/[](int64_t i) { return i; })",
           "map(xs, [](c10::SymInt i) { return -i; })",
           "map(xs, [&, =n](const Tensor& t, Scalar*) -> Tensor { return t * n; })",
           "::f(a) << 2 & 1 | 3 ^ 4",
           "a < b > (c)",
           "at::x < at::y",
           "*p + &q",
           "1'000ull",
       }) {
    CHECK(printed(text) == text);
  }
}

TEST_CASE("blanks are made canonical, and nothing else changes") {
  const std::string_view text = " f ( a,b )?-x:std :: get< 0 >( c ) ";
  CHECK(printed(text) == "f(a, b) ? -x : std::get<0>(c)");
  CHECK(same_tokens(printed(text), text));
  CHECK_FALSE(same_tokens("f(\"a b\")", "f(\"ab\")"));
  CHECK_FALSE(same_tokens("f(\"\\\" b\")", "f(\"\\\"b\")"));
  CHECK_FALSE(same_tokens("a", "a b"));
  CHECK(same_tokens("f(/*say \"*/\"a\")", "f(/*say \"*/ \"a\")"));
  CHECK_FALSE(same_tokens("f(/*\"*/\"a b\")", "f(/*\"*/\"ab\")"));
  CHECK_FALSE(same_tokens("f(\"/*\" \"a b\")", "f(\"/*\" \"ab\")"));
}

TEST_CASE("operators bind as in C++") {
  const Source source("f", "a + b * c == d ? e : f ? g : h");
  CppArena arena;
  DiagnosticSink sink;
  const CppNode* tree = parse_cpp({source.text(), &source}, arena, sink);
  REQUIRE(tree);
  REQUIRE(tree->kind == CppKind::conditional);
  CHECK(print(*tree->operands[0]->operands[0]) == "a + b * c");
  CHECK(print(*tree->operands[0]->operands[0]->operands[1]) == "b * c");
  CHECK(tree->operands[2]->kind == CppKind::conditional);
}

TEST_CASE("what stops a formula is named") {
  CHECK(error_of("") == "1: expected a value, found the end");
  CHECK(error_of("a +") == "4: expected a value, found the end");
  CHECK(error_of("a b") == "3: expected an operator or the end, found 'b'");
  CHECK(error_of("a = b") == "3: expected an operator or the end, found '='");
  CHECK(error_of("++a") == "1: expected a value, found '++'");
  CHECK(error_of("new T()") == "1: expected a value, found 'new'");
  CHECK(error_of("f(a") == "4: expected ')' or ',' after an argument, found the end");
  CHECK(error_of("f(a,)") == "5: expected a value after ',', found ')'");
  CHECK(error_of("{a b}") == "4: expected '}' or ',' after an element, found 'b'");
  CHECK(error_of("(a") == "3: expected ')' to close '(', found the end");
  CHECK(error_of("a[1") == "4: expected ']' after an index, found the end");
  CHECK(error_of("a.2") == "2: expected an operator or the end, found '.2'");
  CHECK(error_of("a.(b)") == "3: expected the name of a member after '.', found '('");
  CHECK(error_of("a ? b") == "6: expected ':' between the two values of '?', found the end");
  CHECK(error_of("at::(b)") == "5: expected a name, found '('");
  CHECK(error_of("f(\"a)") == "3: this string has no closing quote");
  CHECK(error_of("a $ b") == "3: unexpected character '$'");
  CHECK(error_of("a /* b") == "2: this comment has no end");
  CHECK(error_of("a /* b */") == "10: a comment stands before the end, which is no value");
  CHECK(error_of("a /* b */ + c") == "11: a comment stands before '+', which is no value");
  CHECK(error_of("[](int i) { i; }") ==
        "13: expected 'return': a lambda is one statement, found 'i'");
  CHECK(error_of("[1](int i) { return i; }") ==
        "2: expected ']' or what the lambda captures, found '1'");
  CHECK(error_of("[=,](Tensor x) { return x; }") ==
        "4: expected ']' or what the lambda captures, found ']'");
  CHECK(error_of("[=](Tensor x,) { return x; }") == "14: expected a name, found ')'");
  const std::string deep(300, '(');
  CHECK(error_of(deep).ends_with("this expression is nested more than 200 levels deep"));
  CHECK(error_of(std::string(300, '!') + "a").ends_with("more than 200 levels deep"));
}

constexpr std::string_view kFunctions = R"(
- func: twice(Tensor self, *, Scalar by=2) -> Tensor
  variants: function, method
  dispatch: {"CPU, CUDA": twice_kernel}
- func: pick(Tensor self, Tensor index) -> (Tensor values, Tensor places)
  dispatch: {CPU: pick_kernel}
- func: spread(SymInt[] size) -> Tensor
  category_override: dummy
- func: _foreach_each(Tensor[] self, Scalar by) -> Tensor[]
  device_check: NoCheck
  dispatch: {CPU: each_kernel}
- func: made_up_(Tensor(a!) self) -> Tensor(a!)
  dispatch: {CPU: made_up_kernel}
  autogen: made_up, made_up.out
)";

// What is said about derivatives of the operators above.
std::string said(std::string derivatives, std::string header = "") {
  TorchInputs inputs;
  inputs.native_functions = {"native.yaml", std::string(kFunctions)};
  inputs.derivatives = {"d.yaml", std::move(derivatives)};
  if (!header.empty()) inputs.headers.push_back({"helpers.h", std::move(header)});
  TorchFiles files;
  DiagnosticSink sink;
  check_torch_files(std::move(inputs), files, sink);
  sink.sort();
  std::string text;
  for (const Diagnostic& d : sink.all()) {
    const Position at = d.span.source->position(d.span.begin);
    text += std::to_string(at.line) + ":" + std::to_string(at.column) + ": " + d.message;
    if (!d.suggestion.empty()) text += " -> " + d.suggestion;
    text += "\n";
  }
  return text.empty() ? summary(files) : text;
}

std::string said_of(const std::string& formula) {
  return said("- name: twice(Tensor self, *, Scalar by=2) -> Tensor\n  " + formula + "\n",
              "Tensor helper(/* hidden(x) */ int); // secret(x)");
}

TEST_CASE("formulas are counted") {
  const std::string text = said(R"yaml(
- name: twice(Tensor self, *, Scalar by=2) -> Tensor
  self: helper(grad) * by + at::twice(result)
  result: auto_linear
- name: pick(Tensor self, Tensor index) -> (Tensor values, Tensor places)
  output_differentiability: [True, False]
  dispatch:
    Default:
      self: grads[0] + grads[1] * result0 - places
      index: non_differentiable
      values: self_t.twice() + self_p
    AutogradNestedTensor:
      self: "grad_input_mask[0] ? spread_symint({1}) : grad_values"
- name: _foreach_each(Tensor[] self, Scalar by) -> Tensor[]
  self: grads[i] * self[i] + result[i]
- name: made_up(Tensor self) -> Tensor
  self: grad
)yaml");
  CHECK(text ==
        "5 schemas read, each prints back to the letter\n"
        "8 formulas in 4 entries: 6 parsed, 2 words such as auto_linear, 0 not parsed (0.0 %)\n"
        "1 helpers were not looked up: give the headers that declare them with --helpers\n");
}

TEST_CASE("names that exist nowhere") {
  CHECK(said_of("self: grda") == "2:9: unknown name 'grda' in a gradient of 'twice' -> grad\n");
  CHECK(said_of("self: grad.twicee()") == "2:14: unknown method 'twicee' -> twice\n");
  CHECK(said_of("self: helpr(grad)") ==
        "2:9: unknown function 'helpr': neither an operator nor in a header -> helper\n");
  CHECK(said_of("self: hidden(grad)") ==
        "2:9: unknown function 'hidden': neither an operator nor in a header\n");
  CHECK(said_of("self: secret(grad)") ==
        "2:9: unknown function 'secret': neither an operator nor in a header\n");
  CHECK(said_of("self: at::spred(grad)") == "2:9: unknown name 'at::spred' -> at::spread\n");
  CHECK(said_of("self: std::vectr<Tensor>(2)") ==
        "2:9: unknown name 'std::vectr' -> std::vector\n");
  CHECK(said_of("self: std::vector<Tenser>(2)") == "2:21: unknown type 'Tenser' -> Tensor\n");
  CHECK(said_of("self: self_t") == "2:9: unknown name 'self_t' in a gradient of 'twice' -> self\n");
  CHECK(said_of("result: grad") ==
        "2:11: unknown name 'grad' in a forward derivative of 'twice'\n");
  CHECK(said_of("result: by_t") ==
        "2:11: unknown name 'by_t' in a forward derivative of 'twice' -> by\n");
  CHECK(said_of("self: grads[1]") == "2:15: 'grads[1]', but 'twice' has 1 output\n");
  CHECK(said_of("self: grads[i]") == "2:15: unknown name 'i' in a gradient of 'twice'\n");
  CHECK(said_of("self: helper([](int j) { return j; }) * j") ==
        "2:43: unknown name 'j' in a gradient of 'twice'\n");
}

TEST_CASE("entries that are wrong") {
  CHECK(said_of("slef: grad") == "2:3: 'slef' is no argument or result of 'twice' -> self\n");
  CHECK(said_of("self: [grad]") == "2:9: 'self' of 'twice' must be a text, not a list\n");
  CHECK(said_of("output_differentiability: [True, False]") ==
        "2:3: 'twice' has 1 output, but 2 are listed\n");
  CHECK(said_of("dispatch: {CPU: {self: grad}}") ==
        "2:14: 'CPU' is no dispatch key of autograd: 'Default', or 'Autograd' and a backend -> "
        "AutogradCPU\n");
  CHECK(said("- name: twise(Tensor self) -> Tensor\n") ==
        "1:9: there is no operator 'twise' -> twice\n");
  CHECK(said("- name: spread(int[] size) -> Tensor\n") ==
        "1:9: the schema of 'spread' is not that of the operator\n");
  CHECK(said("- self: grad\n") == "1:3: this entry has no 'name': the operator it is for\n");
  CHECK(said("- word\n") ==
        "1:3: an entry must be a mapping that begins with 'name:', not a value\n");
  CHECK(said("a: b\n") == "1:1: d.yaml must hold a list of entries, not a mapping\n");
}

TEST_CASE("native functions that are wrong") {
  auto said_of_native = [](std::string text) {
    TorchInputs inputs;
    inputs.native_functions = {"native.yaml", std::move(text)};
    TorchFiles files;
    DiagnosticSink sink;
    check_torch_files(std::move(inputs), files, sink);
    REQUIRE(sink.error_count() == 1);
    return render(sink.all()[0]);
  };
  CHECK(said_of_native("- func: f(Tensor x) -> Tensor\n  variant: method\n")
            .starts_with(
                "native.yaml:2:3: error[OW0005]: unknown key 'variant'; did you mean 'variants'?\n"
                "    2 |   variant: method\n"
                "      |   ^~~~~~~\n"));
  CHECK(said_of_native("- func: f(Tensor x) -> Tensor\n- func: f(Tensor y) -> Tensor\n")
            .starts_with("native.yaml:2:9: error[OW0301]: 'f' is defined twice\n"));
  CHECK(said_of_native("- func: f(Tensor  x) -> Tensor\n")
            .starts_with("native.yaml:1:18: error[OW0103]: "));
  CHECK(said_of_native("").starts_with("native.yaml:1:1: error[OW0009]: native.yaml must hold"));
}

TEST_CASE("tags are those of tags.yaml") {
  auto said_with_tags = [](std::string tags) {
    TorchInputs inputs;
    inputs.native_functions = {"native.yaml", "- func: f(Tensor x) -> Tensor\n  tags: mine\n"};
    inputs.tags = {"tags.yaml", std::move(tags)};
    TorchFiles files;
    DiagnosticSink sink;
    check_torch_files(std::move(inputs), files, sink);
    std::string text;
    for (const Diagnostic& d : sink.all()) text += d.message + "\n";
    return text;
  };
  CHECK(said_with_tags("- tag: mine\n  desc: a tag\n") == "");
  CHECK(said_with_tags("- tag: other\n  desc: a tag\n") == "'tags' of 'f' cannot be 'mine'\n");
  CHECK(said_with_tags("- tag: mine\n  desc: ''\n") == "this tag has no 'desc': what it means\n");
  CHECK(said_with_tags("- desc: a tag\n") ==
        "this entry has no 'tag': the name of the tag\n'tags' of 'f' cannot be 'mine'\n");
  CHECK(said_with_tags("tag: mine\n").starts_with("tags.yaml must hold a list of entries"));
}

}  // namespace
}  // namespace opweave::codegen::torch
