// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/info.hpp"

#include <cuda.h>
#include <dlfcn.h>
#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "sim/base/config.hpp"
#include "sim/device/model/profile.hpp"
#include "tools/cuvette/library.hpp"

namespace cuvette::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr struct {
  int number;
  const char* name;
} attributes[] = {
#define ATTRIBUTE(number, name) {number, #name},
#include "sim/device/model/attributes.def"
#undef ATTRIBUTE
};

// The functions of the driver API that are asked here, from the library that was opened.
struct Driver {
  explicit Driver(void* library) {
    load(library, "cuInit", init);
    load(library, "cuDriverGetVersion", version);
    load(library, "cuGetErrorName", error_name);
    load(library, "cuGetErrorString", error_string);
    load(library, "cuDeviceGetCount", count);
    load(library, "cuDeviceGet", get);
    load(library, "cuDeviceGetName", name);
    load(library, "cuDeviceGetUuid_v2", uuid);
    load(library, "cuDeviceGetPCIBusId", pci);
    load(library, "cuDeviceTotalMem_v2", memory);
    load(library, "cuDeviceGetAttribute", attribute);
  }

  decltype(&cuInit) init;
  decltype(&cuDriverGetVersion) version;
  decltype(&cuGetErrorName) error_name;
  decltype(&cuGetErrorString) error_string;
  decltype(&cuDeviceGetCount) count;
  decltype(&cuDeviceGet) get;
  decltype(&cuDeviceGetName) name;
  decltype(&cuDeviceGetUuid) uuid;
  decltype(&cuDeviceGetPCIBusId) pci;
  decltype(&cuDeviceTotalMem) memory;
  decltype(&cuDeviceGetAttribute) attribute;

 private:
  template <typename Function>
  void load(void* library, const char* symbol, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, symbol));
    if (!function) {
      fprintf(stderr, "cuvette info: %s\n", dlerror());
      exit(1);
    }
  }
};

void check(const Driver& driver, CUresult result, const char* call) {
  if (result == CUDA_SUCCESS) return;
  const char* name = "an unknown error";
  const char* sentence = "";
  driver.error_name(result, &name);
  driver.error_string(result, &sentence);
  fprintf(stderr, "cuvette info: %s: %s (%s)\n", call, name, sentence);
  exit(1);
}

std::string uuid_text(const CUuuid& uuid) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    char digits[4];
    snprintf(digits, sizeof digits, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
             static_cast<unsigned char>(uuid.bytes[i]));
    text += digits;
  }
  return text;
}

Json ask_device(const Driver& driver, int ordinal) {
  CUdevice device = 0;
  check(driver, driver.get(&device, ordinal), "cuDeviceGet");
  char name[256] = "", pci[32] = "";
  CUuuid uuid = {};
  size_t memory = 0;
  check(driver, driver.name(name, sizeof name, device), "cuDeviceGetName");
  check(driver, driver.uuid(&uuid, device), "cuDeviceGetUuid");
  check(driver, driver.pci(pci, sizeof pci, device), "cuDeviceGetPCIBusId");
  check(driver, driver.memory(&memory, device), "cuDeviceTotalMem");
  Json answers = {{"name", name}, {"uuid", uuid_text(uuid)}, {"pci", pci}, {"memory", memory}};
  for (const auto& row : attributes) {
    int value = 0;
    const auto attribute = static_cast<CUdevice_attribute>(row.number);
    if (driver.attribute(&value, attribute, device) == CUDA_SUCCESS)
      answers["attributes"][row.name] = value;
  }
  return answers;
}

Json ask(const Driver& driver) {
  int version = 0, count = 0;
  check(driver, driver.version(&version), "cuDriverGetVersion");
  check(driver, driver.init(0), "cuInit");
  check(driver, driver.count(&count), "cuDeviceGetCount");
  Json answers = {{"driver_version", version}, {"devices", Json::array()}};
  for (int ordinal = 0; ordinal < count; ++ordinal)
    answers["devices"].push_back(ask_device(driver, ordinal));
  return answers;
}

// Says whether this machine can keep host threads off device memory.
bool has_protection_keys() {
  const int key = pkey_alloc(0, 0);
  if (key < 0) return false;
  pkey_free(key);
  return true;
}

