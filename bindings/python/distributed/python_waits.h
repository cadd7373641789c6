// PythonWaits: the calls of a group's Python methods that have not returned. They may hang, with
// the interpreter's lock or without: the watchdog sees for how long.
#pragma once

#include <list>
#include <mutex>
#include <string>

#include "runtime/distributed/store/waiting.h"

namespace opweave::python {

// A collective of a group of Python.
struct PythonCollective {
  std::string text;  // "all_reduce(sum) of float32[4] (number 3 of its group)"
  std::string site;  // "; in the group 'world' (rank 0 of 2), called at train.py:42 in step"
  distributed::Milliseconds timeout;
  uint64_t record = 0;  // in the flight recorder, or 0
};

class PythonWaits {
 public:
  // While it lives, a method is waited for.
  class Waiting {
   public:
    Waiting(PythonWaits& waits, const PythonCollective& call);
    ~Waiting();
    Waiting(const Waiting&) = delete;
    // Why the watchdog has given it up; empty where it has not.
    std::string given_up() const;

   private:
    PythonWaits& waits_;
    std::list<struct PythonWait>::iterator place_;
  };

  PythonWaits();
  ~PythonWaits();
  // Of the first that is overdue, and the others no more: why. `gives_up`: they are over.
  std::string take_overdue(distributed::Deadline::Clock::time_point now, bool gives_up);

 private:
  mutable std::mutex mutex_;
  std::list<struct PythonWait> all_;
};

}  // namespace opweave::python
