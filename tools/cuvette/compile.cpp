// SPDX-License-Identifier: Apache-2.0
// One source of CUDA C++ is compiled twice: the device's side to PTX, which becomes a fat binary,
// and the host's side to an object with that fat binary in it.
#include "tools/cuvette/compile.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "sim/ptx/image/make_fat_binary.hpp"
#include "tools/cuvette/clang.hpp"
#include "tools/cuvette/compile_options.hpp"
#include "tools/cuvette/device_link.hpp"
#include "tools/cuvette/library.hpp"
#include "tools/cuvette/managed_variables.hpp"
#include "tools/cuvette/program_path.hpp"
#include "tools/cuvette/relocatable.hpp"
#include "tools/cuvette/run.hpp"
#include "tools/cuvette/temporary_folder.hpp"
#include "tools/cuvette/unused_functions.hpp"
#include "tools/cuvette/whole_file.hpp"

extern char** environ;

namespace cuvette::tools {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr int status_refused = 1;

// The files between the steps.
class Scratch {
 public:
  bool is_there() const { return !folder_.path().empty(); }
  // Returns a name that was not given before.
  std::string file(const std::string& ending) {
    return fs::path(folder_.path()) / (std::to_string(count_++) + ending);
  }

 private:
  TemporaryFolder folder_{"cuvette-c++-XXXXXX"};
  unsigned count_ = 0;
};

void append(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

// Returns the clang++ that was asked for, or the first there is; if there is none, says so.
std::string find_clang(const std::string& named) {
  if (!named.empty()) {
    std::string clang = path_of_program(named);
    if (clang.empty())
      fprintf(stderr, "cuvette c++: --clang is '%s', which is not a program\n", named.c_str());
    return clang;
  }
  std::string clang = first_clang();
  if (clang.empty())
    fprintf(stderr,
            "cuvette c++: there is no clang++ here; the Debian package 'clang' has it (apt-get "
            "install clang)\n");
  return clang;
}

// Runs a command and returns its exit status.
int run_step(const Words& words, bool verbose) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  if (verbose) {
    for (const std::string& word : words) fprintf(stderr, "%s ", word.c_str());
    fprintf(stderr, "\n");
  }
  pid_t child = 0;
  if (const int failure =
          posix_spawn(&child, arguments[0], nullptr, nullptr, arguments.data(), environ)) {
    fprintf(stderr, "cuvette c++: '%s' could not be started: %s\n", arguments[0],
            strerror(failure));
    return status_own_failure;
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return status_own_failure;
  if (WIFEXITED(status)) return WEXITSTATUS(status) == 0 ? 0 : status_refused;
  fprintf(stderr, "cuvette c++: '%s' was ended by signal %d\n", arguments[0], WTERMSIG(status));
  return status_own_failure;
}

class Compiler {
 public:
  Compiler(CompileOptions options, std::string clang, fs::path headers, fs::path libraries)
      : options_(std::move(options)),
        clang_(std::move(clang)),
        headers_(std::move(headers)),
        libraries_(std::move(libraries)) {}

  int run() {
    if (!scratch_.is_there()) {
      fprintf(stderr, "cuvette c++: there is no folder for temporary files\n");
      return status_own_failure;
    }
    if (options_.stop_at_ptx) {
      for (const std::string& source : options_.cuda_sources)
        if (const int status =
                make_ptx(source, options_.capabilities.front(), named(source, ".ptx")))
          return status;
      return 0;
    }
    Words objects;
    for (const std::string& source : options_.cuda_sources) {
      objects.push_back(object_of(source));
      if (const int status = make_cuda_object(source, objects.back())) return status;
    }
    for (const std::string& source : options_.host_sources) {
      objects.push_back(object_of(source));
      if (const int status = make_host_object(source, objects.back())) return status;
    }
    return options_.stop_at_objects ? 0 : link(objects);
  }

 private:
  // Returns what -o says, or the source's name with another ending, in this folder.
  std::string named(const std::string& source, const char* ending) const {
    return options_.output.empty() ? fs::path(source).stem().string() + ending : options_.output;
  }

  std::string object_of(const std::string& source) {
    return options_.stop_at_objects ? named(source, ".o") : scratch_.file(".o");
  }

  // The words that both sides of CUDA C++ have in common.
  Words cuda_words(const std::string& source) const {
    Words words{clang_, "-x", "cuda", "-nocudainc", "-nocudalib", "--cuda-gpu-arch=sm_80",
                "-Wno-unknown-cuda-version",
                // Programs of CUDA 11.5 register and launch as today's do; every clang knows it.
                "-Xclang", "-target-sdk-version=11.5", "-D__CUDACC_VER_MAJOR__=13",
                "-D__CUDACC_VER_MINOR__=0", "-isystem",
                (headers_ / "cuvette/kernel/clang").string(), "-isystem", headers_.string(),
                "-include", "cuvette/kernel/prelude.h"};
    if (options_.relocatable)
      append(words, {"-fgpu-rdc", "-fuse-cuid=none", "-Xclang", "-cuid=" + unit_of(source)});
    if (options_.per_thread_stream) words.push_back("-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
    words.push_back("-std=c++17");  // nvcc's default; a later one wins
    append(words, options_.compiling);
    append(words, options_.any_step);
    words.push_back(source);
    return words;
  }

  // A name for what is private to an object: both sides must give it the same, and no other source
  // nor the same source with other options.
  std::string unit_of(const std::string& source) const {
    std::error_code ignored;
    std::string text = fs::absolute(source, ignored).string();
    for (const Words* words : {&options_.compiling, &options_.host_alone, &options_.any_step})
      for (const std::string& word : *words) (text += '\0') += word;
    (text += '\0') += options_.optimization;
    for (const unsigned capability : options_.capabilities)
      text += std::to_string(capability) + ",";
    text += options_.per_thread_stream ? "own" : "legacy";
    char name[17];
    snprintf(name, sizeof name, "%016zx", std::hash<std::string>{}(text));
    return name;
  }

  int make_ptx(const std::string& source, unsigned capability, const std::string& ptx,
               const Words& more = {}) {
    Words words = cuda_words(source);
    append(words, {"--cuda-device-only", "-S", "-Xclang", "-target-feature", "-Xclang", "+ptx75",
                   "-DCUVETTE_KERNEL_ARCH=" + std::to_string(capability) + "0",
                   options_.optimization.empty() ? "-O3" : options_.optimization, "-o", ptx});
    append(words, more);
    if (const int status = run_step(words, options_.verbose)) return status;
    std::string text;
    // Text that went to a pipe is as clang wrote it.
    if (!fs::is_regular_file(ptx)) return 0;
    if (!read(ptx, text)) return status_own_failure;
    text = without_unused_functions(text);
    if (options_.relocatable) text = with_one_name_for_each(text);
    return write(ptx, text) ? 0 : status_own_failure;
  }

  int make_cuda_object(const std::string& source, const std::string& object) {
    const std::string fat = scratch_.file(".fatbin"), list = scratch_.file(".d");
    std::vector<image::PtxFor> texts;
    for (const unsigned capability : options_.capabilities) {
      const std::string ptx = scratch_.file(".ptx");
      if (const int status = make_ptx(source, capability, ptx, {"-MD", "-MF", list})) return status;
      texts.push_back({capability, ""});
      if (!read(ptx, texts.back().text)) return status_own_failure;
    }
    std::string text, dependencies;
    if (!read(list, dependencies)) return status_own_failure;
    if (may_have_managed(dependencies)) {
      if (const int status = make_managed_object(source, object, texts, fat)) return status;
    } else {
      if (!write(fat, image::make_fat_binary(texts))) return status_own_failure;
      if (const int status = compile_host_side(source, fat, {"-c", "-o", object})) return status;
    }
    if (!options_.relocatable || !fs::is_regular_file(object)) return 0;
    if (!read(object, text)) return status_own_failure;
    register_as(text, unit_of(source));
    return write(object, text) ? 0 : status_own_failure;
  }

  // Whether the word __managed__ is in a file that the source includes, or in an option.
  bool may_have_managed(const std::string& dependencies) const {
    for (const Words* words : {&options_.compiling, &options_.any_step})
      for (const std::string& word : *words)
        if (word.find("__managed__") != std::string::npos) return true;
    return mention_managed(dependencies_of(dependencies), headers_.string());
  }

  // Compiles the host's side with the fat binary, to what `more` says.
  int compile_host_side(const std::string& source, const std::string& fat, const Words& more) {
    Words words = cuda_words(source);
    append(words, {"--cuda-host-only", "-Xclang", "-fcuda-include-gpubinary", "-Xclang", fat});
    append(words, host_words());
    append(words, more);
    return run_step(words, options_.verbose);
  }

  // Compiles the host's side in three steps, between which managed variables become such.
  int make_managed_object(const std::string& source, const std::string& object,
                          std::vector<image::PtxFor>& texts, const std::string& fat) {
    const std::string llvm = scratch_.file(".ll"), assembly = scratch_.file(".s");
    const Words to_llvm{"-S", "-emit-llvm", "-Xclang", "-disable-llvm-passes", "-fPIC", "-o", llvm};
    std::string text;
    if (!write(fat, "")) return status_own_failure;
    if (const int status = compile_host_side(source, fat, to_llvm)) return status;
    if (!read(llvm, text)) return status_own_failure;
    const std::vector<ManagedVariable> variables = managed_variables(text);
    for (image::PtxFor& ptx : texts)
      if (const std::string missing = make_managed(ptx.text, variables); !missing.empty()) {
        fprintf(stderr, "cuvette c++: the device's side of '%s' has no managed variable '%s'\n",
                source.c_str(), missing.c_str());
        return status_own_failure;
      }
    if (!write(fat, image::make_fat_binary(texts))) return status_own_failure;
    if (variables.empty()) return compile_host_side(source, fat, {"-c", "-o", object});

    if (const int status = compile_host_side(source, fat, to_llvm)) return status;
    if (!read(llvm, text) || !write(llvm, without_shadows(text, variables)))
      return status_own_failure;
    Words words{
        clang_, "-x", "ir", llvm, "-Wno-override-module", "-Wno-unused-command-line-argument"};
    for (const std::string& word : options_.compiling)
      if (makes_code(word)) words.push_back(word);
    append(words, {"-S", "-fPIC", "-o", assembly});
    append(words, options_.any_step);
    append(words, host_words());
    if (const int status = run_step(words, options_.verbose)) return status;
    if (!read(assembly, text)) return status_own_failure;
    if (const std::string early = through_pointers(text, variables); !early.empty()) {
      fprintf(stderr,
              "cuvette c++: '%s' has the address of the managed variable '%s' in the value of a "
              "static variable, which is not supported\n",
              source.c_str(), early.c_str());
      return status_refused;
    }
    if (!write(assembly, text)) return status_own_failure;
    return run_step({clang_, "-c", "-Wa,--no-warn", assembly, "-o", object}, options_.verbose);
  }

  // Whether an option says what code is made of a program that was read already.
  static bool makes_code(const std::string& word) {
    return word.starts_with("-f") || word.starts_with("-g") || word.starts_with("-m");
  }

  // Reads a file of the scratch folder, or says why not.
  static bool read(const std::string& name, std::string& text) {
    std::optional<std::string> whole = whole_file(name);
    if (whole)
      text = std::move(*whole);
    else
      fprintf(stderr, "cuvette c++: '%s' could not be read: %s\n", name.c_str(), strerror(errno));
    return whole.has_value();
  }

  // Writes one, or says why not.
  static bool write(const std::string& name, const std::string& text) {
    std::ofstream out(name, std::ios::binary | std::ios::trunc);
    out << text;
    if (out.flush()) return true;
    fprintf(stderr, "cuvette c++: '%s' could not be written: %s\n", name.c_str(), strerror(errno));
    return false;
  }

  int make_host_object(const std::string& source, const std::string& object) {
    Words words{clang_, "-isystem", headers_.string()};
    if (source.ends_with(".c")) words.insert(words.end(), {"-x", "c"});
    if (options_.per_thread_stream) words.push_back("-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
    append(words, options_.compiling);
    append(words, options_.any_step);
    append(words, host_words());
    append(words, {"-c", source, "-o", object});
    return run_step(words, options_.verbose);
  }

  Words host_words() const {
    Words words = options_.host_alone;
    if (!options_.optimization.empty()) words.push_back(options_.optimization);
    return words;
  }

  int link(const Words& objects) {
    Words words{clang_};
    append(words, objects);
    append(words, options_.objects);
    append(words, options_.linking);
    append(words, options_.any_step);
    Words files = objects;
    append(files, options_.objects);
    append(files, archives_of(options_.linking));
    append(files, archives_of(options_.any_step));
    if (const DeviceLink device = device_link_of(files); !device.registrations.empty()) {
      const std::string source = scratch_.file(".cpp"), object = scratch_.file(".o");
      if (!write(source, device_link_source(device))) return status_own_failure;
      if (const int status =
              run_step({clang_, "-O1", "-fPIC", "-c", source, "-o", object}, options_.verbose))
        return status;
      words.push_back(object);
    }
    const std::string folder = libraries_.string();
    append(words, {"-o", options_.output.empty() ? "a.out" : options_.output, "-L" + folder,
                   "-Wl,-rpath," + folder});
    if (options_.static_runtime)
      append(words, {"-Wl,-Bstatic", "-lcudart_static", "-Wl,-Bdynamic", "-ldl", "-lpthread"});
    else
      words.push_back("-lcudart");
    return run_step(words, options_.verbose);
  }

  const CompileOptions options_;
  const std::string clang_;
  const fs::path headers_, libraries_;
  Scratch scratch_;
};

}  // namespace

int compile(const std::vector<std::string>& words) {
  const std::optional<CompileOptions> options = compile_options(words);
  if (!options) return status_own_failure;
  if (options->help) {
    fputs(compile_help, stdout);
    return 0;
  }
  const auto headers = header_folder(), libraries = library_folder();
  if (!headers || !libraries) {
    fprintf(stderr, "cuvette c++: %s not where this command's own place says\n",
            headers ? "libcuda.so.1 is" : "the headers are");
    return status_own_failure;
  }
  const std::string clang = find_clang(options->clang);
  if (clang.empty()) return status_own_failure;
  return Compiler(*options, clang, *headers, *libraries).run();
}

}  // namespace cuvette::tools
