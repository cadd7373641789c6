// The words of `kernels`, by name.
#include "codegen/model/entries/kernel_words.h"

#include <algorithm>
#include <iterator>

namespace opweave::codegen {

const KernelWord* find_kernel_word(std::string_view name) {
  const auto found = std::ranges::find(kKernelWords, name, &KernelWord::name);
  return found == std::end(kKernelWords) ? nullptr : found;
}

std::string_view kernel_folder(std::string_view target) {
  const KernelWord* word = find_kernel_word(target);
  return word == nullptr ? target : word->folder;
}

}  // namespace opweave::codegen
