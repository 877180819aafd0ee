// SPDX-License-Identifier: Apache-2.0
#include "sim/device/stream/stream_attributes.hpp"

#include <algorithm>

#include "sim/device/machine/device.hpp"
#include "sim/device/stream/context.hpp"

namespace cuvette::device {
namespace {

const Profile& profile_of(const Stream& stream) { return stream.context().device().profile(); }

}  // namespace

Result<> set_access_window(Stream& stream, const AccessWindow& window) {
  constexpr int persisting = 2;  // CU_ACCESS_PROPERTY_PERSISTING
  const size_t most = profile_of(stream).amount(Attribute::MAX_ACCESS_POLICY_WINDOW_SIZE);
  if (!(window.hit_ratio >= 0 && window.hit_ratio <= 1))
    return refuse(Error::invalid_value, "A hit ratio of %g is not one from 0 to 1.",
                  static_cast<double>(window.hit_ratio));
  if (window.bytes > most)
    return refuse(Error::invalid_value, "A window of %zu bytes is larger than %zu bytes.",
                  window.bytes, most);
  if (window.miss_property == persisting)
    return refuse(Error::invalid_value, "Misses cannot be persisting; streaming or normal can.");
  stream.hints().update([&](StreamHints::Values& values) { values.window = window; });
  return {};
}

Result<> set_sync_policy(Stream& stream, int policy) {
  const auto wanted = static_cast<SyncPolicy>(policy);
  if (wanted < SyncPolicy::automatic || wanted > SyncPolicy::blocking)
    return refuse(Error::invalid_value, "%d is not a synchronisation policy.", policy);
  stream.sync_policy.store(wanted, std::memory_order_relaxed);
  return {};
}

Result<> set_sync_domains(Stream& stream, uint8_t default_domain, uint8_t remote_domain) {
  const int domains = profile_of(stream).value(Attribute::MEM_SYNC_DOMAIN_COUNT);
  if (default_domain >= domains || remote_domain >= domains)
    return refuse(Error::invalid_value,
                  "%u and %u do not both name one of the device's %d domains of memory "
                  "synchronisation, which count from 0.",
                  default_domain, remote_domain, domains);
  stream.hints().update([&](StreamHints::Values& values) {
    values.default_domain = default_domain;
    values.remote_domain = remote_domain;
  });
  return {};
}

Result<> set_sync_domain(Stream& stream, int domain) {
  constexpr int default_domain = 0, remote_domain = 1;  // CU_LAUNCH_MEM_SYNC_DOMAIN_*
  if (domain != default_domain && domain != remote_domain)
    return refuse(Error::invalid_value, "%d is not a memory synchronisation domain.", domain);
  stream.hints().update([&](StreamHints::Values& values) { values.domain = domain; });
  return {};
}

void set_clamped_priority(Stream& stream, int priority) {
  const Profile& profile = profile_of(stream);
  stream.set_priority(std::clamp(priority, profile.priority_greatest, profile.priority_least));
}

void copy_attributes(Stream& to, Stream& from) {
  to.sync_policy.store(from.sync_policy.load(std::memory_order_relaxed), std::memory_order_relaxed);
  const StreamHints::Values hints = from.hints().get();
  to.hints().update([&](StreamHints::Values& values) { values = hints; });
}

}  // namespace cuvette::device
