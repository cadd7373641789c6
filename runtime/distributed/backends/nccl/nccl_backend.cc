// Communicators, streams and the roll of ranks, put together. What NCCL does not do stands around
// it: it does not say who is missing or gone, nor that ranks call different things.
#include "runtime/distributed/backends/nccl/nccl_backend.h"

#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <thread>

#include "opweave/ops/_local_scalar_dense.h"
#include "opweave/ops/any.h"
#include "opweave/ops/isnan.h"
#include "runtime/core/base/str.h"
#include "runtime/core/numbers/scalar_type.h"
#include "runtime/distributed/backends/broken_off.h"
#include "runtime/distributed/backends/device_backend.h"
#include "runtime/distributed/backends/host.h"
#include "runtime/distributed/backends/nccl/calls.h"
#include "runtime/distributed/backends/nccl/launcher.h"
#include "runtime/distributed/backends/net/interfaces.h"
#include "runtime/distributed/backends/net/make_roll.h"
#include "runtime/distributed/store/error_text.h"
#include "runtime/distributed/store/errors.h"
#include "runtime/distributed/watch/settings.h"

namespace opweave::distributed {
namespace {

using nccl::Lanes;
using nccl::Library;
using nccl::Look;

constexpr const char* kInterfaceVariable = "NCCL_SOCKET_IFNAME";
// A rank that waits for longer asks the others what they were called for.
constexpr std::chrono::milliseconds kPatience{100};
// How often who waits for a device looks: often at first.
constexpr std::chrono::microseconds kFirstPause{20}, kLongestPause{1000};

// Whose values go to others.
const std::vector<Tensor>& sent(const Collective& c, int rank) {
  static const std::vector<Tensor> none;
  if (c.kind == CollectiveKind::kBroadcast) return c.root == rank ? c.outputs : none;
  return record_of(c.kind).outputs == Count::any ? c.outputs : c.inputs;
}

bool has_nan(const Tensor& t) {
  return is_floating(t.dtype()) && t.numel() > 0 &&
         ops::_local_scalar_dense::call(ops::any::call(ops::isnan::call(t))).to_bool();
}

class NcclBackend final : public DeviceBackend {
 public:
  NcclBackend(const NcclLike& like, const BackendContext& context)
      : like_(like),
        context_(context),
        library_(nccl::load(like.files)),
        lanes_(library_, context_),
        launcher_(library_, lanes_, device_of(like), context_),
        checks_nans_(read_flag("TORCH_NCCL_NAN_CHECK", false)),
        compares_(compares_calls()) {
    meet(making_limit(context).deadline);
  }

  ~NcclBackend() override {
    leave();
    if (const std::string why = failure(); !why.empty()) lanes_.abort(why);
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    if (aborter_.joinable()) aborter_.join();
    lanes_.close(net::Roll::leaving({}));
  }

  std::string_view name() const override { return like_.backend; }
  Device device() const override { return resolve_device(launcher_.device()); }
  bool takes(Device device) const override { return device.type == launcher_.device().type; }

  void connect(Device device, const Deadline& deadline) override {
    launcher_.set_device(device);
    const net::Roll& roll = *this->roll();
    const Look look = [&] {
      if (roll.is_over()) throw DistBackendError(str(like_.backend, ": ", roll.failure()));
      if (deadline.passed())
        throw DistBackendError(
            str(like_.backend, ": not all ranks connected ", device, " in time"));
    };
    try {
      lanes_.together(device, look);
    } catch (const DistError& error) {
      abort(error.message());  // the others would wait for it
      throw;
    }
  }

