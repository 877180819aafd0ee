// SPDX-License-Identifier: Apache-2.0
// The options of `cuvette smi`, which are nvidia-smi's; so are the exit statuses.
#include "tools/cuvette/smi.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/cuvette/management.hpp"
#include "tools/cuvette/smi_fields.hpp"
#include "tools/cuvette/smi_report.hpp"

namespace cuvette::tools {
namespace {

// Measured: what nvidia-smi ends with. The others are the library's codes.
constexpr int status_unknown_option = 255;
constexpr int status_wrong_use = NVML_ERROR_INVALID_ARGUMENT;
constexpr int status_no_device = NVML_ERROR_NOT_FOUND;

constexpr const char* usage =
    R"(Says what devices there are, as nvidia-smi does; under the name nvidia-smi, too.

Usage: NAME [OPTIONS]

  (none)                      a table of the devices
  -L, --list-gpus             one line for each
  -q, --query                 what each says of itself
  --query-gpu=FIELD,...       these fields
      --format=csv[,noheader][,nounits]
  --help-query-gpu            the fields that there are
  --query-compute-apps=FIELD,...
      --format=csv[,noheader][,nounits]
                              the processes of this user that use them
  -i, --id=DEVICE,...         these devices alone: by index, UUID or PCI address
  --version                   the versions of driver and library
  -h, --help

CUVETTE_DEVICE, CUVETTE_DEVICES and CUVETTE_MEMORY say which devices there are. Software has no
temperature and draws no power of its own: such values are N/A. The memory in use is that of all processes
of this user, though each has all of a device unless CUVETTE_SHARED_MEMORY=1; `cuvette top` says more of them.

Exit status: 0; 255 for an option that there is not; 2 for one that does not fit here, or a field that
there is not; 6 if there is no such device; otherwise the library's code.
)";

enum class Action { table, list, details, fields, processes, help, field_help, version };

struct SmiOptions {
  Action action = Action::table;
  std::vector<const SmiField*> fields;
  std::vector<std::string> process_titles;  // of the fields that are asked for
  CsvFormat format;
  bool has_format = false;
  std::vector<std::string> devices;
  bool chooses_devices = false;
};

// Returns the words between commas, none of an empty text.
std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    words.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return words;
}

// Returns what the first line says of a field of --query-compute-apps; nothing if the field is
// unknown. Measured, also that several fields have two names.
std::optional<std::string> process_title(std::string_view name) {
  if (name == "used_memory" || name == "used_gpu_memory") return process_memory_title;
  if (name == "name") return "process_name";
  for (const std::string_view same :
       {"timestamp", "gpu_name", "gpu_bus_id", "gpu_serial", "gpu_uuid", "pid", "process_name"})
    if (name == same) return std::string(name);
  return std::nullopt;
}

// The command line, read from left to right.
class SmiReader {
 public:
  explicit SmiReader(const char* called) : called_(called) {}

  // Returns 0, or the exit status after a sentence on stderr.
  int read(const std::vector<std::string>& words) {
    for (size_t i = 0; i < words.size(); ++i) {
      const size_t equals = words[i].find('=');
      const std::string option = words[i].substr(0, equals);
      const bool has_value = equals != std::string::npos;
      if (const Plain* plain = find_plain(option); plain && !has_value) {
        if (const int status = choose(plain->action, option)) return status;
        continue;
      }
      if (!takes_value(option))
        return complain(status_unknown_option, "there is no option " + words[i]);
      if (!has_value && i + 1 == words.size())
        return complain(status_unknown_option, "option " + option + " needs a value");
      const std::string value = has_value ? words[i].substr(equals + 1) : words[++i];
      if (const int status = take(option, value)) return status;
    }
    if (options.has_format && options.action != Action::fields &&
        options.action != Action::processes)
      return complain(status_unknown_option, "--format goes with --query-gpu");
    if (options.chooses_devices && options.action == Action::list)
      return complain(status_wrong_use, "-i does not go with -L");
    return 0;
  }

  SmiOptions options;

 private:
  struct Plain {
    const char* option;
    Action action;
  };

  static const Plain* find_plain(const std::string& option) {
    static constexpr Plain all[] = {
        {"-L", Action::list},           {"--list-gpus", Action::list},
        {"-q", Action::details},        {"--query", Action::details},
        {"-h", Action::help},           {"--help", Action::help},
        {"--version", Action::version}, {"--help-query-gpu", Action::field_help}};
    const auto found =
        std::ranges::find_if(all, [&](const Plain& plain) { return option == plain.option; });
    return found == std::end(all) ? nullptr : found;
  }

  static bool takes_value(const std::string& option) {
    return option == "-i" || option == "--id" || option == "--query-gpu" ||
           option == "--query-compute-apps" || option == "--format";
  }

  int complain(int status, const std::string& sentence) const {
    fprintf(stderr, "%s: %s; see %s --help\n", called_, sentence.c_str(), called_);
    return status;
  }

  int choose(Action action, const std::string& option) {
    if (options.action != Action::table && options.action != action)
      return complain(status_wrong_use, "option " + option + " does not go with the one before it");
    options.action = action;
    return 0;
  }

