// The watchdog, its policies, and what happens when it hangs itself.
#include "runtime/distributed/watch/watchdog.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "runtime/core/base/of_process.h"
#include "runtime/distributed/watch/flight_recorder.h"
#include "tests/support/folder.h"

using namespace opweave;
using namespace opweave::distributed;

namespace {

using Time = Work::Clock::time_point;

class FakeGroup final : public Watched {
 public:
  explicit FakeGroup(std::string name) {
    name_ = std::make_shared<GroupName>(GroupName{std::move(name), "fake", 3, 4});
  }
  const std::shared_ptr<const GroupName>& group_name() const override { return name_; }
  std::string end_overdue(Time now) override { return look ? look(now) : std::string(); }
  std::string failure() const override {
    if (hangs) std::this_thread::sleep_for(std::chrono::seconds(60));
    return fails ? "rank 1 went away" : "";
  }
  std::vector<Progress> progress() const override { return {}; }

  std::function<std::string(Time)> look;
  std::atomic<bool> fails{false}, hangs{false};

 private:
  std::shared_ptr<const GroupName> name_;
};

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// What a process of its own ends with.
int in_child(const std::function<void()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

void sleep_for(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

// Waits for it; false after ten seconds.
bool comes(const std::string& path) {
  for (int i = 0; i < 1000 && !std::filesystem::exists(path); ++i) sleep_for(10);
  return std::filesystem::exists(path);
}

// Records go into a folder that ends with the process.
WatchSettings settings(const std::string& prefix) {
  static const Folder folder;
  WatchSettings s;
  s.dump_prefix = (folder.path / prefix).string();
  return s;
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a group that fails is reported once") {
  const WatchSettings s = settings("fails");
  Watchdog watchdog(s);
  FakeGroup group("g");
  watchdog.add(group);
  group.fails = true;
  const std::string path = s.dump_prefix + "3";
  REQUIRE(comes(path));
  CHECK(contains(text_of(path), "\"reason\": \"rank 1 went away\""));
  std::filesystem::remove(path);
  sleep_for(300);
  CHECK_FALSE(std::filesystem::exists(path));
  watchdog.remove(group);
  const uint64_t beats = watchdog.heartbeat();
  CHECK(beats >= 2);
  sleep_for(300);
  CHECK(watchdog.heartbeat() == beats);  // nobody looks any more
}

TEST_CASE("a group that has left has no failure left to tell") {
  const WatchSettings s = settings("left");
  Watchdog watchdog(s);
  FakeGroup group("g"), other("h");
  watchdog.add(group);
  watchdog.add(other);
  watchdog.remove(group);
  watchdog.report(group, "it was destroyed", "");
  sleep_for(200);
  watchdog.remove(other);
  CHECK_FALSE(std::filesystem::exists(s.dump_prefix + "3"));
}

TEST_CASE("what a look throws does not end the watchdog") {
  const WatchSettings s = settings("throws");
  Watchdog watchdog(s);
  FakeGroup group("g"), other("h");
  group.look = [](Time) -> std::string { throw std::runtime_error("on purpose"); };
  watchdog.add(group);
  watchdog.add(other);
  other.fails = true;
  CHECK(comes(s.dump_prefix + "3"));
  watchdog.remove(group);
  watchdog.remove(other);
}

#ifndef __SANITIZE_THREAD__  // which does not follow the threads of a forked process
TEST_CASE("a watchdog that hangs ends the process, after the report") {
  WatchSettings s = settings("hangs");
  s.heartbeat_timeout = std::chrono::milliseconds(600);
  const int status = in_child([&] {
    Watchdog watchdog(s);
    FakeGroup group("g");
    group.look = [](Time) {
      sleep_for(60'000);
      return std::string();
    };
    watchdog.add(group);
    sleep_for(30'000);
  });
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGABRT);
  CHECK(contains(text_of(s.dump_prefix + "3"), "\"reason\": \"the watchdog hangs\""));
}

TEST_CASE("a group that hangs while a report is made of it does not save the process") {
  WatchSettings s = settings("reports");
  s.heartbeat_timeout = std::chrono::milliseconds(600);
  const int status = in_child([&] {
    Watchdog watchdog(s);
    FakeGroup group("g");
    watchdog.add(group);
    group.hangs = true;
    (void)watchdog.to_json("asked");
  });
  CHECK(WTERMSIG(status) == SIGABRT);
}

TEST_CASE("a process that was stopped for longer than the limit goes on") {
  WatchSettings s = settings("stopped");
  s.heartbeat_timeout = std::chrono::milliseconds(400);
  for (int turn = 0; turn < 5; ++turn) {
    const pid_t child = fork();
    if (child == 0) {
      Watchdog watchdog(s);
      FakeGroup group("g");
      watchdog.add(group);
      sleep_for(1'200);
      _exit(0);
    }
    sleep_for(200);
    kill(child, SIGSTOP);
    sleep_for(600);
    kill(child, SIGCONT);
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status));
  }
}

TEST_CASE("nobody watches the watchdog where that is turned off") {
  WatchSettings s = settings("unwatched");
  s.heartbeat_timeout = std::chrono::milliseconds(300);
  s.monitors = false;
  const int status = in_child([&] {
    Watchdog watchdog(s);
    FakeGroup group("g");
    group.look = [](Time) {
      sleep_for(60'000);
      return std::string();
    };
    watchdog.add(group);
    sleep_for(1'500);
  });
  CHECK(WIFEXITED(status));
}

TEST_CASE("the policy abort ends the process") {
  WatchSettings s = settings("aborts");
  s.policy = FailurePolicy::abort;
  const int status = in_child([&] {
    Watchdog watchdog(s);
    FakeGroup group("g");
    group.fails = true;
    watchdog.add(group);
    sleep_for(30'000);
  });
  CHECK(WTERMSIG(status) == SIGABRT);
  CHECK(std::filesystem::exists(s.dump_prefix + "3"));
}

#endif

TEST_CASE("groups come and go while others are looked at") {
  const WatchSettings s = settings("many");
  Watchdog watchdog(s);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        FakeGroup group("g");
        watchdog.add(group);
        (void)watchdog.to_json("asked");
        watchdog.remove(group);
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

TEST_CASE("a look may end the group that it looks at") {
  const WatchSettings s = settings("ends");
  Watchdog watchdog(s);
  FakeGroup group("g"), other("h");
  std::atomic<bool> gone{false};
  group.look = [&](Time) {
    if (!gone.exchange(true)) watchdog.remove(group);
    return std::string();
  };
  watchdog.add(group);
  watchdog.add(other);
  while (!gone) sleep_for(10);
  watchdog.remove(other);
}

#ifndef __SANITIZE_THREAD__  // which does not know what a thread that nobody waits for has done
TEST_CASE("a look may end the last group") {
  const WatchSettings s = settings("last");
  Watchdog watchdog(s);
  FakeGroup group("g");
  std::atomic<bool> gone{false};
  group.look = [&](Time) {
    if (!gone.exchange(true)) watchdog.remove(group);
    return std::string();
  };
  watchdog.add(group);
  while (!gone) sleep_for(10);
  sleep_for(1'500);
}
#endif

TEST_CASE("a forked process has a recorder of its own") {
  FlightRecorder* own = &FlightRecorder::of_process();
  CHECK(own == &FlightRecorder::of_process());
  CHECK(in_child([&] { _exit(own == &FlightRecorder::of_process() ? 1 : 0); }) == 0);
}

TEST_CASE("the recorder keeps the last") {
  FlightRecorder recorder(2);
  const auto name = std::make_shared<GroupName>();
  const Collective call{.kind = CollectiveKind::kBarrier};
  uint64_t ids[3];
  for (auto& id : ids) id = recorder.record(name, call, {});
  recorder.start(ids[0]);  // forgotten
  recorder.end(ids[1], "it broke");
  const std::vector<Record> kept = recorder.records();
  REQUIRE(kept.size() == 2);
  CHECK(kept[0].error == "it broke");
  CHECK(kept[0].state == Record::State::failed);
  CHECK(kept[1].id == ids[2]);
  CHECK(FlightRecorder(0).record(name, call, {}) == 0);
}