  LaunchedList launch(std::span<const Collective* const> collectives,
                      const Deadline& deadline) override {
    for (const Collective* c : collectives) launcher_.check(*c);
    net::Roll& roll = *this->roll();
    const Collective& first = *collectives[0];
    const bool together = !is_letter(first.kind);
    roll.check(first);
    if (together) roll.begin(first);
    try {
      if (compares_ && together) roll.compare(first, deadline);
      for (const Collective* c : collectives) {
        if (checks_nans_) check_nans(*c, roll);
      }
      LaunchedList all = launcher_.launch(collectives, look_for(first, roll, deadline));
      note(all);
      if (all[0]->is_captured && together) roll.finish(first);  // nobody will
      return all;
    } catch (const net::Unlike&) {
      roll.finish(first);  // the group goes on
      throw;
    } catch (const DistError& error) {
      lanes_.abort(error.message());
      roll.check(first);  // it may be over for another reason
      roll.give_up(first, without_call(first, error.message()));
    } catch (...) {
      abort(broken_off(first));
      lanes_.abort("it was broken off");
      throw;
    }
  }

  int finish(const Collective& c, const Launched& launched, const Deadline& deadline,
             const std::function<void()>& begun) override {
    net::Roll& roll = *this->roll();
    const Pending pending(*this);
    try {
      const Look look = look_for(c, roll, deadline);
      wait(c, launched.begun, look);
      begun();
      wait(c, launched.ended, look);
    } catch (...) {
      const std::string why = text_of(std::current_exception());
      abort(why);
      lanes_.abort(why);
      throw;
    }
    if (!is_letter(c.kind)) roll.finish(c);
    return c.kind == CollectiveKind::kRecv ? c.root : context_.rank;
  }

  std::shared_ptr<Backend> split(const BackendContext& part, int color) override {
    nccl::Parts comms = split_lanes(part.rank, color);
    if (color < 0) return nullptr;
    auto backend = std::make_shared<NcclBackend>(like_, part);
    for (auto& [device, comm] : comms) backend->adopt(device, std::move(comm));
    return backend;
  }

  // Waits for no device: the communicators are aborted by whoever waits for them.
  void abort(const std::string& reason) noexcept override {
    roll()->abort(reason);
    lanes_.forbid(reason);
    abort_if_nobody_waits();
  }
  std::string failure() const override {
    const auto roll = this->roll();
    return roll == nullptr ? std::string() : roll->failure();
  }

  std::map<int, std::string> lost() const override {
    const auto roll = this->roll();
    return roll == nullptr ? std::map<int, std::string>() : roll->lost();
  }

  // What was put on streams runs to its end, if the others do not need long.
  void leave() noexcept override {
    const auto roll = this->roll();
    if (roll == nullptr) return;
    const Deadline limit = net::Roll::leaving(context_.timeout);
    {
      std::unique_lock lock(mutex_);
      changed_.wait_until(lock, limit.at(), [&] { return pending_ == 0 || roll->is_over(); });
    }
    roll->leave(limit);
  }

 private:
  // One less when it goes: leave() waits for them.
  struct Pending {
    explicit Pending(NcclBackend& backend) : backend(backend) {}
    ~Pending() {
      const std::lock_guard lock(backend.mutex_);
      --backend.pending_;
      backend.changed_.notify_all();
    }
    NcclBackend& backend;
  };

  static Device device_of(const NcclLike& like) {
    const DeviceType type = find_device_type(like.device);
    Target* target = type < 0 ? nullptr : find_target(type);
    if (target == nullptr || target->count() == 0)
      throw DistBackendError(str("there is no ", like.device, " device"));
    return Device(type);
  }

  std::shared_ptr<net::Roll> roll() const {
    const std::lock_guard lock(mutex_);
    return roll_;
  }

  // Where one rank gives up, the others wait for it in the library: the group is over.
  nccl::Parts split_lanes(int key, int color) try {
    const Deadline deadline = making_limit(context_).deadline;
    return lanes_.split(color, key, [&] {
      if (const std::string why = failure(); !why.empty()) throw DistBackendError(why);
      if (deadline.passed())
        throw DistBackendError(
            str(like_.backend, ": not all ranks split the group '", context_.group, "' in time"));
    });
  } catch (...) {
    const std::string why = text_of(std::current_exception());
    abort(why);
    lanes_.abort(why);
    throw;
  }

  void adopt(Device device, std::unique_ptr<nccl::NcclComm> comm) {
    lanes_.adopt(device, std::move(comm));
  }

