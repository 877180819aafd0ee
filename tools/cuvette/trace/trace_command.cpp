// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/trace/trace_command.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "tools/cuvette/exit_statuses.hpp"
#include "tools/cuvette/from_folder.hpp"
#include "tools/cuvette/gzip.hpp"
#include "tools/cuvette/knobs.hpp"
#include "tools/cuvette/option_help.hpp"
#include "tools/cuvette/page/page.hpp"
#include "tools/cuvette/page/page_file.hpp"
#include "tools/cuvette/profile/profile_page.hpp"
#include "tools/cuvette/record/read.hpp"
#include "tools/cuvette/record/record_run.hpp"
#include "tools/cuvette/shell_word.hpp"

namespace cuvette::tools {
namespace {

constexpr const char* trace_footer = R"(
Runs the program, and writes what its processes did on their devices to a file that Perfetto's viewer shows:
commands by stream, calls by thread, memory with its windows, graphics resources and reports, with arrows for
what waits for what. docs/trace.md explains the picture. With --html it writes a page for any browser instead, which
also shows which bytes are the same, and what orders the commands that touch them (docs/page.md).

Examples:
  cuvette trace -- ./my_program
  cuvette trace -o frames.pftrace.gz --time=wall -- ./my_program
  cuvette trace --check=races -- ./my_program     arrows lead from the two commands of a race to its report
  cuvette trace --html -- ./my_program            trace.html, a page that needs nothing but a browser
  cuvette trace --html --profile=counts -- ./p    the page with the lines that waste memory accesses
  cuvette trace --from=FOLDER                     a record that CUVETTE_RECORD=FOLDER has left

To look at trace.pftrace, drag it into https://ui.perfetto.dev. It stays on this machine: the viewer has no server.

Exit status: as of `cuvette run`; 123 if the file cannot be written, which is found out before the program runs where
that is possible, unless the program itself fails.)";

std::string counted(size_t number, const char* noun) {
  return std::to_string(number) + " " + noun +
         (number == 1                     ? ""
          : noun[strlen(noun) - 1] == 's' ? "es"
                                          : "s");
}

// What the file shows, and what it does not.
class TraceSummary {
 public:
  explicit TraceSummary(const Record& record)
      : shown_(counted(record.commands.size(), "command") + " and " +
               counted(record.calls.size(), "call") + " of " +
               counted(record.processes.size(), "process") + ", " +
               counted(record.reports.size(), "report")),
        unreadable_(record.unreadable) {
    for (const Record::Process& process : record.processes) {
      dropped_ += process.dropped;
      if (process.ended == Record::open) ++cut_off_;
    }
  }

  void print_trace(const std::string& file, const Trace& trace) const {
    fprintf(stderr, "cuvette trace: %s shows %s, and %s\n", file.c_str(), shown_.c_str(),
            counted(trace.arrows, "arrow").c_str());
    print_missing();
    if (trace.arrows_left_out)
      fprintf(stderr, "  %s not shown: by the recorded times, they would lead back\n",
              counted(trace.arrows_left_out, "arrow").c_str());
    if (trace.left_out)
      fprintf(stderr, "  %s of memory or graphics not shown: too many at the same time\n",
              counted(trace.left_out, "slice").c_str());
    fprintf(stderr,
            "  to look at it, drag it into https://ui.perfetto.dev: it stays on this machine\n");
  }

  void print_page(const std::string& file) const {
    fprintf(stderr, "cuvette trace: %s shows %s\n", file.c_str(), shown_.c_str());
    print_missing();
    fprintf(stderr, "  to look at it, open it in a browser; it needs no network\n");
  }

 private:
  // What the record lacks.
  void print_missing() const {
    if (cut_off_)
      fprintf(stderr,
              "  %s did not say that it ended (killed, or left by _exit()): what it did until then "
              "is shown\n",
              counted(cut_off_, "process").c_str());
    if (dropped_)
      fprintf(stderr, "  %s found no room: --limit=4G keeps more\n",
              counted(dropped_, "record").c_str());
    if (unreadable_)
      fprintf(stderr, "  %s made no sense and are not shown\n",
              counted(unreadable_, "record").c_str());
  }

  std::string shown_;
  size_t dropped_ = 0, cut_off_ = 0, unreadable_;
};

// Says why a file for Perfetto's viewer cannot be written.
int complain_of_file(const std::string& file, int status) {
  fprintf(stderr, "cuvette trace: %s cannot be written: %s. --output=FILE names another file.\n",
          file.c_str(), strerror(errno));
  return status;
}

bool write_trace_file(const std::string& file, const std::string& bytes) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return out.flush().good();
}

// The counts of the kernels, if CUVETTE_PROFILE had them kept.
std::vector<PageTable> counts_of(const TraceOptions& options) {
  const char* const inherited = getenv("CUVETTE_PROFILE");
  std::string folder = inherited ? inherited : "";
  for (const auto& [variable, value] : options.run.environment)
    if (variable == "CUVETTE_PROFILE") folder = value;
  constexpr size_t most_lines = 20;
  return folder.empty() ? std::vector<PageTable>() : tables_of(read_profile(folder), most_lines);
}

