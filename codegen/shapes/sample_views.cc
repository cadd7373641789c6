// Views of samples: geometries against memory.
#include "codegen/shapes/sample_views.h"

#include <fmt/format.h>

#include <optional>

#include "codegen/shapes/samples.h"

namespace opweave::codegen {
namespace {

// One past the last element; nothing where it is not known, or negative. `outside`: it is known
// that an element lies before the memory or beyond counting.
std::optional<int64_t> end_of(const ShapedTensor& view, bool& outside) {
  if (!view.strides || !view.offset || !view.offset->number()) return {};
  int64_t last = *view.offset->number(), step = 0;
  outside = last < 0;
  for (size_t d = 0; d < view.sizes.size(); ++d) {
    const auto size = view.sizes[d].number(), stride = (*view.strides)[d].number();
    if (!size || !stride) return {};
    if (*size == 0) return 0;
    outside |= *size < 0 || (*size > 1 && *stride < 0);
    outside |= __builtin_mul_overflow(*size - 1, *stride, &step);
    outside |= __builtin_add_overflow(last, step, &last);
  }
  return last + (last < INT64_MAX ? 1 : 0);
}

// How many elements the memory has of a tensor that a sample makes, which is dense.
std::optional<int64_t> elements_of(const ShapedTensor& tensor) {
  int64_t n = 1;
  for (const Size& size : tensor.sizes) {
    if (!size.number() || __builtin_mul_overflow(n, *size.number(), &n)) return {};
  }
  return n;
}

class ViewSamples {
 public:
  ViewSamples(const Operator& op, DiagnosticSink& sink) : op_(op), sink_(sink) {}

  void check() {
    for (const SampleResults& call : results_of_samples(op_)) {
      for (const ViewOf& view : op_.effects.views) {
        if (view.result < call.results.size()) check(call, view);
      }
    }
  }

 private:
  void check(const SampleResults& call, const ViewOf& view) {
    const auto* viewed = call.arguments[view.argument].as<ShapedTensor>();
    const ShapedTensor& result = call.results[view.result];
    if (!viewed || !viewed->defined || !result.defined) return;
    bool outside = false;
    const auto end = end_of(result, outside);
    const auto room = elements_of(*viewed);
    if (!end || !room || (!outside && *end <= *room)) return;
    Diagnostic& error = sink_.error(
        Code::out_of_bounds, op_.rule->outputs[view.result].sizes->span,
        fmt::format("'{}' makes a view outside of its tensor's memory: sizes {}, strides {} and "
                    "offset {} of '{}', which has {} elements",
                    op_.name.full, text_of(result.sizes), text_of(*result.strides),
                    result.offset->text(), op_.schema.arguments[view.argument].name, *room));
    if (call.span) error.note(call.span, "for this sample");
  }

  const Operator& op_;
  DiagnosticSink& sink_;
};

}  // namespace

void check_sample_views(const Model& model, DiagnosticSink& sink) {
  for (const Operator* op : model.operators().all()) {
    const bool says = !op->origin.imported && op->is_view() && op->rule != nullptr &&
                      op->rule->like == nullptr && !op->rule->outputs.empty();
    if (says && op->computation->implementation != Implementation::derived)
      ViewSamples(*op, sink).check();
  }
}

}  // namespace opweave::codegen
