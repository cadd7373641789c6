// Messages that come, or do not.
#include "runtime/distributed/backends/exchange/transfer.h"

namespace opweave::distributed::exchange {
namespace {

uint64_t seed_of(const Collective& collective) {
  const Call call = call_of(collective);
  uint64_t seed = mix(call.sequence, (uint64_t{call.kind} << 8) + call.dtype);
  if (reduces(collective.kind)) seed = mix(seed, call.op);
  seed = mix(seed, static_cast<uint64_t>(call.root));
  return mix(mix(seed, call.tensors), call.elements);
}

}  // namespace

// Of the generator splitmix64.
uint64_t mix(uint64_t seed, uint64_t number) {
  uint64_t z = seed * 0x9e3779b97f4a7c15u + number + 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

Transfer::Transfer(Wire& wire, net::Roll& roll, const Collective& collective,
                   const Deadline& deadline)
    : Transfer(wire, roll, collective, deadline, seed_of(collective)) {}

Transfer::Transfer(Wire& wire, net::Roll& roll, const Collective& collective,
                   const Deadline& deadline, uint64_t seed)
    : roll_(roll), collective_(collective), deadline_(deadline), wire_(wire), seed_(seed) {}

template <class Start>
Message Transfer::start(int rank, Start begin) {
  roll_.check(collective_);
  try {
    return begin();
  } catch (const std::exception& error) {
    roll_.lose_data(collective_, rank, error.what());
  }
}

Message Transfer::send(int to, uint64_t step, const void* data, size_t nbytes) {
  return send_in(mix(mix(seed_, step), nbytes), to, data, nbytes);
}

Message Transfer::receive(int from, uint64_t step, void* data, size_t nbytes) {
  return receive_in(mix(mix(seed_, step), nbytes), from, data, nbytes);
}

Message Transfer::send_in(uint64_t slot, int to, const void* data, size_t nbytes) {
  return start(to, [&] { return wire_.send(to, slot, data, nbytes); });
}

Message Transfer::receive_in(uint64_t slot, int from, void* data, size_t nbytes) {
  return start(from, [&] {
    return from == Message::kAnyRank ? wire_.receive_from_any(slot, data, nbytes)
                                     : wire_.receive(from, slot, data, nbytes);
  });
}

void Transfer::wait(std::vector<Message>& messages) {
  for (Message& message : messages) wait(message);
  messages.clear();
}

void Transfer::wait(Message& message) {
  while (!has_come(message)) {
    roll_.check(collective_);
    try {
      check_interrupts();
    } catch (...) {
      roll_.abort(describe_call(collective_) + ": it was interrupted");
      throw;
    }
    look_around(message.rank);
  }
}

bool Transfer::has_come(Message& message) {
  try {
    return wire_.wait(message);
  } catch (const std::exception& error) {
    roll_.lose_data(collective_, message.rank, error.what());
  }
}

void Transfer::look_around(int) { roll_.look_around(collective_, deadline_); }

}  // namespace opweave::distributed::exchange
