// SPDX-License-Identifier: Apache-2.0
// `cuvette ptxas`, from outside.
#include <cuda.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace {

namespace fs = std::filesystem;

const std::string kernel =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry store(.param .u64 p) {\n.reg .b64 %rd;\n.reg .b32 %r;\n"
    "ld.param.u64 %rd, [p];\nmov.b32 %r, 42;\nst.global.u32 [%rd], %r;\nret;\n}\n";

// A folder of its own, which goes with it.
class CuvettePtxas : public testing::Test {
 protected:
  CuvettePtxas() {
    char name[] = "/tmp/ptxas_test.XXXXXX";
    folder_ = mkdtemp(name);
    write("kernel.ptx", kernel);
  }
  ~CuvettePtxas() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  std::string read(const std::string& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // Runs a line of sh in the folder; what it prints is in the files out and err.
  int shell(const std::string& line) const {
    const std::string whole =
        "cd " + folder_.string() + "; C='" CUVETTE_COMMAND "'; { " + line + "\n} > out 2> err";
    const int status = system(whole.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  }

  fs::path folder_;
};

TEST_F(CuvettePtxas, MakesAnImageThatTheDriverLoads) {
  // As Triton, Numba and nvcc call it.
  for (const char* const line :
       {"$C ptxas -lineinfo -v --gpu-name=sm_90a kernel.ptx -o image",
        "$C ptxas --regAllocOptLevel=2 -arch sm_80 -m 64 -O3 kernel.ptx --output-file=image",
        "$C ptxas --opt-level 0 -maxrregcount 32 kernel.ptx -c -o image"}) {
    EXPECT_EQ(shell(line), 0) << line << read("err");
    EXPECT_EQ(read("out") + read("err"), "") << line;
    const std::string image = read("image");
    CUcontext context = nullptr;
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(cuCtxCreate(&context, nullptr, 0, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuModuleLoadData(&module, image.c_str()), CUDA_SUCCESS);
    EXPECT_EQ(cuModuleGetFunction(&function, module, "store"), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxDestroy(context), CUDA_SUCCESS);
    fs::remove(folder_ / "image");
  }
}

TEST_F(CuvettePtxas, IsFoundUnderItsName) {
  EXPECT_EQ(shell("ln -s \"$C\" ptxas; ./ptxas kernel.ptx"), 0) << read("err");
  EXPECT_NE(read("elf.o"), "");
}

TEST_F(CuvettePtxas, SaysWhichReleaseItStandsFor) {
  EXPECT_EQ(shell("$C ptxas --version"), 0);
  EXPECT_NE(read("out").find("release 13.0"), std::string::npos);
}

TEST_F(CuvettePtxas, FailsAsPtxasDoes) {
  write("garbage.ptx", "garbage");
  write("empty.ptx", "");
  write("lto.ptx", "\xED\x43\x4E\x7F and more");
  write("wrong.ptx", kernel.substr(0, kernel.size() - 6) + "addd.u32 %r, %r, %r;\nret;\n}\n");
  write("calls.ptx", kernel.substr(0, kernel.find(".visible")) +
                         ".extern .func absent;\n.visible .entry k() { call absent; ret; }\n");
  for (const char* const line :
       {"$C ptxas", "$C ptxas garbage.ptx", "$C ptxas wrong.ptx", "$C ptxas absent.ptx",
        "$C ptxas calls.ptx", "$C ptxas kernel.ptx -o no/such/folder/image",
        "$C ptxas kernel.ptx -arch=sm_20", "$C ptxas kernel.ptx kernel.ptx",
        "$C ptxas kernel.ptx -o", "$C ptxas empty.ptx", "$C ptxas .", "$C ptxas lto.ptx"}) {
    EXPECT_EQ(shell(line), 255) << line;
    // A sentence, not the name of a program alone.
    EXPECT_NE(read("err").find(' ', strlen("cuvette ptxas: ")), std::string::npos)
        << line << read("err");
    EXPECT_TRUE(read("err").ends_with("\n")) << line << read("err");
    EXPECT_FALSE(fs::exists(folder_ / "elf.o")) << line;
  }
  EXPECT_EQ(shell("$C ptxas wrong.ptx"), 255);
  EXPECT_NE(read("err").find("addd"), std::string::npos) << read("err");
  EXPECT_EQ(shell("$C ptxas -c calls.ptx"), 0) << "names may stay undefined";
}

// Triton calls the ptxas that it is told of.
TEST_F(CuvettePtxas, IsNamedToTritonByCuvetteRun) {
  EXPECT_EQ(
      shell("$C run -- sh -c '$TRITON_PTXAS_PATH kernel.ptx && "
            "$TRITON_PTXAS_BLACKWELL_PATH --version && ls $TRITON_LIBCUDA_PATH/libcuda.so.1'"),
      0)
      << read("err");
  EXPECT_EQ(shell("TRITON_PTXAS_PATH=/own $C run -- sh -c 'echo $TRITON_PTXAS_PATH'"), 0);
  EXPECT_EQ(read("out"), "/own\n");
}

}  // namespace
