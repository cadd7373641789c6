# ./dev test: every Bazel test, and one line that counts their cases.

have_cuda_toolkit() { [[ -x ${CUDA_HOME:-/usr/local/cuda}/bin/nvcc ]]; }

# As many tests at once as there are slots. What they need is built before: beside the compiler, processes
# that wait for one another by the clock would be late.
tests_at_once() { echo "HOST_CPUS*$(sed -n 's/^SLOTS = \([0-9]*\).*/\1/p' tools/slots.bzl)"; }

# Flags and targets of a test run with the given Bazel arguments. Without a target: every test.
test_arguments() {
  if have_cuda_toolkit; then
    echo --config=cuda
  else
    say "no CUDA toolkit here: the CUDA target is neither built nor tested"
  fi
  echo --build_tests_only
  [[ " $*" == *" //"* ]] || printf '%s\n' //tests/... //examples/...
}

run_tests() {
  local events arguments status=0
  mapfile -t arguments < <(test_arguments "$@")
  events=$(mktemp)
  say "building and testing: ${arguments[*]} $*"
  # What does not compile is said once more by what follows.
  bazel build "$(progress_flags)" --keep_going "${arguments[@]}" "$@" || true
  bazel test "$(progress_flags)" --keep_going --jobs="$(tests_at_once)" \
    --build_event_json_file="$events" "${arguments[@]}" "$@" || status=$?
  /usr/bin/python3 tools/dev/count_results.py "$events"
  rm -f "$events"
  return "$status"
}
