// Signals in every thread of the process, every fraction of a millisecond, with a handler that uses
// the stack as handlers do; it counts those that find the stack register somewhere else.
#include <dirent.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

namespace {

constexpr int kSent = SIGUSR1;      // by the thread below, to each other thread
constexpr size_t kRedZone = 128;    // below the stack pointer, which the ABI gives to the code
constexpr size_t kUsed = 12 << 10;  // bytes of stack that a handler takes
constexpr size_t kOwnStack = 64 << 10;
constexpr size_t kPoolStack = 64 << 20;  // no stack of a thread of a pool is larger

struct Range {
  uintptr_t low = 0, high = 0;
  bool holds(uintptr_t p) const { return p >= low && p <= high; }
};

pthread_t caller;  // whose stack is `range`, and whose handlers have one of their own
Range range;
std::atomic<int64_t> in_caller{0}, in_others{0}, misplaced{0};
std::atomic<uintptr_t> misplaced_at{0};
std::atomic<bool> running{false};
pthread_t sender;

// The stack of a thread of a pool ends right below its descriptor.
Range stack_of(pthread_t thread) {
  if (pthread_equal(thread, caller)) return range;
  const auto top = reinterpret_cast<uintptr_t>(thread);
  return {top - kPoolStack, top};
}

void handle(int, siginfo_t*, void* context) {
  const int error = errno;
  const auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const auto sp = static_cast<uintptr_t>(registers[REG_RSP]);
  const pthread_t self = pthread_self();
  const bool is_caller = pthread_equal(self, caller);
  (is_caller ? in_caller : in_others).fetch_add(1, std::memory_order_relaxed);
  if (!stack_of(self).holds(sp)) {
    misplaced.fetch_add(1, std::memory_order_relaxed);
    misplaced_at.store(static_cast<uintptr_t>(registers[REG_RIP]), std::memory_order_relaxed);
  } else if (is_caller) {
    // As if the handler ran on the stack that it interrupted.
    std::memset(reinterpret_cast<void*>(sp - kRedZone - kUsed), 0xa5, kUsed);
  } else {
    char used[kUsed];
    std::memset(used, 0xa5, kUsed);
    asm volatile("" : : "r"(used) : "memory");
  }
  errno = error;
}

std::vector<pid_t> other_threads(pid_t self) {
  std::vector<pid_t> threads;
  DIR* folder = opendir("/proc/self/task");
  while (const dirent* entry = readdir(folder)) {
    const pid_t id = std::atoi(entry->d_name);
    if (id > 0 && id != self) threads.push_back(id);
  }
  closedir(folder);
  return threads;
}

void* send(void* period_us) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  const pid_t process = getpid(), self = static_cast<pid_t>(syscall(SYS_gettid));
  const timespec period{0, reinterpret_cast<intptr_t>(period_us) * 1000};
  while (running.load()) {
    for (pid_t thread : other_threads(self)) syscall(SYS_tgkill, process, thread, kSent);
    nanosleep(&period, nullptr);
  }
  return nullptr;
}

void set_timers(int64_t us) {
  const itimerval timer{{0, us}, {0, us}};
  setitimer(ITIMER_REAL, &timer, nullptr);
  setitimer(ITIMER_PROF, &timer, nullptr);
}

void install() {
  pthread_attr_t attributes;
  void* low = nullptr;
  size_t size = 0;
  caller = pthread_self();
  pthread_getattr_np(caller, &attributes);
  pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  range.low = reinterpret_cast<uintptr_t>(low);
  range.high = range.low + size;
  stack_t own{};
  own.ss_sp = std::malloc(kOwnStack);
  own.ss_size = kOwnStack;
  sigaltstack(&own, nullptr);
  struct sigaction action {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  sigfillset(&action.sa_mask);  // no handler is interrupted by another, on a stack of its own
  for (int signal : {kSent, SIGALRM, SIGPROF}) sigaction(signal, &action, nullptr);
}

}  // namespace

extern "C" {

// Signals every `period_us` microseconds in each thread, and those of a timer and of a profiler's
// clock every millisecond, until stop().
__attribute__((visibility("default"))) void disturb_start(int64_t period_us) {
  static const bool installed = (install(), true);
  static_cast<void>(installed);
  in_caller = in_others = misplaced = 0;
  running = true;
  set_timers(1000);
  pthread_create(&sender, nullptr, send, reinterpret_cast<void*>(period_us));
}

// counts: of handlers in the thread that started, in others, with a stack register elsewhere; and
// the last address of code where that was so.
__attribute__((visibility("default"))) void disturb_stop(int64_t* counts) {
  running = false;
  pthread_join(sender, nullptr);
  set_timers(0);
  counts[0] = in_caller.load();
  counts[1] = in_others.load();
  counts[2] = misplaced.load();
  counts[3] = static_cast<int64_t>(misplaced_at.load());
}
}
