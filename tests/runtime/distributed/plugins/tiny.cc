// A backend of another repository: it knows one collective, and says so of the others.
#include "runtime/core/base/str.h"
#include "runtime/distributed/backends/registry/registry.h"
#include "runtime/distributed/store/errors.h"

namespace {

using namespace opweave::distributed;

class Tiny final : public Backend {
 public:
  std::string_view name() const override { return "tiny"; }
  int run(const Collective& collective, const Deadline&) override {
    if (collective.kind == CollectiveKind::kBarrier) return -1;
    throw DistBackendError("tiny knows barriers alone");
  }
  void abort(const std::string& reason) noexcept override { failure_ = reason; }
  std::string failure() const override { return failure_; }
  void leave() noexcept override {}

 private:
  std::string failure_;
};

}  // namespace

extern "C" void opweave_register_backend() {
  register_backend("tiny", [](const BackendContext&) { return std::make_shared<Tiny>(); });
}
