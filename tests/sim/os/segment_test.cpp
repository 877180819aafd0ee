// SPDX-License-Identifier: Apache-2.0
#include "sim/os/segment.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/magic.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace cuvette::os {
namespace {

int memfd(size_t size, unsigned flags) {
  const int fd = memfd_create("test", MFD_CLOEXEC | flags);
  EXPECT_EQ(ftruncate(fd, static_cast<off_t>(size)), 0);
  return fd;
}

bool open_fd(int fd) { return fcntl(fd, F_GETFD) >= 0; }

TEST(Segment, IsSparseAndSealed) {
  auto segment = Segment::create("test", size_t{1} << 40);
  ASSERT_TRUE(segment.ok());
  EXPECT_EQ(segment.value()->size(), size_t{1} << 40);
  EXPECT_EQ(segment.value()->current_size(), size_t{1} << 40);
  EXPECT_EQ(segment.value()->resident(), 0u);
  EXPECT_TRUE(segment.value()->shrink_sealed());
  EXPECT_NE(ftruncate(segment.value()->fd(), 4096), 0);
  EXPECT_TRUE(fcntl(segment.value()->fd(), F_GETFD) & FD_CLOEXEC);
}

TEST(Segment, GoesBeyondTheSoftLimitOfFileSizes) {
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{1 << 20, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_TRUE(Segment::create("test", size_t{1} << 30).ok());
  rlimit after;
  getrlimit(RLIMIT_FSIZE, &after);
  EXPECT_EQ(after.rlim_cur, small.rlim_cur) << "the limit is as it was";
  setrlimit(RLIMIT_FSIZE, &before);
}

TEST(Segment, DiscardedPagesReadAsZero) {
  auto segment = Segment::create("test", 16384).value();
  auto* bytes = static_cast<char*>(
      mmap(nullptr, 16384, PROT_READ | PROT_WRITE, MAP_SHARED, segment->fd(), 0));
  memset(bytes, 1, 16384);
  EXPECT_EQ(segment->resident(), 16384u);
  segment->discard(100, 12000);  // one whole page lies inside, at 4096
  EXPECT_EQ(segment->resident(), 12288u);
  EXPECT_EQ(bytes[4095], 1);
  EXPECT_EQ(bytes[4096], 0);
  EXPECT_EQ(bytes[8191], 0);
  EXPECT_EQ(bytes[8192], 1);
  munmap(bytes, 16384);
}

TEST(Segment, AdoptTakesTheNumberOver) {
  const int fd = memfd(8192, MFD_ALLOW_SEALING);
  auto segment = Segment::adopt(fd, 1);
  ASSERT_TRUE(segment.ok());
  EXPECT_FALSE(open_fd(fd));
  EXPECT_EQ(segment.value()->size(), 8192u);
  EXPECT_TRUE(segment.value()->shrink_sealed());
  EXPECT_NE(ftruncate(segment.value()->fd(), 4096), 0);
}

TEST(Segment, AdoptTakesFilesWithoutSealsToo) {
  auto segment = Segment::adopt(memfd(4096, 0), 4096);
  ASSERT_TRUE(segment.ok());
  EXPECT_FALSE(segment.value()->shrink_sealed());
  EXPECT_EQ(ftruncate(segment.value()->fd(), 0), 0);
  EXPECT_EQ(segment.value()->current_size(), 0u);
  EXPECT_EQ(segment.value()->size(), 4096u);
}

TEST(Segment, AdoptRefusesAFileThatIsTooSmall) {
  const int fd = memfd(4096, 0);
  EXPECT_EQ(Segment::adopt(fd, 4097).error(), Error::invalid_value);
  EXPECT_TRUE(open_fd(fd));
  close(fd);
}

TEST(Segment, TwoFdsOfOneFileAreOneIdentity) {
  auto segment = Segment::create("one", 4096).value();
  auto again = Segment::adopt(dup(segment->fd()), 1).value();
  auto other = Segment::create("two", 4096).value();
  EXPECT_EQ(segment->identity(), again->identity());
  EXPECT_FALSE(segment->identity() == other->identity());
  EXPECT_EQ(identity_of_fd(segment->fd()), again->identity());
  EXPECT_EQ(identity_of_fd(-1).inode, 0u);
}

void expect_refused(int fd) {
  ::testing::internal::CaptureStderr();
  auto segment = Segment::adopt(fd, 1);
  const std::string sentence = ::testing::internal::GetCapturedStderr();
  ASSERT_FALSE(segment.ok());
  EXPECT_EQ(segment.error(), Error::unknown);
  EXPECT_NE(sentence.find("cannot be used as shared memory"), std::string::npos) << sentence;
}

TEST(Segment, AdoptRefusesWhatIsNoSharedMemoryAndLeavesItOpen) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  char disk[] = "/var/tmp/cuvette-segment-XXXXXX";
  const int on_disk = mkstemp(disk);
  unlink(disk);
  ASSERT_EQ(ftruncate(on_disk, 4096), 0);
  struct statfs system;
  ASSERT_EQ(fstatfs(on_disk, &system), 0);
  if (system.f_type == TMPFS_MAGIC) {
    ASSERT_EQ(ftruncate(on_disk, 0), 0);  // there is no disk here, so the file must be empty
  }
  const int sealed = memfd(4096, MFD_ALLOW_SEALING);
  fcntl(sealed, F_ADD_SEALS, F_SEAL_WRITE);
  const int writable = memfd(4096, 0);
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", writable);
  for (const int fd : {ends[0], eventfd(0, 0), open("/tmp", O_RDONLY), open("/dev/zero", O_RDWR),
                       on_disk, memfd(0, 0), sealed, open(path, O_RDONLY)}) {
    expect_refused(fd);
    EXPECT_TRUE(open_fd(fd));
    close(fd);
  }
  expect_refused(-1);
  close(ends[1]);
  close(writable);
}

}  // namespace
}  // namespace cuvette::os
