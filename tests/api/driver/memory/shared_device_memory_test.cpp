// SPDX-License-Identifier: Apache-2.0
// CUVETTE_SHARED_MEMORY=1: processes share the memory of a device. Each test is a child, which
// first forks other processes.
#include <cuda.h>
#include <sys/stat.h>

#include <memory>
#include <random>
#include <vector>

#include "tests/api/driver/child.hpp"
#include "tests/api/driver/gate.hpp"
#include "tests/api/driver/peer.hpp"
#include "tests/api/driver/process_register.hpp"

namespace {

constexpr size_t MiB = 1 << 20, total = 64 * MiB;

class SharedMemory : public testing::Test {
 protected:
  static std::string run(const std::function<void()>& body, const char* shared = "1") {
    const ProcessRegister own;
    return run_in_child({{"CUVETTE_SHARED_MEMORY", shared}, {"CUVETTE_MEMORY", "64M"}}, body);
  }
};

size_t free_memory() {
  size_t free = 0, all = 0;
  EXPECT_EQ(cuMemGetInfo(&free, &all), CUDA_SUCCESS);
  EXPECT_EQ(all, total);
  return free;
}

struct Nothing {};

// Another process: 'a' allocates 8 MiB, 'f' frees the last of these, 'c' makes memory without an
// address, 'm' answers how many MiB are free.
Peer<Nothing>::Answer serve(Nothing&) {
  auto memory = std::make_shared<std::vector<CUdeviceptr>>();
  CUcontext context = nullptr;
  if (cuInit(0) != CUDA_SUCCESS || cuDevicePrimaryCtxRetain(&context, 0) != CUDA_SUCCESS ||
      cuCtxSetCurrent(context) != CUDA_SUCCESS)
    return {};
  return [memory](char letter) -> int {
    CUdeviceptr address = 0;
    switch (letter) {
      case 'a': {
        const CUresult result = cuMemAlloc(&address, 8 * MiB);
        if (result == CUDA_SUCCESS) memory->push_back(address);
        return result;
      }
      case 'f':
        if (memory->empty()) return CUDA_ERROR_INVALID_VALUE;
        address = memory->back();
        memory->pop_back();
        return cuMemFree(address);
      case 'c': {
        CUmemGenericAllocationHandle handle = 0;
        CUmemAllocationProp properties = {};
        properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
        properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
        return cuMemCreate(&handle, 8 * MiB, &properties, 0);
      }
      default:
        return static_cast<int>(free_memory() / MiB);
    }
  };
}

TEST_F(SharedMemory, CountsWhatOtherProcessesHave) {
  EXPECT_EQ(run([] {
              Peer<Nothing> other(serve);
              const Scene scene;
              const size_t before = free_memory();
              EXPECT_LT(before, total) << "contexts take a part";
              EXPECT_EQ(other.tell('a'), CUDA_SUCCESS);
              EXPECT_EQ(free_memory(), before - 8 * MiB);
              EXPECT_EQ(other.tell('c'), CUDA_SUCCESS);
              EXPECT_EQ(free_memory(), before - 16 * MiB);
              const CUdeviceptr own = new_memory(8 * MiB);
              EXPECT_EQ(other.tell('m'), static_cast<int>((before - 24 * MiB) / MiB));
              EXPECT_EQ(other.tell('f'), CUDA_SUCCESS);
              EXPECT_EQ(free_memory(), before - 16 * MiB);
              EXPECT_EQ(cuMemFree(own), CUDA_SUCCESS);
              EXPECT_EQ(free_memory(), before - 8 * MiB);
            }),
            "");
}

TEST_F(SharedMemory, RefusesWhatOthersHave) {
  EXPECT_EQ(run([] {
              Peer<Nothing> other(serve);
              const Scene scene;
              CUdeviceptr all = 0, more = 0;
              const size_t part = free_memory() - 4 * MiB;
              EXPECT_EQ(cuMemAlloc(&all, part), CUDA_SUCCESS);
              EXPECT_EQ(other.tell('a'), CUDA_ERROR_OUT_OF_MEMORY);
              EXPECT_EQ(other.tell('c'), CUDA_ERROR_OUT_OF_MEMORY);
              EXPECT_EQ(cuMemAlloc(&more, 8 * MiB), CUDA_ERROR_OUT_OF_MEMORY);
              EXPECT_EQ(cuMemFree(all), CUDA_SUCCESS);
              EXPECT_EQ(other.tell('a'), CUDA_SUCCESS);
              EXPECT_EQ(cuMemAlloc(&all, part), CUDA_ERROR_OUT_OF_MEMORY);
            }),
            "");
}

TEST_F(SharedMemory, ComesBackFromAProcessThatWasKilled) {
  EXPECT_EQ(run([] {
              Peer<Nothing> other(serve);
              const Scene scene;
              while (other.tell('a') == CUDA_SUCCESS) {
              }
              CUdeviceptr memory = 0;
              EXPECT_EQ(cuMemAlloc(&memory, 16 * MiB), CUDA_ERROR_OUT_OF_MEMORY);
              other.end();
              EXPECT_EQ(cuMemAlloc(&memory, 16 * MiB), CUDA_SUCCESS);
              EXPECT_EQ(cuMemFree(memory), CUDA_SUCCESS);
              EXPECT_GT(free_memory(), 50 * MiB);
            }),
            "");
}

TEST_F(SharedMemory, IsEachProcesssOwnOtherwise) {
  EXPECT_EQ(run(
                [] {
                  Peer<Nothing> other(serve);
                  const Scene scene;
                  const size_t before = free_memory();
                  EXPECT_EQ(other.tell('a'), CUDA_SUCCESS);
                  EXPECT_EQ(free_memory(), before);
                },
                "0"),
            "");
}

// A device of another model is another device.
TEST_F(SharedMemory, IsOneDevicesMemory) {
  EXPECT_EQ(run([] {
              Peer<Nothing> other([](Nothing& nothing) {
                setenv("CUVETTE_DEVICE", "t4", 1);
                return serve(nothing);
              });
              const Scene scene;
              const size_t before = free_memory();
              EXPECT_EQ(other.tell('a'), CUDA_SUCCESS);
              EXPECT_EQ(free_memory(), before);
            }),
            "");
}

// The child of a process that uses CUDA is nobody here, whatever it does and however it ends.
TEST_F(SharedMemory, SurvivesAChildOfFork) {
  EXPECT_EQ(run([] {
              const Scene scene;
              const CUdeviceptr memory = new_memory(8 * MiB);
              const size_t before = free_memory();
              const pid_t child = fork();
              if (child == 0) {
                cuMemFree(memory);
                size_t free = 0, all = 0;
                _exit(cuMemGetInfo(&free, &all) == CUDA_ERROR_NOT_INITIALIZED ? 0 : 1);
              }
              int status = 0;
              EXPECT_EQ(waitpid(child, &status, 0), child);
              EXPECT_EQ(status, 0);
              EXPECT_EQ(free_memory(), before);
              EXPECT_EQ(cuMemFree(memory), CUDA_SUCCESS);
              EXPECT_EQ(free_memory(), before + 8 * MiB);
            }),
            "");
}

// Processes take all that they get, and are killed at any moment; then everything is free again.
TEST_F(SharedMemory, IsRightAfterManyProcessesWereKilled) {
  EXPECT_EQ(run([] {
              std::mt19937 random(1);
              Peer<Nothing> witness(serve);
              const int before = witness.tell('m');
              for (int round = 0; round < 10; ++round) {
                std::vector<pid_t> children;
                for (int number = 0; number < 4; ++number) {
                  children.push_back(fork());
                  if (children.back() != 0) continue;
                  prctl(PR_SET_PDEATHSIG, SIGKILL);
                  Nothing nothing;
                  const auto answer = serve(nothing);
                  for (;;)
                    if (answer('a') != CUDA_SUCCESS) answer('f');
                }
                std::this_thread::sleep_for(std::chrono::milliseconds(random() % 60));
                for (const pid_t child : children) {
                  kill(child, SIGKILL);
                  EXPECT_EQ(waitpid(child, nullptr, 0), child);
                }
                EXPECT_EQ(witness.tell('m'), before) << "in round " << round;
              }
            }),
            "");
}

TEST_F(SharedMemory, SaysWhyNoneIsShared) {
  const std::string said = run_in_child(
      {{"CUVETTE_SHARED_MEMORY", "1"}, {"CUVETTE_REGISTER", "off"}, {"CUVETTE_MEMORY", "64M"}}, [] {
        const Scene scene;
        EXPECT_EQ(cuMemFree(new_memory(8 * MiB)), CUDA_SUCCESS);
      });
  EXPECT_NE(said.find("has its devices' memory for itself"), std::string::npos) << said;
}

// Without CUVETTE_SHARED_MEMORY, a register that there cannot be is not worth a word.
TEST_F(SharedMemory, IsNotMissedWhereItWasNotAskedFor) {
  const ProcessRegister own;
  ASSERT_EQ(mkdir(("/dev/shm/" + own.file()).c_str(), 0700), 0);
  EXPECT_EQ(run_in_child({{"CUVETTE_MEMORY", "64M"}},
                         [] {
                           const Scene scene;
                           EXPECT_EQ(cuMemFree(new_memory(8 * MiB)), CUDA_SUCCESS);
                         }),
            "");
  EXPECT_EQ(rmdir(("/dev/shm/" + own.file()).c_str()), 0);
}

}  // namespace
