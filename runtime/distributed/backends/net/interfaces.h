// The network interfaces of this host, and which of them a group uses.
#pragma once

#include <string>
#include <vector>

namespace opweave::distributed::net {

struct Interface {
  std::string name, address;
  bool is_loopback = false;

  std::string describe() const { return name + " (" + address + ")"; }
};

// Those that are up, one line for each address: IPv4 before IPv6, without link-local addresses.
std::vector<Interface> interfaces();

// What an environment variable says: names, separated by commas; or, as NCCL reads it, what names
// begin with, and after "=" names, of which "^" before all takes the others: "^=docker0,lo".
enum class Syntax { names, patterns };

// The first of those that the environment variable lists which exists; DistBackendError that names
// those there are where none does. Where the variable is not set: loopback if all ranks can be
// reached over it, else the first that other hosts can reach, of which that wins which the host's
// name means.
Interface choose_interface(const char* variable, bool within_host, Syntax syntax = Syntax::names);

// "over lo (127.0.0.1)", and what the variable says where it is set: for reports.
std::string describe_network(const Interface& chosen, const char* variable);

}  // namespace opweave::distributed::net
