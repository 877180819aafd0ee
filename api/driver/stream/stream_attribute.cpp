// SPDX-License-Identifier: Apache-2.0
// The attributes of streams: how threads wait for one, how urgent it is, and hints.
//
// Reference: CUDA Driver API, "Stream Management". Which attributes a stream has, and what they are
// at first, was measured on an H200.
#include "api/driver/call.hpp"
#include "api/driver/cuda.hpp"
#include "api/driver/handles.hpp"
#include "sim/device/stream/stream_attributes.hpp"

using namespace cuvette;
using namespace cuvette::driver;

namespace {

Result<> set_window(device::Stream& stream, const CUaccessPolicyWindow& window) {
  return device::set_access_window(stream, {window.base_ptr, window.num_bytes, window.hitRatio,
                                            window.hitProp, window.missProp});
}

CUaccessPolicyWindow window_of(const device::StreamHints::Values& values) {
  const device::AccessWindow& window = values.window;
  return {window.begin, window.bytes, window.hit_ratio,
          static_cast<CUaccessProperty>(window.hit_property),
          static_cast<CUaccessProperty>(window.miss_property)};
}

}  // namespace

extern "C" {

CUresult cuStreamCopyAttributes(CUstream dst, CUstream src) {
  return call_in_stream<CUresult>(dst, [&](device::Stream& to) -> Result<> {
    device::copy_attributes(to, *TRY(find_usable(src)));
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
        return device::set_sync_policy(stream, value->syncPolicy);
      case CU_LAUNCH_ATTRIBUTE_PRIORITY:
        device::set_clamped_priority(stream, value->priority);
        return {};
      case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
        return device::set_sync_domains(stream, value->memSyncDomainMap.default_,
                                        value->memSyncDomainMap.remote);
      case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
        return device::set_sync_domain(stream, static_cast<int>(value->memSyncDomain));
      default:
        return refuse(Error::invalid_value, "Attribute %d of a stream cannot be set.",
                      static_cast<int>(attr));
    }
  });
}

}  // extern "C"
