// SPDX-License-Identifier: Apache-2.0
#include "sim/device/model/profile.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace cuvette::device {
namespace {

TEST(Profile, IsFoundByItsKey) {
  for (const Profile& profile : profiles()) EXPECT_EQ(find_profile(profile.key), &profile);
  EXPECT_EQ(find_profile("H200"), nullptr);
  EXPECT_EQ(find_profile(""), nullptr);
}

TEST(Profile, H200AnswersWhatTheDriverAnswered) {
  const Profile* profile = find_profile("h200");
  ASSERT_NE(profile, nullptr);
  EXPECT_EQ(profile->name, "NVIDIA H200");
  EXPECT_EQ(profile->memory, 150109880320u);
  EXPECT_EQ(profile->memory - profile->context_memory, 149557477376u);
  EXPECT_EQ(profile->compute_major, 9);
  EXPECT_EQ(profile->compute_minor, 0);
  EXPECT_EQ(profile->driver_version, 13000);
  EXPECT_EQ(profile->attribute(16), 132);
  EXPECT_EQ(profile->attribute(131), -1);
  EXPECT_EQ(profile->attribute(139), 590680286);
  EXPECT_EQ(profile->limit(Limit::stack_size), 1024u);
  EXPECT_EQ(profile->limit(Limit::printf_fifo_size), 8650752u);
  EXPECT_EQ(profile->limit(Limit::persisting_l2_cache_size), 11796480u);
  EXPECT_EQ(profile->limit(Limit::dev_runtime_sync_depth), std::nullopt)
      << "devices of 9.0 have no synchronisation depth";
}

TEST(Profile, HasNothingOutsideCudasNumbers) {
  for (const Profile& profile : profiles()) {
    for (int number : {-1, 0, 148, 10000, INT32_MAX, INT32_MIN})
      EXPECT_EQ(profile.attribute(number), std::nullopt) << number;
    for (int number : {-1, 10, 10000})
      EXPECT_EQ(profile.limit(static_cast<Limit>(number)), std::nullopt) << number;
  }
}

TEST(Profile, IsFitToRunOn) {
  std::set<std::string_view> keys;
  for (const Profile& profile : profiles()) {
    EXPECT_TRUE(keys.insert(profile.key).second) << profile.key << " is there twice";
    EXPECT_FALSE(profile.name.empty());
    EXPECT_GT(profile.memory, profile.context_memory);
    EXPECT_LE(profile.priority_greatest, profile.priority_least);
    for (int number = 1; number < Profile::attribute_end; ++number)
      EXPECT_TRUE(profile.attribute(number)) << profile.key << " lacks attribute " << number;
  }
}

TEST(Profile, IsFoundInAList) {
  const Profile *h200 = find_profile("h200"), *t4 = find_profile("t4");
  EXPECT_EQ(find_profiles("h200"), std::vector{h200});
  EXPECT_EQ(find_profiles("h200,t4,t4"), (std::vector{h200, t4, t4}));
  for (const char* wrong : {"", ",", "h200,", ",t4", "h200,,t4", "h200 t4", "h200, t4", "h201"})
    EXPECT_TRUE(find_profiles(wrong).empty()) << wrong;
}

// Relations between the attributes that hold for any GPU.
class ProfileRelations : public ::testing::TestWithParam<std::string_view> {
 protected:
  const Profile& profile() const { return *find_profile(GetParam()); }
  int value(Attribute attribute) const { return profile().value(attribute); }
};

TEST_P(ProfileRelations, OfThreadsAndRegisters) {
  EXPECT_EQ(value(Attribute::WARP_SIZE), 32);
  EXPECT_EQ(value(Attribute::MAX_THREADS_PER_MULTIPROCESSOR) % 32, 0);
  EXPECT_GE(value(Attribute::MAX_THREADS_PER_MULTIPROCESSOR),
            value(Attribute::MAX_THREADS_PER_BLOCK));
  EXPECT_EQ(value(Attribute::MAX_BLOCK_DIM_X), value(Attribute::MAX_THREADS_PER_BLOCK));
  // The smallest blocks that fill a multiprocessor must also fill its warps: they have at least 32
  // threads, and 64 or more on all of these models.
  EXPECT_GE(value(Attribute::MAX_THREADS_PER_MULTIPROCESSOR) /
                value(Attribute::MAX_BLOCKS_PER_MULTIPROCESSOR),
            64);
  EXPECT_EQ(value(Attribute::MAX_REGISTERS_PER_BLOCK), 65536);
  EXPECT_EQ(value(Attribute::MAX_REGISTERS_PER_MULTIPROCESSOR), 65536);
}

// "1 KB of shared memory is reserved for system use per thread block" from 8.0 on.
TEST_P(ProfileRelations, OfSharedMemory) {
  const int each = value(Attribute::MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  const int optin = value(Attribute::MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  const int reserved = value(Attribute::RESERVED_SHARED_MEMORY_PER_BLOCK);
  EXPECT_EQ(value(Attribute::MAX_SHARED_MEMORY_PER_BLOCK), 49152);
  EXPECT_EQ(reserved, profile().compute_major >= 8 ? 1024 : 0);
  EXPECT_EQ(optin + reserved, each);
  EXPECT_EQ(profile().limit(Limit::shmem_size), static_cast<size_t>(optin));
}

TEST_P(ProfileRelations, OfMemoryAndCaches) {
  EXPECT_GT(profile().memory, size_t{8} << 30);
  EXPECT_EQ(value(Attribute::GLOBAL_MEMORY_BUS_WIDTH) % 64, 0);
  const int l2 = value(Attribute::L2_CACHE_SIZE);
  EXPECT_EQ(l2 % 1048576, 0);
  const int persisting = value(Attribute::MAX_PERSISTING_L2_CACHE_SIZE);
  EXPECT_LE(persisting, l2 / 4 * 3);
  EXPECT_EQ(persisting > 0, profile().compute_major >= 8);
  EXPECT_EQ(profile().limit(Limit::persisting_l2_cache_size).has_value(), persisting > 0);
  if (persisting > 0) {
    EXPECT_LE(*profile().limit(Limit::persisting_l2_cache_size), static_cast<size_t>(persisting));
  }
  EXPECT_EQ(value(Attribute::MAX_ACCESS_POLICY_WINDOW_SIZE) > 0, persisting > 0);
}

TEST_P(ProfileRelations, OfTheComputeCapability) {
  const bool hopper = profile().compute_major >= 9;
  EXPECT_EQ(value(Attribute::CLUSTER_LAUNCH), hopper);
  EXPECT_EQ(value(Attribute::TENSOR_MAP_ACCESS_SUPPORTED), hopper);
  EXPECT_EQ(value(Attribute::MEM_SYNC_DOMAIN_COUNT), hopper ? 4 : 1);
  EXPECT_EQ(profile().limit(Limit::dev_runtime_sync_depth).has_value(), !hopper)
      << "synchronisation depth";
}

// Attributes about sharing must not contradict each other.
TEST_P(ProfileRelations, OfSharing) {
  const int handles = value(Attribute::MEMPOOL_SUPPORTED_HANDLE_TYPES);
  EXPECT_EQ((handles & 1) != 0, value(Attribute::HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED) != 0);
  EXPECT_EQ((handles & 8) != 0, value(Attribute::HANDLE_TYPE_FABRIC_SUPPORTED) != 0);
  EXPECT_EQ(value(Attribute::HANDLE_TYPE_WIN32_HANDLE_SUPPORTED), 0);
  const int rdma = value(Attribute::GPU_DIRECT_RDMA_SUPPORTED);
  for (const Attribute needs : {Attribute::GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED,
                                Attribute::GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS,
                                Attribute::GPU_DIRECT_RDMA_WRITES_ORDERING})
    EXPECT_EQ(value(needs) != 0, rdma != 0);
}

TEST_P(ProfileRelations, OfHostMemory) {
  const bool integrated = value(Attribute::INTEGRATED) != 0;
  EXPECT_EQ(value(Attribute::CAN_MAP_HOST_MEMORY), 1);
  EXPECT_EQ(value(Attribute::UNIFIED_ADDRESSING), 1);
  EXPECT_EQ(value(Attribute::MANAGED_MEMORY), 1);
  EXPECT_EQ(value(Attribute::CONCURRENT_MANAGED_ACCESS), !integrated);
  // "PAGEABLE_MEMORY_ACCESS ... through the host's page tables" implies PAGEABLE_MEMORY_ACCESS.
  EXPECT_LE(value(Attribute::PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES),
            value(Attribute::PAGEABLE_MEMORY_ACCESS));
  if (integrated) {
    EXPECT_EQ(profile().peer_link, PeerLink::none);
    EXPECT_EQ(value(Attribute::GPU_PCI_DEVICE_ID), 0);
  } else {
    EXPECT_EQ(value(Attribute::GPU_PCI_DEVICE_ID) & 0xffff, 0x10de) << "NVIDIA's number";
    EXPECT_EQ(value(Attribute::GPU_PCI_SUBSYSTEM_ID) & 0xffff, 0x10de);
  }
}

// The bandwidth in the vendor's data sheets, in GB/s: two transfers per clock cycle.
TEST(Profile, HasTheBandwidthOfItsDataSheet) {
  const std::pair<const char*, int> sheets[] = {{"h200", 4800},      {"a100-80gb", 2039},
                                                {"a100-40gb", 1555}, {"l4", 300},
                                                {"rtx4090", 1008},   {"t4", 320}};
  for (const auto& [key, wanted] : sheets) {
    const Profile& profile = *find_profile(key);
    const double bytes = profile.value(Attribute::GLOBAL_MEMORY_BUS_WIDTH) / 8.0;
    const double clock = profile.value(Attribute::MEMORY_CLOCK_RATE) * 1000.0;
    EXPECT_NEAR(2 * bytes * clock / 1e9, wanted, wanted * 0.01) << key;
  }
}

std::vector<std::string_view> keys() {
  std::vector<std::string_view> keys;
  for (const Profile& profile : profiles()) keys.push_back(profile.key);
  return keys;
}

INSTANTIATE_TEST_SUITE_P(Each, ProfileRelations, ::testing::ValuesIn(keys()),
                         [](const auto& instance) {
                           std::string name(instance.param);
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace cuvette::device
