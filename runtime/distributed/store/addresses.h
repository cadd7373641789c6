// The addresses of a host, and connecting to whichever answers, within a deadline.
#pragma once

#include <netdb.h>

#include <memory>
#include <string>

#include "runtime/distributed/store/waiting.h"

namespace opweave::distributed {

using Addresses = std::shared_ptr<const addrinfo>;

// Looks a host up, without waiting for longer than the deadline: what answers for names may be
// gone. Null where none is found; then `error` says why.
Addresses find_addresses(const std::string& host, uint16_t port, const Deadline& deadline,
                         std::string& error);

// A socket for an address, which does not block.
Descriptor open_socket(const addrinfo& address);

// Connects to the first of the addresses that answers. They are tried in their order, each for a
// moment before the next one is tried beside it. A closed descriptor where none answers before the
// deadline; then `error` says what the last one said.
Descriptor connect_to_any(const addrinfo& addresses, const Deadline& deadline, std::string& error);

}  // namespace opweave::distributed
