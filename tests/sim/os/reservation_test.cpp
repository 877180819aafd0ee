// SPDX-License-Identifier: Apache-2.0
#include "sim/os/reservation.hpp"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <utility>

#include "sim/os/device_access.hpp"
#include "tests/sim/os/may_read.hpp"

namespace cuvette::os {
namespace {

char* at(uint64_t address) { return reinterpret_cast<char*>(address); }

TEST(Reservation, IsAlignedAndEmpty) {
  auto reservation = Reservation::reserve(size_t{64} << 30, 4096);
  ASSERT_TRUE(reservation.ok());
  const Reservation& range = reservation.value();
  EXPECT_EQ(range.size(), size_t{64} << 30);
  EXPECT_EQ(range.begin() % (2 << 20), 0u);
  EXPECT_TRUE(range.contains(range.begin()));
  EXPECT_FALSE(range.contains(range.end()));
  EXPECT_FALSE(range.contains(range.begin() - 1));
  EXPECT_FALSE(may_read(range.begin()));
}

// Like valgrind, which returns EINVAL where a kernel would return ENOMEM.
TEST(Reservation, HalvesWhatASimulatedAddressSpaceRefuses) {
  const pid_t child = fork();
  if (child == 0) {
    // Makes mmap of 64 GiB or more fail with EINVAL.
    const sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[1]) + 4),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 16, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog filter{std::size(program), const_cast<sock_filter*>(program)};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
      _exit(0);  // the system has no filters
    auto reservation = Reservation::reserve(size_t{1} << 40, size_t{64} << 20);
    _exit(reservation.ok() && reservation.value().size() >= size_t{8} << 30 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Reservation, HalvesWhatTheLimitRefusesAndLeavesTheProgramSome) {
#if defined(CUVETTE_ADDRESS_SANITIZER) || defined(CUVETTE_THREAD_SANITIZER)
  GTEST_SKIP() << "A sanitizer's shadow memory does not fit under a limit of addresses.";
#endif
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{size_t{4} << 30, size_t{4} << 30};
    setrlimit(RLIMIT_AS, &limit);
    auto reservation = Reservation::reserve(size_t{1} << 40, size_t{64} << 20);
    if (!reservation.ok()) _exit(1);
    void* rest = mmap(nullptr, size_t{1} << 30, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    _exit(rest == MAP_FAILED ? 2 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Reservation, ASmallLimitIsOutOfMemory) {
#if defined(CUVETTE_ADDRESS_SANITIZER) || defined(CUVETTE_THREAD_SANITIZER)
  GTEST_SKIP() << "A sanitizer's shadow memory does not fit under a limit of addresses.";
#endif
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{size_t{1} << 20, size_t{1} << 20};
    setrlimit(RLIMIT_AS, &limit);
    auto reservation = Reservation::reserve(size_t{1} << 40, size_t{64} << 20);
    _exit(!reservation.ok() && reservation.error() == Error::out_of_memory ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Reservation, MapsTwoAliasesAndTakesThemBack) {
  set_up_device_key();
  auto range = Reservation::reserve(1 << 30, 1 << 30).value();
  auto segment = Segment::create("test", 1 << 20).value();
  ASSERT_TRUE(range.map(range.begin(), *segment, 0, 8192).ok());
  ASSERT_TRUE(range.map(range.begin() + 65536, *segment, 4096, 8192).ok());
  {
    const DeviceAccess access;
    strcpy(at(range.begin() + 4096), "alias");
    EXPECT_STREQ(at(range.begin() + 65536), "alias");
  }
  range.unmap(range.begin(), 8192);
  EXPECT_FALSE(may_read(range.begin()));
  // No other mapping gets the hole.
  void* other = mmap(at(range.begin()), 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT_FALSE(range.contains(reinterpret_cast<uint64_t>(other)));
  munmap(other, 8192);
}

TEST(Reservation, MapRefusesWhatIsOutside) {
  auto range = Reservation::reserve(1 << 30, 1 << 30).value();
  auto segment = Segment::create("test", 1 << 20).value();
  EXPECT_FALSE(range.map(range.end() - 4096, *segment, 0, 8192).ok());
  EXPECT_FALSE(range.map(range.begin() - 4096, *segment, 0, 4096).ok());
}

TEST(Reservation, AChildDoesNotInheritWhatIsKeptFromIt) {
  auto range = Reservation::reserve(1 << 30, 1 << 30).value();
  auto segment = Segment::create("test", 4096).value();
  ASSERT_TRUE(range.map(range.begin(), *segment, 0, 4096).ok());
  range.keep_from_children();
  const pid_t child = fork();
  if (child == 0) {
    unsigned char resident;
    _exit(mincore(at(range.begin()), 4096, &resident) == -1 && errno == ENOMEM ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(map_host_pages, AreZeroAndTheHostsOwn) {
  const uint64_t pages = map_host_pages(1 << 20).value();
  EXPECT_EQ(*at(pages), 0);
  *at(pages) = 1;
  unmap_host_pages(pages, 1 << 20);
  EXPECT_FALSE(map_host_pages(size_t{1} << 60).ok());
}

}  // namespace
}  // namespace cuvette::os
