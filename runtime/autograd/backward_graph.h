// BackwardGraph: the nodes that one backward call reaches, how many gradients each waits for, and
// which of them are wanted.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "runtime/autograd/node.h"

namespace opweave {

// A node in one backward call.
struct NodeState {
  NodeState(Node* n, bool all_needed) : node(n), needed(all_needed), wanted(all_needed) {}

  Node* node;
  uint32_t dependencies = 0;   // edges and roots that have not delivered a gradient yet
  uint32_t first_target = 0;   // where the node's edges begin in BackwardGraph::targets
  int32_t first_capture = -1;  // whose gradients the caller wants: a chain in captures
  bool discovered = false;
  bool needed;      // apply() leads to something wanted
  bool wanted;      // needed, or gradients that arrive here are captured
  TensorVec grads;  // what has arrived
};

class BackwardGraph {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  struct Capture {
    uint32_t input_nr;
    uint32_t result;
    int32_t next;
  };

  // Tables of earlier calls are used again, because a training step needs the same size each time.
  static std::unique_ptr<BackwardGraph> make();
  static void recycle(std::unique_ptr<BackwardGraph> graph);

  // Follows all edges from the roots. With inputs, only what leads to them is needed: they are
  // captured, or run when `run_inputs`.
  void discover(std::span<const Edge> roots, std::span<const Edge> inputs, bool run_inputs);

  // The index of a node's state, or kNone.
  uint32_t find(const Node* node) const;

  std::vector<NodeState> states;
  std::vector<uint32_t> targets;  // per edge, the state it leads to, or kNone
  std::vector<Capture> captures;

 private:
  struct Slot {
    const Node* node;
    uint32_t state;
  };
  struct Frame {  // of the search: a state and its next edge
    uint32_t state;
    uint32_t edge;
  };

  void clear();
  size_t slot_of(const Node* node) const;
  void set_capacity(size_t slots);
  uint32_t insert(Node* node);
  void add_inputs(std::span<const Edge> inputs, bool run_inputs);
  void explore(uint32_t root);
  bool enter(uint32_t state);
  void inherit(uint32_t from, uint32_t to);

  std::vector<Slot> slots_;  // open addressing, a power of two, at most half full
  int shift_ = 64;
  std::vector<Frame> frames_;
  bool restricted_ = false;
  uint32_t lowest_input_ = 0;  // topological number; nodes up to it lead to no input
};

}  // namespace opweave
