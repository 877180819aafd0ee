// SPDX-License-Identifier: Apache-2.0
// `cuvette top`: the table and the JSON of made-up processes, and the command beside real ones.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "shell.hpp"
#include "tests/api/driver/process_register.hpp"
#include "tools/cuvette/top/table.hpp"

namespace {

using namespace cuvette;
using tools::TopProcess;
using Json = nlohmann::json;

TopProcess a_process() {
  processes::DeviceUse use;
  use.uuid = {0x1e, 0x6d, 0xaa};
  use.model = "NVIDIA H200";
  use.in_context = true;
  use.total = uint64_t{140} << 30;
  use.used = uint64_t{3} << 29;
  use.streams = 3;
  use.pending = 12;
  use.kernel = "add(int*)";
  TopProcess one;
  one.process.identity = {4242, 1, 1};
  one.process.sight = os::Sight::running;
  one.process.current = true;
  one.process.program = "/usr/bin/train";
  one.process.devices = {use};
  one.user = "ada";
  one.command = "train --fast";
  one.here = true;
  return one;
}

TEST(TopTable, HasALineForEachProcessAndDevice) {
  const std::vector<std::string> lines = tools::top_table({a_process()}, 200, 100);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0], "GPU 0: NVIDIA H200, 1.5 GiB of 140.0 GiB, 1 process");
  EXPECT_EQ(lines[1], "");
  EXPECT_EQ(lines[2],
            "     PID  USER       GPU     MEMORY  STREAMS  PENDING  KERNEL                    "
            "PROGRAM");
  EXPECT_EQ(lines[3],
            "    4242  ada          0    1.5 GiB        3       12  add(int*)                 "
            "train --fast");
}

TEST(TopTable, SaysWhenThereIsNothing) {
  EXPECT_EQ(tools::top_table({}, 80, 24), std::vector<std::string>{"No process uses Cuvette."});
}

TEST(TopTable, ShowsAProcessWithoutAContext) {
  TopProcess one = a_process();
  one.process.devices[0].in_context = false;
  const std::vector<std::string> lines = tools::top_table({one}, 200, 100);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_NE(lines[1].find("4242  ada          -"), std::string::npos) << lines[1];
}

TEST(TopTable, SaysHowSureItIs) {
  TopProcess stopped = a_process(), silent = a_process(), elsewhere = a_process();
  stopped.process.sight = os::Sight::stopped;
  stopped.process.current = silent.process.current = false;
  elsewhere.process.sight = os::Sight::hidden;
  elsewhere.here = false;
  const std::vector<std::string> lines = tools::top_table({stopped, silent, elsewhere}, 200, 100);
  ASSERT_EQ(lines.size(), 7u);
  EXPECT_NE(lines[0].find("4.5 GiB of 140.0 GiB, 3 processes"), std::string::npos) << lines[0];
  EXPECT_NE(lines[3].find("(stopped)"), std::string::npos);
  EXPECT_NE(lines[4].find("(silent)"), std::string::npos);
  EXPECT_NE(lines[5].find("4242*"), std::string::npos);
  EXPECT_NE(lines[6].find("another PID namespace"), std::string::npos);
}

TEST(TopTable, FitsIntoATerminal) {
  TopProcess one = a_process();
  one.command = std::string(500, 'x');
  one.process.devices[0].kernel = std::string(100, 'k');
  const std::vector<std::string> lines = tools::top_table(std::vector<TopProcess>(50, one), 60, 10);
  EXPECT_EQ(lines.size(), 10u);
  for (const std::string& line : lines) EXPECT_LE(line.size(), 60u);
}

TEST(TopTable, WritesBytesForHumans) {
  EXPECT_EQ(tools::human_bytes(0), "0 B");
  EXPECT_EQ(tools::human_bytes(1023), "1023 B");
  EXPECT_EQ(tools::human_bytes(1536), "1.5 KiB");
  EXPECT_EQ(tools::human_bytes(UINT64_MAX), "16777216.0 TiB");
}

