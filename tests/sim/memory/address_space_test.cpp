// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/address_space.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "sim/os/device_access.hpp"
#include "tests/sim/memory/sizes.hpp"

namespace cuvette::memory {
namespace {

class AddressSpaceTest : public ::testing::Test {
 protected:
  std::unique_ptr<AddressSpace> space_ =
      AddressSpace::create({{1 * GiB, 2 * GiB}, Fill::edges}).value();
  Ref<os::Segment> segment_ = os::Segment::create("test", 16 * MiB).value();
};

TEST_F(AddressSpaceTest, AModulesVariableIsZeroAndHasAName) {
  // Old contents must be gone: both fresh and freed memory have patterns.
  ASSERT_TRUE(space_->free(space_->allocate(5000, {}).value()).ok());
  const auto variable = space_->allocate_variable({"number", 5000}, {}).value();
  EXPECT_EQ(variable->kind, AllocationKind::variable);
  EXPECT_EQ(variable->name, "number");
  EXPECT_EQ(space_->find(variable->address + 4999), variable);
  {
    const os::DeviceAccess access;
    for (size_t i = 0; i < 5000; ++i) ASSERT_EQ(host_pointer(variable->address)[i], 0) << i;
  }
  const auto managed = space_->allocate_variable({"managed", 4, 1, true}, {}).value();
  EXPECT_EQ(managed->kind, AllocationKind::managed);
  EXPECT_EQ(*host_pointer(managed->address), 0);
  EXPECT_TRUE(space_->free(managed).ok());
  EXPECT_TRUE(space_->free(variable).ok());
  EXPECT_EQ(space_->allocate_variable({"none", 0}, {}).error(), Error::invalid_value);
  EXPECT_EQ(space_->allocate_variable({"huge", size_t{1} << 50}, {}).error(), Error::out_of_memory);
}

TEST_F(AddressSpaceTest, AllocationsKnowWhereTheyCameFrom) {
  const int here = 0;
  auto allocation = space_->allocate(1000, {7, 1, &here}).value();
  EXPECT_EQ(allocation->size, 1000u);
  EXPECT_EQ(allocation->kind, AllocationKind::device);
  EXPECT_EQ(allocation->device, 1);
  EXPECT_EQ(allocation->owner, 7u);
  EXPECT_EQ(allocation->call_site, &here);
  EXPECT_TRUE(allocation->segment);
  EXPECT_TRUE(space_->reserved(allocation->address));
  EXPECT_NE(allocation->buffer_id, space_->allocate(1, {}).value()->buffer_id);
}

TEST_F(AddressSpaceTest, RefusesWhatIsNotThere) {
  EXPECT_FALSE(space_->allocate(0, {}).ok());
  EXPECT_EQ(space_->allocate(1, {0, 2, nullptr}).error(), Error::invalid_device);
  EXPECT_EQ(space_->allocate(1 * GiB + 1, {}).error(), Error::out_of_memory);
}

TEST_F(AddressSpaceTest, UsageFollowsAllocations) {
  const auto before = space_->usage(0);
  EXPECT_EQ(before.total, 1 * GiB);
  EXPECT_EQ(before.free, 1 * GiB);
  auto allocation = space_->allocate(10 * MiB, {}).value();
  auto external = space_->map_external({segment_, 0, MiB}, {}).value();
  EXPECT_EQ(space_->usage(0).free, before.free - 10 * MiB);
  EXPECT_EQ(space_->usage(1).free, 2 * GiB);
  EXPECT_TRUE(space_->free(allocation).ok());
  EXPECT_EQ(space_->usage(0).free, before.free);
  EXPECT_EQ(space_->usage(9).total, 0u);
}

TEST_F(AddressSpaceTest, FreedMemoryIsRememberedAndNotFound) {
  auto allocation = space_->allocate(1000, {}).value();
  EXPECT_EQ(space_->find(allocation->address + 999), allocation);
  EXPECT_FALSE(space_->find(allocation->address + 1000));
  EXPECT_TRUE(space_->free(allocation).ok());
  EXPECT_EQ(space_->free(allocation).error(), Error::invalid_value) << "the second time";
  EXPECT_FALSE(space_->find(allocation->address));
  EXPECT_EQ(space_->find_freed(allocation->address + 999), allocation);
  EXPECT_FALSE(space_->find_freed(allocation->address + 1000));
}

TEST_F(AddressSpaceTest, ExternalWindowsAreAliasesAtCongruentAddresses) {
  const size_t offset = 3 * 64 * KiB + 5000;
  auto a = space_->map_external({segment_, offset, 10000}, {}).value();
  auto b = space_->map_external({segment_, offset - 904, 10904}, {}).value();
  EXPECT_EQ(a->address % (64 * KiB), 5000u);
  EXPECT_EQ(b->address % (64 * KiB), 4096u);
  EXPECT_GT(b->address, a->address);
  EXPECT_EQ(a->offset, offset);
  {
    const os::DeviceAccess access;
    strcpy(host_pointer(a->address), "alias");
    EXPECT_STREQ(host_pointer(b->address + 904), "alias");
  }
  EXPECT_EQ(space_->find(b->address + 904), b);
  EXPECT_TRUE(space_->reserved(a->address));
}

TEST_F(AddressSpaceTest, AnUnmappedWindowIsEmptyAndUsedAgainLate) {
  auto a = space_->map_external({segment_, 0, 4096}, {}).value();
  const DevicePtr old = a->address;
  EXPECT_TRUE(space_->free(a).ok());
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_EQ(write(ends[1], host_pointer(old), 1), -1);
  close(ends[0]);
  close(ends[1]);
  for (int i = 0; i < 100; ++i) {
    auto next = space_->map_external({segment_, 0, 4096}, {}).value();
    EXPECT_NE(next->address, old);
    EXPECT_TRUE(space_->free(next).ok());
  }
  EXPECT_EQ(space_->find_freed(old)->size, 4096u);
}

TEST_F(AddressSpaceTest, WhatIsRememberedDoesNotKeepExternalMemory) {
  auto a = space_->map_external({segment_, 0, 4096}, {}).value();
  EXPECT_TRUE(space_->free(a).ok());
  a = nullptr;
  EXPECT_TRUE(segment_->unique());
}

TEST_F(AddressSpaceTest, ExternalRangesLieInsideTheirSegment) {
  EXPECT_FALSE(space_->map_external({segment_, 0, 16 * MiB + 1}, {}).ok());
  EXPECT_FALSE(space_->map_external({segment_, 16 * MiB, 1}, {}).ok());
  EXPECT_FALSE(space_->map_external({segment_, UINT64_MAX, 2}, {}).ok());
  EXPECT_FALSE(space_->map_external({segment_, 0, 0}, {}).ok());
  EXPECT_TRUE(space_->map_external({segment_, 16 * MiB - 1, 1}, {}).ok());
}

TEST_F(AddressSpaceTest, HostMemoryIsTheHosts) {
  auto pinned = space_->allocate_host(AllocationKind::pinned, 10000, 3, {}).value();
  EXPECT_FALSE(space_->reserved(pinned->address));
  EXPECT_TRUE(pinned->host_accessible());
  EXPECT_EQ(pinned->flags, 3u);
  strcpy(host_pointer(pinned->address), "host");
  EXPECT_EQ(space_->find(pinned->address + 5), pinned);
  EXPECT_TRUE(space_->free(pinned).ok());
  EXPECT_FALSE(space_->find(pinned->address));
  EXPECT_FALSE(space_->allocate_host(AllocationKind::device, 1, 0, {}).ok());
  EXPECT_FALSE(space_->allocate_host(AllocationKind::managed, SIZE_MAX, 0, {}).ok());
}

// A pool's reservation of host memory can only be found through its parts.
TEST_F(AddressSpaceTest, HostMemoryIsCutUpForPools) {
  for (const PoolMemory memory : {PoolMemory::host, PoolMemory::managed}) {
    auto reserve = space_->reserve_host(memory, MiB, {}).value();
    const DevicePtr begin = reserve->address;
    auto part = space_->cut(*reserve, begin + 512, 1000, 7, {}).value();
    EXPECT_EQ(space_->find(begin + 511), nullptr);
    EXPECT_EQ(space_->find(begin + 512), part);
    EXPECT_EQ(space_->find(begin + 1512), nullptr);
    EXPECT_EQ(part->pool, 7u);
    EXPECT_TRUE(part->host_accessible());
    EXPECT_EQ(part->managed(), memory == PoolMemory::managed);
    EXPECT_EQ(part->access.load(),
              memory == PoolMemory::managed ? Access::read_write : Access::none);
    EXPECT_TRUE(space_->reserved(begin));
    EXPECT_TRUE(space_->reserved(begin + MiB - 1));
    EXPECT_FALSE(space_->reserved(begin + MiB));
    EXPECT_EQ(space_->register_host(begin + 2048, 8, 0, {}).error(), Error::invalid_value);
    EXPECT_EQ(space_->register_host(begin + 1000, 8, 0, {}).error(),
              Error::host_memory_already_registered);
    strcpy(host_pointer(part->address), "host");
    space_->fill_fresh(*part);
    EXPECT_STRNE(host_pointer(part->address), "host");
    EXPECT_TRUE(space_->hide(part).ok());
    space_->end(*part);
    EXPECT_EQ(space_->find(begin + 512), nullptr);
    EXPECT_TRUE(space_->free(reserve).ok());
    EXPECT_FALSE(space_->reserved(begin));
    EXPECT_TRUE(space_->freed_and_gone(begin, 8, false));
    EXPECT_EQ(space_->free(reserve).error(), Error::invalid_value);
  }
  EXPECT_EQ(space_->reserve_host(PoolMemory::host, 1, {0, 9, nullptr}).error(),
            Error::invalid_device);
}

TEST_F(AddressSpaceTest, HostMemoryIsRegisteredOnce) {
  std::string memory(10000, 'x');
  const auto address = reinterpret_cast<DevicePtr>(memory.data());
  auto registered = space_->register_host(address + 100, 1000, 0, {}).value();
  EXPECT_EQ(space_->register_host(address, 101, 0, {}).error(),
            Error::host_memory_already_registered);
  EXPECT_EQ(space_->register_host(address + 1099, 1, 0, {}).error(),
            Error::host_memory_already_registered);
  EXPECT_TRUE(space_->register_host(address, 100, 0, {}).ok());
  EXPECT_TRUE(space_->free(registered).ok());
  EXPECT_TRUE(space_->register_host(address + 1099, 1, 0, {}).ok());
  EXPECT_EQ(memory, std::string(10000, 'x'));
}

TEST_F(AddressSpaceTest, DeviceAddressesAreNotRegistered) {
  auto allocation = space_->allocate(MiB, {}).value();
  EXPECT_EQ(space_->register_host(allocation->address, 1, 0, {}).error(),
            Error::host_memory_already_registered);
  EXPECT_EQ(space_->register_host(allocation->address + 100 * MiB, 1, 0, {}).error(),
            Error::invalid_value);
}

TEST_F(AddressSpaceTest, AContextsAllocationsEndTogether) {
  auto mine = space_->allocate(1, {1, 0, nullptr}).value();
  auto window = space_->map_external({segment_, 0, 1}, {1, 0, nullptr}).value();
  auto others = space_->allocate(1, {2, 0, nullptr}).value();
  EXPECT_EQ(space_->all().size(), 3u);
  space_->free_all_of(1);
  ASSERT_EQ(space_->all().size(), 1u);
  EXPECT_EQ(space_->all()[0], others);
  (void)mine, (void)window;
}

TEST_F(AddressSpaceTest, TouchAccountsForDeviceMemoryOnly) {
  auto allocation = space_->allocate(100 * MiB, {}).value();
  auto window = space_->map_external({segment_, 0, MiB}, {}).value();
  EXPECT_TRUE(space_->touch(*allocation, Region::linear(allocation->address, 4)).ok());
  EXPECT_TRUE(space_->touch(*allocation, {allocation->address, 10, 4096, 1000, 0, 1}).ok());
  EXPECT_TRUE(space_->touch(*window, Region::linear(window->address, MiB)).ok());
  EXPECT_TRUE(space_->touch(*allocation, {}).ok());
}

TEST(AddressSpace, CutsWhatDoesNotFitAndSaysSo) {
  ::testing::internal::CaptureStderr();
  auto space = AddressSpace::create({{size_t{4} << 40, 1 * GiB}, Fill::none}).value();
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(space->usage(1).total, 1 * GiB);
  EXPECT_GT(space->usage(0).total, size_t{100} << 30);
  EXPECT_LT(space->usage(0).total, size_t{1} << 40);
  EXPECT_NE(said.find("device 0 has"), std::string::npos) << said;
  EXPECT_EQ(said.find("device 1 has"), std::string::npos) << said;
}

TEST(AddressSpace, SixteenLargeDevicesFit) {
  ::testing::internal::CaptureStderr();
  auto space =
      AddressSpace::create({std::vector<size_t>(16, size_t{141} << 30), Fill::none}).value();
  ::testing::internal::GetCapturedStderr();
  for (unsigned device = 0; device < 16; ++device) {
    EXPECT_GT(space->usage(device).total, size_t{10} << 30);
    EXPECT_TRUE(space->allocate(1, {0, static_cast<uint8_t>(device), nullptr}).ok());
  }
}

TEST(AddressSpace, LivesUnderLimits) {
#if defined(CUVETTE_ADDRESS_SANITIZER) || defined(CUVETTE_THREAD_SANITIZER)
  GTEST_SKIP() << "A sanitizer's shadow memory does not fit under a limit of addresses.";
#endif
  const pid_t child = fork();
  if (child == 0) {
    const rlimit addresses{size_t{4} << 30, size_t{4} << 30};
    const rlimit file{64 * MiB, 64 * MiB};
    setrlimit(RLIMIT_AS, &addresses);
    setrlimit(RLIMIT_FSIZE, &file);
    auto space = AddressSpace::create({{size_t{141} << 30}, Fill::edges});
    if (!space.ok()) _exit(1);
    auto allocation = space.value()->allocate(MiB, {});
    _exit(allocation.ok() ? 0 : 2);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace cuvette::memory
