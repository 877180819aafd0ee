// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "sim/device/model/profile.hpp"
#include "tools/cuvette/doctor_findings.hpp"
#include "tools/cuvette/library.hpp"
#include "tools/cuvette/linked_file.hpp"
#include "tools/cuvette/loader_search.hpp"
#include "tools/cuvette/program_path.hpp"
#include "tools/cuvette/shell_word.hpp"

namespace cuvette::tools {
namespace {

namespace fs = std::filesystem;

constexpr char program_topic[] = "program";
constexpr char link_again[] =
    "link it with the shared runtime: nvcc -cudart shared, or cmake "
    "-DCMAKE_CUDA_RUNTIME_LIBRARY=Shared BUILD-FOLDER";
constexpr char compile_again[] =
    "compile PTX into it: nvcc -gencode arch=compute_75,code=compute_75, or cmake "
    "-DCMAKE_CUDA_ARCHITECTURES=75-virtual BUILD-FOLDER";

// The compute capability of the first device of CUVETTE_DEVICE, 90 for 9.0.
uint32_t capability() {
  const char* const wanted = getenv("CUVETTE_DEVICE");
  const auto profiles = device::find_profiles(wanted && *wanted ? wanted : "h200");
  if (profiles.empty()) return 90;
  const device::Profile& first = *profiles.front();
  return static_cast<uint32_t>(first.compute_major * 10 + first.compute_minor);
}

// NVIDIA's libraries that contain its runtime and machine code. Cuvette has no substitute for them.
bool is_without_stand_in(const std::string& library) {
  constexpr const char* names[] = {"libcublas",   "libcufft",  "libcudnn",    "libcurand",
                                   "libcusolver", "libnccl",   "libcusparse", "libnvjpeg",
                                   "libnpp",      "libcufile", "libcutensor", "libnvrtc-builtins"};
  return std::ranges::any_of(names, [&](const char* name) { return library.starts_with(name); });
}

class Program {
 public:
  Program(Findings& findings, uint32_t capability) : findings_(findings), capability_(capability) {}

  // Looks at a file and at the libraries that it needs. `finder`: the DT_RPATH folders of the file
  // that needs it.
  void look(const std::string& file, std::vector<std::string> finder) {
    std::error_code failure;
    if (!seen_.insert(fs::canonical(file, failure)).second) return;
    const auto linked = read_linked_file(file, capability_);
    if (!linked) return;
    const std::string name = fs::path(file).filename();
    uses_cuda_ |= linked->pieces > 0 || linked->has_nvidias_runtime;
    if (linked->has_nvidias_runtime)
      findings_.wrong(
          program_topic,
          name + " has NVIDIA's CUDA runtime inside, which works only with NVIDIA's driver",
          link_again);
    if (linked->pieces > linked->pieces_to_run) device_code(name, *linked);
    finder.insert(finder.end(), linked->rpath.begin(), linked->rpath.end());
    for (const std::string& library : linked->needed) need(name, library, finder, *linked);
    pieces_ += linked->pieces_to_run;
  }

  bool uses_cuda() const { return uses_cuda_; }
  size_t pieces() const { return pieces_; }

 private:
  void device_code(const std::string& name, const LinkedFile& linked) {
    const size_t others = linked.pieces - linked.pieces_to_run;
    const std::string why = linked.refusal.substr(0, linked.refusal.find(". Build it"));
    if (linked.pieces_to_run == 0)
      findings_.wrong(program_topic, "none of the device code in " + name + " can run: " + why,
                      compile_again);
    // nvcc links one piece of machine code without kernels into each program.
    else if (others > 1)
      findings_.limited(program_topic,
                        std::to_string(others) + " of " + std::to_string(linked.pieces) +
                            " pieces of device code in " + name + " cannot run: " + why,
                        compile_again);
  }