// Garbage in a program's name is no reason to write none.
TEST(TopJson, IsAlwaysJson) {
  TopProcess one = a_process();
  one.command = "\xff\"\\";
  const Json document = Json::parse(tools::top_json({one}));
  EXPECT_EQ(document["processes"][0]["devices"][0]["uuid"],
            "GPU-1e6daa00-0000-0000-0000-000000000000");
  EXPECT_EQ(document["processes"][0]["state"], "running");
}

// --- The command ---

// A program that uses a device as `using_device.cpp` says, while it lives.
class User {
 public:
  User() : User({USING_DEVICE}) {}
  // A command that starts it.
  explicit User(std::vector<const char*> command) {
    command.push_back(nullptr);
    int down[2], up[2];
    EXPECT_EQ(pipe2(down, O_CLOEXEC), 0);
    EXPECT_EQ(pipe2(up, O_CLOEXEC), 0);
    id_ = fork();
    if (id_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      dup2(down[0], STDIN_FILENO);
      dup2(up[1], STDOUT_FILENO);
      execvp(command[0], const_cast<char**>(command.data()));
      _exit(127);
    }
    close(down[0]);
    close(up[1]);
    input_ = down[1];
    char line[6];
    EXPECT_EQ(read(up[0], line, sizeof line), static_cast<ssize_t>(sizeof line));
    close(up[0]);
  }
  ~User() { end(); }
  User(const User&) = delete;
  User& operator=(const User&) = delete;

  void end() {
    if (id_ == 0) return;
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
    close(input_);
    id_ = 0;
  }
  // Has it end by itself, and returns its exit status.
  int let_go() {
    close(input_);
    int status = 0;
    waitpid(id_, &status, 0);
    id_ = 0;
    return status;
  }
  pid_t id() const { return id_; }

 private:
  pid_t id_;
  int input_;
};

class CuvetteTop : public testing::Test {
 protected:
  // What is listed now.
  static Json listed() {
    const Outcome outcome = shell("$C top --json");
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    return Json::parse(outcome.output, nullptr, false);
  }
  const ProcessRegister own_;
};

TEST_F(CuvetteTop, ListsWhoUsesADevice) {
  const Outcome none = shell("$C top");
  EXPECT_EQ(none.output, "No process uses Cuvette.\n");
  EXPECT_EQ(none.status, 0);
  User one;
  const Json document = listed();
  ASSERT_EQ(document["processes"].size(), 1u) << document;
  const Json& process = document["processes"][0];
  EXPECT_EQ(process["pid"], one.id());
  EXPECT_EQ(process["program"], USING_DEVICE);
  EXPECT_EQ(process["command"], "using_device");
  EXPECT_EQ(process["state"], "running");
  EXPECT_EQ(process["same_pid_namespace"], true);
  const Json& use = process["devices"][0];
  EXPECT_EQ(use["model"], "NVIDIA H200");
  EXPECT_EQ(use["uuid"], "GPU-1e6daab2-d71a-85ba-9670-37285162971f");
  EXPECT_EQ(use["used"], 552402944u + (16u << 20));
  EXPECT_EQ(use["streams"], 3);
  EXPECT_EQ(use["pending"], 2);
  EXPECT_EQ(use["kernel"], "waits(unsigned int*)");
  const Outcome table = shell("$C top --once");
  EXPECT_TRUE(has(table, "GPU 0: NVIDIA H200, 542.8 MiB of")) << table.output;
  EXPECT_TRUE(has(table, "waits(unsigned int*)")) << table.output;

  User other;
  EXPECT_EQ(listed()["devices"][0]["processes"], 2);
  one.end();
  const Json rest = listed();
  ASSERT_EQ(rest["processes"].size(), 1u);
  EXPECT_EQ(rest["processes"][0]["pid"], other.id());
  EXPECT_EQ(other.let_go(), 0);
  EXPECT_EQ(listed()["processes"].size(), 0u);
}