  int take(const std::string& option, const std::string& value) {
    if (option == "--query-gpu") {
      if (const int status = choose(Action::fields, option)) return status;
      for (const std::string& name : split(value)) {
        const SmiField* field = find_smi_field(name);
        if (!field)
          return complain(status_wrong_use,
                          "there is no field \"" + name + "\" (--help-query-gpu lists them)");
        options.fields.push_back(field);
      }
      return 0;
    }
    if (option == "--query-compute-apps") {
      if (const int status = choose(Action::processes, option)) return status;
      for (const std::string& name : split(value)) {
        const auto title = process_title(name);
        if (!title) return complain(status_wrong_use, "there is no field \"" + name + "\"");
        options.process_titles.push_back(*title);
      }
      return 0;
    }
    if (option == "--format") {
      options.has_format = true;
      for (std::string word : split(value)) {
        std::erase(word, ' ');
        if (word == "noheader") {
          options.format.header = false;
        } else if (word == "nounits") {
          options.format.units = false;
        } else if (word != "csv") {
          return complain(status_wrong_use, "there is no format \"" + word + "\", only csv");
        }
      }
      return 0;
    }
    options.chooses_devices = true;
    for (std::string& device : split(value)) options.devices.push_back(std::move(device));
    return 0;
  }

  const char* called_;
};

// Whether `name` means the device: its index, its UUID or its place on the PCI bus.
bool is_called(const Gpu& gpu, const std::string& name) {
  if (name == *find_smi_field("index")->value(gpu)) return true;
  nvmlDevice_t found = nullptr;
  for (const auto by : {CUVETTE_NVML(*gpu.library, nvmlDeviceGetHandleByUUID),
                        CUVETTE_NVML(*gpu.library, nvmlDeviceGetHandleByPciBusId)})
    if (by(name.c_str(), &found) == NVML_SUCCESS && found == gpu.handle) return true;
  return false;
}

// Returns the devices that are asked for, each once and in their own order; none if one of them
// does not exist.
std::vector<Gpu> chosen_gpus(const Management& library, const SmiOptions& options) {
  std::vector<Gpu> all = all_gpus(library);
  if (!options.chooses_devices) return all;
  const auto exists = [&](const std::string& name) {
    return std::ranges::any_of(all, [&](const Gpu& gpu) { return is_called(gpu, name); });
  };
  if (!std::ranges::all_of(options.devices, exists)) return {};
  std::vector<Gpu> chosen;
  for (const Gpu& gpu : all)
    if (std::ranges::any_of(options.devices,
                            [&](const std::string& name) { return is_called(gpu, name); }))
      chosen.push_back(gpu);
  return chosen;
}

int print_versions(const Management& library) {
  char driver[NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE], own[NVML_SYSTEM_NVML_VERSION_BUFFER_SIZE];
  library.check(CUVETTE_NVML(library, nvmlSystemGetDriverVersion)(driver, sizeof driver),
                "nvmlSystemGetDriverVersion");
  library.check(CUVETTE_NVML(library, nvmlSystemGetNVMLVersion)(own, sizeof own),
                "nvmlSystemGetNVMLVersion");
  printf(
      "Cuvette version     : %s\nNVML version        : %s\nDRIVER version      : %s\n"
      "CUDA Version        : %s\n",
      CUVETTE_VERSION, own, driver, cuda_version(library).c_str());
  return 0;
}

int smi(const char* called, const std::vector<std::string>& words) {
  SmiReader reader(called);
  if (const int status = reader.read(words)) return status;
  const SmiOptions& options = reader.options;
  if (options.action == Action::help) {
    fputs(smi_help(called).c_str(), stdout);
    return 0;
  }
  if (options.action == Action::field_help) {
    for (const SmiField& field : smi_fields()) printf("%s\n", field.name);
    return 0;
  }

  Management library;
  if (const nvmlReturn_t failure = library.open(); failure != NVML_SUCCESS) return failure;
  if (options.action == Action::version) return print_versions(library);
  const std::vector<Gpu> gpus = chosen_gpus(library, options);
  if (gpus.empty()) {
    printf("No devices were found\n");
    return status_no_device;
  }
  switch (options.action) {
    case Action::list:
      print_smi_list(gpus);
      return 0;
    case Action::details:
      print_smi_details(library, gpus);
      return 0;
    case Action::processes:
      print_smi_processes(options.process_titles, gpus, options.format);
      return 0;
    case Action::fields:
      print_smi_csv(options.fields, gpus, options.format);
      return 0;
    default:
      print_smi_table(library, gpus);
      return 0;
  }
}

}  // namespace

std::string smi_help(const std::string& called) {
  constexpr std::string_view name = "NAME";
  std::string text = usage;
  return text.replace(text.find(name), name.size(), called);
}

std::optional<int> smi_command_line(int argc, char** argv) {
  const bool by_name =
      argc > 0 && std::filesystem::path(argv[0]).filename() == std::string_view("nvidia-smi");
  const bool by_word = argc > 1 && std::string_view(argv[1]) == "smi";
  if (!by_name && !by_word) return std::nullopt;
  return smi(by_name ? "nvidia-smi" : "cuvette smi", {argv + (by_name ? 1 : 2), argv + argc});
}

}  // namespace cuvette::tools
