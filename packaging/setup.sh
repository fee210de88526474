# SPDX-License-Identifier: GPL-3.0-or-later
# The steps from a fresh Debian 12 to a built project, each skipped when its result is there. Sourced by run and test.
#   ensurePackages [clang.txt]           Debian packages of debian-packages.txt, and of debian-packages-clang.txt
#   ensureWheels test|run                $BATCHWISE_DEPS: LibTorch, CUDA toolkit, with `test` the judges of the tests
#   buildProject PRESET [TARGET...]      configure if needed, then compile what has changed

. "$root/packaging/cuda_toolkit.sh"

ensurePackages() {
  local -a missing
  if ! command -v dpkg-query >/dev/null; then
    return 0 # Not Debian: CMake tells what it does not find.
  fi
  mapfile -t missing < <(missingPackages "$@")
  ((${#missing[@]} > 0)) || return 0
  checkSystem
  local -a asRoot=()
  if ((EUID != 0)); then
    canUseSudo || fail "${#missing[@]} Debian packages are missing and this account has no sudo: ask an administrator to run: apt-get install --no-install-recommends ${missing[*]}"
    asRoot=(sudo)
  fi
  say "installing ${#missing[@]} Debian packages (1 to 4 minutes): ${missing[*]}"
  runLogged packages packagesRemedy installPackages
}

missingPackages() {
  comm -23 <(grep -hv '^#' "$root/packaging/debian-packages.txt" "${@/#/$root/packaging/debian-packages-}" | sort) \
    <(dpkg-query -W -f='${db:Status-Status} ${Package}\n' 2>/dev/null | sed -n 's/^installed //p' | sort -u)
}

checkSystem() {
  [[ $(uname -m) == x86_64 ]] || fail "this machine is $(uname -m); the pinned LibTorch is built for x86_64 only"
  grep -qs '^VERSION_ID="12"' /etc/os-release || say "this is not Debian 12; going on, but only Debian 12 has been tried"
}

checkPython() {
  [[ "$(/usr/bin/python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)" == 3.11 ]] ||
    fail "/usr/bin/python3 is not Python 3.11, which the pinned wheels are built for: use Debian 12"
}

# The password is asked here, in the foreground, and not by the logged command.
canUseSudo() { command -v sudo >/dev/null && { sudo -n true 2>/dev/null || { [[ -t 0 ]] && sudo -v; }; }; }

# Called by ensurePackages with its variables missing and asRoot.
installPackages() {
  local -a apt=("${asRoot[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3)
  "${asRoot[@]}" dpkg --configure -a
  "${apt[@]}" -o APT::Update::Error-Mode=any update
  "${apt[@]}" install -y --no-install-recommends "${missing[@]}"
}

packagesRemedy() {
  if grep -qiE 'failure resolving|could not (resolve|connect)|failed to fetch|connection (failed|refused|timed out)' "$1"; then
    echo "The package server cannot be reached: check the network (or apt's proxy settings) and call again."
  elif grep -qi 'no space left\|enough free space' "$1"; then
    echo "The disk is full: make room on / (1.5 GB) and call again."
  else
    echo "Repair it with: apt-get -f install; then call again."
  fi
}

ensureWheels() {
  local toolkit=wheels key
  toolkit="$(findSystemToolkit)" || toolkit=wheels
  key="$(wheelsKey "$1" "$toolkit")"
  # A folder that has the tests' extras serves a run as well.
  if isDone "$BATCHWISE_DEPS/stamps/$1" "$key" || isDone "$BATCHWISE_DEPS/stamps/test" "$(wheelsKey test "$toolkit")"; then
    [[ ! -w $BATCHWISE_DEPS ]] || claimDeps
    return 0
  fi
  checkSystem
  checkPython
  claimDeps
  exec {depsLock}>"$BATCHWISE_DEPS/lock"
  flock -n "$depsLock" || { say "waiting for another set-up that uses $BATCHWISE_DEPS"; flock "$depsLock"; }
  if ! isDone "$BATCHWISE_DEPS/stamps/$1" "$key"; then
    installWheels "$1" "$toolkit"
    markDone "$BATCHWISE_DEPS/stamps/$1" "$key"
  fi
  exec {depsLock}>&-
}

# wheelsKey test|run TOOLKIT: changes when the pinned versions, the toolkit or the place change.
wheelsKey() {
  local -a files
  mapfile -t files < <(requirementFiles "$1" "$2")
  echo "$(hashOf "${files[@]}" "$root/packaging/cuda_toolkit.sh") $2 $BATCHWISE_DEPS"
}

requirementFiles() {
  echo "$root/packaging/requirements-torch.txt"
  [[ $2 != wheels ]] || echo "$root/packaging/requirements-cuda.txt"
  [[ $1 != test ]] || echo "$root/packaging/requirements-test.txt"
}

installWheels() {
  local -a files arguments=()
  local file needed=4500 what="LibTorch (0.8 GB to load, about a minute)"
  mapfile -t files < <(requirementFiles "$1" "$2")
  for file in "${files[@]}"; do arguments+=(-r "$file"); done
  if [[ $2 == wheels ]]; then
    needed=11000
    what="LibTorch and a CUDA 13.0 toolkit (3 GB to load, 2 to 10 minutes)"
  fi
  if [[ -d $(sitePackages)/torch ]]; then
    needed=1500
    what="what has changed of LibTorch and its needs"
  fi
  requireSpace "$BATCHWISE_DEPS" "$needed"
  say "loading $what into $BATCHWISE_DEPS"
  runLogged wheels wheelsRemedy pipInstall "${arguments[@]}"
  if [[ $2 == wheels ]]; then useWheelToolkit; else useSystemToolkit "$2"; fi
  rm -rf "$BATCHWISE_DEPS/cache" "$BATCHWISE_DEPS/tmp"
}

# Finished downloads stay in cache/ until all is installed, so that a broken download continues.
pipInstall() {
  local python="$BATCHWISE_DEPS/venv/bin/python"
  rm -rf "$BATCHWISE_DEPS/tmp" # what an interrupted call left
  mkdir -p "$BATCHWISE_DEPS/tmp" "$BATCHWISE_DEPS/cache"
  if ! "$python" -m pip --version >/dev/null 2>&1; then
    [[ ! -L $BATCHWISE_DEPS/venv ]] || rm "$BATCHWISE_DEPS/venv" # not what it leads to
    /usr/bin/python3 -m venv --clear "$BATCHWISE_DEPS/venv"
  fi
  # Links to another toolkit's libraries must not stand where a wheel puts its own.
  [[ ! -d $(sitePackages)/nvidia ]] || find "$(sitePackages)/nvidia" -type l -delete
  TMPDIR="$BATCHWISE_DEPS/tmp" "$python" -m pip install --disable-pip-version-check --no-input --no-deps --require-hashes \
    --only-binary :all: --progress-bar off --retries 5 --cache-dir "$BATCHWISE_DEPS/cache" "$@"
}

wheelsRemedy() {
  if grep -qi 'no space left' "$1"; then
    echo "The disk is full: make room, or choose another disk with BATCHWISE_DEPS=/path, and call again."
  elif grep -qiE 'do not match the hashes' "$1"; then
    echo "A download is not the pinned file: check the package index that pip is set to, and call again."
  elif grep -qiE 'connection|resolution|timed out|timeout|network|ProxyError|SSLError|no matching distribution' "$1"; then
    echo "The package index cannot be reached: check the network (or pip's proxy and index settings) and call again."
  else
    echo "Call again; if it fails the same way, remove $BATCHWISE_DEPS first."
  fi
}

buildProject() {
  local preset=$1 folder="$root/build/$1" key
  shift
  key="$(hashOf "$root/CMakePresets.json") $BATCHWISE_DEPS"
  if [[ ! -f $folder/build.ninja ]] || ! isDone "$folder/setup-stamp" "$key"; then
    say "configuring the build in build/$preset (about 10 seconds)"
    rm -f "$folder/CMakeCache.txt"
    runLogged configure configureRemedy \
      env -C "$root" PATH="/usr/bin:/bin:$PATH" cmake --preset "$preset" -DBATCHWISE_DEPS="$BATCHWISE_DEPS"
    markDone "$folder/setup-stamp" "$key"
  fi
  compile "$folder" "$@"
}

configureRemedy() {
  echo "First error: $(grep -A 1 -m 1 '^CMake Error' "$1" | tail -n 1 | cut -c 1-200). Call again after repairing it."
}

compile() {
  local folder=$1
  shift
  # A dry run answers in a moment when nothing is to be done.
  if ninja -C "$folder" -n "$@" 2>/dev/null | tail -n 1 | grep -q 'no work to do'; then return 0; fi
  requireSpace "$folder" 2000
  say "building (the first time up to half an hour on 2 cores, later only what has changed)"
  runLogged build buildRemedy env PATH="/usr/bin:/bin:$PATH" nice -n 5 ninja -C "$folder" -j "$(jobs)" "$@"
}

# One compiler process per core, as far as memory goes: a file that includes LibTorch takes up to 1.2 GB.
jobs() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/^MemAvailable/ {print int($2 / 1500000)}' /proc/meminfo)
  ((memory >= 1)) || memory=1
  echo $((cores < memory ? cores : memory))
}

buildRemedy() {
  if grep -qi 'no space left' "$1"; then
    echo "The disk is full: make room (2 GB) and call again."
  elif grep -qiE 'Killed signal|cc1plus. *terminated|out of memory' "$1"; then
    echo "The compiler ran out of memory: close other programs and call again; what is done stays done."
  else
    echo "First error: $(grep -m 1 -E ': (fatal )?error:|undefined (reference|symbol)' "$1" | cut -c 1-250)"
  fi
}
