# ./dev format: clang-format for C++ and CUDA, ruff for Python.

# What is formatted, whether git knows it already or not. The lint test looks at the same files.
cxx_sources() {
  git -c safe.directory='*' ls-files --cached --others --exclude-standard --deduplicate -- \
    '*.cc' '*.h' '*.cu' '*.cuh' | grep -vxFf tools/dev/unformatted.txt |
    while read -r file; do [[ ! -e $file ]] || echo "$file"; done
}

format_sources() {
  local clang=(-i) ruff=() lint=(--fix)
  if [[ ${1:-} == --check ]]; then
    clang=(--dry-run -Werror) ruff=(--check) lint=()
  fi
  cxx_sources | xargs -rd '\n' clang-format "${clang[@]}"
  local tools
  tools=$(cache_dir)/tools/bin
  [[ -x $tools/ruff ]] || die "ruff is not installed"
  "$tools/ruff" format --quiet "${ruff[@]}" .
  "$tools/ruff" check --quiet "${lint[@]}" .
}
