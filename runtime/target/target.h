// Target: one kind of hardware. Everything that the runtime asks of it is a method here; kernels
// are registered beside it, under its dispatch key.
//
// What a target does not override is what hardware has that finishes its work before a call
// returns: one stream, events that have happened when they are recorded. So the CPU is as much a
// target as an accelerator, and code that orders work by streams and events runs on both.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/core/devices/devices.h"
#include "runtime/target/event_state.h"

namespace opweave {

// What is known of a device; zero where it is not.
struct DeviceProperties {
  std::string name;
  size_t total_memory = 0;
  size_t free_memory = 0;
  int processors = 0;        // multiprocessors, cores
  int major = 0, minor = 0;  // of the hardware's generation
};

// Bytes from one place to another. Of the two devices one is the target's; the other may be the
// host, or another device of the same target.
struct CopyRequest {
  void* to;
  Device to_device;
  const void* from;
  Device from_device;
  size_t nbytes;
};

class Target : public Devices {
 public:
  // Registers the device type `name`; the target itself is registered by register_target().
  Target(std::string_view name, Kind kind, Allocator& allocator)
      : Devices(register_device_type(name), kind, allocator) {}

  std::string_view name() const { return device_type_name(type()); }

  // --- devices ----------------------------------------------------------------------------------
  int count() override { return 1; }
  int current() override { return 0; }
  // Makes a device the calling thread's current one.
  virtual void set_current(int index);
  // The same; returns the one that was current.
  int exchange(int index);
  virtual DeviceProperties properties(int index);
  // Waits for all work on a device.
  virtual void synchronize(int /*index*/) {}
  // Called first in a thread that works for one device only (see runtime/autograd/ready_queue.h).
  virtual void start_thread(int index) { set_current(index); }

  // --- streams: queues of work that runs in order -----------------------------------------------
  // Streams are not given back: a target may hand out the same one again. Lower priorities first.
  virtual StreamId new_stream(int /*index*/, int /*priority*/) { return kDefaultStream; }
  // Whether all work of a stream is done.
  virtual bool query_stream(int /*index*/, StreamId) { return true; }
  virtual void synchronize_stream(int /*index*/, StreamId) {}
  // Whether what the stream gets now is recorded, to run later and again, and not run: then nobody
  // can ask how far it is.
  virtual bool is_capturing(int /*index*/, StreamId) { return false; }
  // What the vendor's library calls the stream.
  virtual void* native_handle(int index, StreamId stream);

  // --- events: points in the work of a stream ---------------------------------------------------
  virtual std::unique_ptr<EventState> new_event(const EventOptions& options);

  // --- memory -----------------------------------------------------------------------------------
  // Enqueues a copy on a stream of the target. The memory stays as it is until the copy has run.
  virtual void copy(const CopyRequest& request, StreamId stream);
  void copy_within(void* to, const void* from, size_t nbytes, Device device) override;
  // Host memory that copies reach without the host's help; null where there is none.
  virtual Allocator* pinned_allocator() { return nullptr; }
  // Whether an address lies in memory of the pinned allocator.
  virtual bool is_pinned(const void* /*data*/) { return false; }
};

// Makes a target known. It lives until the process ends. The same again changes nothing; another
// one of that name is an error.
void register_target(Target& target);
// Throws when the target is not loaded.
Target& target_of(DeviceType type);
// Null when it is not.
Target* find_target(DeviceType type);
Target* find_target(std::string_view name);
// In order of registration.
std::vector<Target*> all_targets();
// The first accelerator that was registered; null when there is none.
Target* current_accelerator();

}  // namespace opweave
