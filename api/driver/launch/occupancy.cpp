// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "api/driver/call.hpp"
#include "api/driver/cuda.hpp"
#include "api/driver/launch/launch_arguments.hpp"
#include "api/driver/module/module_handles.hpp"
#include "sim/device/machine/device.hpp"
#include "sim/device/model/occupancy.hpp"

using namespace cuvette;
using namespace cuvette::driver;
using device::Attribute;
using device::Function;
using device::Profile;

namespace {

const Profile& profile_of(const Function& function) {
  return function.context()->device().profile();
}

// Returns how many threads .maxntid or the device allows.
int most_threads(const Function& function) {
  const int most = profile_of(function).value(Attribute::MAX_THREADS_PER_BLOCK);
  const ptx::Function& syntax = function.syntax();
  if (syntax.maxntid[0] == 0) return most;
  const uint64_t product = uint64_t{syntax.maxntid[0]} * std::max(syntax.maxntid[1], 1u) *
                           std::max(syntax.maxntid[2], 1u);
  return static_cast<int>(std::min<uint64_t>(product, static_cast<uint64_t>(most)));
}

Result<int> active_blocks(const Function& function, int blockSize, size_t dynamicSMemSize) {
  const Profile& profile = profile_of(function);
  const size_t fixed = TRY(function.static_shared_bytes());
  // A lower setting does not take away the memory that every kernel may have (measured).
  const size_t anyway = profile.amount(Attribute::MAX_SHARED_MEMORY_PER_BLOCK);
  if (dynamicSMemSize >
      std::max(function.settings().most_dynamic_shared(), anyway - std::min(anyway, fixed)))
    return 0;
  const size_t shared = fixed + dynamicSMemSize;
  const int carveout = function.settings().carveout.load(std::memory_order_relaxed);
  const uint32_t blocks =
      std::min(device::blocks_per_multiprocessor(profile, static_cast<uint64_t>(blockSize), shared),
               device::blocks_in_carveout(profile, carveout, shared));
  return static_cast<int>(blocks);
}

Result<> check_occupancy_flags(unsigned flags) {
  if (flags > CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)
    return refuse(Error::invalid_value, "Flags 0x%x have bits beyond CUoccupancy_flags.", flags);
  return {};
}

[[gnu::always_inline]] inline CUresult tell_active_blocks(int* numBlocks, CUfunction func,
                                                          int blockSize, size_t dynamicSMemSize,
                                                          unsigned flags) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    if (!numBlocks) return refuse(Error::invalid_value, "The output pointer is null.");
    TRY(check_occupancy_flags(flags));
    const auto function = TRY(find_launchable(func, context));
    if (blockSize <= 0)
      return refuse(Error::invalid_value, "The block size is %d; it must be at least 1.",
                    blockSize);
    *numBlocks = TRY(active_blocks(*function, blockSize, dynamicSMemSize));
    return {};
  });
}

[[gnu::always_inline]] inline CUresult tell_potential(int* minGridSize, int* blockSize,
                                                      CUfunction func, CUoccupancyB2DSize bytes_for,
                                                      size_t dynamicSMemSize, int blockSizeLimit,
                                                      unsigned flags) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    if (!minGridSize || !blockSize)
      return refuse(Error::invalid_value, "An output pointer is null.");
    TRY(check_occupancy_flags(flags));
    const auto function = TRY(find_launchable(func, context));
    if (blockSizeLimit < 0)
      return refuse(Error::invalid_value, "The block size limit is %d; it must not be negative.",
                    blockSizeLimit);
    const Profile& profile = profile_of(*function);
    constexpr int warp = 32;
    const int most = blockSizeLimit == 0 ? most_threads(*function)
                                         : std::min(blockSizeLimit, most_threads(*function));
    // Finds the block size with the most resident threads; among equals, the largest.
    int best_threads = 0, best_blocks = 0, best_size = 0;
    for (int whole = (most + warp - 1) / warp * warp; whole > 0; whole -= warp) {
      const int size = std::min(whole, most);
      const size_t dynamic = bytes_for ? bytes_for(size) : dynamicSMemSize;
      const int blocks = TRY(active_blocks(*function, size, dynamic));
      if (blocks * size <= best_threads) continue;
      best_threads = blocks * size;
      best_blocks = blocks;
      best_size = size;
    }
    *minGridSize = best_blocks * profile.value(Attribute::MULTIPROCESSOR_COUNT);
    *blockSize = best_size;
    return {};
  });
}

}  // namespace

