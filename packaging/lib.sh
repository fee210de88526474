# SPDX-License-Identifier: GPL-3.0-or-later
# What run and test share: messages, logs, stamps. All messages go to stderr; stdout belongs to the program that is started.
# Sourced; sets root (the project's folder).

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"

# BATCHWISE_DEPS is a folder that may be full of other things: what we install, replace and remove lies in a folder of our
# own in it, which has a marker. A folder that is our own already (a checkout's .deps, which another clone shares) is used
# as it is. CMakeLists.txt finds the same folder.
kDepsMarker=.batchwise-deps

# ownFolder PLACE: the folder of ours that belongs to this place.
ownFolder() {
  if isOwnFolder "$1" || { [[ $1 == "$root/.deps" ]] && isEmptyFolder "$1"; }; then echo "$1"; else echo "$1/batchwise-deps"; fi
}

# Ours are those with the marker; and those that an earlier version has filled, which wrote none but a stamp with a hash.
# Such a set-up left neither tmp nor cache: where these are, they may be the user's, and nothing of it is touched.
isOwnFolder() {
  [[ ! -f $1/$kDepsMarker ]] || return 0
  [[ -f $1/venv/pyvenv.cfg && ! -e $1/tmp && ! -e $1/cache ]] && grep -qsE '^[0-9a-f]{64} (wheels|/)' "$1/stamps/run" "$1/stamps/test"
}

isEmptyFolder() { [[ ! -e $1 || (-d $1 && -z $(ls -A "$1")) ]]; }

# Makes the folder ours, unless it holds what we did not make.
claimDeps() {
  mkdir -p "$BATCHWISE_DEPS" 2>/dev/null || fail "cannot create $BATCHWISE_DEPS: choose another folder with BATCHWISE_DEPS=/path"
  [[ ! -f $BATCHWISE_DEPS/$kDepsMarker ]] || return 0
  isEmptyFolder "$BATCHWISE_DEPS" || isOwnFolder "$BATCHWISE_DEPS" ||
    fail "$BATCHWISE_DEPS was not made by this set-up and is not empty: choose another folder with BATCHWISE_DEPS=/path"
  echo "Installed by packaging/setup.sh of Batchwise, which replaces and removes what lies here." >"$BATCHWISE_DEPS/$kDepsMarker" ||
    fail "cannot write to $BATCHWISE_DEPS: choose another folder with BATCHWISE_DEPS=/path"
}

BATCHWISE_DEPS="${BATCHWISE_DEPS:-$root/.deps}"
[[ $BATCHWISE_DEPS == /* ]] || BATCHWISE_DEPS="$PWD/$BATCHWISE_DEPS"
[[ $BATCHWISE_DEPS == / ]] || BATCHWISE_DEPS="${BATCHWISE_DEPS%/}"
BATCHWISE_DEPS="$(ownFolder "$BATCHWISE_DEPS")"
export BATCHWISE_DEPS

say() { printf 'batchwise: %s\n' "$*" >&2; }

# One line that tells what is wrong and what would do; then the end.
fail() {
  say "$*"
  exit 1
}

# runLogged NAME REMEDY COMMAND...: runs the command with its output in build/setup-NAME.log, showing that it is alive.
# On failure shows the last lines, the log's path and REMEDY, and ends the script. REMEDY may be a function that prints it.
runLogged() {
  local name=$1 remedy=$2 log="$root/build/setup-$1.log" status=0 started=$SECONDS
  shift 2
  mkdir -p "$root/build" 2>/dev/null || fail "cannot write to $root: call from a folder that you own"
  set -m # a process group each, so that all of it can be ended
  "$@" >"$log" 2>&1 </dev/null &
  runningCommand=$!
  showProgress "$runningCommand" "$log" "$started" &
  local display=$!
  set +m
  wait "$runningCommand" || status=$?
  kill -- -"$display" 2>/dev/null || true
  wait "$display" 2>/dev/null || true
  runningCommand=
  [[ ! -t 2 ]] || printf '\r\033[K' >&2
  if ((status != 0)); then
    tail -n 15 "$log" | cut -c 1-200 >&2
    [[ $(type -t "$remedy") != function ]] || remedy="$("$remedy" "$log")"
    fail "step '$name' failed (full log: $log). $remedy"
  fi
}

# Until it is killed: on a terminal a line that changes, else one line a minute.
showProgress() {
  local command=$1 log=$2 started=$3 last pause=60
  [[ ! -t 2 ]] || pause=1
  while kill -0 "$command" 2>/dev/null; do
    last="$(tail -c 400 "$log" 2>/dev/null | tr '\r' '\n' | grep -v '^ *$' | tail -n 1 | tr -dc '[:print:]' | cut -c 1-90 || true)"
    if [[ -t 2 ]]; then
      printf '\r\033[K  %d s  %s' "$((SECONDS - started))" "$last" >&2
    elif ((SECONDS > started)); then
      say "still at it after $((SECONDS - started)) s: $last"
    fi
    sleep "$pause"
  done
}

# Ctrl-C also ends what runs in the background.
runningCommand=
interrupted() {
  [[ -z $runningCommand ]] || kill -- -"$runningCommand" 2>/dev/null || true
  say "interrupted; the next call continues here"
  exit 130
}
trap interrupted INT TERM

hashOf() { cat "$@" | sha256sum | cut -d ' ' -f 1; }

# isDone STAMP KEY, markDone STAMP KEY: whether a step was completed with these inputs.
isDone() { [[ -f $1 && "$(<"$1")" == "$2" ]]; }
markDone() {
  mkdir -p "${1%/*}"
  printf '%s\n' "$2" >"$1"
}

# requireSpace FOLDER MEGABYTES: ends with a message unless the folder's file system has so much room.
requireSpace() {
  local free
  mkdir -p "$1" 2>/dev/null || fail "cannot create $1: choose another folder with BATCHWISE_DEPS=/path"
  free=$(df --output=avail -m "$1" | tail -n 1)
  ((free >= $2)) || fail "$1 has $((free)) MB free and $2 MB are needed: make room, or choose another disk with BATCHWISE_DEPS=/path"
}
