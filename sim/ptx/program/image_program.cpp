// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/program/image_program.hpp"

#include <utility>

#include "sim/os/output.hpp"
#include "sim/ptx/image/image.hpp"
#include "sim/ptx/program/linker.hpp"
#include "sim/ptx/program/register_limit.hpp"

namespace cuvette::ptx {

namespace {

// Returns what messages call the input.
std::string input_of(const LoadRequest& request) {
  const auto what = [&] {
    switch (image::kind_of(request.image, request.size)) {
      case image::Kind::fat_binary:
      case image::Kind::wrapper:
        return "the PTX of a fat binary";
      case image::Kind::elf:
        return "the PTX of an ELF file";
      case image::Kind::archive:
        return "the PTX of a library";
      default:
        return "PTX text";
    }
  };
  return request.name.empty() ? what() : "'" + request.name + "'";
}

}  // namespace

Result<std::string> one_text(LoadRequest& request) {
  std::string sentence;
  auto extract = image::extract_ptx(request.image, request.size, request.device, sentence);
  if (!extract.ok()) {
    request.log += "error   : " + sentence + "\n";
    return extract.error();
  }
  if (const std::string& why = extract.value().nothing_fits; !why.empty()) {
    request.log += "error   : " + why + "\n";
    return Error::no_binary_for_gpu;
  }
  std::vector<std::string>& texts = extract.value().texts;
  for (size_t n = 0; n < texts.size(); ++n) {
    const uint32_t of_text = extract.value().most_registers[n];
    texts[n] = limit_registers(std::move(texts[n]),
                               request.most_registers > 0 ? request.most_registers : of_text);
  }
  if (texts.size() == 1) return std::move(texts.front());
  Linker linker(request.target);
  size_t number = 0;
  for (std::string& text : texts)
    TRY(linker.add(std::move(text), "part " + std::to_string(++number), request.log));
  return linker.link(request.log);
}

Result<Ref<Program>> load_program(LoadRequest& request, Ref<Program>* readable) {
  Diagnostic diagnostic;
  std::string text = TRY(one_text(request));
  const auto complain = [&] {
    const std::string sentence = input_of(request) + ", " + diagnostic.sentence();
    request.log += "error   : " + sentence + "\n";
    if (!diagnostic.quote.empty()) request.log += diagnostic.quote + "\n";
    refuse(diagnostic.error, "%s.", sentence.c_str());
    return diagnostic.error;
  };
  auto read = Program::read(std::move(text), request.target, diagnostic, request.needs);
  if (!read.ok()) return complain();
  Ref<Program> program = std::move(read).value();
  if (request.needs.has(Needs::counts))
    program->set_gpu_registers(
        image::kernel_registers(request.image, request.size, request.device));
  if (readable) *readable = program;
  if (!program->check(diagnostic).ok()) return complain();
  // Machine code for another device does not run on this one.
  if (request.target != request.device) {
    request.log += "error   : CU_JIT_TARGET is not this device's compute capability\n";
    return refuse(Error::invalid_source, "PTX for compute capability %u.%u: the device has %u.%u.",
                  request.target / 10, request.target % 10, request.device / 10,
                  request.device % 10);
  }
  return program;
}

void report_unloadable(Error error, const std::string& log) {
  if (error != Error::no_binary_for_gpu) return;
  std::string sentence = log.substr(0, log.find('\n'));
  if (const size_t colon = sentence.find(": "); colon != std::string::npos)
    sentence.erase(0, colon + 2);
  os::say("%s", sentence.c_str());
}

}  // namespace cuvette::ptx
