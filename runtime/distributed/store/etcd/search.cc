// Keys are asked for in portions that etcd answers at once.
#include "runtime/distributed/store/etcd/search.h"

#include <algorithm>

namespace opweave::distributed::etcd {
namespace {

// etcd takes 128 parts in a transaction, and a key may be two.
constexpr size_t kKeysAtOnce = 64;

}  // namespace

Search::Search(Client& client, std::vector<Places> places, bool queues_count)
    : client_(client),
      places_(std::move(places)),
      queues_count_(queues_count),
      values_(queues_count ? 0 : places_.size()),
      at_once_(kKeysAtOnce) {}

Answer Search::read(const Call& call, size_t first) {
  while (true) {
    Parts parts;
    const size_t end = std::min(first + at_once_, places_.size());
    for (size_t i = first; i < end; ++i) {
      parts.push_back(look_up(places_[i].value, queues_count_ ? Show::kKeys : Show::kAll));
      if (queues_count_) parts.push_back(find(places_[i].queue, 1, Show::kKeys));
    }
    try {
      return client_.read(call, parts, end - first > 1 ? Parting::kCan : Parting::kCannot);
    } catch (const TooLarge&) {
      at_once_ = (end - first) / 2;
    }
  }
}

bool Search::take(const Found* found, size_t number) {
  if (queues_count_) return !found[0].items.empty() || !found[1].items.empty();
  if (found->items.empty()) return false;
  values_[number] = found->items.front().value;
  return true;
}

bool Search::look(const Call& call, bool to_the_end) {
  missing_.clear();
  const size_t each = queues_count_ ? 2 : 1;
  for (size_t i = next_; i < places_.size();) {
    const Answer answer = read(call, i);
    if (missing_.empty()) revision_ = answer.revision;
    const size_t count = answer.parts.size() / each;
    for (size_t k = 0; k < count; ++k) {
      if (!take(&answer.parts[k * each], i + k)) missing_.push_back(i + k);
    }
    i += count;
    next_ = missing_.empty() ? i : missing_.front();
    if (!missing_.empty() && !to_the_end) return false;
  }
  return missing_.empty();
}

void Search::watch(const Call& call, const Deadline& deadline) {
  const Places& places = places_[missing_.front()];
  std::vector<Span> spans{{places.value, ""}};
  if (queues_count_) spans.push_back(places.queue);
  client_.watch(call, spans, revision_ + 1, deadline);
}

}  // namespace opweave::distributed::etcd
