// What `opweave gen` makes of a model, each an object: the core's own files, a library for every
// release, packages for other frameworks. The command line knows them by this interface alone.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/emit/output/emit.h"

namespace opweave::codegen {

class Emission {
 public:
  // What it does with handwritten kernels that a command names.
  enum class Kernels : uint8_t {
    none,
    read,    // looks at them; they are compiled where they are
    packed,  // they go into its package, a folder that holds nothing else
  };
  using Sources = std::span<const Source* const>;

  constexpr Emission(std::string_view name, Kernels kernels) : name_(name), kernels_(kernels) {}
  Emission(const Emission&) = delete;
  virtual ~Emission() = default;

  std::string_view name() const { return name_; }  // behind --emit: `torch`
  Kernels kernels() const { return kernels_; }

  // Whether its kernels of elements have room for a few tensors and numbers alone.
  virtual bool limits_operands() const { return true; }
  // Whether it prints the gradients of the core's expressions as well.
  virtual bool differentiates_imported() const { return false; }
  // Reports what it cannot be made of, with the feature that is in the way.
  virtual void check(const Model& model, Sources kernels, DiagnosticSink& sink) const = 0;
  // Of a model and kernels that pass.
  virtual std::vector<EmittedFile> files(const Model& model, const EmitOptions& options,
                                         Sources kernels) const = 0;

 private:
  std::string_view name_;
  Kernels kernels_;
};

// Opweave's own C++ and Python, of the core and of libraries: everything passes.
const Emission& core_emission();

}  // namespace opweave::codegen
