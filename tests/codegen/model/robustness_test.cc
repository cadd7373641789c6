// Damaged files give diagnostics, never a crash: the real operator files, cut and scrambled.
#include <doctest/doctest.h>

#include <random>

#include "codegen/diagnostics/render.h"
#include "codegen/model/model.h"
#include "tests/support/read_file.h"

namespace opweave::codegen {
namespace {

// Loads, renders what was found, and sees that a model came exactly if there was no error.
void load(std::string ops, std::string derivatives) {
  Inputs inputs;
  inputs.ops.push_back({"ops.yaml", std::move(ops)});
  inputs.derivatives.push_back({"derivatives.yaml", std::move(derivatives)});
  DiagnosticSink sink;
  auto sources = std::make_shared<Sources>();
  bool has_model = load_model(std::move(inputs), sources, sink) != nullptr;
  sink.sort();
  std::string text = render_all(sink);
  CHECK(has_model == !sink.has_errors());
  CHECK(text.empty() == sink.all().empty());
}

TEST_CASE("files that end anywhere") {
  std::string ops = read_file("ops.yaml"), derivatives = read_file("derivatives.yaml");
  std::mt19937 random(1);
  for (int i = 0; i < 60; ++i) {
    load(ops.substr(0, random() % ops.size()), derivatives);
    load(ops, derivatives.substr(0, random() % derivatives.size()));
  }
}

TEST_CASE("files with scrambled bytes") {
  std::string ops = read_file("ops.yaml"), derivatives = read_file("derivatives.yaml");
  constexpr std::string_view kBytes = "()[]{}:,-*&!|>'\"%@`#?~\n \t\\0a_.=<^/+;\xC3\xFF";
  std::mt19937 random(2);
  for (int i = 0; i < 100; ++i) {
    std::string damaged = i % 2 ? ops : derivatives;
    for (unsigned n = random() % 8; n-- > 0;) {
      damaged[random() % damaged.size()] = kBytes[random() % kBytes.size()];
    }
    load(i % 2 ? damaged : ops, i % 2 ? derivatives : damaged);
  }
}

TEST_CASE("files with lines in another order") {
  std::string ops = read_file("ops.yaml"), derivatives = read_file("derivatives.yaml");
  std::mt19937 random(3);
  for (int i = 0; i < 30; ++i) {
    size_t from = ops.find('\n', random() % (ops.size() / 2));
    size_t to = ops.find('\n', from + random() % 300);
    std::string moved = ops.substr(from, to - from);
    std::string damaged = ops;
    damaged.insert(damaged.find('\n', random() % (ops.size() / 2)), moved);
    load(damaged, derivatives);
  }
}

// Each is compared with all others.
TEST_CASE("thousands of overloads end with a report of each, and a limit") {
  std::string ops;
  for (int i = 0; i < 3000; ++i) {
    const std::string n = std::to_string(i);
    ops += "- func: f.o" + n + "(Tensor self, int a" + n +
           ") -> Tensor\n  kernels: [cpu]\n  roles: {a" + n +
           ": number}\n  differentiable: false\n";
  }
  Inputs inputs;
  inputs.ops.push_back({"ops.yaml", std::move(ops)});
  DiagnosticSink sink;
  const auto sources = std::make_shared<Sources>();
  CHECK(load_model(std::move(inputs), sources, sink) == nullptr);
  CHECK(sink.error_count() == 250);
  CHECK(sink.all().back().message ==
        "a function has at most 250 overloads in Python; 'f.o250' is one more of 'f'");
}

}  // namespace
}  // namespace opweave::codegen
