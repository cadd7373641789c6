#!/usr/bin/env bash
# Checks Opweave on this machine's GPU: the tests of the CUDA target, a library with a kernel for it, an extension
# of PyTorch where `python3` has PyTorch, and speed beside PyTorch. `./dev gpu-pack` packs it with all it needs but
# the driver, the CUDA toolkit (CUDA_HOME), a C++ compiler (CXX) whose C++ library is shared, and ninja.
#
#   usage: check.sh [FOLDER]    logs go to FOLDER (./logs); one line for each check, which begins with FAILED if it did
set -u
here=$(cd "$(dirname "$0")" && pwd)
logs=$(mkdir -p "${1:-logs}" && cd "${1:-logs}" && pwd)
export CUDA_HOME=${CUDA_HOME:-$(dirname "$(dirname "$(readlink -f "$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)")")")}
failed=0

# Folders of CUDA's shared libraries: of the toolkit, and of what Python packages bring.
cuda_libraries() {
  local site
  site=$(python3 -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])' 2>/dev/null)
  find "$site/nvidia" "$CUDA_HOME"/lib64 "$CUDA_HOME"/targets/*/lib -name 'lib*.so*' -printf '%h\n' 2>/dev/null |
    sort -u | tr '\n' ':'
}

tests=$here/run/tests
ours=(env "LD_LIBRARY_PATH=$here/libs:$(cuda_libraries)${LD_LIBRARY_PATH:-}" "PYTHONHOME=$here/py"
  "PYTHONPATH=$here/site:$tests/python:$tests/python/generated:$tests/python/generated/on_target:$tests/reference:$here/run:$tests")
python=("${ours[@]}" "$here/py/bin/python3.11")
pytest=("${python[@]}" -m pytest -q -p no:cacheprovider --import-mode=importlib --rootdir "$here/run" -rfEs --tb=short)

# check NAME SECONDS COMMAND...
check() {
  local name=$1 seconds=$2 rc
  shift 2
  SECONDS=0
  timeout "$seconds" "$@" >"$logs/$name.log" 2>&1
  rc=$?
  [[ $rc == 0 ]] || { failed=1; echo -n "FAILED ($rc) "; }
  echo "$name, $SECONDS s: $(grep -v '^$' "$logs/$name.log" | tail -1 | cut -c1-200)"
}

nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader
"$CUDA_HOME/bin/nvcc" --version | tail -1
cd "$here/run" || exit
check fill 60 "${ours[@]}" "$here/bin/fill_test"
for file in tests/kernels/cuda/test_*.py; do
  check "$(basename "$file" .py)" 120 "${pytest[@]}" "$file"
done
check reference 150 env OPWEAVE_DEVICE=cuda "${pytest[@]}" tests/python/reference/test_reference_pointwise.py
check on_target 200 env OPWEAVE_TESTED_TARGET=cuda OPWEAVE_TESTED_EXPRESSIONS=1 \
  "${pytest[@]}" tests/python/generated/on_target/test_on_target.py

cd "$here" || exit
check library 300 env PYTEST_ADDOPTS=-s "${python[@]}" -m opweave.build test my_ops --target cuda
if python3 -c 'import torch' 2>/dev/null; then
  check extension 300 env -C my_ops_torch python3 setup.py build_ext --inplace
  check extension_tests 300 env -C my_ops_torch python3 -m pytest -q -p no:cacheprovider tests
  check speed_extension 120 python3 extension_speed.py my_ops_torch
  check speed_torch 120 python3 measure.py torch "$logs/torch.json"
fi
check speed 120 "${python[@]}" measure.py opweave "$logs/opweave.json"
[[ -f $logs/torch.json ]] && python3 measure.py compare "$logs/opweave.json" "$logs/torch.json"
cat "$logs/speed_extension.log" 2>/dev/null
if command -v compute-sanitizer >/dev/null; then
  cd "$here/run" || exit
  sanitizer=(compute-sanitizer --tool memcheck --error-exitcode 9)
  check memcheck 90 "${ours[@]}" "${sanitizer[@]}" "${pytest[@]:${#ours[@]}}" \
    tests/kernels/cuda/test_target.py tests/kernels/cuda/test_matmul.py -k 'float32 or copies or numbers or anywhere'
  check memcheck_pointwise 90 "${ours[@]}" OPWEAVE_DEVICE=cuda "${sanitizer[@]}" "${pytest[@]:${#ours[@]}}" \
    tests/python/reference/test_reference_pointwise.py -k 'add or where or div'
fi
exit $failed
