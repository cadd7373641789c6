// What the sanitizer of threads is not to report: libgloo is built without it.
#if defined(__SANITIZE_THREAD__)

// A buffer that is destroyed waits for those that hold a pointer to it, by a count that the
// sanitizer does not see; they may have called its condition variable just before.
extern "C" const char* __tsan_default_suppressions() {
  return "race:gloo::transport::tcp::UnboundBuffer::~UnboundBuffer\n";
}

#endif
