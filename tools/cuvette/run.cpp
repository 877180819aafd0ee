// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/run.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "sim/base/run_notes.hpp"
#include "sim/check/report/report_names.hpp"
#include "tools/cuvette/knobs.hpp"
#include "tools/cuvette/library.hpp"
#include "tools/cuvette/preload.hpp"
#include "tools/cuvette/program_path.hpp"
#include "tools/cuvette/run_notes.hpp"

namespace cuvette::tools {
namespace {

namespace fs = std::filesystem;

// Has Vulkan's loader put the layer that shares semaphores over software drivers. It changes
// nothing for a program without Vulkan. The loader does not look at VK_ADD_LAYER_PATH beside
// VK_LAYER_PATH.
void share_vulkan_semaphores(const std::filesystem::path& folder) {
  const fs::path manifests = folder / "vulkan";
  if (!fs::exists(manifests / "VkLayer_cuvette.json")) return;
  const char* const own = getenv("VK_LAYER_PATH");
  prepend_to_list(own && *own ? "VK_LAYER_PATH" : "VK_ADD_LAYER_PATH", manifests);
  append_to_list("VK_INSTANCE_LAYERS", "VK_LAYER_CUVETTE_interop");
}

// Returns the error that execvp() would give, as far as that is known without starting the program;
// 0 if there is none.
int why_not_started(const std::string& program) {
  if (!path_of_program(program).empty()) return 0;
  std::error_code failure;
  return program.find('/') != std::string::npos && fs::exists(program, failure) ? EACCES : ENOENT;
}

int complain_of_start(const char* command, const char* program, int failure) {
  fprintf(stderr, "cuvette %s: cannot start '%s': %s\n", command, program, strerror(failure));
  return failure == ENOENT ? status_not_found : status_not_executable;
}

int execute(const std::vector<std::string>& program) {
  std::vector<char*> arguments;
  arguments.reserve(program.size() + 1);
  for (const std::string& word : program) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  return complain_of_start("run", arguments[0], errno);
}

// The file that reports go to, and whether one was made: also by a process that the program
// started, or by one that ended with _exit(), where the library cannot change the exit status.
class ReportFile {
 public:
  // `name` is where the user wants reports (one for each process, with %p in it, is not looked at);
  // empty: a temporary file, removed with this object.
  explicit ReportFile(std::string name) : name_(std::move(name)), temporary_(name_.empty()) {
    if (temporary_) {
      name_ = (fs::temp_directory_path() / "cuvette-report-").string();
      name_.append(6, 'X');  // mkstemp() puts its own name in their place
      const int file = mkstemp(name_.data());
      if (file >= 0) close(file);
    }
    before_ = size();
  }

  ~ReportFile() {
    if (temporary_) unlink(name_.c_str());
  }

  ReportFile(const ReportFile&) = delete;
  ReportFile& operator=(const ReportFile&) = delete;

  const std::string& name() const { return name_; }
  bool has_grown() const { return size() > before_; }

 private:
  // How much is reported there: a document has something to say before that.
  uintmax_t size() const {
    std::error_code failure;
    const char* const format = getenv("CUVETTE_REPORT_FORMAT");
    const auto known = knob::OneOf<ReportFormat>::parse(format ? format : "");
    const std::string_view mark = known ? check::entry_mark(*known) : "";
    if (mark.empty()) {
      const uintmax_t size = fs::file_size(name_, failure);
      return failure ? 0 : size;
    }
    std::ostringstream text;
    text << std::ifstream(name_).rdbuf();
    const std::string document = text.str();
    uintmax_t entries = 0;
    for (size_t at = 0; (at = document.find(mark, at)) != std::string::npos; ++at) ++entries;
    return entries;
  }

