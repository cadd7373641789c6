// The words of `kernels` that name no single hardware target.
#pragma once

#include <string_view>

namespace opweave::codegen {

// What `kernels` may name besides hardware targets.
struct KernelWord {
  std::string_view name;
  std::string_view folder;  // below kernels/, and namespace; empty where nothing is handwritten
  std::string_view doc;
  bool hardware = false;  // whether it stands for functions of hardware targets
};

inline constexpr KernelWord kKernelWords[] = {
    {"native", "",
     "Functions of hardware targets, those whose target.yaml names the operator: the entry does "
     "not say "
     "which.",
     /*hardware=*/true},
    {"composite", "composite",
     "One function for all targets, made of calls of operators that autograd differentiates. It "
     "stands alone."},
    {"every_target", "composite",
     "One function for all targets that have none of their own. It runs below autograd, as kernels "
     "of "
     "targets do: the operator has a derivative, or none."},
    {"view", "",
     "Nothing handwritten: the sizes, strides and offset of the rule are the view, on every "
     "target. "
     "It runs below autograd."},
    {"meta", "meta", "The function for tensors without data."},
};
// Null if `name` is none of them.
const KernelWord* find_kernel_word(std::string_view name);
// That it can be part of files, namespaces and libraries: small letters, digits and `_`.
bool is_target_name(std::string_view name);
// Of a target's handwritten kernels, hardware or not.
std::string_view kernel_folder(std::string_view target);

// Whether kernels that fold can be printed for a target: its runtime library gives their words a
// meaning (kernels/cpu/folds).
bool has_folds(std::string_view target);

}  // namespace opweave::codegen
