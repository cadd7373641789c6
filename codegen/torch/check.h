// `opweave check --dialect=torch`: PyTorch's two files, read and checked.
#pragma once

#include <optional>
#include <string>

#include "codegen/model/model.h"
#include "codegen/torch/derivatives.h"

namespace opweave::codegen::torch {

struct TorchInputs {
  InputFile native_functions;
  std::optional<InputFile> derivatives;
  std::optional<InputFile> tags;   // PyTorch's tags.yaml; those of 2.15 if there is none
  std::vector<InputFile> headers;  // that declare the helpers of formulas
};

// What was read, and the memory that it stands in.
struct TorchFiles {
  Sources sources;
  YamlArena yaml;
  CppArena cpp;
  CppNames headers;
  NativeFunctions functions;
  NativeDerivatives derivatives;
};

// Everything wrong is reported; what could be read is there all the same.
void check_torch_files(TorchInputs inputs, TorchFiles& files, DiagnosticSink& sink);

// How much was read and how much of it could not be, in a few lines.
std::string summary(const TorchFiles& files);

}  // namespace opweave::codegen::torch
