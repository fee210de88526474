# SPDX-License-Identifier: GPL-3.0-or-later
_batchwise() {
  local IFS=$'\n'
  COMPREPLY=($(batchwise complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _batchwise batchwise
