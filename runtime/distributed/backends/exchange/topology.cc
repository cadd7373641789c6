// What each way should take, in closed form.
#include "runtime/distributed/backends/exchange/topology.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <map>

#include "runtime/core/base/error.h"
#include "runtime/core/base/str.h"
#include "runtime/distributed/backends/exchange/reduce.h"

namespace opweave::distributed::exchange {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

int levels(int ranks) { return std::bit_width(static_cast<unsigned>(ranks - 1)); }

std::string in_units(double value, double of, const char* unit) {
  return str(static_cast<double>(static_cast<int64_t>(value / of * 100 + 0.5)) / 100, " ", unit);
}

std::string seconds(double value) {
  return value < 1e-3 ? in_units(value, 1e-6, "us") : in_units(value, 1e-3, "ms");
}

std::string describe(const Link& link) {
  return seconds(link.latency) + " and " + in_units(link.bandwidth, 1e9, "GB/s");
}

}  // namespace

std::string_view name_of(Way way) {
  switch (way) {
    case Way::direct:
      return "direct";
    case Way::ring:
      return "ring";
    case Way::tree:
      return "tree";
    case Way::double_tree:
      return "double_tree";
    case Way::two_level:
      return "two_level";
  }
  return "";
}

Way way_of(std::string_view name) {
  std::string known;
  for (const Way way : kWays) {
    if (name == name_of(way)) return way;
    known += str(known.empty() ? "" : ", ", name_of(way));
  }
  OW_THROW(ErrorKind::kValue, "OPWEAVE_ALL_REDUCE=", name, ": expected one of ", known);
}

Topology::Topology(const std::vector<std::string>& hosts) {
  std::map<std::string, int> known, counts;
  for (const std::string& host : hosts) {
    host_.push_back(known.emplace(host, static_cast<int>(known.size())).first->second);
    per_host_ = std::max(per_host_, ++counts[host]);
  }
  hosts_ = static_cast<int>(known.size());
  const char* name = std::getenv("OPWEAVE_ALL_REDUCE");
  if (name != nullptr && *name != 0) wanted_ = way_of(name);
}

std::vector<int> Topology::beside(int rank) const {
  std::vector<int> found;
  for (int r = 0; r < ranks(); ++r)
    if (host_[static_cast<size_t>(r)] == host_[static_cast<size_t>(rank)]) found.push_back(r);
  return found;
}

std::vector<int> Topology::across(int rank) const {
  const auto place = [&](int r) {
    const std::vector<int> there = beside(r);
    return std::find(there.begin(), there.end(), r) - there.begin();
  };
  std::vector<int> found;
  for (int r = 0; r < ranks(); ++r)
    if (place(r) == place(rank)) found.push_back(r);
  return found;
}

void Topology::set_links(const Links& links) {
  links_ = links;
  measured_ = true;
}

double Topology::leaves() const {
  if (hosts_ < 2) return 1;
  int count = host_.front() != host_.back() ? 1 : 0;
  for (size_t r = 0; r + 1 < host_.size(); ++r) count += host_[r] != host_[r + 1] ? 1 : 0;
  return static_cast<double>(count) / hosts_;
}

// Twice, to all others at once; `of_link` bytes in all go over what is shared.
double Topology::shares(double nbytes, int count, double of_link, const Link& link) const {
  if (count < 2) return 0;
  const double messages = 2 * (link.latency + (count - 2) * link.gap);
  return messages + 2 * nbytes * of_link / link.bandwidth;
}

double Topology::forecast(Way way, size_t nbytes) const {
  const double n = ranks(), k = per_host_, h = hosts_, size = static_cast<double>(nbytes);
  const Link& link = hosts_ > 1 ? links_.between : links_.within;
  // Of the tensor, how much of a share for each goes out of a rank, or of a host over its one link.
  const double out = hosts_ > 1 ? k * (n - k) / n : (n - 1) / n;
  switch (way) {
    case Way::direct:
      if (nbytes * static_cast<size_t>(ranks()) <= kFew)
        return link.latency + (n - 2) * link.gap + size * out * n / link.bandwidth;
      return shares(size, ranks(), out, link);
    case Way::ring:
      return 2 * (n - 1) * link.latency + 2 * size * (n - 1) / n * leaves() / link.bandwidth;
    case Way::tree:
      return 2 * levels(ranks()) * (link.latency + size / link.bandwidth);
    case Way::double_tree:
      return 2 * (levels(ranks()) + 1) * link.latency + 2 * size / link.bandwidth;
    case Way::two_level:
      if (!is_even() || hosts_ < 2) return kNever;
      return shares(size, per_host_, (k - 1) / k, links_.within) +
             shares(size, hosts_, (h - 1) / h, links_.between);
  }
  return kNever;
}

Way Topology::choose(size_t nbytes) const {
  if (wanted_) return forecast(*wanted_, nbytes) == kNever ? Way::direct : *wanted_;
  // Two ranks have one way.
  if (ranks() < 3) return Way::direct;
  return *std::min_element(std::begin(kWays), std::end(kWays),
                           [&](Way a, Way b) { return forecast(a, nbytes) < forecast(b, nbytes); });
}

std::string Topology::explain(size_t nbytes) const {
  const Way chosen = choose(nbytes);
  std::string text = str("all_reduce of ", nbytes, " bytes, ", ranks(), " ranks on ", hosts_,
                         hosts_ == 1 ? " host: " : " hosts: ", name_of(chosen));
  if (wanted_) text += str(" (OPWEAVE_ALL_REDUCE=", name_of(*wanted_), ")");
  for (const Way way : kWays) {
    const double time = forecast(way, nbytes);
    text += str("\n  ", name_of(way), ": ",
                time == kNever ? "needs as many ranks, and several, on each of several hosts"
                               : seconds(time));
  }
  text += str("\n  links, ", measured_ ? "measured" : "assumed", ": ", describe(links_.within),
              " within a host");
  return hosts_ > 1 ? str(text, "; ", describe(links_.between), " between hosts") : text;
}

}  // namespace opweave::distributed::exchange
