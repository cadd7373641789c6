// JSON of flight records.
#include "runtime/distributed/watch/report.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "runtime/core/base/error.h"
#include "runtime/core/base/str.h"
#include "runtime/distributed/store/errors.h"
#include "runtime/distributed/store/waiting.h"

namespace opweave::distributed {
namespace {

using Json = nlohmann::ordered_json;

// The format of PyTorch's flight recorder that this is like.
constexpr const char* kVersion = "2.10";

Json nanoseconds(Record::Time time) {
  using std::chrono::nanoseconds;
  if (time == Record::Time()) return nullptr;
  return std::chrono::duration_cast<nanoseconds>(time.time_since_epoch()).count();
}

Json frames(const CallSite& site) {
  Json all = Json::array();
  for (const CodeFrame& f : site.frames())
    all.push_back({{"filename", *f.file}, {"line", f.line}, {"name", *f.function}});
  return all;
}

void add_shapes(Json& entry, const std::string& which, const Shapes& shapes) {
  Json sizes = Json::array(), dtypes = Json::array();
  shapes.for_each([&](ScalarType dtype, IntList list) {
    sizes.push_back(std::vector<int64_t>(list.begin(), list.end()));
    dtypes.push_back(str(dtype));
  });
  entry[which + "_sizes"] = std::move(sizes);
  entry[which + "_dtypes"] = std::move(dtypes);
}

Json to_json(const Record& r) {
  const bool p2p = is_letter(r.kind);
  Json entry{{"record_id", r.id},
             {"process_group", {r.group->name, r.group->backend}},
             {"pg_generation", r.group->generation},
             {"rank", r.group->rank},
             {"pg_size", r.group->size},
             {p2p ? "p2p_seq_id" : "collective_seq_id", r.sequence},
             {"is_p2p", p2p},
             {"profiling_name",
              r.title != nullptr ? *r.title : str(r.group->backend, ":", called(r.kind, r.op))},
             {"sizes_may_differ", record_of(r.kind).is_uneven()}};
  if (is_rooted(r.kind)) entry["root"] = r.root;
  if (p2p) entry["tag"] = r.tag;
  add_shapes(entry, "input", r.inputs);
  add_shapes(entry, "output", r.outputs);
  entry["state"] = name_of(r.state);
  entry["time_created_ns"] = nanoseconds(r.queued);
  entry["time_discovered_started_ns"] = nanoseconds(r.started);
  entry["time_discovered_completed_ns"] = nanoseconds(r.ended);
  entry["timeout_ms"] = r.timeout.count();
  entry["thread_id"] = r.thread;
  if (!r.error.empty()) entry["error"] = r.error;
  entry["frames"] = frames(r.site);
  return entry;
}

Json variables(const Environment& environment) {
  Json all = Json::object();
  for (const auto& [name, text] : environment) all[name] = text;
  return all;
}

Json to_json(const Progress::Last& last) {
  if (last.sequence < 0) return nullptr;
  return {{"sequence", last.sequence}, {"name", name_of(last.kind)}};
}

Json status(const Report::Group& group) {
  Json queues = Json::object();
  for (const Progress& p : group.progress) {
    queues[std::string(p.queue)] = {{"last_enqueued", to_json(p.queued)},
                                    {"last_started", to_json(p.started)},
                                    {"last_completed", to_json(p.completed)},
                                    {"waiting", p.waiting}};
  }
  return {{"queues", std::move(queues)},
          {"failure", group.failure},
          {"staged", {{"collectives", group.staged.collectives}, {"nbytes", group.staged.nbytes}}}};
}

}  // namespace

std::string to_json(const Report& report) {
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  Json config = Json::object(), state = Json::object(), entries = Json::array();
  for (const Report::Group& group : report.groups) {
    config[group.name->name] = {{"backend", group.name->backend},
                                {"rank", group.name->rank},
                                {"size", group.name->size},
                                {"ranks", group.name->ranks},
                                {"generation", group.name->generation},
                                {"environment", variables(group.name->environment)}};
    state[group.name->name] = status(group);
  }
  for (const Record& record : report.records) entries.push_back(to_json(record));
  const Json all{{"version", kVersion},
                 {"rank", report.rank},
                 {"host", host},
                 {"process", getpid()},
                 {"time_ns", nanoseconds(std::chrono::system_clock::now())},
                 {"reason", report.reason},
                 {"heartbeat", report.heartbeat},
                 {"pg_config", std::move(config)},
                 {"pg_status", std::move(state)},
                 {"entries", std::move(entries)}};
  return all.dump(1, ' ', false, Json::error_handler_t::replace);
}

void write_report(const std::string& path, const std::string& json) {
  const auto fail = [&](const char* what) {
    OW_THROW(ErrorKind::kRuntime, "the flight record cannot be written: ", what, " ", path, ": ",
             system_error_text(errno));
  };
  // A file of this thread's own, for another may write to the same place: what somebody has put
  // there, a link or a pipe, is not written to.
  const std::string part = str(path, ".part", gettid());
  unlink(part.c_str());
  {
    const Descriptor file(
        open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file.is_open()) fail("opening");
    for (size_t done = 0; done < json.size();) {
      const ssize_t n = write(file.get(), json.data() + done, json.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) {
        const int number = errno;
        unlink(part.c_str());
        errno = number;
        fail("writing");
      }
      done += static_cast<size_t>(n);
    }
  }
  if (rename(part.c_str(), path.c_str()) != 0) {
    const int number = errno;
    unlink(part.c_str());
    errno = number;
    fail("naming");
  }
}

void say(const std::string& line) noexcept try {
  std::string text = str("opweave: ", line);
  // A pipe that can be written to takes so much at once.
  text.resize(std::min<size_t>(text.size(), PIPE_BUF - 1));
  text += '\n';
  pollfd wanted{STDERR_FILENO, POLLOUT, 0};
  if (poll(&wanted, 1, 0) <= 0 || (wanted.revents & POLLOUT) == 0) return;
  [[maybe_unused]] const ssize_t n = write(STDERR_FILENO, text.data(), text.size());
} catch (const std::bad_alloc&) {
  return;
}

}  // namespace opweave::distributed
