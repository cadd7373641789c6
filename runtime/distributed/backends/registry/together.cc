// A key of the group's store, which a rank sets that gives up.
#include "runtime/distributed/backends/registry/together.h"

#include <atomic>

#include "runtime/core/base/str.h"
#include "runtime/distributed/backends/watchful_store.h"
#include "runtime/distributed/store/errors.h"

namespace opweave::distributed {
namespace {

constexpr const char* kFailed = "failed";
// Ranks that come together quickly ask the store nothing more.
constexpr Milliseconds kBetweenLooks{200};
// For telling others why, when there is no time left.
constexpr Milliseconds kMoment{150};

// Whether a rank has given up, asked now and then while the backend is made.
class Watch {
 public:
  explicit Watch(const BackendContext& context) : context_(context) {}

  void look() {
    if (over_.load() || !next_.passed()) return;
    next_ = Deadline::after(kBetweenLooks);
    if (!context_.store->check({kFailed})) return;
    throw DistBackendError(str("the group '", context_.group, "' of ", context_.size,
                               " ranks cannot be made: ", context_.store->get(kFailed)));
  }
  // The first reason stays: those of others follow from it.
  void tell(const std::string& reason) noexcept {
    if (context_.store == nullptr) return;
    try {
      const TimeLimitScope moment(kMoment);
      if (!context_.store->check({kFailed}))
        context_.store->set(kFailed, str("rank ", context_.rank, ": ", reason));
    } catch (const std::exception&) {
      // The others' own time ends their waiting.
    }
  }
  void end() { over_.store(true); }
  // Of errors that know nothing of groups: of the store, of sockets.
  [[noreturn]] void fail(const Error& error) {
    tell(error.message());
    end();
    throw DistBackendError(str("the group '", context_.group, "' of ", context_.size,
                               " ranks cannot be made: ", error.message()));
  }

 private:
  const BackendContext context_;
  Deadline next_ = Deadline::after(kBetweenLooks);
  std::atomic<bool> over_{false};  // a backend keeps the store
};

}  // namespace

std::shared_ptr<Backend> make_together(const MakeBackend& make, const BackendContext& context) {
  const auto watch = std::make_shared<Watch>(context);
  BackendContext watched = context;
  if (context.store != nullptr)
    watched.store = std::make_shared<WatchfulStore>(context.store, [watch] { watch->look(); });
  try {
    auto backend = make(watched);
    watch->end();
    return backend;
  } catch (const DistNetworkError& error) {
    watch->fail(error);
  } catch (const DistStoreError& error) {
    watch->fail(error);
  } catch (const std::exception& error) {
    watch->tell(error.what());
    watch->end();
    throw;
  }
}

}  // namespace opweave::distributed