  void need(const std::string& name, const std::string& library,
            const std::vector<std::string>& rpath, const LinkedFile& linked) {
    const bool is_driver = library == "libcuda.so.1";
    const bool is_runtime = library.starts_with("libcudart.so.");
    uses_cuda_ |= is_driver || is_runtime;
    const auto folder = library_folder();
    std::error_code failure;
    if (is_runtime && folder && !fs::exists(*folder / library, failure))
      findings_.wrong(program_topic,
                      name + " needs " + library + "; Cuvette has libcudart.so.12 and .13",
                      "build it with CUDA 12 or 13");
    if (is_without_stand_in(library))
      findings_.wrong(
          program_topic,
          name + " needs " + library + ", which has NVIDIA's runtime and machine code inside",
          "none: Cuvette has no such library");
    const std::string file = find(library, rpath, linked.runpath);
    if ((is_driver || is_runtime) && !file.empty() && !is_own_library(file))
      findings_.wrong(program_topic, name + " finds " + file + " by its DT_RPATH, before Cuvette's",
                      "start it by `cuvette run --preload`");
    if (is_driver || is_runtime || is_without_stand_in(library)) return;
    const std::string elsewhere = file.empty() ? find_in_system(library) : file;
    if (!elsewhere.empty()) look(elsewhere, rpath);
  }

  // Returns the file that the loader finds before the system's. Under `cuvette run` Cuvette's
  // libraries are found between the two lists.
  static std::string find(const std::string& library, const std::vector<std::string>& rpath,
                          const std::vector<std::string>& runpath) {
    const auto in = [&](const std::string& folder) {
      std::error_code failure;
      const fs::path file = fs::path(folder) / library;
      return !folder.empty() && fs::is_regular_file(file, failure) ? file.string() : "";
    };
    for (const std::string& folder : rpath)
      if (std::string file = in(folder); !file.empty()) return file;
    if (const auto own = library_folder())
      if (std::string file = in(*own); !file.empty()) return file;
    if (std::string file = find_by_library_path(library); !file.empty()) return file;
    for (const std::string& folder : runpath)
      if (std::string file = in(folder); !file.empty()) return file;
    return "";
  }

  Findings& findings_;
  const uint32_t capability_;
  std::set<fs::path> seen_;
  bool uses_cuda_ = false;
  size_t pieces_ = 0;
};

// Returns the first line of a script, without "#!"; empty if the file is not a script.
std::string interpreter_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::string line;
  std::getline(in, line);
  return line.starts_with("#!") ? line.substr(2, 200) : "";
}

void say_why_not_found(const std::string& program, Findings& findings) {
  std::error_code failure;
  if (fs::is_directory(program, failure))
    findings.wrong(program_topic, "'" + program + "' is a folder", "name the program in it");
  else if (fs::is_regular_file(program, failure) && program.find('/') != std::string::npos)
    findings.wrong(program_topic, "'" + program + "' may not be executed",
                   "chmod +x " + shell_word(program));
  else
    findings.wrong(program_topic, "there is no program '" + program + "'",
                   "give its path, as in cuvette doctor -- ./program");
}

}  // namespace

void look_at_program(const std::string& program, Findings& findings) {
  const std::string file = path_of_program(program);
  if (file.empty()) return say_why_not_found(program, findings);
  if (const std::string script = interpreter_of(file); !script.empty())
    return findings.good(program_topic, program + " is a script for '" + script +
                                            "': what counts is the programs that it starts");
  if (const std::string why = why_environment_is_dropped(program); !why.empty()) {
    const size_t end = why.find(". ");
    findings.wrong(
        program_topic, program + " " + why.substr(0, end),
        "cp " + file + " /tmp && cuvette run /tmp/" + fs::path(file).filename().string());
  }
  const uint32_t device = capability();
  const auto linked = read_linked_file(file, device);
  if (!linked)
    return findings.wrong(program_topic, program + " is no program for 64-bit Linux, or is damaged",
                          "build it for x86-64");
  if (linked->is_static)
    return findings.wrong(program_topic,
                          program +
                              " is linked statically: the loader, which finds Cuvette's "
                              "libraries, has no part in it",
                          "link it without -static");
  const size_t before = findings.all().size();
  Program all(findings, device);
  all.look(file, {});
  if (findings.all().size() > before) return;
  if (!all.uses_cuda())
    return findings.good(program_topic,
                         program + " names no CUDA library; it may load some as it runs");
  findings.good(program_topic,
                program + " finds Cuvette's libraries" +
                    (all.pieces() == 0 ? ""
                                       : ", and " + std::to_string(all.pieces()) +
                                             " pieces of its device code are PTX that the "
                                             "device takes"));
}

}  // namespace cuvette::tools
