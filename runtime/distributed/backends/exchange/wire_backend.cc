// Wire, roll, exchange and letters, put together.
#include "runtime/distributed/backends/exchange/wire_backend.h"

#include <algorithm>

#include "runtime/core/base/str.h"
#include "runtime/distributed/backends/exchange/all_reduce.h"
#include "runtime/distributed/backends/host.h"
#include "runtime/distributed/backends/net/make_roll.h"
#include "runtime/distributed/store/process.h"

namespace opweave::distributed::exchange {

WireBackend::WireBackend(const BackendContext& context, const char* variable)
    : context_(context),
      deadline_(making_limit(context).deadline),
      hosts_(values_of_all(context, "network", network_identity())),
      topology_(hosts_),
      interface_(net::choose_interface(variable, are_alike(hosts_))),
      network_(net::describe_network(interface_, variable)) {}

WireBackend::~WireBackend() = default;

std::vector<std::string> WireBackend::meet(Wire& wire,
                                           const std::function<std::string(int rank)>& greeting) {
  const std::string who = own_process();
  net::Meeting meeting{interface_.address, network_,
                       [&](int rank) { return str(who, "\n", greeting(rank)); }};
  std::vector<net::Met> met = net::meet(context_, meeting, deadline_);
  std::vector<std::string> processes, greetings;
  for (const net::Met& one : met) {
    const size_t end = std::min(one.greeting.find('\n'), one.greeting.size());
    processes.push_back(one.greeting.substr(0, end));
    greetings.push_back(one.greeting.substr(std::min(end + 1, one.greeting.size())));
  }
  wire_ = &wire;
  roll_.emplace(context_.rank, std::move(met), std::move(processes), network_);
  letters_.emplace(wire, *roll_, context_.size);
  wire.on_wait([this] { roll_->wake(); });
  roll_->start({[this](bool all) { return nudge(all); },
                [this](int rank, uint64_t number) { letters_->taken(rank, number); }});
  return greetings;
}

void WireBackend::begin() {
  connected_.store(true);
  roll_->note_made();
  exchange_.emplace(*wire_, *roll_, context_.rank, topology_, compares_calls());
}

void WireBackend::end() noexcept {
  if (!roll_.has_value()) return;
  if (connected_.load()) leave();
  wire_->close();
  exchange_.reset();
  // Its thread has to end before what it uses, and letters speak of it.
  roll_.reset();
  letters_.reset();
}

int WireBackend::run(const Collective& collective, const Deadline& deadline) {
  if (collective.kind == CollectiveKind::kSend)
    return letters_->send(collective, deadline), context_.rank;
  if (collective.kind == CollectiveKind::kRecv) return letters_->receive(collective, deadline);
  exchange_->run(collective, deadline);
  return -1;
}

void WireBackend::leave() noexcept {
  const Deadline limit = net::Roll::leaving(context_.timeout);
  letters_->flush(limit);
  roll_->leave(limit);
}

int64_t WireBackend::grain(const Collective& collective) const {
  if (collective.kind != CollectiveKind::kAllReduce) return 1;
  const Tensor& t = collective.outputs[0];
  const Way way = topology_.choose(t.nbytes());
  return AllReduce::grain(way, context_.size, element_size(t.dtype()));
}

std::string WireBackend::what() const {
  return str("rank ", context_.rank, " of the group '", context_.group,
             "' cannot connect to all others ", network_);
}

bool WireBackend::nudge(bool all) {
  const bool connects = !connected_.load();
  if (connects && deadline_.passed() && !roll_->is_over())
    roll_->abort(what() + ": not all of them did so in time");
  if (roll_->is_over()) wire_->close();
  return wire_->nudge(all) || connects;
}

}  // namespace opweave::distributed::exchange
