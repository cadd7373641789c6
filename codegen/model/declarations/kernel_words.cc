// The words of `kernels`, by name.
#include "codegen/model/declarations/kernel_words.h"

#include <algorithm>
#include <iterator>

#include "codegen/syntax/keywords.h"

namespace opweave::codegen {

const KernelWord* find_kernel_word(std::string_view name) {
  const auto found = std::ranges::find(kKernelWords, name, &KernelWord::name);
  return found == std::end(kKernelWords) ? nullptr : found;
}

bool is_target_name(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  return is_identifier(name) && std::ranges::all_of(name, fits) && !is_cpp_keyword(name) &&
         !is_reserved_in_cpp(name);
}

std::string_view kernel_folder(std::string_view target) {
  const KernelWord* word = find_kernel_word(target);
  return word == nullptr ? target : word->folder;
}

bool has_folds(std::string_view target) { return target == "cpu"; }

}  // namespace opweave::codegen