  // What runs as part of a graph has nobody who waits for it here.
  void abort_if_nobody_waits() noexcept {
    const std::lock_guard lock(mutex_);
    const bool over = roll_ != nullptr && roll_->is_over();
    if (!over || ended_ || pending_ > 0 || aborter_.joinable()) return;
    try {
      aborter_ = std::thread([this] { lanes_.abort(failure()); });
    } catch (const std::system_error&) {
      // Who asks for the group again aborts it.
    }
  }

  // The ranks tell one another how they are from the start: two that send to one another later
  // need no third for it.
  void meet(const Deadline& deadline) {
    const auto interface = net::choose_interface(kInterfaceVariable,
                                                 all_alike(context_, "network", network_identity()),
                                                 net::Syntax::patterns);
    auto roll =
        net::make_roll(context_, interface, net::describe_network(interface, kInterfaceVariable),
                       deadline, [this] { abort_if_nobody_waits(); });
    const std::lock_guard lock(mutex_);
    roll_ = std::move(roll);
  }

  Look look_for(const Collective& c, net::Roll& roll, const Deadline& deadline) const {
    const auto patient_until = Deadline::Clock::now() + kPatience;
    return [&c, &roll, deadline, patient_until] {
      roll.check(c);
      check_interrupts();
      if (Deadline::Clock::now() < patient_until && !deadline.passed()) return;
      if (!is_letter(c.kind)) return roll.look_around(c, deadline);
      if (deadline.passed())
        roll.give_up(c, str("rank ", c.root,
                            " did not come in time, or its data did not; ranks that "
                            "send to one another in a circle need batch_isend_irecv"));
    };
  }

  void note(const LaunchedList& all) {
    const std::lock_guard lock(mutex_);
    for (const auto& launched : all) {
      // A graph runs again, as long as the group lives.
      if (launched->is_captured)
        captured_.insert(captured_.end(), launched->kept.begin(), launched->kept.end());
      else
        ++pending_;
    }
  }

  // Who captures a graph cannot look at numbers.
  void check_nans(const Collective& c, net::Roll& roll) const {
    const auto& tensors = sent(c, context_.rank);
    if (tensors.empty()) return;
    const Stream stream = current_stream(tensors[0].device());
    if (stream.target().is_capturing(stream.device().index, stream.id())) return;
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (has_nan(tensors[i]))
        roll.give_up(
            c, str("rank ", context_.rank, " gives NaN in tensor ", i, " (TORCH_NCCL_NAN_CHECK)"));
    }
  }

  void wait(const Collective& c, const opweave::Event& event, const Look& look) {
    auto pause = kFirstPause;
    while (!event.query()) {
      look();
      check_lanes(c);
      std::this_thread::sleep_for(pause);
      pause = std::min(pause * 2, kLongestPause);
    }
    check_lanes(c);  // what was aborted ends, too
  }

  void check_lanes(const Collective& c) {
    if (const std::string why = lanes_.failure(); !why.empty())
      throw DistBackendError(str(describe_call(c), ": ", why));
  }

  const NcclLike like_;
  const BackendContext context_;
  const Library& library_;
  Lanes lanes_;
  nccl::Launcher launcher_;
  const bool checks_nans_, compares_;
  mutable std::mutex mutex_;  // of all below
  std::condition_variable changed_;
  std::shared_ptr<net::Roll> roll_;
  int pending_ = 0;               // launched and not finished
  bool ended_ = false;            // nothing is begun any more
  std::thread aborter_;           // of what nobody waits for
  std::vector<Tensor> captured_;  // memory of graphs
};

}  // namespace

NcclLike nccl_like() { return {"nccl", nccl::nccl_files(), "cuda"}; }

std::shared_ptr<Backend> make_nccl_backend(const NcclLike& like, const BackendContext& context) {
  try {
    return std::make_shared<NcclBackend>(like, context);
  } catch (const DistBackendError& error) {
    throw DistBackendError(str(like.backend, ": ", error.message()));
  }
}

int library_version(const NcclLike& like) { return nccl::load(like.files).version; }

bool is_available(const NcclLike& like) noexcept {
  try {
    nccl::load(like.files);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace opweave::distributed
