# ./dev format: clang-format for C++ and CUDA, ruff for Python.

format_sources() {
  local clang=(-i) ruff=() lint=(--fix)
  if [[ ${1:-} == --check ]]; then
    clang=(--dry-run -Werror) ruff=(--check) lint=()
  fi
  git ls-files -- '*.cc' '*.h' '*.cu' '*.cuh' | grep -vxFf tools/dev/unformatted.txt |
    xargs -rd '\n' clang-format "${clang[@]}"
  local tools
  tools=$(cache_dir)/tools/bin
  [[ -x $tools/ruff ]] || die "ruff is not installed"
  "$tools/ruff" format --quiet "${ruff[@]}" .
  "$tools/ruff" check --quiet "${lint[@]}" .
}
