// What NCCL's backend says where the store goes.
#include <atomic>
#include <barrier>

#include "runtime/distributed/store/prefix_store.h"
#include "tests/runtime/distributed/nccl/support.h"

using namespace opweave;                     // NOLINT
using namespace opweave::distributed;        // NOLINT
using namespace opweave::distributed::test;  // NOLINT
using namespace std::chrono_literals;        // NOLINT

namespace {

// A store whose server goes.
class GoingStore final : public PrefixStore {
 public:
  using PrefixStore::PrefixStore;
  std::atomic<bool> is_gone{false};

  void set(const std::string& key, const std::string& value) override {
    look();
    PrefixStore::set(key, value);
  }
  std::string get(const std::string& key) override {
    look();
    return PrefixStore::get(key);
  }
  bool check(const Keys& keys) override {
    look();
    return PrefixStore::check(keys);
  }
  void wait(const Keys& keys, Milliseconds timeout) override {
    look();
    PrefixStore::wait(keys, timeout);
  }

 private:
  void look() const {
    if (is_gone) throw DistNetworkError("the server has ended");
  }
};

}  // namespace

TEST_CASE("a store that goes before ranks connect") {
  set_up();
  const auto store = std::make_shared<GoingStore>("s", std::make_shared<HashStore>());
  std::barrier made(2);
  std::vector<std::thread> ranks;
  for (const int r : {0, 1}) {
    ranks.emplace_back([&, r] {
      const DeviceGuard guard(heap(r));
      const BackendContext context{store, "world", r, 2, 5s};
      Group group(context, {{{}, make_backend("stand_in", context)}});
      made.arrive_and_wait();
      store->is_gone = true;
      std::string text;
      try {
        const Tensor t = full({2}, 1, r);
        group
            .start(
                {.kind = CollectiveKind::kAllReduce, .inputs = {t}, .outputs = {t}, .async = true})
            ->wait(10s);
      } catch (const DistBackendError& error) {
        text = error.message();
      }
      for (const char* part : {"all_reduce(sum) of float32[2] (number 0 of its group): ", "rank ",
                               " cannot connect to the others (all/0): the store does not answer: "
                               "the server has ended",
                               "in the group 'world'"})
        CHECK_MESSAGE(text.find(part) != std::string::npos, text);
    });
  }
  for (std::thread& rank : ranks) rank.join();
}
