// The process's variables, by the beginnings of their names.
#include "runtime/distributed/watch/environment.h"

#include <unistd.h>

#include <algorithm>
#include <string_view>

namespace opweave::distributed {

Environment environment_of_groups() {
  constexpr std::string_view kBeginnings[] = {"NCCL_", "GLOO_", "TORCH_", "OPWEAVE_DISTRIBUTED_"};
  Environment found;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const size_t end = text.find('=');
    const auto begins = [&](std::string_view beginning) { return text.starts_with(beginning); };
    if (end == text.npos || std::none_of(std::begin(kBeginnings), std::end(kBeginnings), begins))
      continue;
    found.emplace_back(text.substr(0, end), text.substr(end + 1));
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string describe(const Environment& environment) {
  std::string all;
  for (const auto& [name, text] : environment)
    all.append(all.empty() ? "" : ", ").append(name).append("=").append(text);
  return all;
}

}  // namespace opweave::distributed
