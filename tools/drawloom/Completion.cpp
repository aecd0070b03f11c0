//===- Completion.cpp - drawloom completion -------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The scripts ask the command itself: verbs are those of `drawloom --help`, and
// options those of the verb's help. So they are right for every version.

#include "CommandLine.h"
#include "Verb.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

using namespace drawloom;

static void printCompletionHelp() {
  llvm::outs()
      << "drawloom completion - write a script that completes commands in a "
         "shell\n"
         "\n"
         "Usage: drawloom completion bash|zsh|fish\n"
         "\n"
         "It completes verbs, options, what some options take, and files. To "
         "have it in\n"
         "every shell:\n"
         "  bash  echo 'eval \"$(drawloom completion bash)\"' >> ~/.bashrc\n"
         "  zsh   echo 'eval \"$(drawloom completion zsh)\"' >> ~/.zshrc, "
         "after "
         "compinit\n"
         "  fish  drawloom completion fish > "
         "~/.config/fish/completions/drawloom.fish\n"
         "\n"
         "Options:\n"
         "  --help  this text\n"
         "\n"
      << exitStatusHelp;
}

static constexpr llvm::StringLiteral bash = R"sh(_drawloom() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=
  # Behind "--" is a command of its own.
  local i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    [ "${COMP_WORDS[i]}" = -- ] && { COMPREPLY=($(compgen -c -f -- "$word")); return; }
  done
  if [ "$COMP_CWORD" = 1 ]; then
    words="help --help --version $(drawloom --help |
      sed -n '/^Verbs:/,/^$/s/^  \([a-z]*\) .*/\1/p')"
  else
    case $before in
      --arch) words="sm_90a sm_100a sm_103a sm_110a" ;;
      --device) words="h100 b200 rtx5090 cuda" ;;
      --diagram) words="graph sequence" ;;
      --emit) words="tile agent plan nvvm llvm ptx cubin" ;;
      --format) words="text json mermaid dot svg html" ;;
      cache) words="stats verify clear" ;;
      completion) words="bash zsh fish" ;;
      help) words=$(drawloom --help | sed -n '/^Verbs:/,/^$/s/^  \([a-z]*\) .*/\1/p') ;;
    esac
    if [ -z "$words" ] && [ "${word:0:1}" = - ]; then
      words=$(drawloom "${COMP_WORDS[1]}" --help 2>/dev/null |
        sed -n 's/^  \(-[a-z-]*\)[, =].*/\1/p;s/^  -h, \(--help\).*/\1/p')
    fi
  fi
  if [ -n "$words" ]; then
    COMPREPLY=($(compgen -W "$words" -- "$word"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -o filenames -F _drawloom drawloom
)sh";

static constexpr llvm::StringLiteral fish =
    R"sh(function __drawloom_verbs
  drawloom --help | sed -n '/^Verbs:/,/^$/s/^  \([a-z]*\)  *\(.*\)/\1\t\2/p'
end
function __drawloom_options
  set -l words (commandline -opc)
  drawloom $words[2] --help 2>/dev/null | sed -n 's/^  \(-[a-z-]*\)[, =].*/\1/p'
end
complete -c drawloom -n 'test (count (commandline -opc)) = 1' -f -a '(__drawloom_verbs) help'
complete -c drawloom -n 'test (count (commandline -opc)) != 1; and string match -q -- "-*" (commandline -ct)' -f -a '(__drawloom_options)'
complete -c drawloom -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'
complete -c drawloom -n '__fish_seen_subcommand_from cache' -f -a 'stats verify clear'
complete -c drawloom -l arch -x -a 'sm_90a sm_100a sm_103a sm_110a'
complete -c drawloom -l device -x -a 'h100 b200 rtx5090 cuda'
complete -c drawloom -l diagram -x -a 'graph sequence'
complete -c drawloom -l emit -x -a 'tile agent plan nvvm llvm ptx cubin'
complete -c drawloom -l format -x -a 'text json mermaid dot svg html'
)sh";

ExitStatus drawloom::runCompletion(llvm::ArrayRef<llvm::StringRef> arguments) {
  auto complain = [](const llvm::Twine &words) {
    return drawloom::complain("completion", words);
  };
  llvm::Expected<CommandLine> line = CommandLine::parse(arguments, {});
  if (!line)
    return complain(llvm::toString(line.takeError()));
  if (line->wantsHelp()) {
    printCompletionHelp();
    return Clean;
  }
  if (line->getOperands().size() != 1)
    return complain("name a shell: bash, zsh or fish");
  llvm::StringRef shell = line->getOperands().front();
  // zsh has the functions of bash.
  if (shell == "zsh")
    llvm::outs() << "autoload -U +X bashcompinit && bashcompinit\n";
  if (shell == "bash" || shell == "zsh")
    llvm::outs() << bash;
  else if (shell == "fish")
    llvm::outs() << fish;
  else
    return complain("unknown shell '" + shell +
                    "'; expected bash, zsh or fish");
  return Clean;
}