// Returns `status`, or status_not_written if that is 0 and a file could not be written.
int write_views(const TraceOptions& options, Record record, int status) {
  const TraceSummary summary(record);
  const int failed = status == 0 ? status_not_written : status;
  if (!options.page.empty()) {
    const std::string program = record.processes.front().program;
    const std::string title = program.substr(program.rfind('/') + 1);
    const std::string page = page_of({PageView{&record, title, counts_of(options)}}, title);
    if (!write_page_file("trace", options.page, page)) return failed;
    if (!options.is_quiet) summary.print_page(options.page);
  }
  if (!options.file.empty()) {
    const Trace trace = trace_of(std::move(record), options.time);
    const bool is_packed = options.file.ends_with(".gz");
    if (!write_trace_file(options.file, is_packed ? gzip_of(trace.bytes) : trace.bytes))
      return complain_of_file(options.file, failed);
    if (!options.is_quiet) summary.print_trace(options.file, trace);
  }
  return status;
}

int trace_folder(const TraceOptions& options) {
  if (!can_read_from(options.from, "trace", "CUVETTE_RECORD")) return status_own_failure;
  Record record = read_record(options.from);
  if (record.processes.empty()) {
    fprintf(
        stderr,
        "cuvette trace: --from=%s: no process has left a record there; CUVETTE_RECORD=%s in the "
        "environment of a program makes one\n",
        options.from.c_str(), options.from.c_str());
    return status_own_failure;
  }
  return write_views(options, std::move(record), 0);
}

int trace_program(TraceOptions& options) {
  RecordOptions recorded;
  recorded.command = "trace";
  recorded.touches = true;
  for (const auto& [variable, value] : options.run.environment)
    if (variable == "CUVETTE_RECORD") recorded.keep = value;
  if (!options.limit.empty())
    options.run.environment.emplace_back("CUVETTE_RECORD_LIMIT", options.limit);
  options.run.is_quiet = options.is_quiet;
  RecordedRun run = record_run(options.run, recorded);
  if (run.record.processes.empty()) {
    fprintf(stderr, "cuvette trace: nothing was recorded, so there is nothing to show\n");
    return run.status;
  }
  return write_views(options, std::move(run.record), run.status);
}

}  // namespace

CLI::App* add_trace(CLI::App& app, TraceOptions& options) {
  CLI::App* command = app.add_subcommand(
      "trace",
      "Run a program, and write what it did on its devices for Perfetto's viewer or a browser");
  command->footer(trace_footer);
  command
      ->add_option("-o,--output", options.file,
                   wrapped("The file to write; it is packed if its name ends in .gz "
                           "[trace.pftrace, unless there is a page]."))
      ->type_name("FILE");
  command->add_flag("--html{trace.html}", options.page,
                    wrapped("Write a page for a browser: --html for trace.html, or --html=FILE."));
  command
      ->add_option_function<std::string>(
          "--time",
          [&options](const std::string& time) {
            options.time = time == "wall" ? TraceTime::wall : TraceTime::order;
          },
          wrapped("`order`: each command has the same length, and the same order of events gives "
                  "the same file. `wall`: this machine's nanoseconds, which are never a GPU's "
                  "[order]."))
      ->type_name("order|wall")
      ->check(CLI::IsMember({"order", "wall"}));
  command
      ->add_option("--limit", options.limit,
                   wrapped("How many bytes the record of a process may take; what comes later is "
                           "counted [1G]."))
      ->type_name("BYTES")
      ->check(CLI::Validator(
          [](std::string& value) { return knob_complaint("CUVETTE_RECORD_LIMIT", value); }, ""));
  command
      ->add_option("--from", options.from,
                   wrapped("Run nothing: show the record that CUVETTE_RECORD has left in this "
                           "folder."))
      ->type_name("FOLDER");
  command->add_flag(
      "--quiet", options.is_quiet,
      wrapped("Do not say what the file shows, and how many processes used Cuvette."));
  return command;
}

int trace(TraceOptions options) {
  if (options.file.empty() && options.page.empty()) options.file = "trace.pftrace";
  // A mistake in a name is found before the program runs. A file that is there stays until then,
  // and one that is not there is only left behind if there is something in it.
  std::error_code failure;
  if (!options.page.empty() && !can_write_page("trace", options.page)) return status_not_written;
  const bool is_added = !options.file.empty() && !std::filesystem::exists(options.file, failure);
  if (!options.file.empty() && !std::ofstream(options.file, std::ios::binary | std::ios::app))
    return complain_of_file(options.file, status_not_written);
  const int status = options.from.empty() ? trace_program(options) : trace_folder(options);
  if (is_added && std::filesystem::is_empty(options.file, failure))
    std::filesystem::remove(options.file, failure);
  return status;
}

}  // namespace cuvette::tools
