// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/step/commands.hpp"

#include <charconv>
#include <functional>
#include <iterator>
#include <optional>
#include <sstream>
#include <string_view>

namespace cuvette::tools {
namespace {

using Answer = StepSession::Answer;

constexpr const char* all_words = R"(next [N]         the next command takes place, or N of them
choose COMMAND   a ready command takes place next: the program runs again, with other decisions
to COMMAND       go to where it has taken place; 1.3 is command 3 of stream 1, 1.3.2 step 2 of its graph
rush COMMAND     it takes place as soon as it is submitted, before the program goes on
back [N]         go back one command, or N
undo             take the last choice back
explain COMMAND  what it waits for, what waits for it, and what touches the same bytes without an order
watch RANGE      show memory: [NAME=]ALLOCATION[+OFFSET][:TYPE[COUNT]], as in sum=2:float[4]
watch none       show the beginnings of the first allocations again
save             print the line that runs the program in this order
show             print the state again
help             print this
quit             end; so does the end of the input
The first letter of a word is enough.
)";

struct Word {
  const char* word;
  bool needs_argument;
};
constexpr Word known_words[] = {{"next", false},   {"choose", true}, {"to", true},
                                {"back", false},   {"rush", true},   {"undo", false},
                                {"explain", true}, {"watch", true},  {"save", false},
                                {"show", false},   {"help", false},  {"quit", false}};

// `s` is save: it comes first.
std::string_view full_word(std::string_view typed) {
  if (typed == "?") return "help";
  for (const Word& one : known_words)
    if (!typed.empty() && (typed == one.word || (typed.size() == 1 && typed[0] == one.word[0])))
      return one.word;
  return "";
}

bool lacks_argument(std::string_view word, const std::string& argument) {
  for (const Word& one : known_words)
    if (word == one.word) return one.needs_argument && argument.empty();
  return false;
}

Answer counted(const std::string& argument, const std::function<Answer(size_t)>& go) {
  size_t count = 1;
  const char* const end = argument.data() + argument.size();
  const auto [stop, failure] = std::from_chars(argument.data(), end, count);
  if (!argument.empty() && (failure != std::errc{} || stop != end || count == 0))
    return {"'" + argument + "' is not a number of commands, from 1.", true};
  return go(count);
}

Answer named(const std::string& argument, const std::function<Answer(const WorkName&)>& go) {
  const auto name = work_name_of(argument);
  if (!name)
    return {"'" + argument + "' is not a command, such as 1.3, or 1.3.2 for a step of its graph.",
            true};
  return go(*name);
}

}  // namespace

const char* words_of_step() { return all_words; }

Done obey(StepSession& session, const std::string& line) {
  std::istringstream in(line);
  std::string typed, argument, more;
  in >> typed >> argument >> more;
  const std::string_view word = full_word(typed);
  if (word.empty())
    return {
        {"'" + typed + "' is not a word of cuvette step; `help` lists them.", true}, false, false};
  if (!more.empty())
    return {{"'" + more + "' is one word too many after '" + typed + " " + argument + "'.", true},
            false,
            false};
  if (lacks_argument(word, argument))
    return {{"'" + typed + "' needs to be told more; `help` says what.", true}, false, false};
  Done done;
  if (word == "next") done.answer = counted(argument, [&](size_t n) { return session.next(n); });
  if (word == "back") done.answer = counted(argument, [&](size_t n) { return session.back(n); });
  if (word == "choose")
    done.answer = named(argument, [&](const WorkName& name) { return session.choose(name); });
  if (word == "to")
    done.answer = named(argument, [&](const WorkName& name) { return session.go_to(name); });
  if (word == "explain")
    done.answer = named(argument, [&](const WorkName& name) { return session.explain(name); });
  if (word == "rush")
    done.answer = named(argument, [&](const WorkName& name) { return session.rush(name); });
  if (word == "undo") done.answer = session.undo();
  if (word == "watch") done.answer = session.watch(argument);
  if (word == "save") done.answer = session.save();
  if (word == "help") done.answer = {all_words, false};
  done.quits = word == "quit";
  done.changed = !done.answer.refused && !done.quits && done.answer.text.empty();
  return done;
}

}  // namespace cuvette::tools
