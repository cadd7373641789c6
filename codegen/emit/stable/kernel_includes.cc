// What handwritten kernels of a library for every release include of Opweave.
#include "codegen/emit/stable/kernel_includes.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "codegen/diagnostics/suggest.h"
#include "codegen/emit/kernels/kernel_includes.h"
#include "codegen/emit/output/outputs.h"
#include "codegen/emit/stable/check_formula.h"

namespace opweave::codegen {
namespace {

// Of the core's headers those that need nothing of it; tensor.h is another one in such a library.
constexpr std::string_view kOffered[] = {
    "kernels/cpu/common/visit_dtype.h",   "runtime/core/tensor/dim_vector.h",
    "runtime/core/base/error.h",          "runtime/core/numbers/half.h",
    "runtime/core/threads/parallel.h",    "runtime/core/numbers/scalar.h",
    "runtime/core/numbers/scalar_type.h", "runtime/core/base/str.h",
    "runtime/core/tensor/tensor.h",
};
constexpr std::string_view kOperators = "opweave/ops/";
// What the generator prints for the library, and the interface itself.
constexpr std::string_view kOpen[] = {"opweave/kernels/cpu/", "opweave/stable/"};

class IncludeChecker {
 public:
  IncludeChecker(const Model& model, DiagnosticSink& sink) : sink_(sink) {
    for (const Operator* op : callable_operators(model))
      names_.insert({op->name.base, home_name(*op)});
  }

  // The operator that it is of, or nothing.
  std::string check(const KernelInclude& include) {
    if (include.path.starts_with(kOperators)) return check_operator(include);
    const auto is_below = [&](std::string_view open) { return include.path.starts_with(open); };
    if (std::ranges::any_of(kOpen, is_below) ||
        std::ranges::find(kOffered, include.path) != std::end(kOffered))
      return {};
    std::string offered = "opweave/ops/NAME.h";
    for (const std::string_view header : kOffered) offered += ", " + std::string(header);
    sink_
        .error(Code::not_stable, include.span,
               "a kernel of a library for every release cannot include '" +
                   std::string(include.path) + "', which later releases may change")
        .note({}, "it can include " + offered);
    return {};
  }

 private:
  std::string check_operator(const KernelInclude& include) {
    std::string_view name = include.path.substr(kOperators.size());
    if (name.ends_with(".h")) name.remove_suffix(2);
    if (names_.contains(std::string(name))) return std::string(name);
    const std::vector<std::string> names(names_.begin(), names_.end());
    auto& error = sink_.error(Code::not_stable, include.span,
                              "a kernel of a library for every release cannot call '" +
                                  std::string(name) + "': no operator of that name can be called");
    if (const std::string near = closest(name, names); !near.empty())
      error.suggest(std::string(kOperators) + near + ".h");
    return {};
  }

  DiagnosticSink& sink_;
  std::set<std::string> names_;
};

}  // namespace

std::set<std::string> check_kernel_includes(const Source& kernel, const Model& model,
                                            DiagnosticSink& sink) {
  IncludeChecker checker(model, sink);
  std::set<std::string> operators;
  for (const KernelInclude& include : own_includes(kernel)) {
    if (std::string name = checker.check(include); !name.empty()) operators.insert(std::move(name));
  }
  return operators;
}

}  // namespace opweave::codegen
