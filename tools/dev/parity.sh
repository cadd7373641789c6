# ./dev parity: PyTorch's operator files, where the environment of the benchmarks has them, checked and
# compared with ours.

# The first file below a folder whose path ends so.
find_packaged() {
  local found
  found=$(find "$1" -path "*/$2" -print -quit)
  [[ -n $found ]] || die "no $2 in $1"
  echo "$found"
}

# Exits with 1 where something is different that is not known.
compare_samples() {
  local python=$1 folder differs=0
  shift
  build //tests/opinfos:replay
  folder=$(mktemp -d)
  "$python" tests/opinfos/record.py "$folder" "$@" 2>/dev/null
  bazel-bin/tests/opinfos/replay "$folder" || differs=1
  rm -rf "$folder"
  return "$differs"
}

torch_parity() {
  local packages=$1
  shift
  bazel-bin/codegen/cli/opweave check --dialect=torch \
    "$(find_packaged "$packages" torchgen/packaged/ATen/native/native_functions.yaml)" \
    "$(find_packaged "$packages" torchgen/packaged/autograd/derivatives.yaml)" \
    --helpers "$(find_packaged "$packages" torch/csrc/autograd/FunctionsManual.h)" \
    --ops ops.yaml --derivatives derivatives.yaml "$@"
}
