// SPDX-License-Identifier: Apache-2.0
// `cuvette doctor`, from outside: faulty programs and machines.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/tools/shell.hpp"

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

class CuvetteDoctor : public testing::Test {
 protected:
  CuvetteDoctor() {
    std::string pattern = fs::temp_directory_path() / "cuvette-doctor-XXXXXX";
    folder_ = mkdtemp(pattern.data());
    fs::permissions(folder_,
                    fs::perms::owner_all | fs::perms::others_exec | fs::perms::others_read);
  }
  ~CuvetteDoctor() override { fs::remove_all(folder_); }

  // Runs a line of sh in the test's own folder; $C is the command.
  Outcome shell(const std::string& line) const {
    return run_line("cd '" + folder_ +
                    "' && unset LD_LIBRARY_PATH && C='" CUVETTE_COMMAND "' && { " + line + "\n}");
  }

  // Makes a program or a library of C.
  void compile(const std::string& name, const std::string& source,
               const std::string& options = "") const {
    std::ofstream(folder_ + "/" + name + ".c") << source;
    const Outcome made = shell("cc -w " + name + ".c -o " + name + " " + options);
    if (made.status != 0) GTEST_FAIL() << made.output;
  }

  // Makes a library with the driver's name that is not ours.
  void make_foreign_driver() const {
    fs::create_directory(folder_ + "/foreign");
    compile("driver", "int cuInit(unsigned x) { return 0; }",
            "-shared -Wl,-soname,libcuda.so.1 && mv driver foreign/libcuda.so.550.54.14 && "
            "ln -s libcuda.so.550.54.14 foreign/libcuda.so.1");
  }

  const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
};

#define NEEDS_COMPILER() \
  if (shell("command -v cc").status != 0) GTEST_SKIP() << "there is no compiler of C"

TEST_F(CuvetteDoctor, FindsNothingWrongHere) {
  const Outcome text = shell("$C doctor -- '" EXPLORED_PROGRAM "'");
  EXPECT_EQ(text.status, 0) << text.output;
  EXPECT_TRUE(has(text, "Nothing is in the way.")) << text.output;
  EXPECT_TRUE(has(text, "explored finds Cuvette's libraries")) << text.output;
  EXPECT_FALSE(has(text, "\033")) << "colours are for terminals";
  const Outcome printed = shell("$C doctor --json");
  const Json json = Json::parse(printed.output, nullptr, false);
  ASSERT_TRUE(json.is_object()) << printed.output;
  EXPECT_EQ(json["ok"], true);
  std::set<std::string> topics;
  for (const Json& one : json["findings"]) {
    topics.insert(one["topic"].get<std::string>());
    EXPECT_EQ(one["level"] == "ok", one["mend"] == "") << one;
    EXPECT_NE(one["finding"], "") << one;
  }
  for (const char* topic : {"own files", "knobs", "driver", "protection keys", "vector units",
                            "shared memory", "kernel cache", "clang", "Vulkan", "EGL", "self-test"})
    EXPECT_TRUE(topics.contains(topic)) << topic;
}

TEST_F(CuvetteDoctor, NamesEachWrongKnob) {
  const Outcome said = shell("CUVETTE_CHEKC=races CUVETTE_DEVICE=h20 $C doctor");
  EXPECT_EQ(said.status, 1) << said.output;
  for (const char* text :
       {"did you mean CUVETTE_CHECK?", "did you mean 'h200'?", "-> unset CUVETTE_CHEKC",
        "-> unset CUVETTE_DEVICE", "things are in the way"})
    EXPECT_TRUE(has(said, text)) << text << "\n" << said.output;
}

TEST_F(CuvetteDoctor, SaysWhatIsNoProgram) {
  EXPECT_TRUE(has(shell("$C doctor ./nothing"), "there is no program './nothing'"));
  EXPECT_EQ(shell("$C doctor -- ./nothing").status, 1);
  EXPECT_TRUE(has(shell("$C doctor /tmp"), "'/tmp' is a folder"));
  EXPECT_TRUE(has(shell("touch plain; $C doctor ./plain"), "-> chmod +x ./plain"));
  std::ofstream(folder() + "/script") << "#!/bin/sh\n";
  const Outcome script = shell("chmod +x script; $C doctor ./script");
  EXPECT_EQ(script.status, 0) << script.output;
  EXPECT_TRUE(has(script, "is a script for '/bin/sh'")) << script.output;
  std::ofstream(folder() + "/text") << "text";
  EXPECT_TRUE(has(shell("chmod +x text; $C doctor ./text"), "is no program for 64-bit Linux"));
}

TEST_F(CuvetteDoctor, KnowsAProgramWithoutLoader) {
  NEEDS_COMPILER();
  std::ofstream(folder() + "/still.c") << "int main() { return 0; }";
  if (shell("cc -static still.c -o still").status != 0) GTEST_SKIP() << "there is no static libc";
  const Outcome said = shell("$C doctor ./still");
  EXPECT_EQ(said.status, 1);
  EXPECT_TRUE(has(said, "./still is linked statically")) << said.output;
}

