// The public classes of libgloo's transport.
#include "runtime/distributed/backends/gloo/gloo_wire.h"

#include <gloo/transport/context.h>
#include <gloo/transport/pair.h>
#include <gloo/transport/tcp/device.h>
#include <gloo/transport/unbound_buffer.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "runtime/distributed/backends/gloo/patience.h"

namespace opweave::distributed {

using exchange::Message;

namespace {

// A message is under way as a buffer of libgloo.
gloo::transport::UnboundBuffer& buffer_of(const Message& message) {
  return *static_cast<gloo::transport::UnboundBuffer*>(message.parcel.get());
}

// libgloo's own timeouts close all connections; those who wait are nudged instead.
constexpr std::chrono::milliseconds kForEver = std::chrono::hours(24 * 365);

// It writes to sockets that may be closed, and a program that has said nothing about that would be
// ended by the system. Python has said something.
void ignore_broken_pipes() {
  struct sigaction now {};
  if (sigaction(SIGPIPE, nullptr, &now) == 0 && now.sa_handler == SIG_DFL)
    std::signal(SIGPIPE, SIG_IGN);
}

}  // namespace

// A descriptor that can be read for ever. All ranks of a host look around at once, and have its
// processors for it together: the more there are, the longer each sleeps in between.
class GlooWire::Haste final : public gloo::transport::tcp::Handler {
 public:
  Haste(gloo::transport::tcp::Device& device, int ranks)
      : device_(device),
        pause_us_(kPauseUs * static_cast<useconds_t>(std::min(ranks, kMostRanks))) {
    event_.set();
  }
  void begin() {
    if (hurries_) return;
    hurries_ = true;
    device_.registerDescriptor(event_.descriptor(), EPOLLIN, this);
  }
  void end() {
    if (!hurries_) return;
    hurries_ = false;
    device_.unregisterDescriptor(event_.descriptor(), this);
  }
  void handleEvents(int) override { usleep(pause_us_); }

 private:
  static constexpr useconds_t kPauseUs = 20;  // of one rank
  static constexpr int kMostRanks = 250;      // from here on it would not look more often

  gloo::transport::tcp::Device& device_;
  Event event_;
  const useconds_t pause_us_;
  bool hurries_ = false;
};

// Of the thread of libgloo, which then begins what was posted.
class GlooWire::Wakeup final : public gloo::transport::tcp::Handler {
 public:
  Wakeup(gloo::transport::tcp::Device& device, GlooWire& wire) : wire_(wire) {
    device.registerDescriptor(event_.descriptor(), EPOLLIN, this);
  }
  void set() { event_.set(); }
  void handleEvents(int) override {
    uint64_t times;
    [[maybe_unused]] const ssize_t n = read(event_.descriptor(), &times, sizeof times);
    wire_.begin_all();
  }