  std::string name_;
  bool temporary_;
  uintmax_t before_;
};

// The signals to pass on to the program: those that are not ignored, as under nohup. SIGCHLD is
// among them, for watch() itself.
sigset_t passed_on() {
  sigset_t signals;
  sigemptyset(&signals);
  for (int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGCONT, SIGWINCH}) {
    struct sigaction inherited;
    sigaction(signal, nullptr, &inherited);
    if (inherited.sa_handler != SIG_IGN) sigaddset(&signals, signal);
  }
  signal(SIGCHLD, SIG_DFL);
  sigaddset(&signals, SIGCHLD);
  return signals;
}

// Passes `signals`, which are blocked, on to the program until it ends. Returns its wait status.
int pass_on_until_end(pid_t program, const sigset_t& signals) {
  for (;;) {
    siginfo_t information;
    const int signal = sigwaitinfo(&signals, &information);
    int status;
    if (signal == SIGCHLD && waitpid(program, &status, WNOHANG) == program) return status;
    // The terminal sends its signals to the program as well.
    if (signal > 0 && signal != SIGCHLD && information.si_code != SI_KERNEL) kill(program, signal);
  }
}

// Runs the program in its own process and returns its exit status, or `error_status` if that
// would be 0 and a report was made.
int watch(const std::vector<std::string>& program, int error_status) {
  const char* wanted = getenv("CUVETTE_REPORT");
  ReportFile report(wanted ? wanted : "");
  setenv("CUVETTE_REPORT", report.name().c_str(), 1);
  RunNotes notes;

  // The signals are waited for, not handled, so none is lost between fork() and the first wait.
  const sigset_t signals = passed_on();
  sigset_t before;
  sigprocmask(SIG_BLOCK, &signals, &before);
  const pid_t child = fork();
  if (child < 0) {
    fprintf(stderr, "cuvette run: cannot start a process: %s\n", strerror(errno));
    return status_own_failure;
  }
  if (child == 0) {
    sigprocmask(SIG_SETMASK, &before, nullptr);
    _exit(execute(program));
  }
  const int status = pass_on_until_end(child, signals);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  const bool started = !WIFEXITED(status) || (WEXITSTATUS(status) != status_not_found &&
                                              WEXITSTATUS(status) != status_not_executable);
  notes.read(report.name());
  notes.print(started);
  if (WIFSIGNALED(status)) return 128 + WTERMSIG(status);
  // The file alone does not tell: it may be one that cannot be written.
  if (WEXITSTATUS(status) == 0 && (report.has_grown() || notes.any_reported())) return error_status;
  return WEXITSTATUS(status);
}

// Whether the file begins as one that reports were written to.
bool begins_as_reports(const std::string& file) {
  std::string begin(128, '\0');
  std::ifstream in(file);
  in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<size_t>(in.gcount()));
  for (const char* const known :
       {"{\"report\":", "{\"$schema\":\"https://json.schemastore.org/sarif", "cuvette: [",
        "::error ", "::notice "})
    if (begin.starts_with(known)) return true;
  return begin.starts_with("<?xml") && begin.find("<testsuite name=\"cuvette\"") != begin.npos;
}

// Removes the reports of an earlier run from the file that --report names, or a mistake that was
// mended would still be there. A file that CUVETTE_REPORT names for several runs, such as the tests
// of a suite, is added to; so is what an inner `cuvette run` shares with the outer one.
void begin_report_file(const RunOptions& options) {
  for (const auto& [variable, value] : options.environment) {
    const char* const file = getenv("CUVETTE_REPORT");  // the same, as an absolute path
    std::error_code failure;
    if (variable != "CUVETTE_REPORT" || !file || getenv(run_notes::variable)) continue;
    if (fs::is_regular_file(file, failure) && begins_as_reports(file)) unlink(file);
  }
}

}  // namespace

int check_program(const std::string& program, const char* command) {
  const int failure = why_not_started(program);
  return failure == 0 ? 0 : complain_of_start(command, program.c_str(), failure);
}

int run(const RunOptions& options) {
  const auto folder = library_folder();
  if (!folder) {
    fprintf(stderr,
            "cuvette run: there is no libcuda.so.1 where this command was built or installed\n");
    return status_own_failure;
  }
  for (const auto& [variable, value] : options.environment)
    setenv(variable.c_str(), value.c_str(), 1);
  if (const std::string wrong = knobs_complaint(); !wrong.empty()) {
    fprintf(stderr, "cuvette run: %s\n", wrong.c_str());
    return status_own_failure;
  }
  make_paths_absolute();
  begin_report_file(options);
  prepend_to_list("LD_LIBRARY_PATH", folder->string());
  // Programs that ask nvidia-smi what there is get an answer about the devices that they see.
  if (fs::exists(*folder / "bin" / "nvidia-smi")) prepend_to_list("PATH", *folder / "bin");
  // Triton has machine code made by its own ptxas unless it is given another. It is not in PATH:
  // nvcc would find it there, and nvlink takes only what NVIDIA's makes.
  if (const fs::path ptxas = *folder / "compilers" / "ptxas"; fs::exists(ptxas)) {
    for (const char* const variable : {"TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH"})
      setenv(variable, ptxas.c_str(), 0);
    setenv("TRITON_LIBCUDA_PATH", folder->c_str(), 0);
  }
  if (options.preload && !preload_driver(*folder)) return status_own_failure;
  if (options.watch_gl) preload_gl_watch(*folder);
  preload_linkers(*folder);
  const char* const vulkan = getenv("CUVETTE_VULKAN");  // an option may just have set it
  if (!vulkan || strcmp(vulkan, "0") != 0) share_vulkan_semaphores(*folder);
  const char* error_exitcode = getenv("CUVETTE_ERROR_EXITCODE");
  if (const std::string why = why_environment_is_dropped(options.program.front()); !why.empty())
    fprintf(stderr, "cuvette run: '%s' %s\n", options.program.front().c_str(), why.c_str());
  const bool has_status = error_exitcode && *error_exitcode;
  // GitHub's commands are printed here: a test runner keeps what its tests print to itself.
  const char* const format = getenv("CUVETTE_REPORT_FORMAT");
  const bool for_github = format && strcmp(format, "github") == 0;
  if (!has_status && !for_github) return execute(options.program);
  return watch(options.program, has_status ? atoi(error_exitcode) : 0);
}

}  // namespace cuvette::tools