TEST_F(CuvetteDoctor, KnowsNvidiasRuntimeInsideOfAProgramAndItsLibraries) {
  NEEDS_COMPILER();
  const std::string words =
      "const char* const words[] = {\"libcuda.so.1\", \"cudaErrorCudartUnloading\"};";
  compile("inside", words + "int main() { return 0; }");
  const Outcome inside = shell("$C doctor ./inside");
  EXPECT_EQ(inside.status, 1) << inside.output;
  EXPECT_TRUE(has(inside, "inside has NVIDIA's CUDA runtime inside")) << inside.output;
  EXPECT_TRUE(has(inside, "CMAKE_CUDA_RUNTIME_LIBRARY=Shared")) << inside.output;
  compile("libhas.so", words + "int f() { return 0; }", "-shared -Wl,-soname,libhas.so");
  compile("uses", "int f(); int main() { return f(); }", "-L. -lhas -Wl,-rpath,'$ORIGIN'");
  EXPECT_TRUE(has(shell("$C doctor ./uses"), "libhas.so has NVIDIA's CUDA runtime inside"));
}

TEST_F(CuvetteDoctor, KnowsMachineCodeWithoutPtx) {
  NEEDS_COMPILER();
  // A container with an entry of kind 2, machine code, for 9.0.
  const auto program = [](int kind) {
    return "struct { unsigned magic; short version, head; long bytes; short kind, one; int entry; "
           "long payload; int packed, options; int versions; int target; int name, more; "
           "long flags, zero, whole; char text[24]; } "
           "__attribute__((packed)) code __attribute__((section(\".nv_fatbin\"), aligned(8))) = "
           "{0xba55ed50, 1, "
           "16, 88, " +
           std::to_string(kind) +
           ", 0x101, 64, 24, 0, 0, 0, 90, 0, 0, 17, 0, 0, \"//\"}; int main() { return 0; }";
  };
  compile("cubin", program(2));
  const Outcome cubin = shell("$C doctor ./cubin");
  EXPECT_EQ(cubin.status, 1) << cubin.output;
  EXPECT_TRUE(has(cubin, "machine code for NVIDIA GPUs but no PTX")) << cubin.output;
  EXPECT_TRUE(has(cubin, "CMAKE_CUDA_ARCHITECTURES=75-virtual")) << cubin.output;
  compile("ptx", program(1));
  EXPECT_EQ(shell("$C doctor ./ptx").status, 0) << shell("$C doctor ./ptx").output;
  const Outcome older = shell("CUVETTE_DEVICE=a100-80gb $C doctor ./ptx");
  EXPECT_TRUE(has(older, "none that a device of compute capability 8.0 can run")) << older.output;
}

TEST_F(CuvetteDoctor, KnowsWhoWinsTheLoadersSearch) {
  NEEDS_COMPILER();
  make_foreign_driver();
  const Outcome path = shell("LD_LIBRARY_PATH=$PWD/foreign $C doctor");
  EXPECT_EQ(path.status, 0) << path.output;
  EXPECT_TRUE(has(path, "NVIDIA's driver 550.54.14")) << path.output;
  const std::string link = "-Lforeign -l:libcuda.so.1 -Wl,-rpath,$PWD/foreign,";
  const std::string source = "int cuInit(unsigned); int main() { return cuInit(0); }";
  compile("early", source, link + "--disable-new-dtags");
  const Outcome early = shell("$C doctor ./early");
  EXPECT_EQ(early.status, 1) << early.output;
  EXPECT_TRUE(has(early, "by its DT_RPATH")) << early.output;
  EXPECT_TRUE(has(early, "cuvette run --preload")) << early.output;
  compile("late", source, link + "--enable-new-dtags");
  const Outcome late = shell("$C doctor ./late");
  EXPECT_EQ(late.status, 0) << late.output;
  EXPECT_TRUE(
      has(shell("LD_PRELOAD=$PWD/foreign/libcuda.so.1 $C doctor"), "comes before Cuvette's"));
}

TEST_F(CuvetteDoctor, KnowsRuntimesThatCuvetteHasNot) {
  NEEDS_COMPILER();
  compile("libold.so", "int f() { return 0; }", "-shared -Wl,-soname,libcudart.so.11.0");
  compile("old", "int f(); int main() { return f(); }", "libold.so");
  const Outcome old = shell("$C doctor ./old");
  EXPECT_EQ(old.status, 1);
  EXPECT_TRUE(has(old, "old needs libcudart.so.11.0")) << old.output;
  compile("libblas.so", "int g() { return 0; }", "-shared -Wl,-soname,libcublas.so.13");
  compile("blas", "int g(); int main() { return g(); }", "libblas.so");
  EXPECT_TRUE(has(shell("$C doctor ./blas"), "blas needs libcublas.so.13"));
}

