// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/compile_options.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "sim/base/split.hpp"

namespace cuvette::tools {

const char* const compile_help = R"(Usage: cuvette c++ [OPTIONS] FILES... [-- CLANG'S OPTIONS...]

Compiles CUDA C++ for Cuvette with the distribution's clang and nothing of NVIDIA's, and links it with
Cuvette's libcudart. FILES: *.cu is CUDA C++; *.cpp, *.cc, *.cxx and *.c are compiled for the host;
*.o, *.a and *.so are linked.

  -o FILE                      what to write [a.out; with -c and --ptx the source's name]
  -c                           compile to objects, do not link
  -rdc=true                    let kernels use functions and variables of other files; what is linked
                               from such objects becomes one program for the device
  -dc                          -rdc=true -c
  --ptx                        compile the device's side alone, to PTX
  -I -isystem -include -D -U   as any compiler has them
  -std=... -O... -g -W... -f... -m... -pthread -fPIC
                               as clang has them; the device's side is compiled with -O3 if not said
  -l -L -Wl,... -shared -rdynamic
                               for the linker
  -arch=sm_XX                  the compute capability that __CUDA_ARCH__ says [sm_90]
  -gencode arch=compute_XX,code=...
                               as nvcc has it; with several, kernels are compiled for each, and a device
                               takes the best for it. Always PTX: code= does not matter
  --default-stream WHICH       what kernel<<<...>>> without a stream means: legacy, per-thread [legacy]
  --cudart WHICH               which runtime to link: shared, static [shared]
  --use_fast_math              fast, less exact functions of float
  -Xcompiler WORD, -Xlinker WORD
                               a word for the host's side alone, for the linker alone
  --clang PROGRAM              which clang++ to use [the first in PATH of clang++, clang++-24 ... clang++-14]
  -v                           print the commands
  -- WORDS                     for each of clang's runs, as they are

These options of nvcc change nothing here: --extended-lambda, --expt-relaxed-constexpr,
-lineinfo, -x cu, -w is clang's.

A program that calls functions of <cmath> in kernels
runs on Cuvette only: there they are what the device provides, not PTX.

Examples:
  cuvette c++ app.cu -o app && ./app
  cuvette c++ -std=c++17 -O2 -I include main.cpp kernels.cu -lz -o app
  cuvette c++ -c kernels.cu && c++ main.cpp kernels.o -L DIR -lcudart
  cuvette c++ --clang=clang++-19 app.cu

Exit status: 0, or 1 if clang refused the program, 125 if this command itself failed.
)";

namespace {

bool starts(std::string_view word, std::string_view beginning) {
  return word.substr(0, beginning.size()) == beginning;
}

bool ends(std::string_view word, std::string_view ending) {
  return word.size() > ending.size() && word.substr(word.size() - ending.size()) == ending;
}

bool one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

class OptionReader {
 public:
  explicit OptionReader(const std::vector<std::string>& words) : words_(words) {}

  std::optional<CompileOptions> read() {
    for (; at_ < words_.size(); ++at_) {
      const std::string& word = words_[at_];
      if (word == "--") {
        options_.any_step.assign(words_.begin() + static_cast<std::ptrdiff_t>(at_) + 1,
                                 words_.end());
        break;
      }
      if (!(word.size() > 1 && word[0] == '-' ? option(word) : file(word))) return std::nullopt;
    }
    if (options_.help || complete()) return options_;
    return std::nullopt;
  }

 private:
  bool complain(const std::string& what) {
    fprintf(stderr, "cuvette c++: %s\n", what.c_str());
    return false;
  }

  bool file(const std::string& word) {
    if (ends(word, ".cu"))
      options_.cuda_sources.push_back(word);
    else if (ends(word, ".cpp") || ends(word, ".cc") || ends(word, ".cxx") || ends(word, ".C") ||
             ends(word, ".c"))
      options_.host_sources.push_back(word);
    else if (ends(word, ".o") || ends(word, ".a") || ends(word, ".so") ||
             word.find(".so.") != std::string::npos)
      options_.objects.push_back(word);
    else
      return complain("'" + word + "' is none of *.cu, *.cpp, *.cc, *.cxx, *.c, *.o, *.a, *.so");
    return true;
  }

