// SPDX-License-Identifier: Apache-2.0
// The PTX is checked, and comes out as an image that libcuda.so.1 loads. A GPU's machine code runs
// nowhere here, so what ptxas optimises and measures has no meaning: those options are ignored.
#include "tools/cuvette/ptxas.hpp"

#include <dlfcn.h>
#include <nvJitLink.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/cuvette/library.hpp"
#include "tools/cuvette/whole_file.hpp"

namespace cuvette::tools {
namespace {

constexpr int status_failure = 255;  // ptxas's own (asked)

constexpr const char* about_ptxas =
    R"(Checks PTX and makes an image of it that Cuvette's libcuda.so.1 loads, in place of ptxas.

Usage: ptxas [OPTIONS] INPUT

  -arch=sm_XX                 the device that it is for, and later ones
  -o OUTPUT                   what to write [elf.o]
  -c                          leave names undefined
  -maxrregcount=N             as a kernel's .maxnreg
  --version

Other options of ptxas are ignored.

Exit status: 0; 255 if it refused the PTX or the command line.
)";

// Options that may take the next word as their value.
constexpr std::string_view with_value[] = {
    "-o",
    "--output-file",
    "-arch",
    "--gpu-name",
    "-O",
    "--opt-level",
    "-m",
    "--machine",
    "-maxrregcount",
    "--maxrregcount",
    "-e",
    "--entry",
    "-dlcm",
    "--def-load-cache",
    "-dscm",
    "--def-store-cache",
    "-fmad",
    "--fmad",
    "-maxntid",
    "--maxntid",
    "-minnctapersm",
    "--minnctapersm",
    "-regUsageLevel",
    "--register-usage-level",
    "-split-compile",
    "--split-compile",
    "-Ofc",
    "--Ofast-compile",
    "-pic",
    "--position-independent-code",
    "-sanitize",
    "--sanitize",
};

struct PtxasOptions {
  std::string input, output = "elf.o", arch = "sm_75", most_registers;
  bool compile_only = false;
};

// Returns the options, or nothing after a sentence on stderr.
std::optional<PtxasOptions> read(const std::vector<std::string_view>& words) {
  PtxasOptions options;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (!word.starts_with('-')) {
      if (!options.input.empty()) {
        fprintf(stderr, "cuvette ptxas: more than one input: '%s' and '%.*s'\n",
                options.input.c_str(), static_cast<int>(word.size()), word.data());
        return std::nullopt;
      }
      options.input = word;
      continue;
    }
    const size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    std::string_view value;
    if (equals != word.npos) {
      value = word.substr(equals + 1);
    } else if (std::ranges::find(with_value, name) != std::end(with_value)) {
      if (++i == words.size()) {
        fprintf(stderr, "cuvette ptxas: '%.*s' needs a value\n", static_cast<int>(name.size()),
                name.data());
        return std::nullopt;
      }
      value = words[i];
    }
    if (name == "-o" || name == "--output-file") options.output = value;
    if (name == "-arch" || name == "--gpu-name") options.arch = value;
    if (name == "-maxrregcount" || name == "--maxrregcount") options.most_registers = value;
    if (name == "-c" || name == "--compile-only") options.compile_only = true;
  }
  if (!options.input.empty()) return options;
  fprintf(stderr, "cuvette ptxas: there is no input\n%s", about_ptxas);
  return std::nullopt;
}

// The linker beside libcuda.so.1, which checks PTX and makes images of it.
class Linker {
 public:
  bool open() {
    const auto folder = library_folder();
    library_ =
        folder ? dlopen((*folder / "libnvJitLink.so.13").c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
    if (!library_)
      fprintf(stderr,
              "cuvette ptxas: there is no libnvJitLink.so.13 beside the libcuda.so.1 of this "
              "command\n");
    return library_;
  }
  template <typename Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(library_, name));
  }

 private:
  void* library_ = nullptr;
};
#define CALL(library, name) (library).find<decltype(name)>(#name)

// Returns the image, or nothing after the linker's log on stderr.
std::optional<std::string> assemble(const PtxasOptions& options, const std::string& text) {
  Linker linker;
  if (!linker.open()) return std::nullopt;
  const std::string arch = "-arch=" + options.arch;
  const std::string registers = "-maxrregcount=" + options.most_registers;
  const char* words[] = {arch.c_str(), registers.c_str()};
  nvJitLinkHandle link = nullptr;
  nvJitLinkResult result =
      CALL(linker, nvJitLinkCreate)(&link, options.most_registers.empty() ? 1 : 2, words);
  if (result == NVJITLINK_SUCCESS)
    result = CALL(linker, nvJitLinkAddData)(link, NVJITLINK_INPUT_PTX, text.data(), text.size(),
                                            options.input.c_str());
  std::optional<std::string> image;
  if (result == NVJITLINK_SUCCESS && options.compile_only) {
    image = text;
  } else if (result == NVJITLINK_SUCCESS &&
             (result = CALL(linker, nvJitLinkComplete)(link)) == NVJITLINK_SUCCESS) {
    size_t size = 0;
    CALL(linker, nvJitLinkGetLinkedCubinSize)(link, &size);
    image.emplace(size, '\0');
    CALL(linker, nvJitLinkGetLinkedCubin)(link, image->data());
  }
  if (!image) {
    size_t size = 0;
    CALL(linker, nvJitLinkGetErrorLogSize)(link, &size);
    std::string log(size + 1, '\0');
    CALL(linker, nvJitLinkGetErrorLog)(link, log.data());
    fprintf(stderr, "ptxas %s", log.c_str());
  }
  CALL(linker, nvJitLinkDestroy)(&link);
  return image;
}

int ptxas(const std::vector<std::string_view>& words) {
  for (const std::string_view word : words) {
    if (word == "--version" || word == "-V") {
      // Compilers read the release to know which PTX it takes.
      printf("ptxas: a stand-in that belongs to Cuvette " CUVETTE_VERSION
             "\nCuda compilation tools, release 13.0, V13.0.88\n");
      return 0;
    }
    if (word == "--help" || word == "-h") {
      printf("%s", about_ptxas);
      return 0;
    }
  }
  const auto options = read(words);
  if (!options) return status_failure;
  const std::optional<std::string> text = whole_file(options->input);
  if (!text) {
    fprintf(stderr, "cuvette ptxas: '%s' cannot be read: %s\n", options->input.c_str(),
            strerror(errno));
    return status_failure;
  }
  const auto image = assemble(*options, *text);
  if (!image) return status_failure;
  std::ofstream output(options->output, std::ios::binary);
  output << *image;
  if (!output.flush()) {
    fprintf(stderr, "cuvette ptxas: '%s' cannot be written\n", options->output.c_str());
    return status_failure;
  }
  return 0;
}

}  // namespace

std::string ptxas_help() { return about_ptxas; }

std::optional<int> ptxas_command_line(int argc, char** argv) {
  const bool by_name =
      argc > 0 && std::filesystem::path(argv[0]).filename() == std::string_view("ptxas");
  const bool by_word = argc > 1 && std::string_view(argv[1]) == "ptxas";
  if (!by_name && !by_word) return std::nullopt;
  return ptxas({argv + (by_name ? 1 : 2), argv + argc});
}

}  // namespace cuvette::tools
