// The servers of this process.
#pragma once

#include <memory>

#include "runtime/distributed/store/server.h"
#include "runtime/distributed/store/tcp_store.h"

namespace opweave::distributed {

// A server as the options say, or the one that a store with multi_tenant and the same port has.
std::shared_ptr<TCPServer> begin_or_share_server(const TCPStoreOptions& options);

}  // namespace opweave::distributed
