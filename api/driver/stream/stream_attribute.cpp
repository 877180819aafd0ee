// SPDX-License-Identifier: Apache-2.0
// The attributes of streams: how threads wait for one, how urgent it is, and hints.
//
// Reference: CUDA Driver API, "Stream Management". Which attributes a stream has, and what they are
// at first, was measured on an H200.
#include <algorithm>

#include "api/driver/call.hpp"
#include "api/driver/cuda.hpp"
#include "api/driver/handles.hpp"

using namespace cuvette;
using namespace cuvette::driver;

namespace {

// Returns what the stream's device says of itself.
int limit(const device::Stream& stream, CUdevice_attribute which) {
  return stream.context().device().profile().attribute(which).value_or(0);
}

Result<> set_window(device::Stream& stream, const CUaccessPolicyWindow& window) {
  const auto most =
      static_cast<size_t>(limit(stream, CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE));
  if (!(window.hitRatio >= 0 && window.hitRatio <= 1) || window.num_bytes > most ||
      window.missProp == CU_ACCESS_PROPERTY_PERSISTING)
    return refuse(Error::invalid_value,
                  "A window has a ratio from 0 to 1, at most %zu bytes, and does not make misses "
                  "persist.",
                  most);
  stream.hints().update([&](device::StreamHints::Values& values) {
    values.window = window.base_ptr;
    values.window_bytes = window.num_bytes;
    values.hit_ratio = window.hitRatio;
    values.hit_property = window.hitProp;
    values.miss_property = window.missProp;
  });
  return {};
}

CUaccessPolicyWindow window_of(const device::StreamHints::Values& values) {
  return {values.window, values.window_bytes, values.hit_ratio,
          static_cast<CUaccessProperty>(values.hit_property),
          static_cast<CUaccessProperty>(values.miss_property)};
}

Result<> set_sync_policy(device::Stream& stream, CUsynchronizationPolicy policy) {
  if (policy < CU_SYNC_POLICY_AUTO || policy > CU_SYNC_POLICY_BLOCKING_SYNC)
    return refuse(Error::invalid_value, "%d is not a synchronisation policy.",
                  static_cast<int>(policy));
  stream.sync_policy.store(static_cast<device::SyncPolicy>(policy), std::memory_order_relaxed);
  return {};
}

Result<> set_domains(device::Stream& stream, const CUlaunchMemSyncDomainMap& map) {
  const int domains = limit(stream, CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT);
  if (map.default_ >= domains || map.remote >= domains)
    return refuse(Error::invalid_value, "The device has %d domains of memory synchronisation.",
                  domains);
  stream.hints().update([&](device::StreamHints::Values& values) {
    values.default_domain = map.default_;
    values.remote_domain = map.remote;
  });
  return {};
}

// "it will automatically be clamped", as at a stream's creation.
int clamped_priority(const device::Stream& stream, int priority) {
  const device::Profile& profile = stream.context().device().profile();
  return std::clamp(priority, profile.priority_greatest, profile.priority_least);
}

}  // namespace

extern "C" {

CUresult cuStreamCopyAttributes(CUstream dst, CUstream src) {
  return call_in_stream<CUresult>(dst, [&](device::Stream& to) -> Result<> {
    const auto from = TRY(find_usable(src));
    to.sync_policy.store(from->sync_policy.load(std::memory_order_relaxed),
                         std::memory_order_relaxed);
    const auto hints = from->hints().get();
    to.hints().update([&](device::StreamHints::Values& values) { values = hints; });
    return {};
  });
}

CUresult cuStreamGetAttribute(CUstream hStream, CUstreamAttrID attr, CUstreamAttrValue* value_out) {
  return call_in_stream<CUresult>(hStream, [&](device::Stream& stream) -> Result<> {
    if (!value_out) return Error::invalid_value;
    const auto hints = stream.hints().get();
    switch (attr) {
      case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
        value_out->accessPolicyWindow = window_of(hints);
        return {};
      case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
        value_out->syncPolicy = static_cast<CUsynchronizationPolicy>(
            stream.sync_policy.load(std::memory_order_relaxed));
        return {};
      case CU_LAUNCH_ATTRIBUTE_PRIORITY:
        value_out->priority = stream.priority();
        return {};
      case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
        value_out->memSyncDomainMap = {hints.default_domain, hints.remote_domain};
        return {};
      case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
        value_out->memSyncDomain = static_cast<CUlaunchMemSyncDomain>(hints.domain);
        return {};
      default:
        return refuse(Error::invalid_value, "%d is not an attribute of a stream.",
                      static_cast<int>(attr));
    }
  });
}

CUresult cuStreamSetAttribute(CUstream hStream, CUstreamAttrID attr,
                              const CUstreamAttrValue* value) {
  return call_in_stream<CUresult>(hStream, [&](device::Stream& stream) -> Result<> {
    if (!value) return Error::invalid_value;
    switch (attr) {
      case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
        return set_window(stream, value->accessPolicyWindow);
      case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
        return set_sync_policy(stream, value->syncPolicy);
      case CU_LAUNCH_ATTRIBUTE_PRIORITY:
        stream.set_priority(clamped_priority(stream, value->priority));
        return {};
      case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
        return set_domains(stream, value->memSyncDomainMap);
      case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
        if (value->memSyncDomain != CU_LAUNCH_MEM_SYNC_DOMAIN_DEFAULT &&
            value->memSyncDomain != CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE)
          return refuse(Error::invalid_value, "%d is not a memory synchronisation domain.",
                        static_cast<int>(value->memSyncDomain));
        stream.hints().update(
            [&](device::StreamHints::Values& values) { values.domain = value->memSyncDomain; });
        return {};
      default:
        return refuse(Error::invalid_value, "Attribute %d of a stream cannot be set.",
                      static_cast<int>(attr));
    }
  });
}

}  // extern "C"