void print_device(int ordinal, const Json& device) {
  const Json& attributes = device["attributes"];
  const auto value = [&](const char* name) { return attributes.value(name, 0); };
  const auto yes = [&](const char* name) { return value(name) ? "yes" : "no"; };
  const size_t memory = device["memory"];
  const auto line = [](const char* title, const std::string& answer) {
    printf("  %-36s %s\n", title, answer.c_str());
  };
  const auto triple = [&](const std::string& prefix) {
    return std::to_string(value((prefix + "_X").c_str())) + " x " +
           std::to_string(value((prefix + "_Y").c_str())) + " x " +
           std::to_string(value((prefix + "_Z").c_str()));
  };
  const auto kib = [&](const char* name) { return std::to_string(value(name) / 1024) + " KiB"; };
  const auto mhz = [&](const char* name) { return std::to_string(value(name) / 1000) + " MHz"; };

  printf("\nDevice %d: %s\n", ordinal, device["name"].get<std::string>().c_str());
  line("UUID", device["uuid"]);
  line("PCI address", device["pci"]);
  line("Compute capability", std::to_string(value("COMPUTE_CAPABILITY_MAJOR")) + "." +
                                 std::to_string(value("COMPUTE_CAPABILITY_MINOR")));
  line("Memory", std::to_string(memory) + " bytes (" + std::to_string(memory >> 20) + " MiB)");
  line("Multiprocessors", std::to_string(value("MULTIPROCESSOR_COUNT")));
  line("Clock", mhz("CLOCK_RATE"));
  line("Memory clock, bus width",
       mhz("MEMORY_CLOCK_RATE") + ", " + std::to_string(value("GLOBAL_MEMORY_BUS_WIDTH")) + " bit");
  line("L2 cache", kib("L2_CACHE_SIZE"));
  line("Warp size", std::to_string(value("WARP_SIZE")));
  line("Threads: block, multiprocessor",
       std::to_string(value("MAX_THREADS_PER_BLOCK")) + ", " +
           std::to_string(value("MAX_THREADS_PER_MULTIPROCESSOR")));
  line("Largest block", triple("MAX_BLOCK_DIM"));
  line("Largest grid", triple("MAX_GRID_DIM"));
  line("Registers of a block", std::to_string(value("MAX_REGISTERS_PER_BLOCK")));
  line("Shared memory: block, opt-in",
       kib("MAX_SHARED_MEMORY_PER_BLOCK") + ", " + kib("MAX_SHARED_MEMORY_PER_BLOCK_OPTIN"));
  line("Constant memory", kib("TOTAL_CONSTANT_MEMORY"));
  line("Copy engines", std::to_string(value("ASYNC_ENGINE_COUNT")));
  line("Alignment of textures, surfaces", std::to_string(value("TEXTURE_ALIGNMENT")) + ", " +
                                              std::to_string(value("SURFACE_ALIGNMENT")));
  line("Unified addressing", yes("UNIFIED_ADDRESSING"));
  line("Managed memory, also concurrently",
       std::string(yes("MANAGED_MEMORY")) + ", " + yes("CONCURRENT_MANAGED_ACCESS"));
  line("Memory pools", yes("MEMORY_POOLS_SUPPORTED"));
  line("Virtual memory management", yes("VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED"));
  line("Cooperative launch", yes("COOPERATIVE_LAUNCH"));
  line("Timeline semaphores", yes("TIMELINE_SEMAPHORE_INTEROP_SUPPORTED"));
}

// Prints the devices as resources of ctest: one slot each, numbered as in CUDA_VISIBLE_DEVICES.
int print_ctest_resources(size_t devices) {
  Json gpus = Json::array();
  for (size_t ordinal = 0; ordinal < devices; ++ordinal)
    gpus.push_back({{"id", std::to_string(ordinal)}, {"slots", 1}});
  const Json file = {{"version", {{"major", 1}, {"minor", 0}}},
                     {"local", Json::array({{{"gpus", std::move(gpus)}}})}};
  printf("%s\n", file.dump(2).c_str());
  return 0;
}

}  // namespace

int info(const InfoOptions& options) {
  for (const auto& [variable, value] : options.environment)
    setenv(variable.c_str(), value.c_str(), 1);
  const auto folder = library_folder();
  if (!folder) {
    fprintf(stderr,
            "cuvette info: there is no libcuda.so.1 where this command was built or installed\n");
    return 1;
  }
  const std::string path = *folder / "libcuda.so.1";
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "cuvette info: %s\n", dlerror());
    return 1;
  }
  Json answers = ask(Driver(library));
  answers["library"] = path;
  answers["protection_keys"] = has_protection_keys();
  if (options.ctest_resources) return print_ctest_resources(answers["devices"].size());
  if (options.json) {
    printf("%s\n", answers.dump(2).c_str());
    return 0;
  }
  const int version = answers["driver_version"];
  printf("Library         %s\nDriver version  %d.%d\nDevices         %zu\n", path.c_str(),
         version / 1000, version % 1000 / 10, answers["devices"].size());
  printf("Host accesses   %s\n",
         answers["protection_keys"]
             ? "to device memory are caught (CUVETTE_HOST_ACCESS): there are protection keys"
             : "to device memory are caught with CUVETTE_CHECK=host only: this machine has no "
               "protection keys");
  int ordinal = 0;
  for (const Json& device : answers["devices"]) print_device(ordinal++, device);
  printf(
      "\nWhat a device says it can do is what that GPU can do; `cuvette support` lists what works "
      "here.\n");
  return 0;
}

int list_profiles(bool json) {
  Json list = Json::array();
  for (const device::Profile& profile : device::profiles()) {
    list.push_back({{"key", profile.key},
                    {"name", profile.name},
                    {"compute_major", profile.compute_major},
                    {"compute_minor", profile.compute_minor},
                    {"memory", profile.memory},
                    {"multiprocessors", profile.value(device::Attribute::MULTIPROCESSOR_COUNT)}});
  }
  if (json) {
    printf("%s\n", list.dump(2).c_str());
    return 0;
  }
  printf("%-12s %-28s %-8s %-12s %s\n", "KEY", "GPU", "COMPUTE", "MEMORY", "MULTIPROCESSORS");
  for (const Json& row : list) {
    const std::string compute = std::to_string(row["compute_major"].get<int>()) + "." +
                                std::to_string(row["compute_minor"].get<int>());
    const std::string memory = std::to_string(row["memory"].get<size_t>() >> 20) + " MiB";
    printf("%-12s %-28s %-8s %-12s %d\n", row["key"].get<std::string>().c_str(),
           row["name"].get<std::string>().c_str(), compute.c_str(), memory.c_str(),
           row["multiprocessors"].get<int>());
  }
  return 0;
}

std::string profile_complaint(const std::string& key) {
  if (!device::find_profiles(key).empty()) return "";
  std::string known;
  std::vector<std::string_view> names;
  for (const device::Profile& profile : device::profiles()) {
    known += (known.empty() ? "" : ", ") + std::string(profile.key);
    names.emplace_back(profile.key);
  }
  const std::string near = nearest(key, names);
  return "'" + key + "', and no GPU is called so" +
         (near.empty() ? "" : " (did you mean '" + near + "'?)") + "; there are " + known;
}

}  // namespace cuvette::tools
