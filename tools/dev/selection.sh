# ./dev build, wheel and size of selected operators, and what a selection needs to know of kernels.

# Bazel's flag for `--select FILE`. A file outside of the packages of this checkout is copied into it.
selection_flags() {
  (($#)) || return 0
  [[ $1 == --select && $# -ge 2 ]] || die "expected --select FILE, got: $*"
  [[ -f $2 ]] || die "there is no file '$2'"
  mkdir -p selected
  # One folder, which git ignores, is the package of all selections that are given this way.
  echo 'exports_files(glob(["*.yaml"]))' >selected/BUILD
  cmp -s "$2" "selected/$(basename "$2")" || cp "$2" selected/
  echo "--//:selection=//selected:$(basename "$2")"
}

# From the object files of all handwritten code.
write_kernel_calls() {
  say "reading the object files of handwritten code"
  OPWEAVE_UPDATE=1 bazel run "$(progress_flags)" //tests/selection:kernel_calls_test
}

# Of the quickstart's selection, from what the generator says of it.
write_selected() {
  OPWEAVE_UPDATE=1 bazel run "$(progress_flags)" //tests/selection:digits_test
}

# From the calls of the generated tests.
write_kernel_dtypes() {
  say "calling operators in every dtype"
  OPWEAVE_UPDATE=1 bazel run "$(progress_flags)" //tests/python/generated:test_dtypes
}

write_refusals() {
  say "breaking calls of operators"
  touch tests/python/generated/refusals.txt
  OPWEAVE_UPDATE=1 bazel run "$(progress_flags)" //tests/python/generated:test_refused_calls
}

# What the finished processes of a Bazel server have used of the processor, in clock ticks.
server_ticks() {
  local pid
  pid=$("$@" info server_pid 2>/dev/null)
  # After the name, which may hold anything: cutime and cstime.
  sed 's/.*) //' "/proc/$pid/stat" | awk '{print $14 + $15}'
}

# Compiles the generated files alone, without a cache, in an output folder of its own: how long each
# took is in Bazel's profile, how long they all kept the processor busy in the file `seconds`.
compile_profile() {
  local base=$1 before after parts=(autograd batching composite cpu dispatch forward meta python register)
  shift
  local bazel=(bazel --output_base="$base/output")
  local build=("${bazel[@]}" build "$(progress_flags)" --symlink_prefix=/ "$@")
  "${build[@]}" //generated:sources
  before=$(server_ticks "${bazel[@]}")
  "${build[@]}" --remote_accept_cached=false --remote_upload_local_results=false \
    --output_groups=compilation_outputs --profile="$base/profile.gz" "${parts[@]/#///generated:}"
  after=$(server_ticks "${bazel[@]}")
  echo $(((after - before) / $(getconf CLK_TCK))) >"$base/seconds"
  "${bazel[@]}" shutdown
}

measure_sizes() {
  local flags='' compile='' options=() base
  while (($#)); do
    case $1 in
      --select) flags=$(selection_flags "$1" "${2:-}") && shift 2 ;;
      --compile) compile=1 && shift ;;
      --json | --top) options+=("$1" "${2:?needs a value}") && shift 2 ;;
      *) die "unknown argument '$1'" ;;
    esac
  done
  base=$(mktemp -d)
  if [[ -n $compile ]]; then
    compile_profile "$base" $flags
    options+=(--profile "$base/profile.gz" --processor "$(<"$base/seconds")")
  fi
  build $flags //bindings/python:opweave //bindings/native:libopweave.so
  /usr/bin/python3 tools/dev/sizes.py bazel-bin/bindings/native/libopweave.so \
    bazel-bin/bindings/python/opweave/_C.so "${options[@]}"
  chmod -R u+w "$base" && rm -rf "$base"
}
