// What a backward pass does, decided once for all outputs: what is kept of a call, where gradients
// flow, one step for each formula and when it runs. Emitters spell it and decide nothing of it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "codegen/model/declarations/derivative.h"
#include "codegen/model/declarations/operator.h"

namespace opweave::codegen {

// What becomes of an argument in a backward pass.
enum class ArgumentGradient : uint8_t {
  no_tensor,
  formula,
  zeros,     // results do not change with it: zeros of its shape, which are not the same as nothing
  constant,  // not differentiated by: it has none, and nobody is told
  refused,   // the same, but results depend on it: it may neither require a gradient nor have a
             // tangent
};

struct BackwardPass {
  // A tensor argument that gradients flow to: a node has an edge to it, or to a list one for each
  // of its tensors, in the order of the inputs.
  struct Input {
    uint16_t argument = 0;
    bool list = false;
  };

  // Something that a node keeps of the call.
  struct Kept {
    Saved what;
    // Several steps read it: it is unpacked by the first of them that runs, so that hooks of saved
    // tensors see it once.
    bool shared = false;
    // Of whole tensors: the inputs by their places whose steps read it. Where gradients flow to
    // none of them it is not kept, as it would cost memory and forbid later writes to the tensor.
    // Empty where it always is: all steps read it, or it is small.
    std::vector<uint16_t> only_for;

    // Of the results, which are there after the call alone.
    bool of_result() const {
      return what.kind == Saved::Kind::result || what.kind == Saved::Kind::result_property;
    }
    // As it is, and not what was computed of it.
    bool is_whole() const {
      return what.kind == Saved::Kind::argument || what.kind == Saved::Kind::result;
    }
    bool has_tensors() const { return what.type.is_tensor_like(); }
  };

  // One formula, or the zeros of one input. It runs where a gradient that it gives is asked for and
  // one of those in `runs_for` is defined; else it gives nothing: undefined gradients.
  struct Step {
    std::vector<uint16_t> arguments;       // whose gradients it gives: one, or the formula's tuple
    const FormulaNode* formula = nullptr;  // null: zeros, of one argument
    std::vector<uint16_t> reads;           // kept values by their places
    std::vector<uint16_t> gradients;       // of results, that the formula reads
    // Results. Those whose gradients it reads; where it reads none, all that are differentiable:
    // who asks for a gradient through any of them gets this one as well.
    std::vector<uint16_t> runs_for;
    // Of `gradients`, those in whose place zeros stand where they are undefined.
    std::vector<uint16_t> filled;
    bool asks_mask = false;  // the formula reads which of its gradients are asked for

    bool is_zeros() const { return formula == nullptr; }
    bool reads_gradients() const { return !gradients.empty(); }
  };

  // How the leaf of a formula is answered from what is kept.
  struct Read {
    enum class Part : uint8_t {
      whole,
      at,       // the element of a list of sizes or strides that operand 1 of the property names
      length,   // of sizes: how many there are
      product,  // of sizes
    };
    uint16_t kept = 0;
    Part part = Part::whole;
  };

  std::vector<ArgumentGradient> arguments;  // parallel to the schema's
  std::vector<bool> results;                // parallel to the returns: which get a history
  std::vector<Input> inputs;
  std::vector<Kept> kept;  // parallel to Derivative::saved
  std::vector<Step> steps;

  // The place of an argument among the inputs, which has to be one.
  uint16_t input_of(uint16_t argument) const;
  bool is_input(uint16_t argument) const {
    return arguments[argument] == ArgumentGradient::formula ||
           arguments[argument] == ArgumentGradient::zeros;
  }
  // The step that gives this argument's gradient; null if it has none.
  const Step* step_of(uint16_t argument) const;
  // In the order of the schema.
  std::vector<uint16_t> refused() const;
  // Whether a step asks for the shape of a result whose gradient is undefined, or of an input.
  bool fills() const;
  bool makes_zeros() const;
  std::vector<const FormulaNode*> formulas() const;

  // For an argument, a result, or a property; none if the formula asks the tensor itself.
  std::optional<Read> read_of(const FormulaNode& node) const;
};

// Of the functional (or manual) form, whose derivative the others share.
BackwardPass lower_backward(const Schema& schema, const Derivative& derivative);

}  // namespace opweave::codegen
