// SPDX-License-Identifier: Apache-2.0
// Processes enter, answer and die; the register is right afterwards. Nothing that lies in it can
// harm a reader.
#include "sim/processes/register.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <random>
#include <thread>

#include "children.hpp"
#include "sim/processes/layout.hpp"

namespace {

using namespace cuvette;
using processes::OwnEntry;
namespace layout = processes::layout;

std::string path(const std::string& name) { return os::NamedMemory::path_of(name); }

TEST_F(ProcessRegister, IsEmptyWhereThereIsNone) {
  const processes::Listing listing = list();
  EXPECT_TRUE(listing.processes.empty());
  EXPECT_EQ(listing.trouble, "");
  EXPECT_NE(access(path(name_).c_str(), F_OK), 0) << "a reader has created it";
}

TEST_F(ProcessRegister, CanBeSwitchedOff) {
  for (const char* off : {"0", "off"}) EXPECT_EQ(processes::register_name(off), "");
  EXPECT_NE(processes::list("", 0).trouble, "");
  std::string trouble;
  EXPECT_EQ(OwnEntry::take("", false, trouble), nullptr);
  EXPECT_NE(trouble, "");
}

TEST_F(ProcessRegister, SaysWhatProcessesHave) {
  const pid_t one = start_entered(100), other = start_entered(200);
  const processes::Listing listing = list();
  ASSERT_EQ(listing.processes.size(), 2u) << listing.trouble;
  const processes::Process& first = listing.processes[0];
  EXPECT_EQ(first.identity.pid, one);
  EXPECT_EQ(first.sight, os::Sight::running);
  EXPECT_NE(first.program.find("sim_processes_test"), std::string::npos);
  ASSERT_EQ(first.devices.size(), 1u);
  EXPECT_EQ(first.devices[0].used, 100u);
  EXPECT_EQ(listing.processes[1].identity.pid, other);
  EXPECT_EQ(listing.processes[1].devices[0].used, 200u);
}

// What a reader gets was written after it asked.
TEST_F(ProcessRegister, IsAnsweredAnewForEachReader) {
  start_entered();
  uint64_t last = 0;
  for (int reader = 0; reader < 20; ++reader) {
    const processes::Listing listing = list();
    ASSERT_EQ(listing.processes.size(), 1u);
    ASSERT_TRUE(listing.processes[0].current);
    EXPECT_GT(listing.processes[0].devices[0].pending, last);
    last = listing.processes[0].devices[0].pending;
  }
}

TEST_F(ProcessRegister, ForgetsTheDead) {
  const pid_t one = start_entered(), other = start_entered();
  end(one);
  EXPECT_EQ(listed(), std::vector{other});
  // Its seat has gone to the next process.
  const pid_t third = start_entered();
  EXPECT_EQ(list().processes[0].identity.pid, third);
}

TEST_F(ProcessRegister, KnowsAProcessThatIsStoppedAndDoesNotWaitForIt) {
  const pid_t one = start_entered(5);
  kill(one, SIGSTOP);
  while (os::look_at(list().processes.at(0).identity) != os::Sight::stopped)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const auto before = std::chrono::steady_clock::now();
  const processes::Listing listing = list();
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(5));
  ASSERT_EQ(listing.processes.size(), 1u);
  EXPECT_FALSE(listing.processes[0].current);
  EXPECT_EQ(listing.processes[0].devices[0].used, 5u);
}

// The child of a process has no seat, and does not keep its parent's.
TEST_F(ProcessRegister, DoesNotTakeAChildForItsParent) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t parent = start([&] {
    std::string trouble;
    const auto entry = OwnEntry::take(name_, false, trouble);
    if (!entry || !entry->publish({}, false)) _exit(1);
    const pid_t child = fork();
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, 0);
      pause();
    }
    if (write(ends[1], &child, sizeof child) != sizeof child) _exit(1);
    pause();
  });
  pid_t child = 0;
  ASSERT_EQ(read(ends[0], &child, sizeof child), static_cast<ssize_t>(sizeof child));
  EXPECT_EQ(listed(), std::vector{parent});
  end(parent);
  EXPECT_EQ(kill(child, 0), 0);
  EXPECT_EQ(listed(), std::vector<pid_t>{});
  kill(child, SIGKILL);
}

// Another program in the same process has the same number and the same start.
TEST_F(ProcessRegister, ForgetsAProcessThatBecomesAnotherProgram) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const pid_t child = start([&] {
    std::string trouble;
    const auto entry = OwnEntry::take(name_, false, trouble);
    if (!entry || !entry->publish({}, false)) _exit(1);
    execlp("sleep", "sleep", "60", nullptr);
    _exit(1);
  });
  close(ends[1]);
  char byte;
  EXPECT_EQ(read(ends[0], &byte, 1), 0);  // closed by execlp()
  EXPECT_EQ(kill(child, 0), 0);
  // The system closes what the old program had in no particular order.
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!listed().empty() && std::chrono::steady_clock::now() < end) {
  }
  EXPECT_EQ(listed(), std::vector<pid_t>{});
  EXPECT_EQ(kill(child, 0), 0);
  close(ends[0]);
}

