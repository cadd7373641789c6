# Installing what is missing: Debian packages through apt, Python tools through pip.

# Those of the lists in tools/apt with these names.
wanted_packages() {
  local list
  for list in "$@"; do grep -v '^#' "tools/apt/$list.txt"; done
}

# Which of the packages named on standard input are missing.
missing_packages() {
  local installed
  installed=$(dpkg-query -W -f='${db:Status-Abbrev} ${Package}\n' 2>/dev/null | awk '$1 == "ii" {print $2}')
  comm -23 <(sort) <(sort <<<"$installed")
}

# apt-get as root: directly, or through sudo.
apt() {
  local prefix=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null || die "cannot install without root or sudo: apt-get $*"
    prefix=(sudo)
  fi
  "${prefix[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -y --no-install-recommends -o Dpkg::Use-Pty=0 "$@" >&2
}

# For what a command does: the first of the lists, or more of them.
install_packages() {
  local lists=("$@")
  (($#)) || lists=(quickstart build)
  install_extra $(wanted_packages "${lists[@]}")
}

# For the commands that need more than the build does.
install_extra() {
  local missing
  command -v dpkg-query >/dev/null || die "this needs Debian 12 (or install: $*)"
  mapfile -t missing < <(printf '%s\n' "$@" | missing_packages)
  ((${#missing[@]})) || return 0
  say "installing ${#missing[@]} Debian packages: ${missing[*]}"
  apt -qq update
  apt -q install "${missing[@]}"
}

# ruff, mypy and others, in an environment of their own. Without them their tests are skipped.
install_python_tools() {
  local dir wanted=tools/python pip
  dir=$(cache_dir)/tools
  cmp -s $wanted/requirements.txt "$dir/requirements.txt" &&
    cmp -s $wanted/requirements-bare.txt "$dir/requirements-bare.txt" && return
  say "installing Python tools into $dir: $(cat $wanted/requirements*.txt | xargs)"
  pip=("$dir/bin/pip" --disable-pip-version-check install --quiet --retries 1)
  # Those of the second file without what they name: nothing of theirs is run that needs it.
  if /usr/bin/python3 -m venv "$dir" && "${pip[@]}" -r $wanted/requirements.txt &&
    "${pip[@]}" --no-deps -r $wanted/requirements-bare.txt; then
    cp $wanted/requirements*.txt "$dir/"
  else
    say "warning: no Python tools (is PyPI reachable?); the tests that use them are skipped"
  fi
}