  // Takes the value of the option `name`, with which the word begins: the rest of the word, after
  // '=' if there is one, or the next word.
  bool value(const std::string& word, std::string_view name, std::string& result) {
    if (word.size() > name.size()) {
      result = word.substr(name.size() + (word[name.size()] == '=' ? 1 : 0));
      return true;
    }
    if (++at_ == words_.size()) return complain("'" + word + "' needs a value");
    result = words_[at_];
    return true;
  }

  // True if the word is `name` or `name=...`.
  static bool is(const std::string& word, std::string_view name) {
    return word == name || (starts(word, name) && word[name.size()] == '=');
  }

  // Options of two words that go to a list as two words.
  bool pair(std::vector<std::string>& list, const std::string& word) {
    if (++at_ == words_.size()) return complain("'" + word + "' needs a value");
    list.push_back(word);
    list.push_back(words_[at_]);
    return true;
  }

  bool option(const std::string& word) {
    std::string text;
    if (one_of(word, {"-h", "--help"})) return options_.help = true;
    if (word == "-c") return options_.stop_at_objects = true;
    if (one_of(word, {"-dc", "--device-c"}))
      return options_.relocatable = options_.stop_at_objects = true;
    for (const char* name : {"--relocatable-device-code", "-rdc"})
      if (is(word, name)) return value(word, name, text) && relocatable(text);
    if (one_of(word, {"--ptx", "-ptx"})) return options_.stop_at_ptx = true;
    if (one_of(word, {"-v", "--verbose"})) return options_.verbose = true;
    if (word == "-o") return value(word, "-o", options_.output);
    if (word == "--output-file") return value(word, word, options_.output);
    if (starts(word, "-O")) {
      options_.optimization = word;
      return true;
    }
    for (const char* name : {"--gpu-architecture", "--cuda-gpu-arch", "-arch"})
      if (is(word, name)) return value(word, name, text) && architecture(text);
    for (const char* name : {"--generate-code", "-gencode"})
      if (is(word, name)) return value(word, name, text) && generate_code(text);
    for (const char* name : {"--default-stream", "-default-stream"})
      if (is(word, name)) return value(word, name, text) && default_stream(text);
    if (is(word, "--clang")) return value(word, "--clang", options_.clang);
    for (const char* name : {"--cudart", "-cudart"})
      if (is(word, name)) return value(word, name, text) && runtime(text);
    if (one_of(word, {"--use_fast_math", "-use_fast_math"})) {
      options_.compiling.insert(options_.compiling.end(),
                                {"-ffast-math", "-fcuda-approx-transcendentals"});
      return true;
    }
    for (const char* name : {"--compiler-options", "-Xcompiler"})
      if (is(word, name)) return value(word, name, text) && words_of(text, options_.host_alone, "");
    for (const char* name : {"--linker-options", "-Xlinker"})
      if (is(word, name))
        return value(word, name, text) && words_of(text, options_.linking, "-Xlinker");
    if (word == "-x")
      return value(word, "-x", text) &&
             (text == "cu" || complain("'-x " + text + "' is not supported: '-x cu' is"));
    if (one_of(word, {"--extended-lambda", "-extended-lambda", "--expt-extended-lambda",
                      "--expt-relaxed-constexpr", "-expt-relaxed-constexpr", "-lineinfo",
                      "--generate-line-info"}))
      return true;
    return clangs(word);
  }

  // Options that clang has, too.
  bool clangs(const std::string& word) {
    if (one_of(word, {"-I", "-D", "-U", "-isystem", "-include", "-iquote", "-idirafter"}))
      return pair(options_.compiling, word);
    if (one_of(word, {"-l", "-L", "-z", "-u"})) return pair(options_.linking, word);
    if (one_of(word, {"-shared", "-rdynamic", "-s", "-static-libstdc++", "-static-libgcc"}) ||
        starts(word, "-l") || starts(word, "-L") || starts(word, "-Wl,")) {
      // -lineinfo was taken before.
      options_.linking.push_back(word);
      return true;
    }
    if (one_of(word, {"-w", "-pthread", "-pedantic", "-ansi"}) || starts(word, "-I") ||
        starts(word, "-D") || starts(word, "-U") || starts(word, "-isystem") ||
        starts(word, "-std=") || starts(word, "--std=") || starts(word, "-g") ||
        starts(word, "-W") || starts(word, "-f") || starts(word, "-m")) {
      options_.compiling.push_back(word);
      if (word == "-pthread" || starts(word, "-fsanitize") || starts(word, "-g"))
        options_.linking.push_back(word);
      return true;
    }
    return complain("the option '" + word +
                    "' is not supported; put options for clang alone after '--'");
  }

