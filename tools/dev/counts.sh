# ./dev counts: what grows with dtypes, functionalities, emitters and operators, beside that of git revisions.

count_revisions() {
  local folder status=0 roots=() revision list=()
  folder=$(mktemp -d)
  for revision in "$@"; do
    if [[ $revision == --list ]]; then
      list=(--list)
      continue
    fi
    git worktree add --quiet --detach "$folder/${revision//\//_}" "$revision"
    roots+=("$folder/${revision//\//_}")
  done
  /usr/bin/python3 tools/dev/counts.py "${list[@]}" "${roots[@]}" . || status=$?
  for revision in "${roots[@]}"; do git worktree remove --force "$revision"; done
  rm -rf "$folder"
  return "$status"
}
