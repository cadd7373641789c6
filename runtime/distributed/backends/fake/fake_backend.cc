// Ranks that are not there.
#include "runtime/distributed/backends/fake/fake_backend.h"

#include <atomic>
#include <cstring>
#include <mutex>

#include "runtime/distributed/store/errors.h"

namespace opweave::distributed {
namespace {

class FakeBackend final : public Backend {
 public:
  explicit FakeBackend(const BackendContext& context) : rank_(static_cast<size_t>(context.rank)) {}
  std::string_view name() const override { return "fake"; }
  bool takes(Device) const override { return true; }
  bool keeps_deadlines() const override { return true; }

  int run(const Collective& c, const Deadline&) override {
    if (std::string reason = aborted(); !reason.empty())
      throw DistBackendError(describe(c) + ": " + reason);
    switch (c.kind) {
      case CollectiveKind::kAllGather:
      case CollectiveKind::kGather:
        for (const Tensor& out : c.outputs) give(c.inputs[0], out);
        break;
      case CollectiveKind::kScatter:
      case CollectiveKind::kReduceScatter:
        if (!c.inputs.empty()) give(c.inputs[rank_], c.outputs[0]);
        break;
      case CollectiveKind::kAllToAll:
        for (size_t i = 0; i < c.inputs.size(); ++i) give(c.inputs[i], c.outputs[i]);
        break;
      default:
        break;
    }
    return c.root;
  }

  std::string failure() const override { return {}; }  // nobody else is there
  int64_t grain(const Collective&) const override { return 1; }
  void leave() noexcept override { abort("its process group was destroyed"); }
  void abort(const std::string& reason) noexcept override {
    const std::lock_guard lock(mutex_);
    reason_ = reason;
  }

 private:
  static void give(const Tensor& from, const Tensor& to) {
    if (from.device().type != host_device().type || from.is_same(to)) return;
    std::memmove(to.raw_data(), from.raw_data(), std::min(from.nbytes(), to.nbytes()));
  }

  std::string aborted() {
    const std::lock_guard lock(mutex_);
    return reason_;
  }

  const size_t rank_;
  std::mutex mutex_;
  std::string reason_;
};

}  // namespace

std::shared_ptr<Backend> make_fake_backend(const BackendContext& context) {
  return std::make_shared<FakeBackend>(context);
}

}  // namespace opweave::distributed
