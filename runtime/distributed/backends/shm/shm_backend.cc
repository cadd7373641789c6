// Memory, meetings, mail and the watch over the other processes, put together.
#include "runtime/distributed/backends/shm/shm_backend.h"

#include <unistd.h>

#include <atomic>
#include <optional>
#include <vector>

#include "runtime/core/base/str.h"
#include "runtime/distributed/backends/calls.h"
#include "runtime/distributed/backends/host.h"
#include "runtime/distributed/backends/shm/exchange.h"
#include "runtime/distributed/backends/shm/futex.h"
#include "runtime/distributed/backends/shm/mail.h"
#include "runtime/distributed/backends/shm/peer_watch.h"
#include "runtime/distributed/backends/shm/segment.h"
#include "runtime/distributed/store/errors.h"

namespace opweave::distributed {
namespace {

class ShmBackend final : public Backend {
 public:
  explicit ShmBackend(const BackendContext& context)
      : rank_(context.rank),
        ranks_(context.size),
        segment_(context, shm::Layout(nullptr, context.size).nbytes()),
        layout_(segment_.data(), context.size),
        exchange_((introduce(context), layout_), rank_, ranks_),
        mail_(layout_, exchange_.meeting(), rank_, ranks_),
        ended_(static_cast<size_t>(context.size)) {
    std::vector<int> processes;
    for (int r = 0; r < ranks_; ++r) {
      if (r != rank_) processes.push_back(layout_.rank(r).process.load());
    }
    watch_.emplace(processes, [this](size_t i) { lose(static_cast<int>(i)); });
  }

  ~ShmBackend() override {
    leave();
    watch_.reset();
  }

  std::string_view name() const override { return "shm"; }
  bool keeps_deadlines() const override { return true; }

  int run(const Collective& collective, const Deadline& deadline) override {
    if (collective.kind == CollectiveKind::kSend) return mail_.send(collective, deadline), rank_;
    if (collective.kind == CollectiveKind::kRecv) return mail_.receive(collective, deadline);
    run_together(collective, deadline);
    return -1;
  }

  std::map<int, std::string> lost() const override {
    std::map<int, std::string> all;
    for (int r = 0; r < ranks_; ++r) {
      if (ended_[static_cast<size_t>(r)].load()) all[r] = process_of(r);
    }
    return all;
  }
  // Every element is combined in the order of ranks.
  int64_t grain(const Collective&) const override { return 1; }
  void leave() noexcept override { exchange_.meeting().leave(); }
  std::string failure() const override { return exchange_.meeting().failure(); }
  void abort(const std::string& reason) noexcept override { exchange_.meeting().abort(reason); }

 private:
  // Ranks that were called for different things may be out of step, and what they call next would
  // go together by chance: the group is over, unless the program wants to be told alone.
  void run_together(const Collective& collective, const Deadline& deadline) try {
    exchange_.run(collective, deadline);
  } catch (const DistBackendError& error) {
    if (!compares_) exchange_.meeting().abort(error.message());
    throw;
  } catch (const std::exception& error) {  // in the middle: the others may be further
    exchange_.meeting().abort(str(describe_call(collective), ": ", error.what()));
    throw;
  }

  // All ranks say who they are, before they look at one another.
  void introduce(const BackendContext& context) {
    shm::RankBlock& mine = layout_.rank(rank_);
    mine.process.store(getpid());
    mine.place.store(reinterpret_cast<uint64_t>(&mine));
    mine.runs = shm::have_processors(ranks_);
    wait_for_all(context, "shm/processes");
  }

  void lose(int other) {
    const int r = other < rank_ ? other : other + 1;
    ended_[static_cast<size_t>(r)].store(true);
    if (layout_.rank(r).left.load(std::memory_order_acquire) == 0)
      abort(str("rank ", r, " (", process_of(r), ") has ended"));
  }
  std::string process_of(int r) const { return str("process ", layout_.rank(r).process.load()); }

  const int rank_, ranks_;
  const bool compares_ = compares_calls();
  Segment segment_;
  const shm::Layout layout_;
  shm::Exchange exchange_;
  shm::Mail mail_;
  std::vector<std::atomic<bool>> ended_;  // whose process
  std::optional<shm::PeerWatch> watch_;
};

}  // namespace

std::shared_ptr<Backend> make_shm_backend(const BackendContext& context) {
  if (!all_alike(context, "host", host_identity()))
    throw DistBackendError(
        str("shm: the ranks of the group '", context.group, "' are not on one host"));
  return std::make_shared<ShmBackend>(context);
}

}  // namespace opweave::distributed
