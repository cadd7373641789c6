# ./dev hostile: tests/hostile for a while, plain or under the address and undefined-behaviour sanitizers.

search_hostile_calls() {
  local flags=()
  if [[ ${1:-} == --asan ]]; then
    flags=(--config=asan)
    export OPWEAVE_SANITIZER=libasan.so.8
    shift
  fi
  [[ ${1:-} =~ ^[1-9][0-9]*$ ]] || die "hostile expects a number of seconds, not '${1:-}'"
  build "${flags[@]}" //tests/hostile
  "$(bazel info "${flags[@]}" bazel-bin 2>/dev/null)/tests/hostile/hostile" "$@"
}
