// SPDX-License-Identifier: Apache-2.0
// The library as a guest in another's process: its effect on a program's signals, forks, limits and
// exit, and on what stays behind.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "process.hpp"

namespace {

namespace fs = std::filesystem;

std::string program(const std::string& name) { return GUEST_PROGRAMS + name; }

Ended run_guest(const std::string& name, const std::string& scenario, size_t address_space) {
  return run({{program(name), scenario}, {}, address_space}, {});
}

void expect_well(const Ended& ended) {
  EXPECT_TRUE(ended.well()) << (ended.in_time ? "" : "took too long; ") << "signal " << ended.signal
                            << ", status " << ended.status << "\n"
                            << ended.output;
}

bool says(const Ended& ended, const char* text) {
  return ended.output.find(text) != std::string::npos;
}

// --- Signals -------------------------------------------------------------------------------------

class SignalHandlers : public testing::TestWithParam<const char*> {};

TEST_P(SignalHandlers, GetTheProgramsFaultsAndNotTheDevices) {
  const Ended ended = run_guest("signals", GetParam(), 0);
  expect_well(ended);
  EXPECT_TRUE(says(ended, "[lost-memory]")) << ended.output;
}

INSTANTIATE_TEST_SUITE_P(Installed, SignalHandlers,
                         testing::Values("before", "before_asynchronous", "after",
                                         "after_asynchronous", "again", "none"),
                         [](const auto& info) { return std::string(info.param); });

TEST(SignalHandlers, LeaveTheDefaultActionWhatItIs) {
  if (GUEST_SANITIZED) GTEST_SKIP() << "the sanitizer's handler decides";
  const Ended ended = run_guest("signals", "dies", 0);
  EXPECT_TRUE(ended.in_time);
  EXPECT_EQ(ended.signal, SIGSEGV) << ended.output;
}

// --- Fork ----------------------------------------------------------------------------------------

Ended run_fork(const std::string& scenario) {
  // In the child, memory held by threads that it does not have looks like a leak.
  return run({{program("fork"), scenario}, {{"LSAN_OPTIONS", "detect_leaks=0"}}, 0}, {});
}

TEST(Fork, BeforeInitGivesBothADriver) { expect_well(run_fork("before")); }
TEST(Fork, AfterInitLeavesTheChildUninitialised) { expect_well(run_fork("after")); }
TEST(Fork, WhileThreadsCallDoesNotHangTheChild) { expect_well(run_fork("after_busy")); }
TEST(Fork, AndExecStartAfresh) { expect_well(run_fork("exec_after")); }

// --- Exit ----------------------------------------------------------------------------------------

TEST(Exit, WithAHostFunctionThatNeverReturns) {
  expect_well(run_guest("exit", "pending_host_function", 0));
}
TEST(Exit, WithAHundredThousandCommandsPending) {
  expect_well(run_guest("exit", "pending_queue", 0));
}
TEST(Exit, FromAnotherThreadThanTheOneThatWaits) {
  expect_well(run_guest("exit", "second_thread", 0));
}
TEST(Exit, WhileOtherThreadsCall) { expect_well(run_guest("exit", "others_call", 0)); }

TEST(Exit, AnswersDeinitializedToAStaticObject) {
  const Ended ended = run_guest("exit", "static_object", 0);
  expect_well(ended);
  EXPECT_TRUE(says(ended, "static object gone"));
}

TEST(Exit, AnswersDeinitializedToAHandlerFromBeforeInit) {
  const Ended ended = run_guest("exit", "handler_before", 0);
  expect_well(ended);
  EXPECT_TRUE(says(ended, "handler done"));
}

TEST(Exit, LeavesAHandlerFromAfterInitEverything) {
  const Ended ended = run_guest("exit", "handler_after", 0);
  expect_well(ended);
  EXPECT_TRUE(says(ended, "handler done"));
}

// --- Limits --------------------------------------------------------------------------------------

TEST(AddressSpaceLimit, LeavesADeviceWithLessMemory) {
  if (GUEST_SANITIZED) GTEST_SKIP() << "sanitizers need addresses without a limit";
  for (const size_t gibibytes : {8, 2}) {
    const Ended ended = run_guest("exit", "limited", gibibytes << 30);
    expect_well(ended);
    EXPECT_TRUE(says(ended, "cuInit: success")) << ended.output;
  }
}

TEST(AddressSpaceLimit, EndsInSuccessOrOutOfMemory) {
  if (GUEST_SANITIZED) GTEST_SKIP() << "sanitizers need addresses without a limit";
  for (size_t mebibytes = 32; mebibytes <= 256; mebibytes += 16) {
    // More threads than there is room for.
    SCOPED_TRACE(mebibytes);
    expect_well(
        run({{program("exit"), "limited"}, {{"CUVETTE_WORKERS", "64"}}, mebibytes << 20}, {}));
  }
}

// --- Loading -------------------------------------------------------------------------------------

TEST(Loading, AgainAndAgainKeepsOneLibrary) {
  expect_well(run({{program("loader"), GUEST_LIBRARY}, {}, 0}, {}));
}

// --- Sanitizers ----------------------------------------------------------------------------------

TEST(TypicalProgram, Works) { expect_well(run({{program("typical")}, {}, 0}, {})); }

class SanitizedPrograms : public testing::TestWithParam<const char*> {};

TEST_P(SanitizedPrograms, HasNothingReported) {
  const std::string file = program(std::string("typical_") + GetParam());
  if (!fs::exists(file)) GTEST_SKIP() << "not built: the library is sanitized, or no runtime";
  const Ended ended = run({{file}, {}, 0}, {});
  expect_well(ended);
  EXPECT_FALSE(says(ended, "Sanitizer")) << ended.output;
}

INSTANTIATE_TEST_SUITE_P(Built, SanitizedPrograms, testing::Values("address", "thread"),
                         [](const auto& info) { return std::string(info.param); });

// The library tells ThreadSanitizer exactly the orders that streams make.
TEST(SanitizedProgram, HasItsOwnRaceFound) {
  const std::string file = program("typical_thread");
  if (!fs::exists(file)) GTEST_SKIP() << "not built: the library is sanitized, or no runtime";
  const Ended ended = run({{file, "race"}, {}, 0}, {});
  EXPECT_TRUE(says(ended, "ThreadSanitizer: data race")) << ended.output;
  EXPECT_TRUE(says(ended, "race()")) << ended.output;
}

// --- What stays ---------------------------------------------------------------------------------

// Named files that the process holds open or has mapped shared.
std::vector<std::string> named_files(int process) {
  std::vector<std::string> names;
  const fs::path folder = "/proc/" + std::to_string(process);
  for (const auto& entry : fs::directory_iterator(folder / "fd")) {
    std::error_code gone;
    const std::string target = fs::read_symlink(entry.path(), gone).string();
    if (target.starts_with("/dev/shm/") || target.starts_with("/tmp/")) names.push_back(target);
  }
  std::ifstream maps(folder / "maps");
  for (std::string line; std::getline(maps, line);) {
    const size_t slash = line.find('/');
    const size_t mode = line.find(' ') + 1;
    if (slash != std::string::npos && line[mode + 3] == 's' &&
        line.find("/memfd:") == std::string::npos && line.find("(deleted)") == std::string::npos) {
      names.push_back(line.substr(slash));
    }
  }
  return names;
}

TEST(KilledProcess, LeavesNothingBehind) {
  std::vector<std::string> names;
  bool has_memory = false;
  const Ended ended = run({{program("exit"), "hold"}, {}, 0}, [&](int process) {
    names = named_files(process);
    std::ifstream maps("/proc/" + std::to_string(process) + "/maps");
    for (std::string line; std::getline(maps, line);)
      has_memory |= line.find("/memfd:") != std::string::npos;
    kill(process, SIGKILL);
  });
  EXPECT_EQ(ended.signal, SIGKILL) << ended.output;
  EXPECT_TRUE(says(ended, "ready"));
  EXPECT_TRUE(has_memory);
  // The register of processes is all that has a name, and the next reader clears the entry there.
  // Everything else was nameless, so it is gone with the process.
  std::erase_if(names, [](const std::string& name) {
    return name.starts_with("/dev/shm/cuvette-register-");
  });
  EXPECT_EQ(names, std::vector<std::string>());
}

}  // namespace
