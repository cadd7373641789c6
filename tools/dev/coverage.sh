# ./dev coverage: which lines of the generator its unit tests reach.

# Percent of lines; below, the command fails.
least_coverage=95

measure_coverage() {
  local gcovr execroot objects
  gcovr=$(cache_dir)/tools/bin/gcovr
  [[ -x $gcovr ]] || die "gcovr is not installed"
  # The compiler writes its notes beside the objects, of which the disk cache knows nothing.
  build --config=coverage --build_tests_only //tests/codegen/...
  execroot=$(readlink -f bazel-out/..)
  objects=$execroot/bazel-out/k8-opt-coverage/bin/codegen
  find "$objects" -name '*.gcda' -delete
  # A test believes to run in the execroot (/proc/self/cwd): its counts shall go there, too.
  bazel test --config=coverage --build_tests_only --cache_test_results=no \
    --test_env=GCOV_PREFIX="$execroot" --test_env=GCOV_PREFIX_STRIP=3 //tests/codegen/...
  # Sources stand in the execroot as links: names are printed from there, not from the cache.
  "$gcovr" --root "$execroot" --object-directory "$execroot" "$objects" \
    --filter "$execroot/codegen/" --filter codegen/ --exclude-throw-branches \
    --sort uncovered-number --sort-reverse --print-summary --fail-under-line "$least_coverage" "$@"
}
