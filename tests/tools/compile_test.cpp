// SPDX-License-Identifier: Apache-2.0
// `cuvette c++`, from outside: its output, and its messages about mistakes.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/tools/shell.hpp"

namespace {

namespace fs = std::filesystem;

class CuvetteCompiler : public testing::Test {
 protected:
  CuvetteCompiler() {
    std::string pattern = fs::temp_directory_path() / "cuvette-compile-XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~CuvetteCompiler() override { fs::remove_all(folder_); }

  // Runs a line of sh in the test's own folder: $C is `cuvette c++`, $S the folder of sources.
  Outcome shell(const std::string& line) const {
    return run_line("cd '" + folder_ +
                    "' && C='" CUVETTE_COMMAND " c++' && S='" CUVETTE_COMPILE_SOURCES "' && { " +
                    line + "\n}");
  }
  void write(const char* name, const char* text) const {
    std::ofstream(fs::path(folder_) / name) << text;
  }

 private:
  std::string folder_;
};

#define NEEDS_CLANG()                                                              \
  if (shell("command -v clang++ clang++-19 clang++-18 clang++-14").output.empty()) \
    GTEST_SKIP() << "there is no clang";                                           \
  if (CUVETTE_SANITIZED) GTEST_SKIP() << "programs would need the sanitizer's runtime"

TEST_F(CuvetteCompiler, SaysHowItIsUsed) {
  const Outcome help = shell("$C --help");
  EXPECT_EQ(help.status, 0);
  for (const char* text : {"--default-stream", "-arch=sm_XX", "--clang PROGRAM", "Exit status"})
    EXPECT_TRUE(has(help, text)) << text;
}

// Debug information that has lines and no names of functions, and a call that the compiler put
// into CUDA's own template and that into the program.
TEST_F(CuvetteCompiler, CallsAreSaidToBeWhereTheProgramMakesThem) {
  NEEDS_CLANG();
  write("a.cu",
        "#include <cuda_runtime.h>\n"
        "int main() {\n"
        "  int* memory;\n"
        "  return cudaMalloc(&memory, 4096) +\n"
        "         cudaDeviceSynchronize();\n"
        "}\n");
  const Outcome lines =
      shell("$C -gline-tables-only a.cu -o a && '" CUVETTE_COMMAND "' cost -- ./a");
  EXPECT_EQ(lines.status, 0) << lines.output;
  EXPECT_TRUE(has(lines, "cudaDeviceSynchronize  main (")) << lines.output;
  EXPECT_TRUE(has(lines, "/a.cu:5)")) << lines.output;
  EXPECT_TRUE(has(lines, "cudaMalloc  main (")) << lines.output;
  EXPECT_FALSE(has(lines, "<invalid>")) << lines.output;
  const Outcome all = shell("$C -g -O2 a.cu -o a && '" CUVETTE_COMMAND "' cost -- ./a");
  EXPECT_TRUE(has(all, "cudaMalloc  main (")) << all.output;
  EXPECT_TRUE(has(all, "/a.cu:4)")) << all.output;
}

TEST_F(CuvetteCompiler, NamesWhatItRefuses) {
  const struct {
    const char *line, *sentence;
  } mistakes[] = {
      {"$C", "no file to compile"},
      {"$C a.cu -o", "'-o' needs a value"},
      {"$C a.cu --nonsense", "the option '--nonsense' is not supported"},
      {"$C a.cu -rdc=perhaps", "-rdc is 'true' or 'false', not 'perhaps'"},
      {"$C a.txt", "'a.txt' is none of"},
      {"$C a.cu -arch=native", "'native' is not an architecture"},
      {"$C a.cu -arch sm_5", "'sm_5' is not an architecture"},
      {"$C a.cu -gencode arch=sm_5,code=sm_5", "'sm_5' is not an architecture"},
      {"$C a.cu -gencode code=sm_80", "not of the form arch=compute_80,code=sm_80"},
      {"$C a.cu -gencode arch=compute_80,cod=sm_80", "not of the form"},
      {"$C a.cu -gencode arch=compute_80,code=[sm_80,80]", "not of the form"},
      {"$C --ptx a.cu -gencode=arch=compute_80 -gencode=arch=compute_90", "one architecture"},
      {"$C a.cu --default-stream=mine", "'legacy' or 'per-thread', not 'mine'"},
      {"$C a.cu --cudart none", "'shared' or 'static', not 'none'"},
      {"$C -c a.cu b.cu -o c.o", "'-o' names one file"},
      {"$C --ptx a.cpp", "--ptx needs a CUDA C++ file"},
      {"PATH=/nowhere $C a.cu", "the Debian package 'clang'"},
      {"$C --clang=/nowhere/clang++ a.cu", "--clang is '/nowhere/clang++'"},
  };
  for (const auto& mistake : mistakes) {
    const Outcome outcome = shell(mistake.line);
    EXPECT_EQ(outcome.status, 125) << mistake.line;
    EXPECT_TRUE(has(outcome, mistake.sentence)) << mistake.line << ": " << outcome.output;
  }
}

TEST_F(CuvetteCompiler, PassesOnWhatClangRefuses) {
  NEEDS_CLANG();
  write("wrong.cu", "__global__ void k() { return 1; }\n");
  const Outcome outcome = shell("$C wrong.cu");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(has(outcome, "wrong.cu:1")) << outcome.output;
}

TEST_F(CuvetteCompiler, LinksSeveralFilesOfBothKinds) {
  NEEDS_CLANG();
  const char* const options = " -D FACTOR=3 -I$S -O1 ";
  const Outcome outcome =
      shell(std::string("$C") + options +
            "$S/pieces_main.cu $S/pieces_kernel.cu $S/pieces_host.cpp -o pieces && ./pieces");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  // Each t from 0 to 63 has become (t + 100) * 3 + 5.
  EXPECT_TRUE(has(outcome, "sum 25568")) << outcome.output;
  EXPECT_TRUE(has(outcome, "thread 107 of arch 900")) << outcome.output;
  EXPECT_TRUE(has(outcome, "default stream: legacy")) << outcome.output;

  const Outcome pieces = shell(
      std::string("$C -c") + options + "$S/pieces_main.cu $S/pieces_kernel.cu -arch=sm_80 && " +
      "$C -c -I$S $S/pieces_host.cpp -o host.o && "
      "$C pieces_main.o pieces_kernel.o host.o --cudart=static && ./a.out");
  EXPECT_EQ(pieces.status, 0) << pieces.output;
  EXPECT_TRUE(has(pieces, "sum 25568")) << pieces.output;
  EXPECT_TRUE(has(pieces, "of arch 800")) << pieces.output;
}

TEST_F(CuvetteCompiler, CompilesForSeveralDevices) {
  NEEDS_CLANG();
  const Outcome made = shell(
      "$C -gencode arch=compute_75,code=sm_75 "
      "--generate-code=arch=compute_90,code=[sm_90,compute_90]"
      " -DFACTOR=1 -I$S $S/pieces_main.cu $S/pieces_kernel.cu $S/pieces_host.cpp -o pieces");
  ASSERT_EQ(made.status, 0) << made.output;
  EXPECT_TRUE(has(shell("./pieces"), "of arch 900"));
  EXPECT_TRUE(has(shell("CUVETTE_DEVICE=a100-80gb ./pieces"), "of arch 750"));
}

// Each of the texts has the managed variables.
TEST_F(CuvetteCompiler, CompilesManagedVariablesForSeveralDevices) {
  NEEDS_CLANG();
  const Outcome made = shell(
      "$C -gencode arch=compute_80 -gencode arch=compute_90 $S/managed.cu -o managed && "
      "./managed && CUVETTE_DEVICE=a100-80gb ./managed");
  EXPECT_EQ(made.status, 0) << made.output;
}

TEST_F(CuvetteCompiler, GivesThreadsStreamsOfTheirOwn) {
  NEEDS_CLANG();
  const Outcome outcome = shell(
      "$C --default-stream per-thread -DFACTOR=1 -I$S $S/pieces_main.cu $S/pieces_kernel.cu "
      "$S/pieces_host.cpp -o pieces && ./pieces");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_TRUE(has(outcome, "default stream: per-thread")) << outcome.output;
}

// A toolkit's headers may be in /usr/local/include, which clang searches by default.
TEST_F(CuvetteCompiler, TakesNoHeaderOfAToolkit) {
  NEEDS_CLANG();
  write("all.cu",
        "#include <cooperative_groups.h>\n#include <cooperative_groups/scan.h>\n"
        "#include <cuda/atomic>\n#include <cuda_bf16.h>\n#include <cuda_fp8.h>\n#include <mma.h>\n"
        "#include <cuda_runtime.h>\n#include <memory>\n__global__ void k() {}\n");
  const Outcome outcome = shell("$C --ptx all.cu -o all.ptx -- -MD -MF all.d && cat all.d");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_TRUE(has(outcome, "cuvette/kernel/prelude.h")) << outcome.output;
  for (const char* folder : {"/usr/local/", "/opt/", "/cuda/include/"})
    EXPECT_FALSE(has(outcome, folder)) << outcome.output;
}

TEST_F(CuvetteCompiler, FunctionsAreAsExactAsCudaSays) {
  NEEDS_CLANG();
  for (const char* name : {"math", "math_special"}) {
    const Outcome outcome = shell(std::string("$C -O2 $S/") + name + ".cu -o math && ./math");
    EXPECT_EQ(outcome.status, 0) << outcome.output;
  }
}

TEST_F(CuvetteCompiler, HasManagedVariables) {
  NEEDS_CLANG();
  for (const char* options : {"-O0", "-O2 -g --cudart=static"}) {
    const Outcome outcome =
        shell(std::string("$C ") + options + " $S/managed.cu -o managed && ./managed");
    EXPECT_EQ(outcome.status, 0) << options << ": " << outcome.output;
    EXPECT_TRUE(has(outcome, "0 failures")) << outcome.output;
  }
}

// The list of what a source includes is written for make, which has marks for these characters.
TEST_F(CuvetteCompiler, HasManagedVariablesInFilesOfAnyName) {
  NEEDS_CLANG();
  write("managed.hpp", "#define SHARED __managed__\n");
  write("managed.cu",
        "#include \"managed.hpp\"\n"
        "SHARED int x = 5;\n__global__ void add() { x += 1; }\n"
        "int main() { x = 7; add<<<1, 1>>>(); cudaDeviceSynchronize(); return x; }\n");
  for (const char* folder : {"my folder", "a#b", "a$b", "a\\ b", "a\tb"}) {
    const Outcome outcome = shell(std::string("D='") + folder +
                                  "'; mkdir \"$D\" && cp managed.* \"$D\" && "
                                  "$C \"$D/managed.cu\" -o managed && ./managed");
    EXPECT_EQ(outcome.status, 8) << folder << ": " << outcome.output;
  }
  write("defined.cu",
        "WORD int x = 5;\n__global__ void add() { x += 1; }\n"
        "int main() { x = 7; add<<<1, 1>>>(); cudaDeviceSynchronize(); return x; }\n");
  const Outcome outcome = shell("$C -DWORD=__managed__ defined.cu -o defined && ./defined");
  EXPECT_EQ(outcome.status, 8) << outcome.output;
}

// Their host side is compiled in steps, and each step has its own options.
TEST_F(CuvetteCompiler, MakesTheCodeThatWasAskedForBesideManagedVariables) {
  NEEDS_CLANG();
  write("sections.cu", "__managed__ int x;\nint read() { return x; }\n");
  const Outcome outcome =
      shell("$C -c -ffunction-sections -fsanitize=address sections.cu && cat sections.o");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_TRUE(has(outcome, ".text._Z4readv"));
  EXPECT_TRUE(has(outcome, "__asan_init"));
}

TEST_F(CuvetteCompiler, DividesIntegersOf128Bits) {
  NEEDS_CLANG();
  const Outcome outcome = shell("$C -O2 $S/integers_128.cu -o integers && ./integers");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_TRUE(has(outcome, "0 failures")) << outcome.output;
}

TEST_F(CuvetteCompiler, HasNewDeleteAndAlignas) {
  NEEDS_CLANG();
  for (const char* options : {"-O2", "-O0 -std=c++20"}) {
    const Outcome outcome =
        shell("$C " + std::string(options) + " $S/allocation.cu -o allocation && ./allocation");
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    EXPECT_TRUE(has(outcome, "0 failures\n")) << outcome.output;
  }
}

// Clang calls them without a word in the source, so all programs' PTX begins with them.
TEST_F(CuvetteCompiler, LeavesOutWhatNothingCalls) {
  NEEDS_CLANG();
  write("none.cu", "__global__ void k(int* p) { *p = 1; }\n");
  const Outcome outcome = shell("$C --ptx none.cu && cat none.ptx");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_TRUE(has(outcome, ".entry")) << outcome.output;
  EXPECT_FALSE(has(outcome, "ti3")) << outcome.output;
  EXPECT_FALSE(has(outcome, ".func")) << outcome.output;
}

TEST_F(CuvetteCompiler, LinksKernelsOfSeveralFiles) {
  NEEDS_CLANG();
  for (const char* line :
       {"$C -rdc=true $S/relocatable_main.cu $S/relocatable_other.cu -o program && ./program",
        "$C -dc $S/relocatable_main.cu $S/relocatable_other.cu && "
        "ar rc libother.a relocatable_other.o && "
        "$C relocatable_main.o libother.a --cudart=static -o program && ./program"}) {
    const Outcome outcome = shell(line);
    EXPECT_EQ(outcome.status, 0) << line << ": " << outcome.output;
    EXPECT_TRUE(has(outcome, "0 failures")) << outcome.output;
  }
}

TEST_F(CuvetteCompiler, SharesManagedVariablesOfSeveralFiles) {
  NEEDS_CLANG();
  const std::string files =
      "$S/relocatable_managed.cu $S/relocatable_managed_other.cu $S/relocatable_managed_host.cu";
  for (const char* options : {"-O0", "-O2 -g --cudart=static"}) {
    const Outcome outcome =
        shell(std::string("$C -rdc=true ") + options + " " + files + " -o program && ./program");
    EXPECT_EQ(outcome.status, 0) << options << ": " << outcome.output;
    EXPECT_TRUE(has(outcome, "0 failures")) << outcome.output;
  }
  // Then each file has a separate program, and cannot use another's variable.
  const Outcome apart = shell("$C " + files + " -o apart");
  EXPECT_EQ(apart.status, 1);
  EXPECT_TRUE(has(apart, "__cuvette_managed_counter")) << apart.output;
}

TEST_F(CuvetteCompiler, LinksObjectsOfSourcesThatHaveOneName) {
  NEEDS_CLANG();
  const std::string body =
      "static __device__ int own = STEP;\n"
      "static __global__ void count(int* out) { *out = own += STEP; }\n"
      "int NAME() {\n  int* out;\n  cudaMallocManaged(&out, sizeof *out);\n"
      "  count<<<1, 1>>>(out);\n  cudaDeviceSynchronize();\n  int value = 0;\n"
      "  cudaMemcpyFromSymbol(&value, own, sizeof value);\n  return value + *out;\n}\n";
  shell("mkdir a b");
  write("one.cu", body.c_str());
  write("a/one.cu", ("#define NAME first\n#define STEP 1\n" + body).c_str());
  write("b/one.cu", ("#define NAME second\n#define STEP 3\n" + body).c_str());
  write("main.cpp",
        "int first();\nint second();\n"
        "int main() { return first() == 4 && second() == 12 ? 0 : 1; }\n");
  for (const char* line : {"(cd a && $C -dc one.cu) && (cd b && $C -dc one.cu)",
                           "$C -dc -DNAME=first -DSTEP=1 one.cu -o a/one.o && "
                           "$C -dc -DNAME=second -DSTEP=3 one.cu -o b/one.o",
                           "$C -dc one.cu -o a/one.o -- -DNAME=first -DSTEP=1 && "
                           "$C -dc one.cu -o b/one.o -- -DNAME=second -DSTEP=3"}) {
    const Outcome outcome =
        shell(std::string(line) + " && $C main.cpp a/one.o b/one.o -o program && ./program");
    EXPECT_EQ(outcome.status, 0) << line << ": " << outcome.output;
  }
}

TEST_F(CuvetteCompiler, LinksKernelsOfALibraryThatIsSearchedFor) {
  NEEDS_CLANG();
  const Outcome made = shell(
      "mkdir empty lib && $C -dc $S/relocatable_main.cu $S/relocatable_other.cu && "
      "ar rc lib/libkernels.a relocatable_other.o");
  ASSERT_EQ(made.status, 0) << made.output;
  for (const char* words : {"-Lempty -Llib -lkernels", "-l kernels -L lib", "-Llib -l:libkernels.a",
                            "-Wl,-Llib,-lkernels",
                            "-Wl,--whole-archive,lib/libkernels.a,"
                            "--no-whole-archive",
                            "-Xlinker lib/libkernels.a"}) {
    const Outcome outcome =
        shell(std::string("$C relocatable_main.o ") + words + " -o program && ./program");
    EXPECT_EQ(outcome.status, 0) << words << ": " << outcome.output;
    EXPECT_TRUE(has(outcome, "0 failures")) << words << ": " << outcome.output;
  }
}

// There is room for each object that the link saw, and no more.
TEST_F(CuvetteCompiler, StopsAProgramThatRegistersAnObjectTwice) {
  NEEDS_CLANG();
  write("twice.cpp",
        "extern \"C\" void __cudaRegisterLinkedBinary__nv_1(void (*)(void**), void*, void*, "
        "void (*)(void*));\n"
        "void* wrapper[3];\n"
        "__attribute__((constructor(1000))) void twice() {\n"
        "  for (int i = 0; i < 2; ++i)\n"
        "    __cudaRegisterLinkedBinary__nv_1(nullptr, wrapper, nullptr, nullptr);\n}\n"
        "int main() {}\n");
  const Outcome outcome = shell("$C -c twice.cpp && $C twice.o -o twice && ./twice");
  EXPECT_EQ(outcome.status, 128 + SIGABRT) << outcome.output;
  EXPECT_TRUE(has(outcome, "registers its kernels twice")) << outcome.output;
}

TEST_F(CuvetteCompiler, SaysThatAFolderIsNoObject) {
  NEEDS_CLANG();
  write("empty.cpp", "int main() {}\n");
  const Outcome outcome = shell("mkdir folder.o && $C empty.cpp folder.o");
  EXPECT_EQ(outcome.status, 1) << outcome.output;
  EXPECT_TRUE(has(outcome, "folder.o")) << outcome.output;
}

TEST_F(CuvetteCompiler, RefusesAddressesOfManagedVariablesThatAreNotKnownYet) {
  NEEDS_CLANG();
  write("early.cu", "__managed__ int x; int* early = &x; int main() { return *early; }\n");
  const Outcome outcome = shell("$C early.cu");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(has(outcome, "the managed variable 'x'")) << outcome.output;
}

}  // namespace
