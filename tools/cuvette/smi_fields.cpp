// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/smi_fields.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>

namespace cuvette::tools {
namespace {

using Text = std::optional<std::string>;

// Returns what snprintf writes.
template <typename... Values>
std::string print(const char* format, Values... values) {
  char text[128];
  snprintf(text, sizeof text, format, values...);
  return text;
}

Text number(std::optional<unsigned> value) {
  return value ? Text(std::to_string(*value)) : std::nullopt;
}

// A power that the library gives in milliwatts.
Text watts(std::optional<unsigned> value) {
  return value ? Text(print("%.2f", *value / 1000.0)) : std::nullopt;
}

Text state(std::optional<unsigned> value) {
  if (!value) return std::nullopt;
  return *value ? "Enabled" : "Disabled";
}

Text absent(const Gpu&) { return std::nullopt; }

// --- Identity ---

Text timestamp(const Gpu&) {
  const auto now = std::chrono::system_clock::now();
  const auto milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  const time_t seconds = std::chrono::system_clock::to_time_t(now);
  char text[32];
  strftime(text, sizeof text, "%Y/%m/%d %H:%M:%S", localtime(&seconds));
  return print("%s.%03d", text, static_cast<int>(milliseconds));
}

Text driver_version(const Gpu& gpu) {
  char text[NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE];
  gpu.library->check(CUVETTE_NVML(*gpu.library, nvmlSystemGetDriverVersion)(text, sizeof text),
                     "nvmlSystemGetDriverVersion");
  return text;
}

Text count(const Gpu& gpu) { return std::to_string(all_gpus(*gpu.library).size()); }
Text name(const Gpu& gpu) { return gpu.ask_text(CUVETTE_GPU(gpu, nvmlDeviceGetName)); }
Text serial(const Gpu& gpu) { return gpu.ask_text(CUVETTE_GPU(gpu, nvmlDeviceGetSerial)); }
Text uuid(const Gpu& gpu) { return gpu.ask_text(CUVETTE_GPU(gpu, nvmlDeviceGetUUID)); }
Text vbios_version(const Gpu& gpu) {
  return gpu.ask_text(CUVETTE_GPU(gpu, nvmlDeviceGetVbiosVersion));
}
Text index(const Gpu& gpu) {
  return number(gpu.ask<unsigned>(CUVETTE_GPU(gpu, nvmlDeviceGetIndex)));
}

nvmlPciInfo_t pci(const Gpu& gpu) {
  return *gpu.ask<nvmlPciInfo_t>(CUVETTE_GPU(gpu, nvmlDeviceGetPciInfo));
}
Text pci_bus_id(const Gpu& gpu) { return pci(gpu).busId; }
Text pci_domain(const Gpu& gpu) { return print("0x%04X", pci(gpu).domain); }
Text pci_bus(const Gpu& gpu) { return print("0x%02X", pci(gpu).bus); }
Text pci_device(const Gpu& gpu) { return print("0x%02X", pci(gpu).device); }
Text pci_device_id(const Gpu& gpu) { return print("0x%08X", pci(gpu).pciDeviceId); }
Text pci_sub_device_id(const Gpu& gpu) { return print("0x%08X", pci(gpu).pciSubSystemId); }

Text compute_capability(const Gpu& gpu) {
  int major = 0, minor = 0;
  gpu.library->check(
      CUVETTE_NVML(*gpu.library, nvmlDeviceGetCudaComputeCapability)(gpu.handle, &major, &minor),
      "nvmlDeviceGetCudaComputeCapability");
  return print("%d.%d", major, minor);
}

// --- How it is set up ---

Text display_mode(const Gpu& gpu) {
  return state(gpu.ask<nvmlEnableState_t>(CUVETTE_GPU(gpu, nvmlDeviceGetDisplayMode)));
}
Text display_active(const Gpu& gpu) {
  return state(gpu.ask<nvmlEnableState_t>(CUVETTE_GPU(gpu, nvmlDeviceGetDisplayActive)));
}
Text persistence_mode(const Gpu& gpu) {
  return state(gpu.ask<nvmlEnableState_t>(CUVETTE_GPU(gpu, nvmlDeviceGetPersistenceMode)));
}

Text compute_mode(const Gpu& gpu) {
  const auto mode = gpu.ask<nvmlComputeMode_t>(CUVETTE_GPU(gpu, nvmlDeviceGetComputeMode));
  if (!mode) return std::nullopt;
  switch (*mode) {
    case NVML_COMPUTEMODE_DEFAULT:
      return "Default";
    case NVML_COMPUTEMODE_PROHIBITED:
      return "Prohibited";
    case NVML_COMPUTEMODE_EXCLUSIVE_PROCESS:
      return "Exclusive_Process";
    default:
      return std::nullopt;
  }
}

// Returns a mode's present and next state, where `function` says both.
template <typename Value, typename Function>
Text current_or_pending(const Gpu& gpu, Function* function, const char* call, bool current) {
  Value now{}, next{};
  const nvmlReturn_t result = function(gpu.handle, &now, &next);
  if (result == NVML_ERROR_NOT_SUPPORTED) return std::nullopt;
  gpu.library->check(result, call);
  return state(current ? now : next);
}
Text mig_mode_current(const Gpu& gpu) {
  return current_or_pending<unsigned>(gpu, CUVETTE_GPU(gpu, nvmlDeviceGetMigMode), true);
}
Text mig_mode_pending(const Gpu& gpu) {
  return current_or_pending<unsigned>(gpu, CUVETTE_GPU(gpu, nvmlDeviceGetMigMode), false);
}
Text ecc_mode_current(const Gpu& gpu) {
  return current_or_pending<nvmlEnableState_t>(gpu, CUVETTE_GPU(gpu, nvmlDeviceGetEccMode), true);
}
Text ecc_mode_pending(const Gpu& gpu) {
  return current_or_pending<nvmlEnableState_t>(gpu, CUVETTE_GPU(gpu, nvmlDeviceGetEccMode), false);
}

// --- Memory ---

// Measured: a part of a MiB counts as a whole one.
Text mebibytes(unsigned long long bytes) { return std::to_string((bytes + 0xfffff) >> 20); }

nvmlMemory_v2_t memory(const Gpu& gpu) {
  nvmlMemory_v2_t memory = {};
  memory.version = nvmlMemory_v2;
  gpu.library->check(CUVETTE_NVML(*gpu.library, nvmlDeviceGetMemoryInfo_v2)(gpu.handle, &memory),
                     "nvmlDeviceGetMemoryInfo_v2");
  return memory;
}
Text memory_total(const Gpu& gpu) { return mebibytes(memory(gpu).total); }
Text memory_reserved(const Gpu& gpu) { return mebibytes(memory(gpu).reserved); }
Text memory_used(const Gpu& gpu) { return mebibytes(memory(gpu).used); }
Text memory_free(const Gpu& gpu) { return mebibytes(memory(gpu).free); }

// --- Sensors ---

Text temperature(const Gpu& gpu) {
  return number(
      gpu.ask<unsigned>(CUVETTE_GPU(gpu, nvmlDeviceGetTemperature), NVML_TEMPERATURE_GPU));
}
Text fan_speed(const Gpu& gpu) {
  return number(gpu.ask<unsigned>(CUVETTE_GPU(gpu, nvmlDeviceGetFanSpeed)));
}
Text power_draw(const Gpu& gpu) {
  return watts(gpu.ask<unsigned>(CUVETTE_GPU(gpu, nvmlDeviceGetPowerUsage)));
}
Text power_limit(const Gpu& gpu) {
  return watts(gpu.ask<unsigned>(CUVETTE_GPU(gpu, nvmlDeviceGetPowerManagementLimit)));
}
Text enforced_power_limit(const Gpu& gpu) {
  return watts(gpu.ask<unsigned>(CUVETTE_GPU(gpu, nvmlDeviceGetEnforcedPowerLimit)));
}
Text performance_state(const Gpu& gpu) {
  const auto state = gpu.ask<nvmlPstates_t>(CUVETTE_GPU(gpu, nvmlDeviceGetPerformanceState));
  return state ? Text(print("P%d", static_cast<int>(*state))) : std::nullopt;
}
Text utilization_gpu(const Gpu& gpu) {
  const auto rates = gpu.ask<nvmlUtilization_t>(CUVETTE_GPU(gpu, nvmlDeviceGetUtilizationRates));
  return rates ? Text(std::to_string(rates->gpu)) : std::nullopt;
}
Text utilization_memory(const Gpu& gpu) {
  const auto rates = gpu.ask<nvmlUtilization_t>(CUVETTE_GPU(gpu, nvmlDeviceGetUtilizationRates));
  return rates ? Text(std::to_string(rates->memory)) : std::nullopt;
}

Text clock(const Gpu& gpu, nvmlClockType_t type) {
  return number(gpu.ask<unsigned>(CUVETTE_GPU(gpu, nvmlDeviceGetClockInfo), type));
}
Text clock_graphics(const Gpu& gpu) { return clock(gpu, NVML_CLOCK_GRAPHICS); }
Text clock_sm(const Gpu& gpu) { return clock(gpu, NVML_CLOCK_SM); }
Text clock_memory(const Gpu& gpu) { return clock(gpu, NVML_CLOCK_MEM); }
Text clock_video(const Gpu& gpu) { return clock(gpu, NVML_CLOCK_VIDEO); }

Text max_clock(const Gpu& gpu, nvmlClockType_t type) {
  return number(gpu.ask<unsigned>(CUVETTE_GPU(gpu, nvmlDeviceGetMaxClockInfo), type));
}
Text max_clock_graphics(const Gpu& gpu) { return max_clock(gpu, NVML_CLOCK_GRAPHICS); }
Text max_clock_sm(const Gpu& gpu) { return max_clock(gpu, NVML_CLOCK_SM); }
Text max_clock_memory(const Gpu& gpu) { return max_clock(gpu, NVML_CLOCK_MEM); }

Text link_generation(const Gpu& gpu) {
  return number(gpu.ask<unsigned>(CUVETTE_GPU(gpu, nvmlDeviceGetCurrPcieLinkGeneration)));
}
Text link_width(const Gpu& gpu) {
  return number(gpu.ask<unsigned>(CUVETTE_GPU(gpu, nvmlDeviceGetCurrPcieLinkWidth)));
}
Text max_link_generation(const Gpu& gpu) {
  return number(gpu.ask<unsigned>(CUVETTE_GPU(gpu, nvmlDeviceGetMaxPcieLinkGeneration)));
}
Text max_link_width(const Gpu& gpu) {
  return number(gpu.ask<unsigned>(CUVETTE_GPU(gpu, nvmlDeviceGetMaxPcieLinkWidth)));
}

constexpr SmiField known_fields[] = {
#define FIELD(name, title, unit, function) {name, title, unit, function},
#include "tools/cuvette/smi_fields.def"
};

}  // namespace

std::span<const SmiField> smi_fields() { return known_fields; }

const SmiField* find_smi_field(std::string_view name) {
  const auto found =
      std::ranges::find_if(known_fields, [&](const SmiField& field) { return field.name == name; });
  return found == std::end(known_fields) ? nullptr : found;
}

std::string smi_text(const Gpu& gpu, std::string_view name) {
  const SmiField& field = *find_smi_field(name);
  const Text value = field.value(gpu);
  if (!value) return "N/A";
  return *field.unit ? *value + " " + field.unit : *value;
}

std::string cuda_version(const Management& library) {
  int version = 0;
  library.check(CUVETTE_NVML(library, nvmlSystemGetCudaDriverVersion_v2)(&version),
                "nvmlSystemGetCudaDriverVersion_v2");
  return print("%d.%d", NVML_CUDA_DRIVER_VERSION_MAJOR(version),
               NVML_CUDA_DRIVER_VERSION_MINOR(version));
}

}  // namespace cuvette::tools
