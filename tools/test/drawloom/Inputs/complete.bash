# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What a script completes: complete.bash SCRIPT WORD..., the last one begun.
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_drawloom
echo "${COMPREPLY[@]}"
