// SPDX-License-Identifier: Apache-2.0
// The table of the management library's functions as data. Constants only: nothing here runs or is
// linked, so a tool can use it without the library. Invariant: the functions are in the order of
// functions.def.
#pragma once

#include <cstdint>

namespace cuvette::management {

// An absent function is a partial one; its answer is always the same.
enum class Support : std::uint8_t { none, partial, full };

// Reasons that many rows share.
inline constexpr const char* not_yet = "Cuvette's management library does not have it yet.";
inline constexpr const char* seen_processes = "Processes of this user and this PID namespace.";
inline constexpr const char* seen_memory =
    "Counts processes of this user, each of which has all of the device unless "
    "CUVETTE_SHARED_MEMORY=1.";
inline constexpr const char* none_draws = "No process draws with a device of Cuvette.";
inline constexpr const char* no_server = "No process shares a device through a server.";
inline constexpr const char* no_sensor =
    "Software has no such sensor, and no number is made up: NVML_ERROR_NOT_SUPPORTED.";
inline constexpr const char* no_board = "There is no such board: NVML_ERROR_NOT_SUPPORTED.";
inline constexpr const char* no_errors =
    "Host memory corrects its own errors: NVML_ERROR_NOT_SUPPORTED.";
inline constexpr const char* no_setting =
    "There is no such setting: CUVETTE_ variables say how the device is set up.";
inline constexpr const char* no_links =
    "Single links are not modelled; nvmlDeviceGetP2PStatus says which devices NVLink connects.";
inline constexpr const char* no_parts = "A device cannot be divided (MIG).";
inline constexpr const char* no_virtual = "There are no virtual devices for virtual machines.";
inline constexpr const char* no_secrets = "There is no confidential computing.";
inline constexpr const char* no_accounting = "No accounts are kept of processes that have ended.";
inline constexpr const char* no_events = "Devices report no events here.";
inline constexpr const char* no_metrics = "There are no counters of the hardware.";
inline constexpr const char* no_units = "There are no S-class units.";
inline constexpr const char* no_removal = "Devices stay as long as the process.";
inline constexpr const char* none_excluded = "No device is excluded.";
inline constexpr const char* windows_alone = "Only Windows has driver models.";

// A line of functions.def: a function, or, without a name, the title of a section.
struct Line {
  const char* name;
  const char* text;  // a function's reason, empty where it works; a section's title
  Support support;
};

// clang-format off
inline constexpr Line lines[] = {
#define SECTION(title, file) {nullptr, title, Support::none},
#define FULL(name) {#name, "", Support::full},
#define PARTIAL(name, reason) {#name, reason, Support::partial},
#define ABSENT(name, first, reason) {#name, reason, Support::partial},
#define NONE(name, first, reason) {#name, reason, Support::none},
#include "api/management/functions.def"
};
// clang-format on

}  // namespace cuvette::management
