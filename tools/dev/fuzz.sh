# ./dev fuzz: one of the fuzz targets, which are files called NAME_fuzz.cc below tests/, with libFuzzer.

fuzz_target() {
  local name=${1:-} seconds=${2:-600} target folder binary
  target=$(find tests -name "${name:-none}_fuzz.cc")
  target=${target%.cc}
  [[ -n $target ]] || die "fuzz expects one of: $(fuzz_names)"
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
  for file in $(find tests -name '*_fuzz.cc' | sort); do
    file=${file##*/}
    echo -n "${file%_fuzz.cc} "
  done
}
