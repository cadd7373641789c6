// Interfaces as the system lists them.
#include "runtime/distributed/backends/net/interfaces.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>

#include "runtime/core/base/str.h"
#include "runtime/distributed/store/errors.h"

namespace opweave::distributed::net {
namespace {

// "192.168.0.3"; empty of what is no address of the internet, or means something on one cable only.
std::string show(const sockaddr* address) {
  char text[INET6_ADDRSTRLEN] = {};
  if (address->sa_family == AF_INET) {
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(address)->sin_addr, text, sizeof text);
  } else if (address->sa_family == AF_INET6) {
    const in6_addr& v6 = reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
    if (!IN6_IS_ADDR_LINKLOCAL(&v6)) inet_ntop(AF_INET6, &v6, text, sizeof text);
  }
  return text;
}

std::vector<std::string> addresses_of_host_name() {
  char name[256] = {};
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  std::vector<std::string> all;
  if (gethostname(name, sizeof name - 1) != 0 || getaddrinfo(name, nullptr, &hints, &found) != 0)
    return all;
  for (const addrinfo* a = found; a != nullptr; a = a->ai_next) all.push_back(show(a->ai_addr));
  freeaddrinfo(found);
  return all;
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

[[noreturn]] void fail(const char* variable, const char* value, const std::vector<Interface>& all) {
  std::string there;
  for (const Interface& one : all) there += (there.empty() ? "" : ", ") + one.describe();
  throw DistBackendError(str(variable, "=", value,
                             ": this host has no such interface with an address; it has ", there));
}

// Those that the variable lists, in its order; without those that it excludes, in the system's.
std::vector<Interface> chosen(std::string_view value, Syntax syntax,
                              const std::vector<Interface>& all) {
  const auto take = [&](char sign) {
    const bool there = syntax == Syntax::patterns && value.starts_with(sign);
    value.remove_prefix(there ? 1 : 0);
    return there;
  };
  const bool excludes = take('^');
  const bool exact = take('=') || syntax == Syntax::names;
  const std::vector<std::string> words = split(value);
  const auto fits = [&](const Interface& one, const std::string& word) {
    return exact ? one.name == word : one.name.starts_with(word);
  };
  std::vector<Interface> some;
  for (const std::string& word : words) {
    for (const Interface& one : all) {
      if (!excludes && fits(one, word)) some.push_back(one);
    }
  }
  for (const Interface& one : all) {
    const auto is_listed = [&](const std::string& word) { return fits(one, word); };
    if (excludes && std::none_of(words.begin(), words.end(), is_listed)) some.push_back(one);
  }
  return some;
}

Interface choose(const std::vector<Interface>& all, bool within_host) {
  const auto first = [&](auto fits) {
    const auto found = std::find_if(all.begin(), all.end(), fits);
    return found == all.end() ? nullptr : &*found;
  };
  const Interface* loopback = first([](const Interface& i) { return i.is_loopback; });
  if (within_host && loopback != nullptr) return *loopback;
  const std::vector<std::string> own = addresses_of_host_name();
  const Interface* chosen = first([&](const Interface& i) {
    return !i.is_loopback && std::find(own.begin(), own.end(), i.address) != own.end();
  });
  if (chosen == nullptr) chosen = first([](const Interface& i) { return !i.is_loopback; });
  if (chosen == nullptr)
    throw DistBackendError("this host has no network interface that other hosts could reach");
  return *chosen;
}

}  // namespace

std::vector<Interface> interfaces() {
  ifaddrs* listed = nullptr;
  if (getifaddrs(&listed) != 0)
    throw DistBackendError(str("cannot list network interfaces: ", system_error_text(errno)));
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(listed, &freeifaddrs);
  std::vector<Interface> all;
  for (const int family : {AF_INET, AF_INET6}) {
    for (const ifaddrs* i = listed; i != nullptr; i = i->ifa_next) {
      if (i->ifa_addr == nullptr || i->ifa_addr->sa_family != family || !(i->ifa_flags & IFF_UP))
        continue;
      const std::string address = show(i->ifa_addr);
      if (!address.empty())
        all.push_back({i->ifa_name, address, (i->ifa_flags & IFF_LOOPBACK) != 0});
    }
  }
  return all;
}

Interface choose_interface(const char* variable, bool within_host, Syntax syntax) {
  const std::vector<Interface> all = interfaces();
  const char* value = std::getenv(variable);
  if (value == nullptr || *value == 0) return choose(all, within_host);
  const std::vector<Interface> some = chosen(value, syntax, all);
  if (some.empty()) fail(variable, value, all);
  // What is left after some are excluded is chosen from as ever.
  return syntax == Syntax::patterns && *value == '^' ? choose(some, within_host) : some.front();
}

std::string describe_network(const Interface& chosen, const char* variable) {
  const char* value = std::getenv(variable);
  const std::string set = value == nullptr || *value == 0 ? "" : str("; ", variable, "=", value);
  return str("over ", chosen.describe(), set);
}

}  // namespace opweave::distributed::net
