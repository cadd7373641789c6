// Topology: which ranks share a host, and what the links between them are like; how an all_reduce
// goes follows from it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/distributed/backends/links.h"

namespace opweave::distributed::exchange {

// Ways of an all_reduce of n ranks; that of `few`, where each gets what all give, is part of
// direct.
enum class Way : uint8_t {
  direct,       // each rank combines a share, which all give it, and gives it to all
  ring,         // n - 1 steps around for the sums, and as many for the results
  tree,         // up a binomial tree and down again
  double_tree,  // two binary trees, whose inner ranks are leaves of the other, half the data in
                // each
  two_level,    // shares within hosts, then between hosts, then back within hosts
};
inline constexpr Way kWays[] = {Way::direct, Way::ring, Way::tree, Way::double_tree,
                                Way::two_level};
std::string_view name_of(Way way);
// ValueError that lists those there are.
Way way_of(std::string_view name);

class Topology {
 public:
  // Of each rank, what is equal for those on one host. ValueError where the environment
  // (OPWEAVE_ALL_REDUCE) names a way that is not there.
  explicit Topology(const std::vector<std::string>& hosts);

  int ranks() const { return static_cast<int>(host_.size()); }
  int hosts() const { return hosts_; }
  // Whether every host has as many ranks as the others, and several.
  bool is_even() const { return per_host_ > 1 && per_host_ * hosts_ == ranks(); }
  // Those on the host of a rank; those that are the how manieth of theirs that it is of its own.
  std::vector<int> beside(int rank) const;
  std::vector<int> across(int rank) const;

  // The host of each rank, counted from 0.
  const std::vector<int>& host_of_ranks() const { return host_; }
  void set_links(const Links& links);
  // Seconds that an all_reduce of so many bytes should take; infinite where it cannot go that way.
  double forecast(Way way, size_t nbytes) const;
  // The way of an all_reduce, the same on all ranks: the one that OPWEAVE_ALL_REDUCE names, or that
  // of the least forecast.
  Way choose(size_t nbytes) const;
  // A line for each way, and the links: what was chosen and why.
  std::string explain(size_t nbytes) const;

 private:
  // How often a ring of ranks in their order leaves each host.
  double leaves() const;
  double shares(double nbytes, int count, double of_link, const Link& link) const;

  std::vector<int> host_;  // by rank, from 0 on
  int hosts_ = 0, per_host_ = 0;
  // Of libgloo over the loopback interface of a server; of ten gigabits between hosts.
  Links links_{{15e-6, 3e-6, 3.5e9}, {40e-6, 3e-6, 1.2e9}};
  bool measured_ = false;
  std::optional<Way> wanted_;
};

}  // namespace opweave::distributed::exchange
