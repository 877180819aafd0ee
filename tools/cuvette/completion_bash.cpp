// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>

#include "tools/cuvette/completion.hpp"
#include "tools/cuvette/completion_words.hpp"

namespace cuvette::tools {
namespace {

// bash splits "--check=races" at its "=", so a value follows either that or the option.
constexpr const char* bash_function = R"(
# Sets "program" to the number of the first word of the program that the command runs, if that is complete.
_cuvette_find_program() {
  local i word
  for ((i = 2; i < COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    case $word in
      --) program=$((i + 1)); return ;;
      =) ((++i)) ;;
      -*)
        if [[ ${COMP_WORDS[i + 1]} != "=" && " $takes_value " == *" $word "* ]]; then ((++i)); fi ;;
      *) program=$i; return ;;
    esac
  done
}

_cuvette() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local command=${COMP_WORDS[1]} options= takes_value= runs= program= option= values= several=
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "$_cuvette_commands" -- "$current"))
    return
  fi
  _cuvette_command "$command"
  if [[ $runs ]]; then
    _cuvette_find_program
    if [[ $program ]] && ((program < COMP_CWORD)); then
      # The program's own completion, where there is one.
      if declare -F _command_offset > /dev/null; then _command_offset "$program"; fi
      if ((${#COMPREPLY[@]} == 0)); then compopt -o default 2> /dev/null; fi
      return
    fi
  fi
  if [[ $current == "=" ]]; then
    option=$previous current=
  elif [[ $previous == "=" ]]; then
    option=${COMP_WORDS[COMP_CWORD - 2]}
  elif [[ " $takes_value " == *" $previous "* ]]; then
    option=$previous
  fi
  if [[ $option ]]; then
    _cuvette_values "$option"
    if [[ ! $values ]]; then
      COMPREPLY=($(compgen -f -- "$current"))
    elif [[ $several && $current == *,* ]]; then
      COMPREPLY=($(compgen -P "${current%,*}," -W "$values" -- "${current##*,}"))
    else
      COMPREPLY=($(compgen -W "$values" -- "$current"))
    fi
  elif [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
    if [[ ${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2> /dev/null; fi
  elif [[ $command == help ]]; then
    COMPREPLY=($(compgen -W "$_cuvette_commands" -- "$current"))
  elif [[ $runs ]]; then
    COMPREPLY=($(compgen -c -- "$current") $(compgen -f -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}
complete -o filenames -F _cuvette cuvette
)";

}  // namespace

std::string bash_completion(const std::vector<HelpPage>& pages) {
  std::string commands = "help", cases;
  std::map<std::string, KnobWords> values;
  for (const HelpPage& page : pages) {
    if (!page.name.empty()) commands += " " + page.name;
    std::string options, takes_value;
    for_each_option(page, [&](const HelpPage::Option& option) {
      for (const std::string& name : option.names) {
        const bool is_joined = !option.value.empty() && name.starts_with("--");
        options += " " + name + (is_joined ? "=" : "");
        if (option.value.empty()) continue;
        takes_value += " " + name;
        if (const KnobWords words = values_of(option); !words.words.empty()) values[name] = words;
      }
    });
    cases += "    " + (page.name.empty() ? "\"\"" : page.name) + ") options=\"" +
             options.substr(options.empty() ? 0 : 1) + "\"\n      takes_value=\"" +
             takes_value.substr(takes_value.empty() ? 0 : 1) + "\"" +
             (page.runs_program ? " runs=1" : "") + " ;;\n";
  }
  std::string text = "# bash completion for cuvette, made by `cuvette help --completion=bash`\n\n";
  text += "_cuvette_commands=\"" + commands + "\"\n\n";
  text += "_cuvette_command() {\n  case $1 in\n" + cases + "  esac\n}\n\n";
  text += "_cuvette_values() {\n  case $1 in\n";
  for (const auto& [name, words] : values)
    text += "    " + name + ") values=\"" + joined_words(words.words) + "\"" +
            (words.several ? " several=1" : "") + " ;;\n";
  return text + "  esac\n}\n" + bash_function;
}

}  // namespace cuvette::tools
