# ./dev test: every Bazel test, and one line that counts their cases.

have_cuda_toolkit() { [[ -x ${CUDA_HOME:-/usr/local/cuda}/bin/nvcc ]]; }

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
  bazel test "$(progress_flags)" --keep_going --build_event_json_file="$events" \
    "${arguments[@]}" "$@" || status=$?
  /usr/bin/python3 tools/dev/count_results.py "$events"
  rm -f "$events"
  return "$status"
}
