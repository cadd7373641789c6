# ./dev faults: tests/faults for a while.

search_faults() {
  [[ ${1:-} =~ ^[1-9][0-9]*$ ]] || die "faults expects a number of seconds, not '${1:-}'"
  build //tests/faults:search
  bazel-bin/tests/faults/search "$@"
}
