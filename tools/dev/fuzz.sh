# ./dev fuzz: one of the fuzz targets of tests/codegen/fuzz, with libFuzzer.

fuzz_target() {
  local name=${1:-} seconds=${2:-600} target folder binary
  target=tests/codegen/fuzz/${name}_fuzz
  [[ -n $name && -f $target.cc ]] || die "fuzz expects one of: $(fuzz_names)"
  [[ $seconds =~ ^[1-9][0-9]*$ ]] || die "fuzz expects a number of seconds, not '$seconds'"
  build --config=fuzz "//${target%/*}:${target##*/}"
  folder=$(cache_dir)/fuzz/$name
  /usr/bin/python3 tools/dev/fuzz_seeds.py "$name" "$folder/inputs"
  binary=$(bazel info --config=fuzz bazel-bin 2>/dev/null)/$target
  "$binary" -max_total_time="$seconds" -timeout=60 -print_final_stats=1 \
    -artifact_prefix="$folder/found-" "$folder/inputs"
}

fuzz_names() {
  local file
  for file in tests/codegen/fuzz/*_fuzz.cc; do
    file=${file##*/}
    echo -n "${file%_fuzz.cc} "
  done
}
