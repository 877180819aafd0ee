// SPDX-License-Identifier: Apache-2.0
#include "api/driver/launch/launch_arguments.hpp"

#include <cstdint>

#include "sim/device/machine/device.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/device/stream/thread.hpp"

namespace cuvette::driver {
namespace {

Result<> refuse_event(CUevent event) {
  if (!event) return refuse(Error::invalid_handle, "The event that the launch records is null.");
  return refuse(Error::not_supported,
                "Events that a launch records (CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT, "
                "_LAUNCH_COMPLETION_EVENT) are not implemented: record one after the launch.");
}

}  // namespace

Result<device::ParameterValues> parameter_values(void* const* kernelParams, void* const* extra) {
  device::ParameterValues values;
  values.each = kernelParams;
  if (!extra) return values;
  const size_t* size = nullptr;
  for (void* const* at = extra; *at != CU_LAUNCH_PARAM_END; at += 2) {
    if (at[0] == CU_LAUNCH_PARAM_BUFFER_POINTER) {
      values.block = at[1];
    } else if (at[0] == CU_LAUNCH_PARAM_BUFFER_SIZE) {
      size = static_cast<const size_t*>(at[1]);
    } else {
      return refuse(Error::invalid_value, "%p is not a key of extra parameters.", at[0]);
    }
  }
  // A CU_LAUNCH_PARAM_BUFFER_POINTER without a CU_LAUNCH_PARAM_BUFFER_SIZE, or the reverse, is
  // ignored.
  if ((values.block == nullptr) != (size == nullptr))
    return refuse(Error::invalid_value, "Extra parameters need both a buffer and its size.");
  if (size) values.block_bytes = *size;
  return values;
}

namespace {

// "missProp must be either CU_ACCESS_PROPERTY_NORMAL or CU_ACCESS_PROPERTY_STREAMING."
Result<> check_window(const CUaccessPolicyWindow& window) {
  if (window.missProp == CU_ACCESS_PROPERTY_PERSISTING)
    return refuse(Error::invalid_value, "A window does not make misses persist.");
  const device::Context* const context = device::Thread::current().context();
  if (!context) return {};
  const int most = context->device()
                       .profile()
                       .attribute(CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE)
                       .value_or(0);
  if (window.num_bytes > static_cast<size_t>(most))
    return refuse(Error::invalid_value, "A window has at most %d bytes, not %zu.", most,
                  static_cast<size_t>(window.num_bytes));
  return {};
}

// Measured: a cluster can only be preferred to another.
Result<> check_preferred_cluster(const CUlaunchConfig& config, const device::LaunchShape& shape) {
  if (shape.cluster[0] != 0) return {};
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const CUlaunchAttribute& one = config.attrs[i];
    if (one.id == CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION &&
        one.value.preferredClusterDim.x != 0)
      return refuse(Error::invalid_cluster_size,
                    "A preferred cluster size needs CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, too.");
  }
  return {};
}

}  // namespace

Result<> apply_attribute(CUlaunchAttributeID id, const CUlaunchAttributeValue& value,
                         device::LaunchShape& shape) {
  switch (static_cast<int>(id)) {
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
      shape.cooperative = value.cooperative != 0;
      return {};
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION: {
      const auto& cluster = value.clusterDim;
      // Measured: all zero, it is not specified.
      const bool some = cluster.x != 0 || cluster.y != 0 || cluster.z != 0;
      if (some && (cluster.x == 0 || cluster.y == 0 || cluster.z == 0))
        return refuse(
            Error::invalid_cluster_size,
            "The cluster size %u x %u x %u is not valid: every dimension must be at least 1.",
            cluster.x, cluster.y, cluster.z);
      shape.cluster[0] = cluster.x;
      shape.cluster[1] = cluster.y;
      shape.cluster[2] = cluster.z;
      return {};
    }
    // Measured: what an attribute may be is checked, though it is a hint.
    case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
      return refuse(Error::invalid_value, "A synchronisation policy can only be set on a stream.");
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
      if (value.clusterSchedulingPolicyPreference < CU_CLUSTER_SCHEDULING_POLICY_DEFAULT ||
          value.clusterSchedulingPolicyPreference > CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING)
        return refuse(Error::invalid_value, "%d is not a cluster scheduling policy.",
                      static_cast<int>(value.clusterSchedulingPolicyPreference));
      return {};
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
      if (!(value.accessPolicyWindow.hitRatio >= 0 && value.accessPolicyWindow.hitRatio <= 1))
        return refuse(Error::invalid_value, "The hit ratio %g is not between 0 and 1.",
                      double{value.accessPolicyWindow.hitRatio});
      return check_window(value.accessPolicyWindow);
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP: {
      constexpr int domains = 4;
      if (value.memSyncDomainMap.default_ >= domains || value.memSyncDomainMap.remote >= domains)
        return refuse(
            Error::invalid_value,
            "The domain is too large: there are %d memory synchronisation domains, counted from 0.",
            domains);
      return {};
    }
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
      if (value.memSyncDomain != CU_LAUNCH_MEM_SYNC_DOMAIN_DEFAULT &&
          value.memSyncDomain != CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE)
        return refuse(Error::invalid_value, "%d is not a memory synchronisation domain.",
                      static_cast<int>(value.memSyncDomain));
      return {};
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      if (value.sharedMemCarveout > 100)
        return refuse(Error::invalid_value, "The carveout is %u per cent; it can be at most 100.",
                      value.sharedMemCarveout);
      return {};
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
      return refuse_event(value.programmaticEvent.event);
    case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
      return refuse_event(value.launchCompletionEvent.event);
    case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
      return refuse(Error::not_supported, "Kernel nodes that devices update are not implemented.");
    // Hints, which even a GPU may ignore. PROGRAMMATIC_STREAM_SERIALIZATION only permits a launch
    // to begin before the previous one has ended.
    case CU_LAUNCH_ATTRIBUTE_IGNORE:
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
    case CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING:
      return {};
    default:
      return refuse(Error::invalid_value, "%d is not a launch attribute.", static_cast<int>(id));
  }
}

Result<device::LaunchShape> shape_of(const CUlaunchConfig& config) {
  device::LaunchShape shape{{config.gridDimX, config.gridDimY, config.gridDimZ},
                            {config.blockDimX, config.blockDimY, config.blockDimZ},
                            config.sharedMemBytes};
  if (config.numAttrs > 0 && !config.attrs)
    return refuse(Error::invalid_value, "The number of attributes is %u, but the array is null.",
                  config.numAttrs);
  for (unsigned i = 0; i < config.numAttrs; ++i)
    TRY(apply_attribute(config.attrs[i].id, config.attrs[i].value, shape));
  TRY(check_preferred_cluster(config, shape));
  return shape;
}

}  // namespace cuvette::driver
