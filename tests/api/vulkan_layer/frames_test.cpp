// SPDX-License-Identifier: Apache-2.0
// Two processes, one with Vulkan and one with CUDA, hand frames to and fro under semaphores; either
// may be killed at any moment.
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <set>
#include <thread>

#include "../driver/gate.hpp"
#include "vulkan.hpp"

namespace {

// Sanitizers get a part of them (CMakeLists.txt).
constexpr uint32_t many_frames = 1000 / DIVISOR;

// Of each kind; each takes a second, so CUVETTE_TEST_SEEDS asks for more.
int many_kills() {
  const char* const more = std::getenv("CUVETTE_TEST_SEEDS");
  return more ? std::atoi(more) : 20 / DIVISOR;
}

// The two processes of frame_exchange.cpp, side 0 with Vulkan and side 1 with CUDA.
class Exchange {
 public:
  // A side that does not hear of the other one for so many milliseconds exits, or recovers.
  Exchange(uint32_t frames, const char* kind, const char* if_silent, const char* patience) {
    int sockets[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
    for (int side = 0; side < 2; ++side) {
      const std::string socket = std::to_string(sockets[side]), count = std::to_string(frames);
      const char* const words[] = {FRAME_EXCHANGE, side == 0 ? "vulkan" : "cuda",
                                   socket.c_str(), count.c_str(),
                                   kind,           if_silent,
                                   patience,       nullptr};
      // Each side has its own end alone, so that it sees the other one's death.
      posix_spawn_file_actions_t actions;
      posix_spawn_file_actions_init(&actions);
      posix_spawn_file_actions_addclose(&actions, sockets[1 - side]);
      EXPECT_EQ(posix_spawn(&processes_[side], FRAME_EXCHANGE, &actions, nullptr,
                            const_cast<char**>(words), environ),
                0);
      posix_spawn_file_actions_destroy(&actions);
    }
    close(sockets[0]);
    close(sockets[1]);
  }
  ~Exchange() {
    for (int side = 0; side < 2; ++side) kill(side);
  }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  void kill(int side) {
    if (processes_[side] == 0) return;
    ::kill(processes_[side], SIGKILL);
    waitpid(processes_[side], nullptr, 0);
    processes_[side] = 0;
  }
  // The status with which a side exits; 1000 if it does not within half a minute, and 1000 and the
  // signal's number if one ends it.
  int status(int side) {
    int status = 0;
    const bool ended =
        eventually([&] { return waitpid(processes_[side], &status, WNOHANG) == processes_[side]; });
    if (!ended) return 1000;
    processes_[side] = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  }

 private:
  pid_t processes_[2] = {};
};

struct Kind {
  const char* driver;
  const char* semaphores;
  std::string name() const {
    return std::string(driver == lavapipe ? "Lavapipe" : "SwiftShader") + "_" + semaphores;
  }
  friend void PrintTo(const Kind& kind, std::ostream* stream) { *stream << kind.name(); }
};

class FrameExchange : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    // A process that exits with work pending leaves threads and memory to the system.
    for (const auto& [name, option] :
         {std::pair{"TSAN_OPTIONS", "report_thread_leaks=0"}, {"ASAN_OPTIONS", "detect_leaks=0"}}) {
      const char* const others = getenv(name);
      setenv(name, ((others ? std::string(others) + ":" : "") + option).c_str(), 1);
    }
    if (!choose(GetParam().driver)) GTEST_SKIP() << GetParam().driver << " is missing";
  }
};

TEST_P(FrameExchange, TearsNoFrame) {
  Exchange exchange(many_frames, GetParam().semaphores, "exit", "30000");
  EXPECT_EQ(exchange.status(0), 0);
  EXPECT_EQ(exchange.status(1), 0);
}

std::set<std::string> shared_memory() {
  std::set<std::string> names;
  for (const auto& one : std::filesystem::directory_iterator("/dev/shm"))
    if (const std::string name = one.path().filename(); !name.starts_with("cuvette-register-"))
      names.insert(name);  // the register of processes outlives them
  return names;
}

TEST_P(FrameExchange, LeavesNothingWhereOneIsKilled) {
  const std::set<std::string> before = shared_memory();
  int exchanged = 0;
  const int kills = many_kills();
  // A slow machine, or a sanitizer, takes longer to come to the first frame.
  int latest = 400'000;
  std::mt19937 random(20261125);
  for (int round = 0; round < kills; ++round) {
    const int victim = static_cast<int>(random() % 2);
    const auto moment = std::chrono::microseconds(random() % latest);
    Exchange exchange(1'000'000, GetParam().semaphores, random() % 2 ? "exit" : "recover", "200");
    std::this_thread::sleep_for(moment);
    exchange.kill(victim);
    // The other one gives up: it does not hang, and no call of it fails. (4: before the first
    // frame.)
    const int status = exchange.status(1 - victim);
    ASSERT_TRUE(status == 3 || status == 4)
        << status << " in round " << round << ", victim " << victim;
    exchanged += status == 3;
    if (status == 4 && latest < 5'000'000) latest = latest * 3 / 2;
  }
  EXPECT_GE(exchanged, kills / 10) << "most are killed before they do anything";
  // Others' files may come and go.
  EXPECT_TRUE(eventually([&] {
    for (const std::string& name : shared_memory())
      if (!before.count(name)) return false;
    return true;
  }));
}

INSTANTIATE_TEST_SUITE_P(, FrameExchange,
                         testing::Values(Kind{lavapipe, "timeline"}, Kind{lavapipe, "binary"},
                                         Kind{swiftshader, "timeline"},
                                         Kind{swiftshader, "binary"}),
                         [](const auto& info) { return info.param.name(); });

}  // namespace
