// Collectives over libgloo's wire.
#include "runtime/distributed/backends/gloo/gloo_backend.h"

#include "runtime/core/base/str.h"
#include "runtime/distributed/backends/exchange/wire_backend.h"
#include "runtime/distributed/backends/gloo/gloo_wire.h"
#include "runtime/distributed/store/errors.h"

namespace opweave::distributed {
namespace {

class GlooBackend final : public exchange::WireBackend {
 public:
  explicit GlooBackend(const BackendContext& context)
      : WireBackend(context, "GLOO_SOCKET_IFNAME"),
        wire_(interface_.address, context.rank, context.size) {
    try {
      // They tell one another where data is to go, and then connect what carries it.
      connect(meet(wire_, [this](int rank) { return wire_.address_for(rank); }));
      wait_until_ready();
    } catch (...) {
      end();
      throw;
    }
    wire_.settle();
    begin();
  }

  ~GlooBackend() override { end(); }

  std::string_view name() const override { return "gloo"; }

 private:
  void connect(const std::vector<std::string>& addresses) {
    for (int r = 0; r < context_.size; ++r) {
      try {
        if (r != context_.rank) wire_.connect(r, addresses[static_cast<size_t>(r)]);
      } catch (const std::exception& error) {
        roll_->abort(str(what(), ": rank ", r, ": ", error.what()));
        return;  // or for another reason, which came before
      }
    }
  }

  GlooWire wire_;
};

}  // namespace

std::shared_ptr<Backend> make_gloo_backend(const BackendContext& context) {
  try {
    return std::make_shared<GlooBackend>(context);
  } catch (const DistBackendError& error) {
    throw DistBackendError(str("gloo: ", error.message()));
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {  // libgloo's own
    throw DistBackendError(str("gloo: rank ", context.rank, " of the group '", context.group,
                               "' cannot be made: ", with_limits(error.what())));
  }
}

}  // namespace opweave::distributed