extern "C" {

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, CUfunction func, int blockSize,
                                                     size_t dynamicSMemSize) {
  return tell_active_blocks(numBlocks, func, blockSize, dynamicSMemSize, CU_OCCUPANCY_DEFAULT);
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* numBlocks, CUfunction func,
                                                              int blockSize, size_t dynamicSMemSize,
                                                              unsigned int flags) {
  return tell_active_blocks(numBlocks, func, blockSize, dynamicSMemSize, flags);
}

CUresult cuOccupancyMaxPotentialBlockSize(int* minGridSize, int* blockSize, CUfunction func,
                                          CUoccupancyB2DSize blockSizeToDynamicSMemSize,
                                          size_t dynamicSMemSize, int blockSizeLimit) {
  return tell_potential(minGridSize, blockSize, func, blockSizeToDynamicSMemSize, dynamicSMemSize,
                        blockSizeLimit, CU_OCCUPANCY_DEFAULT);
}
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int* minGridSize, int* blockSize,
                                                   CUfunction func,
                                                   CUoccupancyB2DSize blockSizeToDynamicSMemSize,
                                                   size_t dynamicSMemSize, int blockSizeLimit,
                                                   unsigned int flags) {
  return tell_potential(minGridSize, blockSize, func, blockSizeToDynamicSMemSize, dynamicSMemSize,
                        blockSizeLimit, flags);
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t* dynamicSmemSize, CUfunction func,
                                                 int numBlocks, int blockSize) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    if (!dynamicSmemSize) return refuse(Error::invalid_value, "The output pointer is null.");
    const auto function = TRY(find_launchable(func, context));
    if (numBlocks <= 0 || blockSize <= 0)
      return refuse(Error::invalid_value,
                    "The number of blocks (%d) and the block size (%d) must be at least 1.",
                    numBlocks, blockSize);
    if (TRY(active_blocks(*function, blockSize, 0)) < numBlocks)
      return refuse(Error::invalid_value,
                    "A multiprocessor cannot hold %d blocks of %d threads at a time.", numBlocks,
                    blockSize);
    *dynamicSmemSize =
        std::min(function->settings().most_dynamic_shared(),
                 device::shared_for_blocks(profile_of(*function), static_cast<uint32_t>(numBlocks),
                                           TRY(function->static_shared_bytes())));
    return {};
  });
}

CUresult cuOccupancyMaxActiveClusters(int* numClusters, CUfunction func,
                                      const CUlaunchConfig* config) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    if (!numClusters || !config) return refuse(Error::invalid_value, "A pointer is null.");
    const auto function = TRY(find_launchable(func, context));
    const device::LaunchShape shape = TRY(shape_of(*config));
    const bool several = TRY(device::KernelCall::blocks_of_cluster(*function, shape)) > 1;
    const uint64_t threads = shape.threads();
    if (threads == 0 || threads > INT32_MAX)
      return refuse(Error::invalid_value, "The block size %llu is not valid.",
                    static_cast<unsigned long long>(threads));
    *numClusters =
        several ? 0
                : TRY(active_blocks(*function, static_cast<int>(threads), shape.dynamic_shared)) *
                      profile_of(*function).value(Attribute::MULTIPROCESSOR_COUNT);
    return {};
  });
}

// Returns the largest cluster that can be launched.
CUresult cuOccupancyMaxPotentialClusterSize(int* clusterSize, CUfunction func,
                                            const CUlaunchConfig* config) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    if (!clusterSize || !config) return refuse(Error::invalid_value, "A pointer is null.");
    const auto function = TRY(find_launchable(func, context));
    const device::LaunchShape shape = TRY(shape_of(*config));
    if (shape.threads() == 0) return refuse(Error::invalid_value, "The block size is 0.");
    TRY(device::KernelCall::blocks_of_cluster(*function, shape));
    *clusterSize = 1;
    return {};
  });
}

}  // extern "C"
