// SPDX-License-Identifier: Apache-2.0
// Processes that share a device's memory: together they never have more than there is, and what a
// dead one had comes back.
#include "sim/processes/ledger.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <random>
#include <thread>

#include "children.hpp"
#include "sim/os/fault.hpp"

namespace {

using namespace cuvette;
using processes::Ledger;
using processes::OwnEntry;

constexpr std::array<uint8_t, 16> a_device = {1, 2, 3}, other_device = {4};
constexpr size_t capacity = 1000;

// A process's entry and its account of `a_device`.
struct Account {
  explicit Account(const std::string& name, const std::array<uint8_t, 16>& uuid = a_device) {
    std::string trouble;
    entry = OwnEntry::take(name, true, trouble);
    EXPECT_TRUE(entry) << trouble;
    if (entry) ledger = entry->ledger(0, uuid);
  }
  std::unique_ptr<OwnEntry> entry;
  std::unique_ptr<Ledger> ledger;
};

class LedgerTest : public ProcessRegister {};

TEST_F(LedgerTest, CountsWhatAllHave) {
  Account one(name_), two(name_);
  EXPECT_TRUE(one.ledger->claim(600, capacity));
  EXPECT_EQ(two.ledger->used(), 600u);
  EXPECT_FALSE(two.ledger->claim(401, capacity));
  EXPECT_TRUE(two.ledger->claim(400, capacity));
  EXPECT_EQ(one.ledger->used(), capacity);
  EXPECT_FALSE(one.ledger->claim(1, capacity));
  two.ledger->give_back(100);
  EXPECT_TRUE(one.ledger->claim(100, capacity));
}

TEST_F(LedgerTest, CountsWhatContextsOfOthersTake) {
  Account one(name_), two(name_);
  one.ledger->set_contexts(300);
  EXPECT_EQ(one.ledger->used(), 0u);
  EXPECT_EQ(two.ledger->used(), 300u);
  EXPECT_FALSE(two.ledger->claim(701, capacity));
  EXPECT_TRUE(two.ledger->claim(700, capacity));
}

TEST_F(LedgerTest, KeepsDevicesApart) {
  Account one(name_), other(name_, other_device);
  EXPECT_TRUE(one.ledger->claim(capacity, capacity));
  EXPECT_EQ(other.ledger->used(), 0u);
  EXPECT_TRUE(other.ledger->claim(capacity, capacity));
}

TEST_F(LedgerTest, GetsBackWhatADeadProcessHad) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = start([&] {
    const Account account(name_);
    if (!account.ledger->claim(capacity, capacity) || write(ends[1], "", 1) != 1) _exit(1);
    pause();
  });
  char byte;
  ASSERT_EQ(read(ends[0], &byte, 1), 1);
  Account own(name_);
  EXPECT_EQ(own.ledger->used(), capacity);
  EXPECT_FALSE(own.ledger->claim(1, capacity));
  end(child);
  EXPECT_TRUE(own.ledger->claim(capacity, capacity));
  EXPECT_EQ(own.ledger->used(), capacity);
}

// What is in memory that all children share.
struct Tally {
  std::atomic<int64_t> held;  // counted by the children themselves, apart from the ledger
  std::atomic<int64_t> most;
  std::atomic<uint64_t> claims, refusals;
};

// All children take and give back as fast as they can; the sum of what they hold is counted apart
// from the ledger, after a claim and before its return, so it never counts too much.
TEST_F(LedgerTest, NeverGivesOutMoreThanThereIs) {
  auto* const tally = static_cast<Tally*>(
      mmap(nullptr, sizeof(Tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  for (unsigned number = 0; number < 6; ++number) {
    start([&, number] {
      const Account account(name_);
      const auto work = [&](unsigned seed) {
        std::mt19937 random(seed);
        for (;;) {
          const size_t bytes = 1 + random() % (capacity / 2);
          if (!account.ledger->claim(bytes, capacity)) {
            ++tally->refusals;
            continue;
          }
          const auto size = static_cast<int64_t>(bytes);
          const int64_t held = tally->held.fetch_add(size) + size;
          int64_t most = tally->most;
          while (held > most && !tally->most.compare_exchange_weak(most, held)) {
          }
          ++tally->claims;
          tally->held.fetch_sub(size);
          account.ledger->give_back(bytes);
        }
      };
      std::thread second(work, number + 100);
      work(number);
    });
  }
  std::this_thread::sleep_for(std::chrono::seconds(1));
  while (!children_.empty()) end(children_.back());
  EXPECT_GT(tally->claims, 100u);
  EXPECT_GT(tally->refusals, 0u);
  EXPECT_LE(tally->most, static_cast<int64_t>(capacity));
  EXPECT_GT(tally->most, static_cast<int64_t>(capacity) / 2);
  // Killed in the middle of whatever they did: all of it comes back.
  Account own(name_);
  EXPECT_EQ(own.ledger->used(), 0u);
  EXPECT_TRUE(own.ledger->claim(capacity, capacity));
  munmap(tally, sizeof(Tally));
}

// Of several who want all of it at the same moment, exactly one gets it, each time.
TEST_F(LedgerTest, GivesTheLastBytesToExactlyOne) {
  constexpr int rounds = 300, contenders = 4;
  struct Ring {
    std::atomic<int> round, done, won, returned;
  };
  auto* const ring = static_cast<Ring*>(
      mmap(nullptr, sizeof(Ring), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  for (int number = 0; number < contenders; ++number) {
    start([&] {
      const Account account(name_);
      for (int round = 1; round <= rounds; ++round) {
        while (ring->round < round) std::this_thread::yield();
        const bool won = account.ledger->claim(capacity, capacity);
        if (won) ++ring->won;
        ++ring->done;
        while (ring->done < contenders * round) std::this_thread::yield();
        if (won) account.ledger->give_back(capacity);
        ++ring->returned;
      }
    });
  }
  for (int round = 1; round <= rounds; ++round) {
    ring->round = round;
    while (ring->returned < contenders * round)
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    ASSERT_EQ(ring->won, round);
  }
  munmap(ring, sizeof(Ring));
}

// Whoever empties the file has not stopped the processes that share through it.
TEST_F(LedgerTest, OutlivesAFileThatLosesItsPages) {
  const pid_t child = start([&] {
    os::watch_faults([](const os::MemoryFault&) { return os::FaultAction::chain; });
    const Account account(name_);
    if (!account.ledger->claim(1, capacity)) _exit(1);
    if (truncate(os::NamedMemory::path_of(name_).c_str(), 0) != 0) _exit(2);
    // Alone from now on.
    if (!account.ledger->claim(capacity, capacity)) _exit(3);
    account.ledger->give_back(1);
    if (account.ledger->used() != 0) _exit(4);
  });
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  std::erase(children_, child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0) << status;
}

// Garbage in the claims of others may refuse memory, and does nothing worse.
TEST_F(LedgerTest, OutlivesGarbage) {
  Account own(name_);
  std::string trouble;
  const auto memory = os::NamedMemory::open(name_, 1, false, trouble);
  ASSERT_TRUE(memory);
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    std::vector<unsigned char> bytes(1 << 20);
    for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random());
    memory->write(4096, bytes.data(), bytes.size());
    static_cast<void>(own.ledger->claim(1, capacity));
    static_cast<void>(own.ledger->used());
  }
}

}  // namespace
