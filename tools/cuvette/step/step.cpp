// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/step/step.hpp"

#include <langinfo.h>
#include <unistd.h>

#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <utility>

#include "tools/cuvette/exit_statuses.hpp"
#include "tools/cuvette/option_help.hpp"
#include "tools/cuvette/step/commands.hpp"
#include "tools/cuvette/step/plain_text.hpp"
#include "tools/cuvette/step/session.hpp"
#include "tools/cuvette/step/terminal_keys.hpp"

namespace cuvette::tools {
namespace {

constexpr int status_refused = 1, status_diverged = 2;

constexpr const char* footer = R"(
Shows the commands of each stream: done, ready, waiting and for what; what the program does; memory, and what the
last command changed. Go on and back, choose which ready command takes place next, and save the order as a line.
The program is run from its beginning to its end for each choice. --plain reads words from the standard input,
one a line (`help` lists them).

Examples:
  cuvette step -- ./streams
  cuvette step --watch sum=2:float[4] -- ./streams
  printf 'next\nchoose 2.1\nsave\n' | cuvette step --plain -- ./streams

Exit status: 0; 1 if a line of --plain was refused, 2 if the program did not do the same when it ran again;
128 + N if signal N ended it; 127 if it was not found, 126 if it could not be started, 125 if this command itself
failed.)";

void print(const std::string& text) {
  fputs(text.c_str(), stdout);
  if (!text.ends_with('\n')) fputc('\n', stdout);
  fflush(stdout);
}

// Reads lines until the user leaves. Returns whether all were obeyed.
bool step_by_lines(StepSession& session) {
  const bool is_terminal = isatty(STDIN_FILENO) == 1;
  bool obeyed = true;
  print(plain_text(session.state()));
  for (std::string line;;) {
    if (is_terminal) {
      fputs("step> ", stdout);
      fflush(stdout);
    }
    if (!std::getline(std::cin, line)) break;
    const size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos || line[first] == '#') continue;
    // A transcript shows what was asked.
    if (!is_terminal) print("\n> " + line);
    const Done done = obey(session, line);
    if (done.quits) break;
    if (session.stopped_by() != 0) return obeyed;
    obeyed = obeyed && !done.answer.refused;
    if (!done.answer.text.empty()) print(done.answer.text);
    const bool shows = line.find("show") == first;
    if (done.changed || shows) print(plain_text(session.state()));
  }
  return obeyed;
}

bool writes_utf8() { return std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0; }

// Whether there is a terminal that can be drawn on.
bool has_screen() {
  const char* const terminal = getenv("TERM");
  return isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 && terminal && *terminal &&
         std::strcmp(terminal, "dumb") != 0;
}

}  // namespace

CLI::App* add_step(CLI::App& app, StepOptions& options) {
  CLI::App* const command = app.add_subcommand(
      "step", "Go through a program command by command, in an order of your choice");
  command->footer(footer);
  command->add_flag(
      "--plain", options.plain,
      wrapped("Read words, one a line, and print text: without a terminal, for screen "
              "readers and lessons."));
  command
      ->add_option("--watch", options.watches,
                   wrapped("Show this memory, instead of the beginnings of the first allocations: "
                           "[NAME=]ALLOCATION[+OFFSET][:TYPE[COUNT]]. May be repeated."))
      ->type_name("RANGE")
      ->allow_extra_args(false)
      ->check(CLI::Validator(
          [](std::string& text) {
            return Watch::parse(text) ? std::string() : std::string("not ") + Watch::wanted();
          },
          ""));
  command
      ->add_option(
          "--timeout", options.timeout,
          wrapped("A run that takes longer is ended [60 s, then ten times the first, and 5 "
                  "s]."))
      ->type_name("SECONDS")
      ->check(CLI::PositiveNumber);
  return command;
}

int step(StepOptions options) {
  if (const int status = check_program(options.run.program.front(), "step")) return status;
  std::vector<Watch> watches;
  for (const std::string& text : options.watches) watches.push_back(*Watch::parse(text));
  StepSession session(std::move(options.run), options.timeout);
  if (const int status = session.begin(std::move(watches))) return status;
  bool obeyed = true;
  int signal = 0;
  if (options.plain || !has_screen()) {
    obeyed = step_by_lines(session);
  } else {
    setlocale(LC_CTYPE, "");
    signal = step_on_terminal(session, !writes_utf8());
  }
  if (signal == 0) signal = session.stopped_by();
  if (signal != 0) return 128 + signal;
  if (session.has_diverged()) return status_diverged;
  return obeyed ? 0 : status_refused;
}

}  // namespace cuvette::tools
