// BackwardGraph: a hash table from nodes to states, filled by a depth-first search.
#include "runtime/autograd/backward_graph.h"

#include <algorithm>
#include <bit>

namespace opweave {
namespace {

constexpr size_t kSmallest = 64;
constexpr size_t kLargestKept = size_t{1} << 17;  // slots

thread_local std::unique_ptr<BackwardGraph> spare;

}  // namespace

std::unique_ptr<BackwardGraph> BackwardGraph::make() {
  if (spare) return std::move(spare);
  auto graph = std::make_unique<BackwardGraph>();
  graph->set_capacity(kSmallest);
  return graph;
}

void BackwardGraph::recycle(std::unique_ptr<BackwardGraph> graph) {
  if (spare || graph->slots_.size() > kLargestKept) return;
  graph->clear();
  spare = std::move(graph);
}

void BackwardGraph::clear() {
  const size_t wanted = std::max(kSmallest, std::bit_ceil(2 * states.size() + 2));
  states.clear();
  targets.clear();
  captures.clear();
  frames_.clear();
  set_capacity(wanted);
}

void BackwardGraph::set_capacity(size_t slots) {
  slots_.assign(slots, Slot{nullptr, kNone});
  shift_ = 64 - std::countr_zero(slots);
  for (uint32_t i = 0; i < states.size(); ++i) {
    slots_[slot_of(states[i].node)] = {states[i].node, i};
  }
}

// The node's slot, or the free one where it belongs.
size_t BackwardGraph::slot_of(const Node* node) const {
  const uint64_t hash = (reinterpret_cast<uintptr_t>(node) >> 4) * 0x9E3779B97F4A7C15u;
  size_t i = hash >> shift_;
  while (slots_[i].node != nullptr && slots_[i].node != node) i = (i + 1) & (slots_.size() - 1);
  return i;
}

uint32_t BackwardGraph::find(const Node* node) const { return slots_[slot_of(node)].state; }

uint32_t BackwardGraph::insert(Node* node) {
  Slot& slot = slots_[slot_of(node)];
  if (slot.node != nullptr) return slot.state;
  const auto index = static_cast<uint32_t>(states.size());
  slot = {node, index};
  states.emplace_back(node, /*all_needed=*/!restricted_);
  if (2 * states.size() > slots_.size()) set_capacity(2 * slots_.size());
  return index;
}

void BackwardGraph::discover(std::span<const Edge> roots, std::span<const Edge> inputs,
                             bool run_inputs) {
  restricted_ = !inputs.empty();
  add_inputs(inputs, run_inputs);
  for (const Edge& root : roots) {
    const uint32_t state = insert(root.function.get());
    ++states[state].dependencies;
    if (!states[state].discovered) explore(state);
  }
}

void BackwardGraph::add_inputs(std::span<const Edge> inputs, bool run_inputs) {
  lowest_input_ = UINT32_MAX;
  for (uint32_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i]) continue;  // a leaf that no graph refers to
    lowest_input_ = std::min(lowest_input_, inputs[i].function->topological_nr());
    NodeState& state = states[insert(inputs[i].function.get())];
    state.needed = run_inputs;
    state.wanted = true;
    if (run_inputs) continue;
    captures.push_back({inputs[i].input_nr, i, state.first_capture});
    state.first_capture = static_cast<int32_t>(captures.size()) - 1;
  }
}

void BackwardGraph::explore(uint32_t root) {
  enter(root);
  while (!frames_.empty()) {
    Frame& frame = frames_.back();
    const uint32_t from = frame.state;
    const std::span<const Edge> edges = states[from].node->next_edges();
    if (frame.edge == edges.size()) {
      frames_.pop_back();
      if (!frames_.empty()) inherit(frames_.back().state, from);
      continue;
    }
    const uint32_t i = frame.edge++;
    if (!edges[i]) continue;
    const uint32_t to = insert(edges[i].function.get());
    targets[states[from].first_target + i] = to;
    ++states[to].dependencies;
    if (!states[to].discovered && enter(to)) continue;  // inherits when it is done
    inherit(from, to);
  }
}

// Returns whether the node's edges are to be followed.
bool BackwardGraph::enter(uint32_t index) {
  NodeState& state = states[index];
  state.discovered = true;
  state.first_target = static_cast<uint32_t>(targets.size());
  targets.resize(targets.size() + state.node->next_edges().size(), kNone);
  if (restricted_ && state.node->topological_nr() <= lowest_input_) return false;
  frames_.push_back({index, 0});
  return true;
}

void BackwardGraph::inherit(uint32_t from, uint32_t to) {
  if (states[to].wanted) states[from].needed = states[from].wanted = true;
}

}  // namespace opweave
