# SPDX-License-Identifier: GPL-3.0-or-later
_batchwise() {
  local found each
  mapfile -t found < <(batchwise complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  COMPREPLY=()
  for each in "${found[@]}"; do COMPREPLY+=("$(printf %q "$each")"); done
}
complete -o default -F _batchwise batchwise