 private:
  GlooWire& wire_;
  Event event_;
};

GlooWire::GlooWire(const std::string& address, int rank, int ranks) : rank_(rank), ranks_(ranks) {
  ignore_broken_pipes();
  gloo::transport::tcp::attr where;
  where.hostname = address;
  device_ = gloo::transport::tcp::CreateDevice(where);
  auto& device = dynamic_cast<gloo::transport::tcp::Device&>(*device_);
  haste_ = std::make_unique<Haste>(device, ranks);
  wakeup_ = std::make_unique<Wakeup>(device, *this);
  context_ = device_->createContext(rank, ranks);
  context_->setTimeout(std::chrono::hours(1));  // of connecting; the wire is closed before
  for (int r = 0; r < ranks; ++r) {
    if (r != rank) context_->createPair(r);
  }
}

GlooWire::~GlooWire() {
  close();
  haste_->begin();
}

void GlooWire::settle() {
  haste_->end();
  gloo_wire::outlast_cuts(devices_);
}

std::string GlooWire::address_for(int rank) const {
  const std::vector<char> bytes = context_->getPair(rank)->address().bytes();
  return std::string(bytes.begin(), bytes.end());
}

void GlooWire::connect(int rank, const std::string& address) {
  if (closed_.load()) return;
  haste_->begin();
  context_->getPair(rank)->connect({address.begin(), address.end()});
  devices_.insert(devices_.end(), {address_for(rank), address});
}

Message GlooWire::post(int rank, uint64_t slot, void* data, size_t nbytes, bool sends) {
  Message message;
  if (nbytes == 0) return message;
  std::shared_ptr<gloo::transport::UnboundBuffer> buffer =
      context_->createUnboundBuffer(data, nbytes);
  message.rank = rank, message.sends = sends, message.parcel = buffer;
  const std::lock_guard lock(mutex_);
  beginning_.push_back({std::move(buffer), rank, slot, sends});
  return message;
}

Message GlooWire::send(int to, uint64_t slot, const void* data, size_t nbytes) {
  return post(to, slot, const_cast<void*>(data), nbytes, true);
}

Message GlooWire::receive(int from, uint64_t slot, void* data, size_t nbytes) {
  return post(from, slot, data, nbytes, false);
}

Message GlooWire::receive_from_any(uint64_t slot, void* data, size_t nbytes) {
  return post(Message::kAnyRank, slot, data, nbytes, false);
}

void GlooWire::start() {
  bool any;
  {
    const std::lock_guard lock(mutex_);
    any = !beginning_.empty();
  }
  if (any) wakeup_->set();
}

void GlooWire::begin_all() {
  // Whoever closes a connection has it to itself and waits for this thread.
  const std::lock_guard touching(touching_);
  if (closed_.load()) return;
  std::vector<Beginning> all;
  {
    const std::lock_guard lock(mutex_);
    all.swap(beginning_);
  }
  std::vector<int> others;
  for (int r = 0; r < ranks_; ++r) {
    if (r != rank_) others.push_back(r);
  }
  for (Beginning& one : all) {
    try {
      if (one.sends)
        one.buffer->send(one.rank, one.slot);
      else if (one.rank == Message::kAnyRank)
        one.buffer->recv(others, one.slot);
      else
        one.buffer->recv(one.rank, one.slot);
    } catch (const std::exception& error) {
      {
        const std::lock_guard lock(mutex_);
        error_ = error.what();
        has_failed_.store(true);
      }
      nudge(true);
    }
  }
}

bool GlooWire::wait(Message& message) {
  if (message.parcel == nullptr) return true;
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back({&message, 0});
  }
  const auto stop = [&] {
    const std::lock_guard lock(mutex_);
    std::erase_if(waiting_, [&](const Waiting& w) { return w.message == &message; });
  };
  bool done = false;
  try {
    // Whoever closed the wire before could not nudge it.
    if (closed_.load()) throw std::runtime_error("it is closed");
    if (has_failed_.load()) {
      const std::lock_guard lock(mutex_);
      throw std::runtime_error(error_);
    }
    start();
    if (begun_) begun_();
    done = message.sends ? buffer_of(message).waitSend(&message.rank, kForEver)
                         : buffer_of(message).waitRecv(&message.rank, kForEver);
  } catch (...) {
    stop();
    throw;
  }
  stop();
  if (done) message.parcel.reset();
  return done;
}

bool GlooWire::nudge(bool all) noexcept {
  const std::lock_guard lock(mutex_);
  for (Waiting& w : waiting_) {
    if (!all && w.nudges++ == 0) continue;
    if (w.message->sends)
      buffer_of(*w.message).abortWaitSend();
    else
      buffer_of(*w.message).abortWaitRecv();
  }
  return !waiting_.empty();
}

void GlooWire::close() noexcept {
  {
    const std::lock_guard touching(touching_);
    if (closed_.exchange(true)) return;
  }
  haste_->begin();
  for (int r = 0; r < ranks_; ++r) {
    try {
      if (r != rank_) context_->getPair(r)->close();
    } catch (const std::exception&) {
      // One that is broken is closed.
    }
  }
  haste_->end();
  nudge(true);
}

}  // namespace opweave::distributed
