# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
#
# Bash completion for trammel. Installed by `cmake --install`; in a build tree: source apps/trammel/completion/trammel.bash
# The words come from the tool itself (`trammel complete`). Where it names options, a file may stand too; where it names
# verbs or the values of an option, nothing else may.

_trammel() {
  local current=${COMP_WORDS[COMP_CWORD]} words
  words=$("${COMP_WORDS[0]}" complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  if [[ $current != -* && ( -z $words || $words == -* ) ]]; then
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current")
    compopt -o filenames 2>/dev/null
  fi
}
complete -F _trammel trammel
