// SPDX-License-Identifier: Apache-2.0
#include "api/nvjitlink/link_options.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>

namespace cuvette::nvjitlink {
namespace {

// The targets of NVIDIA's compiler, and the answers of the CUDA 13.0 linker about others.
#if NVJITLINK_MAJOR >= 13
constexpr uint32_t known_targets[] = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};
constexpr uint32_t dropped_targets[] = {10, 11, 12, 13, 20, 21, 30, 32, 35,
                                        37, 50, 52, 53, 60, 61, 62, 69, 70};
#else
// The linker of CUDA 12.9 refuses a number that is too large, and any other when there is PTX to
// compile.
constexpr uint32_t known_targets[] = {50, 52, 53, 60, 61,  62,  70,  72,  75, 80,
                                      86, 87, 89, 90, 100, 101, 103, 120, 121};
#endif

// Options without a meaning here: PTX is compiled when it is loaded, and a processor has no machine
// code to tune.
constexpr std::string_view ignored_words[] = {
    "-verbose", "-time", "-O0", "-O3", "-g", "-lineinfo", "-optimize-unused-variables", "-no-cache",
};
constexpr std::string_view registers_word = "-maxrregcount=";
constexpr std::string_view ignored_prefixes[] = {
    "-ftz=",
    "-prec-div=",
    "-prec-sqrt=",
    "-fma=",
    "-Xptxas=",
    "-kernels-used=",
    "-variables-used=",
    "-split-compile=",
    "-Xnvvm=",
    "-split-compile-extended=",
    "-jump-table-density=",
};

// Returns the number that a text begins with, as in "90" and "90a"; 0 if there is none.
uint32_t read_number(std::string_view text) {
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} ? number : 0;
}

}  // namespace

nvJitLinkResult LinkOptions::read(std::span<const char* const> given, std::string& log) {
  bool virtual_target = false;
  for (const char* const each : given) {
    const std::string_view word = words.emplace_back(each ? each : "");
    const auto refuse = [&](nvJitLinkResult result, const char* why) {
      log += "error   : '" + std::string(word) + "': " + why + "\n";
      return result;
    };
    if (word.starts_with("-arch=")) {
      std::string_view name = word.substr(6);
      virtual_target = name.starts_with("compute_");
      if (!virtual_target && !name.starts_with("sm_"))
        return refuse(NVJITLINK_ERROR_UNRECOGNIZED_OPTION,
                      "-arch needs sm_ or compute_ and a number.");
      name.remove_prefix(virtual_target ? 8 : 3);
      target = read_number(name);
      if (target == 0)
        return refuse(NVJITLINK_ERROR_UNRECOGNIZED_OPTION,
                      "-arch needs sm_ or compute_ and a number.");
      known_target = std::ranges::find(known_targets, target) != std::end(known_targets);
#if NVJITLINK_MAJOR >= 13
      if (std::ranges::find(dropped_targets, target) != std::end(dropped_targets))
        return refuse(NVJITLINK_ERROR_UNSUPPORTED_ARCH, "Devices that old are not supported.");
      if (!known_target)
        return refuse(NVJITLINK_ERROR_UNRECOGNIZED_ARCH, "The device is not known.");
#else
      if (target > *std::rbegin(known_targets))
        return refuse(NVJITLINK_ERROR_INTERNAL, "The device is not known.");
#endif
    } else if (word == "-lto" || word == "-dlto") {
      lto = true;
    } else if (word.starts_with(registers_word)) {
      most_registers = read_number(word.substr(registers_word.size()));
    } else if (word == "-ptx") {
      ptx = true;
    } else if (std::ranges::find(ignored_words, word) == std::end(ignored_words) &&
               std::ranges::none_of(ignored_prefixes,
                                    [&](std::string_view p) { return word.starts_with(p); })) {
      return refuse(NVJITLINK_ERROR_UNRECOGNIZED_OPTION, "The option is not known.");
    }
  }
  if (target == 0) {
    log += "error   : The option -arch is missing.\n";
    return NVJITLINK_ERROR_MISSING_ARCH;
  }
  if ((ptx || virtual_target) && !(ptx && lto)) {
    log +=
        "error   : PTX (-ptx, -arch=compute_) is made from LTO IR alone: it takes -lto and -ptx.\n";
    return NVJITLINK_ERROR_INCOMPATIBLE_OPTIONS;
  }
  return NVJITLINK_SUCCESS;
}

}  // namespace cuvette::nvjitlink