// As if the number of a dead process were used again, while a descriptor keeps its lock.
TEST_F(ProcessRegister, KnowsANumberThatIsUsedAgain) {
  std::string trouble;
  const auto entry = OwnEntry::take(name_, false, trouble);
  ASSERT_TRUE(entry) << trouble;
  ASSERT_TRUE(entry->publish({}, false));
  EXPECT_EQ(listed(), std::vector{getpid()});
  const auto memory = os::NamedMemory::open(name_, layout::size, false, trouble);
  layout::Record record;
  ASSERT_TRUE(memory->read(layout::record_at(0), &record, sizeof record));
  ++record.start;
  record.sum = layout::sum_of(record);
  ASSERT_TRUE(memory->write(layout::record_at(0), &record, sizeof record));
  EXPECT_EQ(listed(), std::vector<pid_t>{});
  // In another PID namespace the number means nothing, and the lock decides.
  ++record.pid_namespace;
  record.sum = layout::sum_of(record);
  ASSERT_TRUE(memory->write(layout::record_at(0), &record, sizeof record));
  ASSERT_EQ(list().processes.size(), 1u);
  EXPECT_EQ(list().processes[0].sight, os::Sight::hidden);
}

TEST_F(ProcessRegister, RefusesMoreProcessesThanItHasSeats) {
  std::string trouble;
  std::vector<std::unique_ptr<OwnEntry>> entries;
  for (unsigned seat = 0; seat < layout::seats; ++seat) {
    entries.push_back(OwnEntry::take(name_, false, trouble));
    ASSERT_TRUE(entries.back()) << seat << ": " << trouble;
  }
  EXPECT_EQ(OwnEntry::take(name_, false, trouble), nullptr);
  EXPECT_NE(trouble.find("256 processes"), std::string::npos) << trouble;
  entries.pop_back();
  EXPECT_TRUE(OwnEntry::take(name_, false, trouble));
}

// Twenty processes at a time come and go; some are killed at a random moment, others end in order.
TEST_F(ProcessRegister, IsRightAfterManyRoundsOfKilledProcesses) {
#if defined(CUVETTE_THREAD_SANITIZER)
  constexpr int rounds = 20;
#else
  constexpr int rounds = 200;
#endif
  std::mt19937 random(42);
  const pid_t witness = start_entered();
  for (int round = 0; round < rounds; ++round) {
    std::vector<pid_t> started;
    for (int number = 0; number < 20; ++number) {
      const bool ends = random() % 4 == 0;
      started.push_back(start([&, ends] {
        std::string trouble;
        processes::DeviceUse use;
        for (int life = 0; !ends || life < 3; ++life) {
          const auto entry = OwnEntry::take(name_, life % 2 != 0, trouble);
          if (!entry) _exit(1);
          use.used = static_cast<uint64_t>(life);
          entry->publish({use}, false);
          processes::list(name_, 0);  // clears what others have left
        }
      }));
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 20000));
    std::ranges::shuffle(started, random);
    for (const pid_t child : started) end(child);
    ASSERT_EQ(listed(), std::vector{witness}) << "in round " << round;
  }
  // Nothing that a dead process had is left.
  std::string trouble;
  const auto memory = os::NamedMemory::open(name_, layout::size, false, trouble);
  for (unsigned seat = 1; seat < layout::seats; ++seat) {
    EXPECT_FALSE(memory->is_locked(seat)) << seat;
    processes::clear_dead(*memory, seat);
  }
  std::vector<char> claims(layout::claims_size), zeros(layout::claims_size);
  ASSERT_TRUE(memory->read(layout::claims_at, claims.data(), claims.size()));
  EXPECT_EQ(claims, zeros);
}

// --- A file that is not what it should be ---

TEST_F(ProcessRegister, BelievesNoGarbage) {
  const pid_t witness = start_entered();
  std::string trouble;
  const auto memory = os::NamedMemory::open(name_, layout::size, false, trouble);
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<unsigned char> bytes(layout::size);
    for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random());
    ASSERT_TRUE(memory->write(0, bytes.data(), bytes.size()));
    // The witness is woken by the garbage or by a reader, and repairs its own record.
    for (const pid_t pid : listed()) EXPECT_EQ(pid, witness);
  }
  EXPECT_EQ(kill(witness, 0), 0);
  // Who enters now repairs the beginning.
  const pid_t next = start_entered();
  EXPECT_TRUE(std::ranges::count(listed(), next));
}

