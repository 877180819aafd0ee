// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/top/top.hpp"

#include <poll.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <vector>

#include "sim/base/config.hpp"
#include "sim/os/named_memory.hpp"
#include "sim/processes/layout.hpp"
#include "sim/processes/register.hpp"
#include "tools/cuvette/exit_statuses.hpp"
#include "tools/cuvette/option_help.hpp"
#include "tools/cuvette/terminal_page.hpp"
#include "tools/cuvette/top/table.hpp"

namespace cuvette::tools {
namespace {

constexpr int64_t patience_ns = 500'000'000;
constexpr int status_no_register = 1;
constexpr int refresh_ms = 1000;

constexpr const char* footer = R"(
Prints each process of this user that has called cuInit on Cuvette, whichever command started it: its memory,
streams, commands that are not completed, and a kernel that runs now. On a terminal the table is renewed each
second until q is pressed. Processes pay nothing for it while nobody looks.

Examples:
  cuvette top
  cuvette top --json | jq '.processes[].pid'

Exit status: 0; 1 if the register of processes cannot be read (a sentence says why); 125 if this command itself
failed.)";

std::string user_name() {
  const passwd* const entry = getpwuid(geteuid());
  return entry ? entry->pw_name : std::to_string(geteuid());
}

// Returns the words of a command line; empty if it cannot be read.
std::string command_of(int64_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/cmdline", std::ios::binary);
  std::string text;
  std::string word;
  while (text.size() < 512 && std::getline(file, word, '\0')) {
    if (text.empty()) word = std::filesystem::path(word).filename().string();
    text += (text.empty() ? "" : " ") + word;
  }
  for (char& letter : text)
    if (static_cast<unsigned char>(letter) < ' ' || letter == 0x7f) letter = '?';
  return text;
}

std::vector<TopProcess> named(std::vector<processes::Process> processes) {
  const os::ProcessIdentity self = os::own_identity();
  const std::string user = user_name();
  std::vector<TopProcess> list;
  for (processes::Process& process : processes) {
    TopProcess one;
    one.here = process.identity.pid_namespace == self.pid_namespace;
    one.user = user;
    if (process.sight != os::Sight::hidden) one.command = command_of(process.identity.pid);
    if (one.command.empty())
      one.command = std::filesystem::path(process.program).filename().string();
    one.process = std::move(process);
    list.push_back(std::move(one));
  }
  return list;
}

// Returns why processes cannot enter the register, or this one cannot read it.
std::string trouble_with(const std::string& name) {
  std::string trouble;
  const auto memory = os::NamedMemory::open(name, processes::layout::size, true, trouble);
  if (memory && !memory->reserve(0, processes::layout::page))
    trouble = os::NamedMemory::path_of(name) + " gets no memory: is /dev/shm full?";
  return trouble;
}

// The table on a page of the terminal.
class Screen {
 public:
  void show(const std::vector<TopProcess>& processes) const {
    const winsize size = TerminalPage::size();
    std::string text = "\033[H";
    const size_t height = size.ws_row > 2 ? size.ws_row - 2u : 1u;
    for (const std::string& line : top_table(processes, size.ws_col, height))
      text += line + "\033[K\n";
    text += "\033[K\nq: quit\033[J";
    fputs(text.c_str(), stdout);
    fflush(stdout);
  }

  // Waits for the next second. False if the user wants to leave.
  bool wait() const {
    pollfd keys{page_.has_keys() ? STDIN_FILENO : -1, POLLIN, 0};
    if (poll(&keys, 1, refresh_ms) > 0) {
      char key = 0;
      if (read(STDIN_FILENO, &key, 1) != 1 || key == 'q' || key == 'Q' || key == 4) return false;
    }
    return TerminalPage::stopped_by() == 0;
  }

 private:
  const TerminalPage page_{TerminalPage::Suspend::stops};
};

int complain(const std::string& trouble) {
  fprintf(stderr, "cuvette top: %s\n", trouble.c_str());
  return status_no_register;
}

int print_once(const std::vector<TopProcess>& processes, bool json) {
  if (json) {
    printf("%s\n", top_json(processes).c_str());
  } else {
    for (const std::string& line : top_table(processes, SIZE_MAX, SIZE_MAX))
      printf("%s\n", line.c_str());
  }
  return fflush(stdout) == 0 ? 0 : status_own_failure;
}

int watch(const std::string& name) {
  std::string trouble;
  {
    const Screen screen;
    do {
      processes::Listing listing = processes::list(name, patience_ns);
      trouble = listing.trouble;
      if (!trouble.empty()) break;
      screen.show(named(std::move(listing.processes)));
    } while (screen.wait());
  }
  return trouble.empty() ? 0 : complain(trouble);
}

}  // namespace

CLI::App* add_top(CLI::App& app, TopOptions& options) {
  CLI::App* const command =
      app.add_subcommand("top", "Show the processes that use Cuvette's devices now");
  command->footer(footer);
  command->add_flag("--once", options.once, "Print the table once, on a terminal, too");
  command->add_flag("--json", options.json, "Print JSON, once");
  command
      ->add_option("--register", options.process_register,
                   wrapped("The register of processes to read, as CUVETTE_REGISTER names it."))
      ->type_name("NAME")
      ->check(CLI::Validator(
          [](std::string& name) { return value_complaint("CUVETTE_REGISTER", name); }, ""));
  return command;
}

int top(const TopOptions& options) {
  if (const std::string wrong = environment_complaint(); !wrong.empty()) {
    fprintf(stderr, "cuvette top: %s\n", wrong.c_str());
    return status_own_failure;
  }
  const std::string& knob =
      options.process_register.empty() ? config().process_register : options.process_register;
  const std::string name = processes::register_name(knob);
  processes::Listing listing = processes::list(name, patience_ns);
  if (listing.trouble.empty() && listing.processes.empty()) listing.trouble = trouble_with(name);
  if (!listing.trouble.empty()) return complain(listing.trouble);
  const bool once = options.once || options.json || !isatty(STDOUT_FILENO);
  return once ? print_once(named(std::move(listing.processes)), options.json) : watch(name);
}

}  // namespace cuvette::tools