TEST_F(CuvetteTop, KnowsAProcessThatIsStopped) {
  User one;
  EXPECT_EQ(listed()["processes"].size(), 1u);  // it has said once what it has
  kill(one.id(), SIGSTOP);
  siginfo_t stopped;
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(one.id()), &stopped, WSTOPPED | WNOWAIT), 0);
  const Json document = listed();
  ASSERT_EQ(document["processes"].size(), 1u);
  EXPECT_EQ(document["processes"][0]["state"], "stopped");
  EXPECT_EQ(document["processes"][0]["devices"][0]["streams"], 3);
}

TEST_F(CuvetteTop, ReadsTheRegisterThatIsNamed) {
  const User one;
  EXPECT_TRUE(has(shell("$C top --register=another-one"), "No process uses Cuvette."));
  EXPECT_TRUE(has(shell("N=$CUVETTE_REGISTER; unset CUVETTE_REGISTER; $C top --register=$N"),
                  std::to_string(one.id())));
  shm_unlink(("/cuvette-register-1." + std::to_string(geteuid()) + ".another-one").c_str());
}

TEST_F(CuvetteTop, SaysWhatIsWrong) {
  const struct {
    const char* line;
    int status;
    const char* said;
  } mistakes[] = {{"CUVETTE_REGISTER=off $C top", 1, "switches the register of processes off"},
                  {"CUVETTE_REGISTER=a/b $C top", 125, "CUVETTE_REGISTER is 'a/b', not a word"},
                  {"$C top --register=a/b", 125, "not a word"},
                  {"$C top --nonsense", 125, "--nonsense"}};
  for (const auto& [line, status, said] : mistakes) {
    const Outcome outcome = shell(line);
    EXPECT_EQ(outcome.status, status) << line;
    EXPECT_TRUE(has(outcome, said)) << line << ": " << outcome.output;
  }
}

TEST_F(CuvetteTop, RefusesARegisterThatOthersMayWrite) {
  { const User one; }
  const std::string file = "/dev/shm/" + own_.file();
  ASSERT_EQ(chmod(file.c_str(), 0666), 0);
  const Outcome outcome = shell("$C top");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(has(outcome, "chmod 600 " + file)) << outcome.output;
}

// Its number means nothing here, but its lock says that it lives. NVML does not list it, and counts
// what it has.
TEST_F(CuvetteTop, KnowsAProcessInAnotherPidNamespace) {
  if (run_line("unshare -pf --mount-proc true").status != 0) GTEST_SKIP() << "no namespaces here";
  auto inside = std::make_unique<User>(
      std::vector<const char*>{"unshare", "-pf", "--mount-proc", "--kill-child", USING_DEVICE});
  const Json document = listed();
  ASSERT_EQ(document["processes"].size(), 1u) << document;
  const Json& process = document["processes"][0];
  EXPECT_EQ(process["same_pid_namespace"], false);
  EXPECT_EQ(process["state"], "running");
  EXPECT_LT(process["pid"], 100);
  EXPECT_EQ(process["devices"][0]["streams"], 3);
  EXPECT_TRUE(has(shell("$C top"), "in another PID namespace"));
  EXPECT_EQ(shell("$C smi --query-compute-apps=pid --format=csv,noheader").output, "");
  EXPECT_EQ(shell("$C smi --query-gpu=memory.used --format=csv,noheader").output, "543 MiB\n");
  // The other way round, too.
  const User here;
  const Outcome seen = shell("unshare -pf --mount-proc $C top --json");
  EXPECT_EQ(seen.status, 0) << seen.output;
  EXPECT_EQ(Json::parse(seen.output)["processes"].size(), 2u) << seen.output;
  inside.reset();
  // The namespace ends with its first process, soon after the one that was killed here.
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (listed()["processes"].size() != 1 && std::chrono::steady_clock::now() < end) {
  }
  EXPECT_EQ(listed()["processes"].size(), 1u);
}

