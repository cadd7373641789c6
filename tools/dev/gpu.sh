# ./dev gpu-pack FILE: what checks a machine that has a GPU, and neither this checkout nor Bazel nor this Python.

_GPU_TESTS=(//tests/kernels/cuda/... //tests/smoke/cuda/...)

# The archive FILE holds the folder `gpu`: tools/gpu/check.sh in it runs everything.
gpu_pack() {
  local archive=$1 folder
  folder=$(mktemp -d)
  build --config=cuda //tools/wheel //codegen/cli:opweave "${_GPU_TESTS[@]}"
  mkdir -p "$folder"/gpu/{site,libs,bin,run}
  pack_python "$folder/gpu"
  (cd "$folder/gpu/site" && unzip -q "$OLDPWD"/bazel-bin/tools/wheel/opweave-*.whl)
  install -D bazel-bin/kernels/cuda/libopweave_cuda.so "$folder/gpu/site/opweave/targets/libopweave_cuda.so"
  pack_tests "$folder/gpu"
  pack_extension "$folder/gpu"
  cp tools/gpu/check.sh benchmarks/cuda/*.py "$folder/gpu"
  find "$folder" -name __pycache__ -prune -exec rm -rf {} +
  tar -C "$folder" -c gpu | xz -T0 -6 >"$archive"
  rm -rf "$folder"
  say "wrote $archive ($(du -h "$archive" | cut -f1)): 'tar xf $(basename "$archive") && gpu/check.sh' on the machine"
}

# This Python with its headers, NumPy, pytest and the libraries that they need, but for those of the compiler.
# That machine's compiler makes libraries, too, which need its own.
pack_python() {
  local to=$1 lib=/usr/lib/python3.11 site=/usr/lib/python3/dist-packages name
  mkdir -p "$to"/py/{bin,lib,include}
  cp /usr/bin/python3.11 "$to/py/bin/"
  cp -r $lib "$to/py/lib/"
  rm -rf "$to"/py/lib/python3.11/{test,idlelib,lib2to3,ensurepip,turtledemo,tkinter} \
    "$to"/py/lib/python3.11/config-* "$to"/py/lib/python3.11/lib-dynload/{_tkinter,_ssl,_hashlib}*
  cp -rL /usr/include/python3.11 "$to/py/include/"
  mkdir "$to/py/include/python3.11/x86_64-linux-gnu"  # where its pyconfig.h looks
  cp -rL /usr/include/x86_64-linux-gnu/python3.11 "$to/py/include/python3.11/x86_64-linux-gnu/"
  for name in numpy pytest _pytest pluggy iniconfig packaging attr attrs py.py; do
    cp -r "$site/$name" "$to/site/"
  done
  find "$to/py" "$to/site" -name '*.so' -o -name python3.11 -type f | xargs ldd 2>/dev/null |
    awk '/=> \//{print $3}' | sort -u | grep -vE '/(libc|libm|libdl|librt|libpthread|libgcc_s|libcrypto|libssl|ld-linux[^/]*)\.so' |
    xargs -I{} cp -L {} "$to/libs/"
  rm -rf "$to"/site/numpy/*/tests "$to"/site/numpy/{core/lib,random/lib,doc,f2py/src}
  # The reference's, a hundredth of the size: NumPy only compares here.
  if [[ -f /usr/lib/x86_64-linux-gnu/blas/libblas.so.3 ]]; then
    cp -L /usr/lib/x86_64-linux-gnu/{blas/libblas,lapack/liblapack}.so.3 "$to/libs/"
    rm -f "$to"/libs/libopenblas*
  fi
}

pack_tests() {
  local to=$1 runfiles
  for runfiles in bazel-bin/tests/kernels/cuda/*.runfiles/opweave; do
    cp -rLn "$runfiles"/{tests,dtypes,tools,pyproject.toml} "$to/run/" 2>/dev/null || true
  done
  find "$to/run" -name '*.so' -delete
  cp bazel-bin/tests/smoke/cuda/fill_test "$to/bin/"
  cp -L bazel-bin/_solib_k8/libtools_Sdoctest_Slibmain.so "$to/libs/"
}

# A library with a kernel for GPUs, and the extension of PyTorch that it becomes.
pack_extension() {
  local to=$1 from=$1/my_ops
  PYTHONPATH=$to/site python3 -m opweave.build new "$from" --like cuda >/dev/null
  bazel-bin/codegen/cli/opweave gen --emit=torch --library my_ops --out "$to/my_ops_torch" \
    --ops "$from/ops.yaml" --derivatives "$from/derivatives.yaml" --import-ops ops.yaml \
    --kernels "$from/kernels" --kernels "cuda=$from/kernels/cuda" --target cpu --target cuda
}