  bool architecture(const std::string& text) {
    for (const char* beginning : {"sm_", "compute_"}) {
      if (!starts(text, beginning)) continue;
      char* end = nullptr;
      const std::string digits = text.substr(std::string_view(beginning).size());
      const unsigned long number = strtoul(digits.c_str(), &end, 10);
      if (end == digits.c_str() || !one_of(end, {"", "a", "f"}) || number < 70 || number > 999)
        break;
      std::vector<unsigned>& all = options_.capabilities;
      if (std::find(all.begin(), all.end(), number) == all.end())
        all.push_back(static_cast<unsigned>(number));
      return true;
    }
    return complain("'" + text + "' is not an architecture: use sm_70 or above, such as sm_90");
  }

  // "arch=compute_80,code=[sm_80,compute_80]": the code that is to be made from that PTX does not
  // matter, but a mistake in it is still refused.
  bool generate_code(const std::string& text) {
    const std::string form =
        "'-gencode " + text + "' is not of the form arch=compute_80,code=sm_80";
    const size_t comma = text.find(',');
    if (!starts(text, "arch=") || (comma != text.npos && !starts(text.substr(comma), ",code=")))
      return complain(form);
    if (comma != text.npos) {
      std::string codes = text.substr(comma + std::string_view(",code=").size());
      if (starts(codes, "[") && ends(codes, "]")) codes = codes.substr(1, codes.size() - 2);
      for (const std::string& code : split(codes, ','))
        if (!starts(code, "sm_") && !starts(code, "compute_") && !starts(code, "lto_"))
          return complain(form);
    }
    constexpr size_t name = std::string_view("arch=").size();
    return architecture(text.substr(name, comma == text.npos ? comma : comma - name));
  }

  bool relocatable(const std::string& text) {
    if (!one_of(text, {"true", "false"}))
      return complain("-rdc is 'true' or 'false', not '" + text + "'");
    options_.relocatable = text == "true";
    return true;
  }

  bool default_stream(const std::string& text) {
    if (!one_of(text, {"legacy", "per-thread"}))
      return complain("the default stream is 'legacy' or 'per-thread', not '" + text + "'");
    options_.per_thread_stream = text == "per-thread";
    return true;
  }

  bool runtime(const std::string& text) {
    if (!one_of(text, {"shared", "static"}))
      return complain("the runtime is 'shared' or 'static', not '" + text + "'");
    options_.static_runtime = text == "static";
    return true;
  }

  // Splits a list at its commas, as nvcc does, with `before` in front of each.
  static bool words_of(const std::string& text, std::vector<std::string>& list,
                       const std::string& before) {
    for (const std::string& word : split(text, ',')) {
      if (!before.empty()) list.push_back(before);
      list.push_back(word);
    }
    return true;
  }

  bool complete() {
    if (options_.capabilities.empty()) options_.capabilities = {90};
    if (options_.stop_at_ptx && options_.capabilities.size() > 1)
      return complain("--ptx makes one text: give one architecture");
    const size_t sources = options_.cuda_sources.size() + options_.host_sources.size();
    if (sources + options_.objects.size() == 0) return complain("no file to compile");
    if (options_.stop_at_ptx && options_.cuda_sources.empty())
      return complain("--ptx needs a CUDA C++ file");
    const size_t results = options_.stop_at_ptx ? options_.cuda_sources.size() : sources;
    if ((options_.stop_at_objects || options_.stop_at_ptx) && !options_.output.empty() &&
        results > 1)
      return complain("'-o' names one file, but there are several to write");
    return true;
  }

  const std::vector<std::string>& words_;
  size_t at_ = 0;
  CompileOptions options_;
};

}  // namespace

std::optional<CompileOptions> compile_options(const std::vector<std::string>& words) {
  return OptionReader(words).read();
}

}  // namespace cuvette::tools
