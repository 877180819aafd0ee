// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/smi_report.hpp"

#include <cstdio>
#include <ctime>
#include <filesystem>

namespace cuvette::tools {
namespace {

std::string time_of_day() {
  const time_t now = time(nullptr);
  char text[64];
  strftime(text, sizeof text, "%a %b %e %H:%M:%S %Y", localtime(&now));
  return text;
}

std::string driver_version(const Management& library) {
  char text[NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE];
  library.check(CUVETTE_NVML(library, nvmlSystemGetDriverVersion)(text, sizeof text),
                "nvmlSystemGetDriverVersion");
  return text;
}

std::vector<nvmlProcessInfo_t> processes_of(const Gpu& gpu) {
  const auto ask = CUVETTE_NVML(*gpu.library, nvmlDeviceGetComputeRunningProcesses);
  // As many as the register holds.
  std::vector<nvmlProcessInfo_t> processes(256);
  auto count = static_cast<unsigned>(processes.size());
  gpu.library->check(ask(gpu.handle, &count, processes.data()),
                     "nvmlDeviceGetComputeRunningProcesses");
  processes.resize(count);
  return processes;
}

// Returns the file that a process runs, in nvidia-smi's words if it cannot be seen.
std::string program_of(unsigned pid) {
  std::error_code failure;
  const auto path = std::filesystem::read_symlink("/proc/" + std::to_string(pid) + "/exe", failure);
  return failure ? "[Not Found]" : path.string();
}

const char* architecture(const Gpu& gpu) {
  switch (gpu.ask<nvmlDeviceArchitecture_t>(CUVETTE_GPU(gpu, nvmlDeviceGetArchitecture))
              .value_or(NVML_DEVICE_ARCH_UNKNOWN)) {
    case NVML_DEVICE_ARCH_TURING:
      return "Turing";
    case NVML_DEVICE_ARCH_AMPERE:
      return "Ampere";
    case NVML_DEVICE_ARCH_ADA:
      return "Ada Lovelace";
    case NVML_DEVICE_ARCH_HOPPER:
      return "Hopper";
    case NVML_DEVICE_ARCH_BLACKWELL:
      return "Blackwell";
    default:
      return "N/A";
  }
}

// The columns of the table: inside of the frame it is as wide as this line.
constexpr char rule[] =
    "+-----+-------------------------------+------------------+-----------------------+----------+";
constexpr int inner_width = sizeof rule - 1 - 4;

// "512MiB", as scripts look for it in the table.
std::string mebibytes(const Gpu& gpu, const char* field) {
  return *find_smi_field(field)->value(gpu) + "MiB";
}

}  // namespace

void print_smi_table(const Management& library, const std::vector<Gpu>& gpus) {
  const std::string versions =
      "Cuvette " CUVETTE_VERSION "    Driver Version: " + driver_version(library) +
      "    CUDA Version: " + cuda_version(library);
  printf("%s\n%s\n| %-*s |\n%s\n", time_of_day().c_str(), rule, inner_width, versions.c_str(),
         rule);
  printf("| %3s | %-29s | %-16s | %21s | %-8s |\n%s\n", "GPU", "Name", "Bus-Id", "Memory-Usage",
         "GPU-Util", rule);
  for (const Gpu& gpu : gpus) {
    const std::string memory =
        mebibytes(gpu, "memory.used") + " / " + mebibytes(gpu, "memory.total");
    printf("| %3s | %-29s | %-16s | %21s | %8s |\n", smi_text(gpu, "index").c_str(),
           smi_text(gpu, "name").c_str(), smi_text(gpu, "pci.bus_id").c_str(), memory.c_str(),
           smi_text(gpu, "utilization.gpu").c_str());
  }
  printf("%s\n\n%s\n| %-*s |\n", rule, rule, inner_width,
         "Processes:      GPU          PID      GPU Memory  Process name");
  bool any = false;
  for (const Gpu& gpu : gpus) {
    for (const nvmlProcessInfo_t& process : processes_of(gpu)) {
      char line[sizeof rule];
      snprintf(line, sizeof line, "                %3s   %10u   %10lluMiB  ",
               smi_text(gpu, "index").c_str(), process.pid, process.usedGpuMemory >> 20);
      const std::string whole =
          line + std::filesystem::path(program_of(process.pid)).filename().string();
      printf("| %-*.*s |\n", inner_width, inner_width, whole.c_str());
      any = true;
    }
  }
  if (!any) printf("| %-*s |\n", inner_width, "  No running processes found");
  printf("%s\n", rule);
}

void print_smi_list(const std::vector<Gpu>& gpus) {
  for (const Gpu& gpu : gpus)
    printf("GPU %s: %s (UUID: %s)\n", smi_text(gpu, "index").c_str(), smi_text(gpu, "name").c_str(),
           smi_text(gpu, "uuid").c_str());
}

void print_smi_details(const Management& library, const std::vector<Gpu>& gpus) {
  const auto line = [](int depth, const char* title, const std::string& value) {
    printf("%*s%-*s : %s\n", 4 * depth, "", 40 - 4 * depth, title, value.c_str());
  };
  line(0, "Timestamp", time_of_day());
  line(0, "Driver Version", driver_version(library));
  line(0, "CUDA Version", cuda_version(library));
  printf("\n");
  line(0, "Attached GPUs", std::to_string(all_gpus(library).size()));
  // A title without a field belongs to the lines below it.
  constexpr struct {
    int depth;
    const char *title, *field;
  } rows[] = {
      {1, "Product Name", "name"},
      {1, "Display Active", "display_active"},
      {1, "Persistence Mode", "persistence_mode"},
      {1, "MIG Mode", nullptr},
      {2, "Current", "mig.mode.current"},
      {2, "Pending", "mig.mode.pending"},
      {1, "Serial Number", "serial"},
      {1, "GPU UUID", "uuid"},
      {1, "VBIOS Version", "vbios_version"},
      {1, "PCI", nullptr},
      {2, "Bus", "pci.bus"},
      {2, "Device", "pci.device"},
      {2, "Domain", "pci.domain"},
      {2, "Device Id", "pci.device_id"},
      {2, "Bus Id", "pci.bus_id"},
      {2, "Sub System Id", "pci.sub_device_id"},
      {1, "Fan Speed", "fan.speed"},
      {1, "Performance State", "pstate"},
      {1, "FB Memory Usage", nullptr},
      {2, "Total", "memory.total"},
      {2, "Reserved", "memory.reserved"},
      {2, "Used", "memory.used"},
      {2, "Free", "memory.free"},
      {1, "Compute Mode", "compute_mode"},
      {1, "Utilization", nullptr},
      {2, "GPU", "utilization.gpu"},
      {2, "Memory", "utilization.memory"},
      {1, "ECC Mode", nullptr},
      {2, "Current", "ecc.mode.current"},
      {2, "Pending", "ecc.mode.pending"},
      {1, "Temperature", nullptr},
      {2, "GPU Current Temp", "temperature.gpu"},
      {1, "GPU Power Readings", nullptr},
      {2, "Average Power Draw", "power.draw"},
      {1, "Clocks", nullptr},
      {2, "Graphics", "clocks.gr"},
      {2, "SM", "clocks.sm"},
      {2, "Memory", "clocks.mem"},
      {1, "Max Clocks", nullptr},
      {2, "Graphics", "clocks.max.gr"},
      {2, "SM", "clocks.max.sm"},
      {2, "Memory", "clocks.max.mem"},
  };
  for (const Gpu& gpu : gpus) {
    printf("GPU %s\n", smi_text(gpu, "pci.bus_id").c_str());
    line(1, "Product Architecture", architecture(gpu));
    line(1, "Compute Capability", smi_text(gpu, "compute_cap"));
    for (const auto& [depth, title, field] : rows) {
      if (field) {
        line(depth, title, smi_text(gpu, field));
      } else {
        printf("%*s%s\n", 4 * depth, "", title);
      }
    }
    const auto processes = processes_of(gpu);
    if (processes.empty()) line(1, "Processes", "None");
    for (const nvmlProcessInfo_t& process : processes) {
      line(1, "Process ID", std::to_string(process.pid));
      line(2, "Used GPU Memory", std::to_string(process.usedGpuMemory >> 20) + " MiB");
    }
    printf("\n");
  }
}

void print_smi_processes(const std::vector<std::string>& titles, const std::vector<Gpu>& gpus,
                         CsvFormat format) {
  const auto print_line = [&](const auto& word_of) {
    const char* comma = "";
    for (const std::string& title : titles) {
      printf("%s%s", comma, word_of(title).c_str());
      comma = ", ";
    }
    printf("\n");
  };
  if (format.header) print_line([](const std::string& title) { return title; });
  for (const Gpu& gpu : gpus)
    for (const nvmlProcessInfo_t& process : processes_of(gpu))
      print_line([&](const std::string& title) -> std::string {
        if (title == process_memory_title)
          return std::to_string(process.usedGpuMemory >> 20) + (format.units ? " MiB" : "");
        if (title == "pid") return std::to_string(process.pid);
        if (title == "process_name") return program_of(process.pid);
        return find_smi_field(title)->value(gpu).value_or("[N/A]");  // the device's
      });
}

void print_smi_csv(const std::vector<const SmiField*>& fields, const std::vector<Gpu>& gpus,
                   CsvFormat format) {
  const auto print_line = [&](const auto& word_of) {
    const char* comma = "";
    for (const SmiField* field : fields) {
      printf("%s%s", comma, word_of(*field).c_str());
      comma = ", ";
    }
    printf("\n");
  };
  if (format.header) {
    print_line([](const SmiField& field) {
      return *field.unit ? std::string(field.title) + " [" + field.unit + "]" : field.title;
    });
  }
  for (const Gpu& gpu : gpus) {
    print_line([&](const SmiField& field) -> std::string {
      const auto value = field.value(gpu);
      if (!value) return "[N/A]";
      return *field.unit && format.units ? *value + " " + field.unit : *value;
    });
  }
}

}  // namespace cuvette::tools
