// SPDX-License-Identifier: Apache-2.0
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <string_view>

#include "tools/cuvette/doctor_findings.hpp"
#include "tools/cuvette/program_path.hpp"
#include "tools/cuvette/shell_word.hpp"

namespace cuvette::tools {
namespace {

constexpr char python_topic[] = "python";

// Prints the packages that have to do with CUDA, "NAME VERSION" on each line.
constexpr char listing[] =
    "import importlib.metadata as m, re; "
    "print(*sorted({d.metadata[\"Name\"].lower() + \" \" + d.version for d in m.distributions() "
    "if d.metadata[\"Name\"] and re.match(r\"nvidia-|cuda-|numba|triton|cupy|torch$|jax|warp-lang|"
    "taichi|tinygrad|drjit|tensorflow\", d.metadata[\"Name\"].lower())}), sep=\"\\n\")";

bool begins(const std::string& line, std::string_view name) {
  return line.starts_with(name) && (line.size() == name.size() ||
                                    !std::isalnum(static_cast<unsigned char>(line[name.size()])));
}

// Says what is known about a package; docs/python.md has more. A package about which nothing is
// known is added to `others`.
void judge(const std::string& package, std::string& others, Findings& findings) {
  for (const std::string_view foreign : {"cupy", "warp-lang", "jax-cuda", "jax_cuda", "tensorflow"})
    if (package.starts_with(foreign))
      return findings.limited(
          python_topic,
          package + " has NVIDIA's runtime inside, which works only with NVIDIA's driver",
          "use a package that calls the driver itself, such as numba-cuda or triton");
  if (begins(package, "torch"))
    return findings.limited(python_topic,
                            package + " holds machine code only: its own kernels do not run here",
                            "keep its tensors on the CPU, and run kernels of Triton or Numba");
  if (package.starts_with("nvidia-nvjitlink"))
    return findings.good(
        python_topic,
        package + ": makes machine code, so `cuvette run` preloads the name of its library");
  others += (others.empty() ? "" : ", ") + package;
}

}  // namespace

void look_at_python(const std::string& program, Findings& findings) {
  const std::string name = std::filesystem::path(program).filename();
  const std::string file = path_of_program(program);
  if (!name.starts_with("python") || file.empty()) return;
  FILE* const pipe =
      popen((shell_word(file) + " -c " + shell_word(listing) + " 2>&1").c_str(), "r");
  std::string text;
  char buffer[4096];
  while (const size_t count = pipe ? fread(buffer, 1, sizeof buffer, pipe) : 0)
    text.append(buffer, count);
  const int status = pipe ? pclose(pipe) : -1;
  if (status != 0)
    return findings.limited(python_topic,
                            "its packages cannot be listed: " + text.substr(0, text.find('\n')),
                            shell_word(file) + " -m pip list");
  std::string others;
  for (size_t begin = 0, end; (end = text.find('\n', begin)) != text.npos; begin = end + 1)
    if (end > begin) judge(text.substr(begin, end - begin), others, findings);
  findings.good(python_topic,
                others.empty() ? "no other package here has to do with CUDA" : others);
}

}  // namespace cuvette::tools