// A mount namespace whose /dev/shm is read-only: programs run, and only top says a word.
TEST_F(CuvetteTop, SaysWhenThereCanBeNoRegister) {
  if (run_line("unshare -rm true").status != 0) GTEST_SKIP() << "no namespaces here";
  for (const char* without : {"mount -t tmpfs -o ro none /dev/shm",
                              "mount -t tmpfs -o size=4k none /dev/shm; "
                              "head -c 4096 /dev/zero >/dev/shm/full"}) {
    const std::string begin = std::string("unshare -rm sh -c '") + without + "; ";
    const Outcome program = run_line(begin + USING_DEVICE " </dev/null'");
    EXPECT_EQ(program.output, "ready\n") << without;
    EXPECT_EQ(program.status, 0) << without;
    const Outcome top = shell("export C; " + begin + "$C top'");
    EXPECT_EQ(top.status, 1) << without;
    EXPECT_TRUE(has(top, "/dev/shm")) << top.output;
  }
}

// --- On a terminal ---

// `cuvette top` on a terminal of its own.
class Terminal {
 public:
  Terminal() {
    master_ = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    EXPECT_EQ(grantpt(master_), 0);
    EXPECT_EQ(unlockpt(master_), 0);
    slave_ = open(ptsname(master_), O_RDWR | O_NOCTTY | O_CLOEXEC);
    tcgetattr(slave_, &before_);
    id_ = fork();
    if (id_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      for (const int fd : {0, 1, 2}) dup2(slave_, fd);
      execl(CUVETTE_COMMAND, "cuvette", "top", nullptr);
      _exit(127);
    }
  }
  ~Terminal() {
    if (id_ > 0) kill(id_, SIGKILL), waitpid(id_, nullptr, 0);
    close(slave_);
    close(master_);
  }
  // Reads until `part` has come.
  bool shows(const std::string& part) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (text_.find(part) == std::string::npos) {
      pollfd one{master_, POLLIN, 0};
      if (std::chrono::steady_clock::now() > end) return false;
      char piece[4096];
      if (poll(&one, 1, 100) <= 0) continue;
      const ssize_t count = read(master_, piece, sizeof piece);
      if (count > 0) text_.append(piece, static_cast<size_t>(count));
    }
    return true;
  }
  void forget() { text_.clear(); }
  void press(char key) { EXPECT_EQ(write(master_, &key, 1), 1); }
  void send(int signal) { kill(id_, signal); }
  // Waits for the end, and returns the exit status.
  int end() {
    int status = -1;
    // What it writes at last must find room.
    shows("\033[?1049l");
    waitpid(id_, &status, 0);
    id_ = 0;
    return status;
  }
  // Whether the terminal is as it was.
  bool restored() const {
    termios now{};
    tcgetattr(slave_, &now);
    return now.c_lflag == before_.c_lflag;
  }

 private:
  int master_, slave_;
  termios before_{};
  pid_t id_;
  std::string text_;
};

TEST_F(CuvetteTop, RenewsTheTableUntilQIsPressed) {
  Terminal terminal;
  EXPECT_TRUE(terminal.shows("No process uses Cuvette."));
  {
    const User one;
    EXPECT_TRUE(terminal.shows(std::to_string(one.id())));
    EXPECT_TRUE(terminal.shows("waits(unsigned int*)"));
    EXPECT_FALSE(terminal.restored());
  }
  terminal.forget();
  EXPECT_TRUE(terminal.shows("No process uses Cuvette."));
  terminal.press('q');
  EXPECT_EQ(terminal.end(), 0);
  EXPECT_TRUE(terminal.restored());
}

TEST_F(CuvetteTop, LeavesTheTerminalAsItWasAfterASignal) {
  for (const int signal : {SIGINT, SIGTERM}) {
    Terminal terminal;
    EXPECT_TRUE(terminal.shows("q: quit"));
    terminal.send(signal);
    EXPECT_EQ(terminal.end(), 0);
    EXPECT_TRUE(terminal.restored());
  }
}

}  // namespace
