// SPDX-License-Identifier: Apache-2.0
// The simulator has its own enums, because it does not include <cuda.h>. Many have CUDA's values,
// and entry points cast between the two. Static assertions here prove that they agree.
#include "api/driver/cuda.hpp"
#include "sim/device/graph/graph.hpp"
#include "sim/device/graph/graph_exec.hpp"
#include "sim/device/kernel/module.hpp"
#include "sim/device/model/profile.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/device/stream/stream.hpp"
#include "sim/device/texture/array_descriptor.hpp"
#include "sim/device/texture/texture.hpp"
#include "sim/interop/graphics_resource.hpp"
#include "sim/memory/allocation.hpp"
#include "sim/memory/memory_place.hpp"

namespace cuvette {
namespace {

template <typename Ours, typename Cudas>
constexpr bool same(Ours ours, Cudas cudas) {
  return static_cast<long long>(ours) == static_cast<long long>(cudas);
}
#define SAME(ours, cudas) static_assert(same(ours, cudas))

// --- Devices and contexts ---
#define ATTRIBUTE(number, name) static_assert(CU_DEVICE_ATTRIBUTE_##name == number);
#include "sim/device/model/attributes.def"
#undef ATTRIBUTE
static_assert(device::Profile::attribute_end == CU_DEVICE_ATTRIBUTE_MAX);

using device::Limit;
SAME(Limit::stack_size, CU_LIMIT_STACK_SIZE);
SAME(Limit::printf_fifo_size, CU_LIMIT_PRINTF_FIFO_SIZE);
SAME(Limit::malloc_heap_size, CU_LIMIT_MALLOC_HEAP_SIZE);
SAME(Limit::dev_runtime_sync_depth, CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH);
SAME(Limit::dev_runtime_pending_launch_count, CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT);
SAME(Limit::max_l2_fetch_granularity, CU_LIMIT_MAX_L2_FETCH_GRANULARITY);
SAME(Limit::persisting_l2_cache_size, CU_LIMIT_PERSISTING_L2_CACHE_SIZE);
SAME(Limit::shmem_size, CU_LIMIT_SHMEM_SIZE);
SAME(Limit::cig_enabled, CU_LIMIT_CIG_ENABLED);
SAME(Limit::cig_shmem_fallback_enabled, CU_LIMIT_CIG_SHMEM_FALLBACK_ENABLED);
static_assert(device::Profile::limit_end == CU_LIMIT_MAX);

SAME(device::context_flag::sched_spin, CU_CTX_SCHED_SPIN);
SAME(device::context_flag::sched_yield, CU_CTX_SCHED_YIELD);
SAME(device::context_flag::sched_blocking, CU_CTX_SCHED_BLOCKING_SYNC);
SAME(device::context_flag::sched_mask, CU_CTX_SCHED_MASK);

using device::SyncPolicy;
SAME(SyncPolicy::automatic, CU_SYNC_POLICY_AUTO);
SAME(SyncPolicy::spin, CU_SYNC_POLICY_SPIN);
SAME(SyncPolicy::yield, CU_SYNC_POLICY_YIELD);
SAME(SyncPolicy::blocking, CU_SYNC_POLICY_BLOCKING_SYNC);

// --- Functions ---
using device::FunctionAttribute;
SAME(FunctionAttribute::max_threads_per_block, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME(FunctionAttribute::shared_size, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
SAME(FunctionAttribute::const_size, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES);
SAME(FunctionAttribute::local_size, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
SAME(FunctionAttribute::num_regs, CU_FUNC_ATTRIBUTE_NUM_REGS);
SAME(FunctionAttribute::ptx_version, CU_FUNC_ATTRIBUTE_PTX_VERSION);
SAME(FunctionAttribute::binary_version, CU_FUNC_ATTRIBUTE_BINARY_VERSION);
SAME(FunctionAttribute::cache_mode_ca, CU_FUNC_ATTRIBUTE_CACHE_MODE_CA);
SAME(FunctionAttribute::max_dynamic_shared_size, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
SAME(FunctionAttribute::preferred_carveout, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
SAME(FunctionAttribute::cluster_size_must_be_set, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET);
SAME(FunctionAttribute::required_cluster_width, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH);
SAME(FunctionAttribute::required_cluster_height, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT);
SAME(FunctionAttribute::required_cluster_depth, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH);
SAME(FunctionAttribute::non_portable_cluster_allowed,
     CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
SAME(FunctionAttribute::cluster_policy_preference,
     CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE);

// --- Graphs ---
using device::GraphExec;
SAME(GraphExec::auto_free, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);
SAME(GraphExec::upload, CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD);
SAME(GraphExec::device_launch, CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH);
SAME(GraphExec::node_priority, CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY);
using Verdict = GraphExec::Verdict;
SAME(Verdict::success, CUDA_GRAPH_INSTANTIATE_SUCCESS);
SAME(Verdict::error, CUDA_GRAPH_INSTANTIATE_ERROR);
SAME(Verdict::invalid_structure, CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE);
SAME(Verdict::not_supported, CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED);
SAME(Verdict::several_contexts, CUDA_GRAPH_INSTANTIATE_MULTIPLE_CTXS_NOT_SUPPORTED);
SAME(Verdict::condition_unused, CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED);
using Update = GraphExec::Update;
SAME(Update::success, CU_GRAPH_EXEC_UPDATE_SUCCESS);
SAME(Update::error, CU_GRAPH_EXEC_UPDATE_ERROR);
SAME(Update::topology_changed, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
SAME(Update::node_type_changed, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED);
SAME(Update::parameters_changed, CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED);
SAME(Update::not_supported, CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED);
SAME(Update::unsupported_function_change, CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE);
SAME(device::ConditionKind::if_else, CU_GRAPH_COND_TYPE_IF);
SAME(device::ConditionKind::loop, CU_GRAPH_COND_TYPE_WHILE);
SAME(device::ConditionKind::choice, CU_GRAPH_COND_TYPE_SWITCH);

// --- Memory ---
using memory::MemoryPlace;
SAME(MemoryPlace::nowhere, CU_MEM_LOCATION_TYPE_INVALID);
SAME(MemoryPlace::device, CU_MEM_LOCATION_TYPE_DEVICE);
SAME(MemoryPlace::host, CU_MEM_LOCATION_TYPE_HOST);
SAME(MemoryPlace::host_node, CU_MEM_LOCATION_TYPE_HOST_NUMA);
SAME(MemoryPlace::no_device, CU_DEVICE_INVALID);
SAME(memory::Access::none, CU_MEM_ACCESS_FLAGS_PROT_NONE);
SAME(memory::Access::read, CU_MEM_ACCESS_FLAGS_PROT_READ);
SAME(memory::Access::read_write, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
SAME(memory::attach_flag::global, CU_MEM_ATTACH_GLOBAL);
SAME(memory::register_flag::read_only, CU_MEMHOSTREGISTER_READ_ONLY);

// --- Arrays and textures ---
#define ARRAY_FORMAT(name, number, kind, bytes, channels) \
  static_assert(CU_AD_FORMAT_##name == number);
#define BLOCK_FORMAT(name, number, kind, bytes, channels) \
  static_assert(CU_AD_FORMAT_##name == number);
#define PLANAR_FORMAT(name, number, bytes, planes, x, y) \
  static_assert(CU_AD_FORMAT_##name == number);
#include "sim/device/texture/array_formats.def"
#undef ARRAY_FORMAT
#undef BLOCK_FORMAT
#undef PLANAR_FORMAT
#define VIEW_FORMAT(name, number, format, channels) \
  static_assert(CU_RES_VIEW_FORMAT_##name == number);
#include "sim/device/texture/view_formats.def"
#undef VIEW_FORMAT

namespace array_flag = device::array_flag;
SAME(array_flag::layered, CUDA_ARRAY3D_LAYERED);
SAME(array_flag::surface_ldst, CUDA_ARRAY3D_SURFACE_LDST);
SAME(array_flag::cubemap, CUDA_ARRAY3D_CUBEMAP);
SAME(array_flag::texture_gather, CUDA_ARRAY3D_TEXTURE_GATHER);
SAME(array_flag::depth_texture, CUDA_ARRAY3D_DEPTH_TEXTURE);
SAME(array_flag::color_attachment, CUDA_ARRAY3D_COLOR_ATTACHMENT);
SAME(array_flag::sparse, CUDA_ARRAY3D_SPARSE);
SAME(array_flag::deferred_mapping, CUDA_ARRAY3D_DEFERRED_MAPPING);
SAME(array_flag::video_encode_decode, CUDA_ARRAY3D_VIDEO_ENCODE_DECODE);

namespace texture_flag = device::texture_flag;
SAME(texture_flag::read_as_integer, CU_TRSF_READ_AS_INTEGER);
SAME(texture_flag::normalized_coordinates, CU_TRSF_NORMALIZED_COORDINATES);
SAME(texture_flag::srgb, CU_TRSF_SRGB);
SAME(texture_flag::disable_trilinear_optimization, CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION);
SAME(texture_flag::seamless_cubemap, CU_TRSF_SEAMLESS_CUBEMAP);
SAME(device::AddressMode::wrap, CU_TR_ADDRESS_MODE_WRAP);
SAME(device::AddressMode::clamp, CU_TR_ADDRESS_MODE_CLAMP);
SAME(device::AddressMode::mirror, CU_TR_ADDRESS_MODE_MIRROR);
SAME(device::AddressMode::border, CU_TR_ADDRESS_MODE_BORDER);
SAME(device::FilterMode::point, CU_TR_FILTER_MODE_POINT);
SAME(device::FilterMode::linear, CU_TR_FILTER_MODE_LINEAR);

// --- Graphics ---
using interop::MapFlags;
SAME(MapFlags::none, CU_GRAPHICS_MAP_RESOURCE_FLAGS_NONE);
SAME(MapFlags::read_only, CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY);
SAME(MapFlags::write_discard, CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD);

}  // namespace
}  // namespace cuvette
