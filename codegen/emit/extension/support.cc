// The files of support/, which the generator has as text.
#include "codegen/emit/extension/support.h"

namespace opweave::codegen {
namespace {

constexpr SupportFile kFiles[] = {
#include "codegen/emit/extension/support.inc"
};

}  // namespace

std::span<const SupportFile> extension_support() { return kFiles; }

}  // namespace opweave::codegen
