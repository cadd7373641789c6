#!/usr/bin/env bash
# kernel_calls_test.sh SCRIPT FILE OBJECT...: the file is up to date, and names what it should.
# With OPWEAVE_UPDATE in the environment the file is written (`./dev lock`).
set -euo pipefail
script=$1 file=$2
shift 2
if [[ -n ${OPWEAVE_UPDATE:-} ]]; then
  /usr/bin/python3 "$script" "$@" >"$file.new"
  cat "$file.new" >"$(readlink -f "$file")"
  exit
fi
/usr/bin/python3 "$script" --check "$file" "$@"
grep -q '^runtime: .*\badd_Tensor\b' "$file"
grep -q '^composite/dropout: .*\bnative_dropout\b' "$file"
