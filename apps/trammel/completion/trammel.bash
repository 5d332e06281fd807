# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
#
# Bash completion for trammel. Installed by `cmake --install`; in a build tree: source apps/trammel/completion/trammel.bash
# The words come from the tool itself (`trammel complete`); model files from the directory.

_trammel() {
  local current=${COMP_WORDS[COMP_CWORD]} words
  words=$("${COMP_WORDS[0]}" complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  if ((COMP_CWORD >= 2)) && [[ $current != -* && ${COMP_WORDS[COMP_CWORD - 1]} != @(--compute|--base|--to|--view|--names|--format) ]]; then
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current")
    compopt -o filenames 2>/dev/null
  fi
}
complete -F _trammel trammel
