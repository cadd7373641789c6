// GroupShape: channels in groups, as group_norm sees them: samples × groups × channels of a group ×
// elements of a channel, all contiguous.
#pragma once

#include <cstdint>

namespace opweave::plans {

struct GroupShape {
  int64_t samples, groups, channels, plane;

  int64_t group_size() const { return channels * plane; }
  int64_t group_count() const { return samples * groups; }
  // Channel `k` of group `g`, which is counted over the samples.
  int64_t channel(int64_t g, int64_t k) const { return g % groups * channels + k; }
  int64_t offset(int64_t g, int64_t k) const { return (g * channels + k) * plane; }
};

}  // namespace opweave::plans