TEST_F(CuvetteDoctor, KnowsProgramsOfOtherUsers) {
  if (getuid() != 0) GTEST_SKIP() << "it takes root to make one";
  const Outcome said = shell("cp /bin/true own && chown 1 own && chmod u+s own; $C doctor ./own");
  EXPECT_EQ(said.status, 1);
  EXPECT_TRUE(has(said, "is a set-user-ID program")) << said.output;
}

TEST_F(CuvetteDoctor, KnowsAMachineWithoutProtectionKeys) {
  if (CUVETTE_SANITIZED) GTEST_SKIP() << "a sanitizer's runtime must be the first library";
  const Outcome said = shell("LD_PRELOAD=" NO_KEYS " $C doctor");
  EXPECT_EQ(said.status, 0) << said.output;
  EXPECT_TRUE(has(said, "cuvette run --check=host")) << said.output;
}

TEST_F(CuvetteDoctor, KnowsAKernelCacheThatCannotBe) {
  EXPECT_TRUE(
      has(shell("CUVETTE_CACHE=/proc/cache $C doctor"), "/proc/cache cannot be written to"));
  EXPECT_TRUE(has(shell("CUVETTE_CACHE=off $C doctor"), "unset CUVETTE_CACHE"));
}

TEST_F(CuvetteDoctor, KnowsATreeThatIsNotWhole) {
  const Outcome alone = shell("mkdir bin && cp $C bin; bin/cuvette doctor");
  EXPECT_EQ(alone.status, 1);
  EXPECT_TRUE(has(alone, "it was moved alone")) << alone.output;
  const Outcome incomplete = shell("mkdir lib && ln -s " CUVETTE_LIBRARY
                                   "/* lib && rm lib/libcuvette-jit.so; "
                                   "bin/cuvette doctor");
  EXPECT_EQ(incomplete.status, 1);
  EXPECT_TRUE(has(incomplete, "libcuvette-jit.so")) << incomplete.output;
  NEEDS_COMPILER();
  compile("other", "int nvmlInit_v2() { return 0; }", "-shared && mv other lib/libnvidia-ml.so.1");
  const Outcome other =
      shell("ln -s " CUVETTE_LIBRARY "/libcuvette-jit.so lib; bin/cuvette doctor");
  EXPECT_EQ(other.status, 1);
  EXPECT_TRUE(has(other, "libnvidia-ml.so.1 is of another build")) << other.output;
}

TEST_F(CuvetteDoctor, KnowsPackagesOfPython) {
  if (shell("command -v python3").status != 0) GTEST_SKIP() << "there is no Python";
  for (const std::string name : {"cupy-cuda13x", "numba-cuda"}) {
    const fs::path package = fs::path(folder()) / (name + "-9.8.dist-info");
    fs::create_directory(package);
    std::ofstream(package / "METADATA")
        << "Metadata-Version: 2.1\nName: " << name << "\nVersion: 9.8\n";
  }
  const Outcome said = shell("PYTHONPATH=$PWD $C doctor -- python3 program.py");
  EXPECT_EQ(said.status, 0) << said.output;
  EXPECT_TRUE(has(said, "cupy-cuda13x 9.8 has NVIDIA's runtime inside")) << said.output;
  EXPECT_TRUE(has(said, "numba-cuda 9.8")) << said.output;
}

// With NVIDIA's compiler, if it is there, its real output.
TEST_F(CuvetteDoctor, KnowsProgramsOfNvcc) {
  const std::string find = "N=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc); ";
  std::ofstream(folder() + "/k.cu") << "__global__ void k() {} int main() { k<<<1, 1>>>(); }\n";
  if (shell(find + "$N -cudart static k.cu -o inside").status != 0)
    GTEST_SKIP() << "there is no nvcc";
  const Outcome inside = shell("$C doctor ./inside");
  EXPECT_EQ(inside.status, 1);
  EXPECT_TRUE(has(inside, "inside has NVIDIA's CUDA runtime inside")) << inside.output;
  EXPECT_FALSE(has(inside, "no PTX")) << inside.output;
  const Outcome cubin =
      shell(find +
            "$N -cudart shared -gencode arch=compute_90,code=sm_90 k.cu -o cubin && "
            "$C doctor ./cubin");
  EXPECT_EQ(cubin.status, 1);
  EXPECT_TRUE(has(cubin, "none of the device code in cubin can run")) << cubin.output;
  const Outcome right =
      shell(find +
            "$N -cudart shared -gencode arch=compute_75,code=compute_75 k.cu -o right "
            "&& $C doctor ./right");
  EXPECT_EQ(right.status, 0) << right.output;
}

}  // namespace
