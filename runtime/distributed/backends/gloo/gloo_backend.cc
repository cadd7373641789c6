// Connections, roll, exchange and letters, put together.
#include "runtime/distributed/backends/gloo/gloo_backend.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "runtime/core/str.h"
#include "runtime/distributed/backends/gloo/exchange.h"
#include "runtime/distributed/backends/gloo/letters.h"
#include "runtime/distributed/backends/host.h"
#include "runtime/distributed/backends/net/interfaces.h"
#include "runtime/distributed/backends/net/make_roll.h"
#include "runtime/distributed/store/errors.h"

namespace opweave::distributed {
namespace {

using gloo_wire::Exchange;
using gloo_wire::Letters;
using gloo_wire::Wire;

constexpr const char* kInterfaceVariable = "GLOO_SOCKET_IFNAME";
// Who leaves waits so long for others that still need it.
constexpr Milliseconds kLongestLeave{10'000};

class GlooBackend final : public Backend {
 public:
  explicit GlooBackend(const BackendContext& context)
      : context_(context),
        deadline_(Deadline::after(context.timeout)),
        interface_(net::choose_interface(kInterfaceVariable,
                                         all_alike(context, "network", network_identity()))),
        network_(net::describe_network(interface_, kInterfaceVariable)),
        wire_(interface_.address, context.rank, context.size) {
    connect();
    exchange_.emplace(wire_, *roll_, context.rank, context.size, compares_calls());
  }

  ~GlooBackend() override {
    leave();
    wire_.close();
    roll_.reset();
  }

  std::string_view name() const override { return "gloo"; }

  int run(const Collective& collective, const Deadline& deadline) override {
    if (collective.kind == CollectiveKind::kSend)
      return letters_->send(collective, deadline), context_.rank;
    if (collective.kind == CollectiveKind::kRecv) return letters_->receive(collective, deadline);
    exchange_->run(collective, deadline);
    return -1;
  }

  std::string failure() const override { return roll_->failure(); }
  void abort(const std::string& reason) noexcept override { roll_->abort(reason); }

  void leave() noexcept override {
    const Deadline limit = Deadline::after(
        context_.timeout.count() > 0 ? std::min(context_.timeout, kLongestLeave) : kLongestLeave);
    letters_->flush(limit);
    roll_->leave(limit.remaining());
  }

 private:
  // First to tell one another where data is to go, and then with what carries it.
  void connect() {
    const std::string who = net::own_process();
    net::Meeting meeting{interface_.address, network_,
                         [&](int rank) { return str(who, "\n", wire_.address_for(rank)); }};
    std::vector<net::Met> met = net::meet(context_, meeting, deadline_);
    std::vector<std::string> processes, addresses;
    for (const net::Met& one : met) {
      const size_t end = std::min(one.greeting.find('\n'), one.greeting.size());
      processes.push_back(one.greeting.substr(0, end));
      addresses.push_back(one.greeting.substr(std::min(end + 1, one.greeting.size())));
    }
    roll_.emplace(context_.rank, std::move(met), std::move(processes), network_);
    letters_.emplace(wire_, *roll_, context_.size);
    wire_.on_wait([this] { roll_->wake(); });
    roll_->start({[this](bool all) { return nudge(all); },
                  [this](int rank, uint64_t number) { letters_->taken(rank, number); }});
    connect_wire(addresses);
    roll_->wait_until_ready(deadline_, what());
    wire_.settle();
    connected_.store(true);
  }

  void connect_wire(const std::vector<std::string>& addresses) {
    for (int r = 0; r < context_.size; ++r) {
      try {
        if (r != context_.rank) wire_.connect(r, addresses[static_cast<size_t>(r)]);
      } catch (const std::exception& error) {
        roll_->abort(str(what(), ": rank ", r, ": ", error.what()));
        return;  // or for another reason, which came before
      }
    }
  }

  std::string what() const {
    return str("rank ", context_.rank, " of the group '", context_.group,
               "' cannot connect to all others ", network_);
  }

  bool nudge(bool all) {
    const bool connects = !connected_.load();
    if (connects && deadline_.passed() && !roll_->is_over())
      roll_->abort(what() + ": not all of them did so in time");
    if (roll_->is_over()) wire_.close();
    letters_->look_again();
    return wire_.nudge(all) || connects;
  }

  const BackendContext context_;
  const Deadline deadline_;  // of connecting
  const net::Interface interface_;
  const std::string network_;
  Wire wire_;
  std::atomic<bool> connected_ = false;
  std::optional<Letters> letters_;
  std::optional<Exchange> exchange_;
  std::optional<net::Roll> roll_;  // its thread uses all of the above
};

}  // namespace

std::shared_ptr<Backend> make_gloo_backend(const BackendContext& context) {
  try {
    return std::make_shared<GlooBackend>(context);
  } catch (const DistBackendError& error) {
    throw DistBackendError(str("gloo: ", error.message()));
  }
}

}  // namespace opweave::distributed