TEST_F(ProcessRegister, BelievesNoRecordWithAWrongNumberOfDevices) {
  std::string trouble;
  const auto entry = OwnEntry::take(name_, false, trouble);
  ASSERT_TRUE(entry && entry->publish({}, false));
  const auto memory = os::NamedMemory::open(name_, layout::size, false, trouble);
  layout::Record record;
  ASSERT_TRUE(memory->read(layout::record_at(0), &record, sizeof record));
  record.device_count = layout::devices + 1;
  record.sum = layout::sum_of(record);
  ASSERT_TRUE(memory->write(layout::record_at(0), &record, sizeof record));
  EXPECT_EQ(listed(), std::vector<pid_t>{});
}

// A name that has control characters, or no end, does not get through to a terminal.
TEST_F(ProcessRegister, CleansTexts) {
  std::string trouble;
  const auto entry = OwnEntry::take(name_, false, trouble);
  ASSERT_TRUE(entry && entry->publish({}, false));
  const auto memory = os::NamedMemory::open(name_, layout::size, false, trouble);
  layout::Record record;
  ASSERT_TRUE(memory->read(layout::record_at(0), &record, sizeof record));
  std::memset(record.program, '\033', sizeof record.program);
  record.sum = layout::sum_of(record);
  ASSERT_TRUE(memory->write(layout::record_at(0), &record, sizeof record));
  EXPECT_EQ(list().processes.at(0).program, std::string(sizeof record.program, '?'));
}

TEST_F(ProcessRegister, OutlivesAFileThatLosesItsPages) {
  const pid_t witness = start_entered();
  ASSERT_EQ(truncate(path(name_).c_str(), 0), 0);
  EXPECT_EQ(list().trouble, "");  // the reader makes it large again
  EXPECT_EQ(kill(witness, 0), 0);
  std::string trouble;
  const auto entry = OwnEntry::take(name_, false, trouble);
  ASSERT_TRUE(entry) << trouble;
  EXPECT_TRUE(entry->publish({}, false));
  EXPECT_TRUE(std::ranges::count(listed(), getpid()));
}

TEST_F(ProcessRegister, SeesThatItWasRemoved) {
  std::string trouble;
  const auto entry = OwnEntry::take(name_, false, trouble);
  ASSERT_TRUE(entry && entry->publish({}, false));
  list();
  EXPECT_TRUE(entry->wait_until_asked());
  list();
  os::NamedMemory::remove(name_);
  EXPECT_FALSE(entry->publish({}, false));
  EXPECT_FALSE(entry->wait_until_asked());
  // Another one of the same name is not this one.
  const auto other = OwnEntry::take(name_, false, trouble);
  ASSERT_TRUE(other && other->publish({}, false));
  EXPECT_FALSE(entry->publish({}, false));
}

TEST_F(ProcessRegister, IsNotSharedWithOtherUsers) {
  std::string trouble;
  ASSERT_TRUE(OwnEntry::take(name_, false, trouble));
  struct stat status {};
  ASSERT_EQ(stat(path(name_).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600u);
  ASSERT_EQ(chmod(path(name_).c_str(), 0622), 0);
  EXPECT_NE(list().trouble.find("chmod 600"), std::string::npos) << list().trouble;
  EXPECT_EQ(OwnEntry::take(name_, false, trouble), nullptr);
  EXPECT_NE(trouble, "");
}

TEST_F(ProcessRegister, RefusesWhatBelongsToAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  std::string trouble;
  ASSERT_TRUE(OwnEntry::take(name_, false, trouble));
  ASSERT_EQ(chown(path(name_).c_str(), 65534, 65534), 0);
  EXPECT_NE(list().trouble.find("belongs to user 65534"), std::string::npos) << list().trouble;
  EXPECT_EQ(OwnEntry::take(name_, false, trouble), nullptr);
  // The other way round, the system refuses it.
  const pid_t child = start([&] {
    if (setuid(12345) != 0) _exit(2);
    const processes::Listing listing = processes::list(name_, 0);
    _exit(listing.trouble.find("cannot be opened") == std::string::npos ? 1 : 0);
  });
  int answer = 0;
  EXPECT_EQ(waitpid(child, &answer, 0), child);
  std::erase(children_, child);
  EXPECT_TRUE(WIFEXITED(answer) && WEXITSTATUS(answer) == 0) << answer;
}

TEST_F(ProcessRegister, RefusesWhatIsNoFile) {
  ASSERT_EQ(mkfifo(path(name_).c_str(), 0600), 0);
  EXPECT_NE(list().trouble, "");
  std::string trouble;
  EXPECT_EQ(OwnEntry::take(name_, false, trouble), nullptr);
  unlink(path(name_).c_str());
  ASSERT_EQ(symlink("/tmp/elsewhere", path(name_).c_str()), 0);
  EXPECT_EQ(OwnEntry::take(name_, false, trouble), nullptr);
  EXPECT_NE(access("/tmp/elsewhere", F_OK), 0);
}

}  // namespace
