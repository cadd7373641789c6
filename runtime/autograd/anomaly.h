// Anomaly mode: remembers where each node was recorded, and checks gradients for NaN.
#pragma once

#include <atomic>
#include <string>

#include "runtime/core/base/ref_counted.h"

namespace opweave {

class Node;

// Where a node was recorded: made by the front end (Python keeps the traceback of its caller).
class RecordedPlace : public RefCounted {
 public:
  // Lines of text, the innermost frame last.
  virtual std::string describe() const = 0;
};

// Called when anomaly mode is on: `here` in the constructor of every node, `report` when the node
// `failed` has thrown or returned NaN, before the error goes on.
struct AnomalyHooks {
  intrusive_ptr<RecordedPlace> (*here)() = nullptr;
  void (*report)(const Node& failed) = nullptr;
};
void set_anomaly_hooks(AnomalyHooks hooks);

namespace detail {
inline constinit std::atomic<bool> anomaly_mode{false};
inline constinit std::atomic<bool> anomaly_check_nan{true};
}  // namespace detail

inline bool anomaly_mode_enabled() { return detail::anomaly_mode.load(std::memory_order_relaxed); }
inline bool anomaly_checks_nan() {
  return detail::anomaly_check_nan.load(std::memory_order_relaxed);
}
// Process-wide, as in PyTorch.
void set_anomaly_mode(bool enabled, bool check_nan = true);

// What a failed node's place and those of the nodes in whose backward it was recorded say; empty
// when nothing was recorded. The report for people, by default written to stderr.
std::string anomaly_trace(const Node& node);

// --- for Node and the engine
void record_anomaly_place(Node& node);
void report_anomaly(const Node& failed);

}  // namespace opweave
