# ./dev docs: the reference documentation in HTML.

# Chromium is too large to be asked of everybody: only the check installs it.
browser_packages=(chromium chromium-driver python3-selenium)

write_docs() {
  local check=false guides=(README.md docs/yaml.md)
  guides+=($(printf '%s\n' docs/*.md | grep -vx docs/yaml.md) CONTRIBUTING.md)
  [[ ${1:-} != --check ]] || check=true
  bazel-bin/codegen/cli/opweave docs --out dist/docs --ops ops.yaml --derivatives derivatives.yaml \
    --target kernels/cpu/target.yaml --target-file kernels/cuda/target.yaml --kernels kernels \
    --kernel-dtypes kernels/dtypes.txt "${guides[@]/#/--guide=}"
  say "open dist/docs/index.html"
  $check || return 0
  install_extra "${browser_packages[@]}"
  /usr/bin/python3 tools/docs/check_browser.py dist/docs dist/docs-screenshots
}
