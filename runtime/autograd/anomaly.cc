// Anomaly mode: the settings, and what is told about a failed node.
#include "runtime/autograd/anomaly.h"

#include <cstdio>

#include "runtime/autograd/graph_task.h"
#include "runtime/autograd/node.h"

namespace opweave {
namespace {

AnomalyHooks anomaly_hooks;

}  // namespace

void set_anomaly_hooks(AnomalyHooks hooks) { anomaly_hooks = hooks; }

void set_anomaly_mode(bool enabled, bool check_nan) {
  detail::anomaly_mode.store(enabled, std::memory_order_relaxed);
  detail::anomaly_check_nan.store(check_nan, std::memory_order_relaxed);
}

void record_anomaly_place(Node& node) {
  NodeExtras& extras = node.make_extras();
  if (anomaly_hooks.here != nullptr) extras.place = anomaly_hooks.here();
  extras.recorded_in = intrusive_ptr<Node>(current_node());
}

std::string anomaly_trace(const Node& node) {
  std::string text;
  for (const Node* n = &node; n != nullptr && n->extras() != nullptr;
       n = n->extras()->recorded_in.get()) {
    if (!n->extras()->place) break;
    text += n == &node ? str("The operator of ", n->name(), " was called here:\n")
                       : str("That happened in the backward pass of ", n->name(),
                             ", whose operator was called here:\n");
    text += n->extras()->place->describe();
  }
  return text;
}

void report_anomaly(const Node& failed) {
  if (anomaly_hooks.report != nullptr) {
    anomaly_hooks.report(failed);
  } else if (const std::string trace = anomaly_trace(failed); !trace.empty()) {
    std::fputs(str("Error detected in ", failed.name(), ". ", trace, "\n").c_str(), stderr);
  }
}

}  // namespace opweave
