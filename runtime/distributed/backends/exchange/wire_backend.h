// WireBackend: what every backend has in common whose ranks exchange messages over a wire and know
// of one another by a roll.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/distributed/backends/exchange/exchange.h"
#include "runtime/distributed/backends/exchange/letters.h"
#include "runtime/distributed/backends/net/interfaces.h"
#include "runtime/distributed/backends/net/roll.h"

namespace opweave::distributed::exchange {

class WireBackend : public Backend {
 public:
  ~WireBackend() override;

  int run(const Collective& collective, const Deadline& deadline) override;
  std::string failure() const override { return roll_->failure(); }
  void abort(const std::string& reason) noexcept override { roll_->abort(reason); }
  std::map<int, std::string> lost() const override { return roll_->lost(); }
  void leave() noexcept override;
  bool keeps_deadlines() const override { return true; }
  int64_t grain(const Collective& collective) const override;
  std::vector<int> hosts() const override { return topology_.host_of_ranks(); }
  void set_links(const Links& links) override { topology_.set_links(links); }
  std::string explain(size_t nbytes) const override { return topology_.explain(nbytes); }

 protected:
  // `variable` is that of the environment which names the interface.
  WireBackend(const BackendContext& context, const char* variable);

  // What a derived class's constructor does, one after another: the ranks meet, over a wire that
  // carries nothing yet, and each hears what the others say to it, by rank; each connects its wire;
  // all have done so.
  std::vector<std::string> meet(Wire& wire, const std::function<std::string(int rank)>& greeting);
  void wait_until_ready() { roll_->wait_until_ready(deadline_, what()); }
  void begin();
  // And its destructor.
  void end() noexcept;

  // "rank 1 of the group 'world' cannot connect to all others over lo (127.0.0.1)".
  std::string what() const;

  const BackendContext context_;
  const Deadline deadline_;               // of connecting
  const std::vector<std::string> hosts_;  // of each rank
  Topology topology_;
  const net::Interface interface_;
  std::optional<net::Roll> roll_;  // its thread uses all of the below

 private:
  bool nudge(bool all);

  const std::string network_;
  std::atomic<bool> connected_ = false;
  Wire* wire_ = nullptr;
  std::optional<Letters> letters_;
  std::optional<Exchange> exchange_;
};

}  // namespace opweave::distributed::exchange
