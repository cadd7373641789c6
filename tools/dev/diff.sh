# ./dev diff: the operators of two revisions, or of one and the working tree.

# The YAML files of a revision, in a folder.
revision_files() {
  local file
  for file in ops.yaml derivatives.yaml; do
    git show "$1:$file" >"$2/$file" || die "there is no $file in '$1'"
  done
}

diff_revisions() {
  local folder status=0
  folder=$(mktemp -d)
  mkdir "$folder/old" "$folder/new"
  revision_files "$1" "$folder/old"
  if (($# > 1)); then
    revision_files "$2" "$folder/new"
  else
    cp ops.yaml derivatives.yaml "$folder/new"
  fi
  bazel-bin/codegen/cli/opweave diff "$folder/old" "$folder/new" || status=$?
  rm -rf "$folder"
  return "$status"
}
