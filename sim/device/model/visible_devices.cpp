// SPDX-License-Identifier: Apache-2.0
#include "sim/device/model/visible_devices.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <string>

namespace cuvette::device {
namespace {

// Returns the ordinal that `entry` begins with, if there is such a device.
std::optional<size_t> by_ordinal(const std::string& entry, size_t count) {
  char* end = nullptr;
  // Truncated to an int as the driver does: 4294967297 is 1, and 2^64 is -1.
  const int ordinal = static_cast<int>(std::strtoul(entry.c_str(), &end, 10));
  if (end == entry.c_str() || ordinal < 0 || static_cast<size_t>(ordinal) >= count)
    return std::nullopt;
  return ordinal;
}

// Whether the hexadecimal digits at the beginning of `text` (dashes do not count) are the first
// digits of `uuid`. Text after a whole UUID does not matter.
bool begins_uuid(std::string_view text, const std::array<uint8_t, 16>& uuid) {
  size_t digits = 0;
  for (char letter : text) {
    if (letter == '-') continue;
    if (digits == 2 * uuid.size()) return true;
    if (!std::isxdigit(static_cast<unsigned char>(letter))) return false;
    const int value = std::isdigit(static_cast<unsigned char>(letter))
                          ? letter - '0'
                          : std::tolower(static_cast<unsigned char>(letter)) - 'a' + 10;
    const int byte = uuid[digits / 2];
    if (value != (digits % 2 == 0 ? byte >> 4 : byte & 15)) return false;
    ++digits;
  }
  return digits > 0;
}

std::optional<size_t> by_uuid(std::string_view entry, std::span<const Identity> devices,
                              std::span<const int> ordered) {
  std::optional<size_t> found;
  for (size_t i = 0; i < ordered.size(); ++i) {
    if (!begins_uuid(entry, devices[ordered[i]].uuid)) continue;
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

bool names_uuid(std::string_view entry) {
  return entry.starts_with("GPU-") || entry.starts_with("MIG-");
}

}  // namespace

Result<std::vector<int>> visible_devices(std::optional<std::string_view> list,
                                         std::string_view order,
                                         std::span<const Identity> devices) {
  std::vector<int> ordered(devices.size());
  std::iota(ordered.begin(), ordered.end(), 0);
  std::ranges::stable_sort(ordered, {}, [&](int i) { return devices[i].pci; });
  if (order == "FASTEST_FIRST") {
    std::ranges::stable_sort(ordered, std::greater(), [&](int i) { return devices[i].speed; });
  } else if (order != "PCI_BUS_ID") {
    return refuse(Error::invalid_device,
                  "CUDA_DEVICE_ORDER is '%.*s', not FASTEST_FIRST or PCI_BUS_ID",
                  static_cast<int>(order.size()), order.data());
  }
  if (!list) return ordered;

  std::vector<int> visible;
  const bool uuids = names_uuid(*list);
  for (size_t begin = 0; begin <= list->size();) {
    const size_t end = std::min(list->find(',', begin), list->size());
    const std::string entry(list->substr(begin, end - begin));
    begin = end + 1;

    if (names_uuid(entry) != uuids) break;
    const auto position = uuids ? by_uuid(std::string_view(entry).substr(4), devices, ordered)
                                : by_ordinal(entry, ordered.size());
    if (!position) break;
    if (std::ranges::count(visible, ordered[*position]))
      return refuse(Error::invalid_device, "CUDA_VISIBLE_DEVICES names a device twice: '%.*s'",
                    static_cast<int>(list->size()), list->data());
    visible.push_back(ordered[*position]);
  }
  return visible;
}

}  // namespace cuvette::device
