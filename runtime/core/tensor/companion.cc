// Making and sharing companions.
#include "runtime/core/tensor/companion.h"

#include <atomic>

#include "runtime/core/base/error.h"

namespace opweave {
namespace {

constinit std::atomic<MakeCompanion> make_companion{nullptr};

}  // namespace

void set_companion_maker(MakeCompanion make) {
  MakeCompanion none = nullptr;
  const bool first = make_companion.compare_exchange_strong(none, make);
  OW_INTERNAL_ASSERT(first || none == make, "two functionalities have companions of tensors");
}

const std::shared_ptr<Companion>& companion_of(const Tensor& t) {
  TensorImpl& impl = *t.impl();
  if (impl.companion() == nullptr) impl.set_companion(make_companion.load()());
  return impl.companion();
}

void set_companion(const Tensor& t, std::shared_ptr<Companion> companion) {
  t.impl()->set_companion(std::move(companion));
  if (t.impl()->companion() != nullptr) t.impl()->companion()->refresh(t);
}

}  // namespace opweave
