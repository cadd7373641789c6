# Messages and Bazel, for the other parts of ./dev.

say() { printf '\033[1mdev:\033[0m %s\n' "$*" >&2; }
[[ -t 2 ]] || say() { printf 'dev: %s\n' "$*" >&2; }

die() {
  say "error: $*"
  exit 1
}

# Where tools and caches live that outlast a checkout.
cache_dir() { echo "${XDG_CACHE_HOME:-$HOME/.cache}/opweave"; }

# A terminal gets a live progress display; a log a line every few seconds.
progress_flags() {
  if [[ -t 2 ]]; then
    echo --show_progress_rate_limit=0.2
  else
    echo --show_progress_rate_limit=5
  fi
}

build() {
  say "building $*"
  bazel build "$(progress_flags)" "$@" || explain_failure "$(bazel_log)" $?
}

# Builds targets with their share and the time that is left in words: TITLE, then arguments of Bazel.
build_part() {
  local title=$1 rate=5
  shift
  [[ -t 2 ]] && rate=0.5
  # Lines, whatever Bazel is attached to: progress.py reads them.
  bazel build --curses=no --color=no --show_progress_rate_limit=$rate "$@" 2>&1 |
    /usr/bin/python3 tools/dev/progress.py "$title" || explain_failure "$(bazel_log)" 1
}

# What Bazel printed last.
bazel_log() { echo "$(dirname "$(readlink -f bazel-out)")/../../command.log"; }

# Says what to do about a failed build, if its log FILE tells; fails with STATUS.
explain_failure() {
  if grep -qs 'undeclared inclusion' "$1"; then
    say "an #include of an operator is not listed: run tools/codegen/update_operators.py"
  fi
  return "$2"
}
