// Backend: what carries collectives out, for tensors of some devices. One is made for each group.
//
// A group calls run() for one collective after another, from one thread at a time; sends and
// receives have threads of their own, so that they wait for nobody else.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/core/base/str.h"
#include "runtime/distributed/backends/links.h"
#include "runtime/distributed/group/collective.h"
#include "runtime/distributed/store/store.h"
#include "runtime/distributed/store/waiting.h"

namespace opweave::distributed {

// What a backend is made of.
struct BackendContext {
  std::shared_ptr<Store> store;  // of this group alone
  std::string group;             // its name
  int rank = 0, size = 1;
  Milliseconds timeout{};       // for the making of it, and of a collective that names none
  std::vector<int> ranks = {};  // in the world, by the rank in the group; empty: not known
  int priority = 0;             // of its streams, lower is more urgent (Stream::make)
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;
  // Whether tensors of a device can be given as they are.
  virtual bool takes(Device device) const { return device.type == host_device().type; }
  // Returns when what this rank has to do is done and its outputs are there. DistBackendError where
  // it cannot be: the deadline passed, a rank is gone, the ranks called different things. Of a
  // recv, returns the rank from which it came.
  virtual int run(const Collective& collective, const Deadline& deadline) = 0;
  // Whether run() always returns soon after its deadline, and after abort(). What calls a library
  // or a driver that may hang does not: a thread of its own calls it, so that whoever waits can be
  // told.
  virtual bool keeps_deadlines() const { return false; }
  // Ends, with this reason, what runs and whatever is asked for later, here and, as far as it can
  // be told, on the other ranks. From any thread.
  virtual void abort(const std::string& reason) noexcept = 0;
  // Why it was aborted, on whichever rank; empty while it goes on. From any thread.
  virtual std::string failure() const = 0;
  // The ranks that are known to have ended, and what their processes are: "process 4711". From any
  // thread.
  virtual std::map<int, std::string> lost() const { return {}; }
  // The backend of a part of the group, whose ranks name the same color; null for none where the
  // color is negative, and where a part has to be made from nothing. A call of every rank.
  virtual std::shared_ptr<Backend> split(const BackendContext& /*part*/, int /*color*/) {
    return nullptr;
  }
  // The host of each rank, counted from 0; empty where that makes no difference.
  virtual std::vector<int> hosts() const { return {}; }
  // What its connections are like, the same on all ranks; not while a collective runs.
  virtual void set_links(const Links& /*links*/) {}
  // How an all_reduce of so many bytes goes, and why.
  virtual std::string explain(size_t /*nbytes*/) const { return str(name(), ": has one way"); }
  // This rank takes part no more: what it still waits for ends. The others go on until they need
  // it. From any thread.
  virtual void leave() noexcept = 0;
  // A collective of one tensor may be cut where a multiple of so many elements is before the cut:
  // its parts, whose `whole` says of what they are, have the bits that it would have. 0: nowhere.
  virtual int64_t grain(const Collective& /*collective*/) const { return 0; }
};

}  // namespace opweave::distributed
