#!/usr/bin/env bash
# Compares the micro-benchmarks of two commits of this repository:
#
#   bench/compare.sh OLD NEW [PACKAGE…]
#   BENCH=EventReader COUNT=10 TIME=1s bench/compare.sh HEAD~1 HEAD ./decode
#
# Both are built first, and then run in turn, COUNT times (6), so that the
# machine's moods hit both alike; benchstat says what is a difference and what
# is noise. Packages of the root module; all that have benchmarks by default.
set -euo pipefail
BENCHSTAT=${BENCHSTAT:-golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da}
fail() { echo "compare: $*" >&2; exit 1; }
[ $# -ge 2 ] || fail "usage: bench/compare.sh OLD NEW [PACKAGE…]"
cd "$(dirname "$0")/.."
old=$1 new=$2; shift 2
packages=("$@")
[ $# -gt 0 ] || packages=(./decode ./resume ./resume/checkpoint ./rawwatch ./rawwatch/selector ./rawwatch/workqueue)
for commit in "$old" "$new"; do
  git rev-parse --verify --quiet "$commit^{commit}" >/dev/null || fail "$commit is no commit"
done

work=$(mktemp -d)
cleanup() {
  for side in old new; do git worktree remove --force "$work/$side" 2>/dev/null || true; done
  rm -rf "$work"
}
trap cleanup EXIT
git worktree add --quiet --detach "$work/old" "$old"
git worktree add --quiet --detach "$work/new" "$new"
for side in old new; do
  for package in "${packages[@]}"; do
    [ -d "$work/$side/$package" ] || { echo "compare: $package is not in the $side commit" >&2; continue; }
    (cd "$work/$side" && go test -c -o "$work/$side-${package//[.\/]/_}.test" "$package")
  done
done
for ((round = 1; round <= ${COUNT:-6}; round++)); do
  for package in "${packages[@]}"; do
    for side in old new; do
      program=$work/$side-${package//[.\/]/_}.test
      [ -x "$program" ] || continue
      echo "round $round: $package, $side" >&2
      (cd "$work/$side/$package" && "$program" -test.run '^$' -test.bench "${BENCH:-.}" -test.benchmem -test.benchtime "${TIME:-200ms}") >>"$work/$side.txt"
    done
  done
done
(cd "$work" && go run "$BENCHSTAT" old.txt new.txt)
