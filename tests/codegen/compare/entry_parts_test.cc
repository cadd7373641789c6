// Every key of an entry is in a part of it: what no part has, `diff`, the lock and `gen --why` do
// not see.
#include <map>
#include <string>

#include "codegen/emit/entries/entries.h"
#include "codegen/model/entries/keys.h"
#include "tests/codegen/support/load.h"

namespace opweave::codegen {
namespace {

struct Change {
  const char* part;
  const char* before;
  const char* after;
};

// An entry without a key, or with another value of it, and with it; all are of an operator `f`.
const std::map<std::string_view, Change>& changes() {
  static const std::map<std::string_view, Change> changes = {
      {"func",
       {"schema", "- func: f(Tensor a) -> Tensor\n  expr: a\n",
        "- func: f(Tensor b) -> Tensor\n  expr: b\n"}},
      {"variants", {"names", "  expr: self\n", "  variants: method\n  expr: self\n"}},
      {"internal", {"names", "  expr: self\n", "  internal: true\n  expr: self\n"}},
      {"expr", {"expr", "  expr: self\n", "  expr: self * 2\n"}},
      {"composite", {"composite", "  composite: sin(self)\n", "  composite: cos(self)\n"}},
      {"roles",
       {"roles",
        "- func: f(Tensor self, int n) -> Tensor\n  kernels: [cpu]\n  roles: {n: number}\n",
        "- func: f(Tensor self, int n) -> Tensor\n  kernels: [cpu]\n  roles: {n: dim}\n"}},
      {"autocast", {"autocast", "  expr: self\n", "  autocast: fp32\n  expr: self\n"}},
      {"batching", {"batching", "  kernels: [cpu]\n", "  kernels: [cpu]\n  batching: loop\n"}},
      {"kernels", {"kernels", "  kernels: [cpu]\n", "  kernels: [cpu, cuda]\n"}},
      {"let",
       {"rule", "  kernels: [cpu]\n  let: {n: '[2]'}\n  result: n\n",
        "  kernels: [cpu]\n  let: {n: '[3]'}\n  result: n\n"}},
      {"require",
       {"rule", "  kernels: [cpu]\n  result: self.sizes()\n",
        "  kernels: [cpu]\n  require: {self.dim() == 2: two}\n  result: self.sizes()\n"}},
      {"result",
       {"rule", "  kernels: [cpu]\n  result: '[2]'\n", "  kernels: [cpu]\n  result: '[3]'\n"}},
      {"inplace", {"", "  expr: self\n", "  inplace: false\n  expr: self\n"}},
      {"out", {"", "  expr: self\n", "  out: false\n  expr: self\n"}},
      {"differentiable", {"gradient", "  expr: self\n", "  differentiable: false\n  expr: self\n"}},
      {"dtypes", {"dtypes", "  expr: self\n", "  dtypes: [floating]\n  expr: self\n"}},
      {"argument_dtypes",
       {"dtypes", "  expr: self\n", "  argument_dtypes: {self: [float32]}\n  expr: self\n"}},
      {"promotion", {"dtypes", "  expr: self\n", "  promotion: int_to_float\n  expr: self\n"}},
      {"promotes",
       {"dtypes", "- func: f(Tensor self, Scalar n) -> Tensor\n  expr: self * n\n",
        "- func: f(Tensor self, Scalar n) -> Tensor\n  promotes: [self]\n  expr: self * n\n"}},
      {"suits",
       {"dtypes", "- func: f(Tensor self, Scalar n) -> Tensor\n  expr: self * n\n",
        "- func: f(Tensor self, Scalar n) -> Tensor\n  suits: [n]\n  expr: self * n\n"}},
      {"exact_numbers",
       {"dtypes", "- func: f(Tensor self, Scalar n) -> Tensor\n  expr: self * n\n",
        "- func: f(Tensor self, Scalar n) -> Tensor\n  exact_numbers: [n]\n  expr: self * n\n"}},
      {"out_dtype", {"dtypes", "  expr: self\n", "  out_dtype: cast\n  expr: self\n"}},
      {"over",
       {"expr", "- func: f(Tensor self, int dim) -> Tensor\n  over: dim\n  expr: sum(self)\n",
        "- func: f(Tensor self, int dim) -> Tensor\n  over: every\n  expr: sum(self)\n"}},
      {"axes",
       {"expr",
        "- func: f(Tensor self, Tensor w, int dim) -> Tensor\n  over: {r: dim}\n"
        "  expr: sum(self * w)\n",
        "- func: f(Tensor self, Tensor w, int dim) -> Tensor\n  over: {r: dim}\n"
        "  axes: {w: '[r]'}\n  expr: sum(self * w)\n"}},
      {"where",
       {"expr",
        "- func: f(Tensor self, int dim) -> Tensor\n  over: dim\n  where: {m: max(self)}\n"
        "  expr: self - m\n",
        "- func: f(Tensor self, int dim) -> Tensor\n  over: dim\n  where: {m: min(self)}\n"
        "  expr: self - m\n"}},
      {"numbers",
       {"numbers", "- func: f(Tensor self, Tensor n) -> Tensor\n  expr: self * n\n",
        "- func: f(Tensor self, Tensor n) -> Tensor\n  numbers: [n]\n  expr: self * n\n"}},
      {"doc", {"doc", "  doc: One.\n  expr: self\n", "  doc: Another.\n  expr: self\n"}},
      {"samples",
       {"samples", "  expr: self\n  samples: {self: real}\n",
        "  expr: self\n  samples: {self: unit}\n"}},
      {"reference",
       {"reference", "- func: f(Tensor self) -> Tensor\n  kernels: [cpu]\n  reference: sin(self)\n",
        "- func: f(Tensor self) -> Tensor\n  kernels: [cpu]\n  reference: cos(self)\n"}},
      {"python_name", {"names", "  expr: self\n", "  python_name: g\n  expr: self\n"}},
      {"python_module", {"names", "  expr: self\n", "  python_module: special\n  expr: self\n"}},
      {"python_operator",
       {"names", "  variants: method\n  expr: self\n",
        "  variants: method\n  python_operator: __neg__\n  expr: self\n"}},
      {"nn_function",
       {"names", "  python_module: nn\n  expr: self\n",
        "  python_module: nn\n  nn_function: none\n  expr: self\n"}},
      {"tags", {"tags", "  expr: self\n", "  tags: [contiguous]\n  expr: self\n"}},
  };
  return changes;
}

std::string entry(std::string_view text) {
  const std::string others =
      "- func: sin(Tensor self) -> Tensor\n  expr: sin(self)\n"
      "- func: cos(Tensor self) -> Tensor\n  expr: cos(self)\n";
  const std::string func = text.starts_with("-") ? "" : "- func: f(Tensor self) -> Tensor\n";
  const bool kernels = text.find("kernels:") != std::string_view::npos;
  return others + func + std::string(text) + (kernels ? "  differentiable: false\n" : "");
}

TEST_CASE("every key changes its part") {
  for (const Key& key : operator_keys().keys) {
    CAPTURE(key.name);
    REQUIRE_MESSAGE(changes().contains(key.name), "a new key needs a line in this test");
    const Change& change = changes().at(key.name);
    const Loaded before(entry(change.before)), after(entry(change.after));
    const bool forms = *change.part == '\0';  // which operators there are
    if (forms) {
      CHECK(before.model->operators().all().size() != after.model->operators().all().size());
    } else {
      CHECK(entry_part(before.op("f"), change.part) != entry_part(after.op("f"), change.part));
    }
  }
}

}  // namespace
}  // namespace opweave::codegen
