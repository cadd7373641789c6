// How an operator is differentiated, how a batch of examples runs and what stands around its
// kernels, in the words in which all outputs spell it.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "codegen/model/lowered/backward.h"
#include "codegen/model/lowered/batching.h"
#include "codegen/model/lowered/fold_program.h"
#include "codegen/model/lowered/forward.h"
#include "codegen/model/lowered/hardware_kernel.h"
#include "codegen/model/lowered/recording.h"
#include "codegen/model/lowered/shared_kernel.h"

namespace opweave::codegen {

struct ModelStorage;

// Arguments and results of which formulas, of gradients and of tangents, read elements. Of the
// other tensors a description is enough: sizes, dtype. Both are sorted.
struct ElementsRead {
  std::vector<uint16_t> arguments, results;
};

struct Lowered {
  const BackwardPass* backward = nullptr;  // null without formulas; forms share one
  Recording recording;
  ForwardPass forward;
  ElementsRead elements;  // empty without formulas
  BatchPass batching;
  SharedKernel shared;
  HardwareKernel hardware;
  std::vector<uint16_t> checked_dtypes;  // of arguments
  const FoldProgram* fold = nullptr;     // of one that folds: of the functional form

  // Of gradients, then those that are written for tangents.
  std::vector<const FormulaNode*> formulas() const;
};

ElementsRead elements_read(const Operator& op);

// What `Operator::lowered` points into.
struct LoweredStorage {
  std::deque<BackwardPass> backward_passes;
  std::deque<Lowered> forms;
  std::deque<FoldProgram> folds;
};

// Gives every operator its lowered form. All else of the model is complete.
std::shared_ptr<const LoweredStorage> lower(ModelStorage& storage);

}  // namespace opweave::codegen
