// SPDX-License-Identifier: Apache-2.0
// Handles of every type: what each row of handle_types.def promises. A handle of one type means
// nothing to another type, and neither does a number that was never given out. Threads that ask at
// the same time for an object's first handle get the same one.
#include <algorithm>
#include <barrier>
#include <map>
#include <random>
#include <string>
#include <type_traits>

#include "tests/api/driver/module_scene.hpp"
#include "tests/api/driver/semaphores.hpp"
#include "tests/api/driver/shared_segment.hpp"
#include "tests/api/driver/texture_scene.hpp"

namespace {

using Number = unsigned long long;

template <typename Handle>
Number number_of(Handle handle) {
  return reinterpret_cast<uintptr_t>(handle);
}
template <typename Handle>
Handle handle_with(Number number) {
  return reinterpret_cast<Handle>(static_cast<uintptr_t>(number));
}

// A type of handles: a live one, a function that does little with it, its results for invalid
// numbers, and how the object ends.
struct Type {
  std::string name;
  Number live;
  CUresult null, foreign, stale;
  std::function<CUresult(Number)> use;
  std::function<CUresult()> end;
};

constexpr CUresult bad_value = CUDA_ERROR_INVALID_VALUE, bad_handle = CUDA_ERROR_INVALID_HANDLE;

const std::string texts = ptx_head +
                          ".global .texref t;\n.global .surfref s;\n"
                          ".visible .entry kernel() { ret; }\n";

// One live object of each type. Each is the only one of its type, except for the primary context.
class All : public Scene {
 public:
  All() {
    CUcontext made = nullptr;
    EXPECT_EQ(cuCtxCreate(&made, nullptr, 0, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxPopCurrent(nullptr), CUDA_SUCCESS);
    add(
        "context", made, CUDA_ERROR_INVALID_CONTEXT, CUDA_ERROR_INVALID_CONTEXT,
        CUDA_ERROR_CONTEXT_IS_DESTROYED,
        [](CUcontext handle) {
          const CUresult pushed = cuCtxPushCurrent(handle);
          return pushed == CUDA_SUCCESS ? cuCtxPopCurrent(nullptr) : pushed;
        },
        cuCtxDestroy);
    types.back().null = bad_value;  // this function checks for null first
    add(
        "stream", new_stream(), bad_handle, bad_handle, bad_handle,
        [](CUstream handle) {
          Number id;
          return cuStreamGetId(handle, &id);
        },
        cuStreamDestroy);
    types.back().null = CUDA_SUCCESS;  // the null stream
    add("event", new_event(), bad_handle, bad_handle, bad_handle, cuEventQuery, cuEventDestroy);
    add_programs();
    add_graphs();
    add_memory();
    add_textures();
    add_foreign();
  }
  ~All() {
    // So that the next test's objects are the only ones again.
    for (const Type& type : types)
      if (type.live != 0 && type.use(type.live) == CUDA_SUCCESS) type.end();
  }

  std::vector<Type> types;

 private:
  template <typename Handle>
  void add(const char* name, Handle live, CUresult null, CUresult foreign, CUresult stale,
           std::type_identity_t<CUresult (*)(Handle)> use,
           std::type_identity_t<CUresult (*)(Handle)> end) {
    ASSERT_NE(live, nullptr) << name;
    types.push_back({name, number_of(live), null, foreign, stale,
                     [use](Number number) { return use(handle_with<Handle>(number)); },
                     [live, end] { return end ? end(live) : CUDA_ERROR_NOT_SUPPORTED; }});
  }
  void add_number(const char* name, Number live, CUresult (*use)(Number), CUresult (*end)(Number)) {
    ASSERT_NE(live, 0u) << name;
    types.push_back(
        {name, live, bad_value, bad_value, bad_value, use, [live, end] { return end(live); }});
  }

  void add_programs() {
    CUmodule module = nullptr;
    EXPECT_EQ(cuModuleLoadData(&module, texts.c_str()), CUDA_SUCCESS);
    CUfunction function = nullptr;
    EXPECT_EQ(cuModuleGetFunction(&function, module, "kernel"), CUDA_SUCCESS);
    CUtexref texture = nullptr;
    EXPECT_EQ(cuModuleGetTexRef(&texture, module, "t"), CUDA_SUCCESS);
    CUsurfref surface = nullptr;
    EXPECT_EQ(cuModuleGetSurfRef(&surface, module, "s"), CUDA_SUCCESS);
    CUlibrary library = nullptr;
    EXPECT_EQ(
        cuLibraryLoadData(&library, program.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0),
        CUDA_SUCCESS);
    CUkernel kernel = nullptr;
    EXPECT_EQ(cuLibraryGetKernel(&kernel, library, "plain"), CUDA_SUCCESS);
    CUlinkState link = nullptr;
    EXPECT_EQ(cuLinkCreate(0, nullptr, nullptr, &link), CUDA_SUCCESS);

    // Types without a destroy function come before the object that they end with.
    add(
        "function", function, bad_handle, bad_handle, bad_handle,
        [](CUfunction handle) {
          int version;
          return cuFuncGetAttribute(&version, CU_FUNC_ATTRIBUTE_PTX_VERSION, handle);
        },
        nullptr);
    add(
        "texture reference", texture, bad_handle, bad_handle, bad_handle,
        [](CUtexref handle) {
          unsigned flags;
          return cuTexRefGetFlags(&flags, handle);
        },
        nullptr);
    add(
        "surface reference", surface, bad_handle, bad_handle, bad_handle,
        [](CUsurfref handle) {
          // Nothing is bound to the live reference.
          CUarray array;
          const CUresult result = cuSurfRefGetArray(&array, handle);
          return result == bad_value ? CUDA_SUCCESS : result;
        },
        nullptr);
    add(
        "module", module, bad_handle, bad_handle, bad_handle,
        [](CUmodule handle) {
          unsigned count;
          return cuModuleGetFunctionCount(&count, handle);
        },
        cuModuleUnload);
    add(
        "kernel", kernel, bad_handle, bad_handle, bad_handle,
        [](CUkernel handle) {
          CUlibrary of;
          return cuKernelGetLibrary(&of, handle);
        },
        nullptr);
    add(
        "library", library, bad_handle, bad_handle, bad_handle,
        [](CUlibrary handle) {
          unsigned count;
          return cuLibraryGetKernelCount(&count, handle);
        },
        cuLibraryUnload);
    add(
        "link", link, bad_handle, bad_handle, bad_handle,
        [](CUlinkState handle) {
          std::string text = ptx_head;
          return cuLinkAddData(handle, CU_JIT_INPUT_PTX, text.data(), text.size() + 1, "", 0,
                               nullptr, nullptr);
        },
        cuLinkDestroy);
  }

  void add_graphs() {
    CUgraph graph = nullptr;
    EXPECT_EQ(cuGraphCreate(&graph, 0), CUDA_SUCCESS);
    CUgraphNode node = nullptr;
    EXPECT_EQ(cuGraphAddEmptyNode(&node, graph, nullptr, 0), CUDA_SUCCESS);
    CUgraphExec exec = nullptr;
    EXPECT_EQ(cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_SUCCESS);
    CUuserObject object = nullptr;
    EXPECT_EQ(cuUserObjectCreate(
                  &object, nullptr, [](void*) {}, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC),
              CUDA_SUCCESS);
    add(
        "node", node, bad_value, bad_value, bad_value,
        [](CUgraphNode handle) {
          CUgraphNodeType type;
          return cuGraphNodeGetType(handle, &type);
        },
        cuGraphDestroyNode);
    add(
        "graph", graph, bad_value, bad_value, bad_value,
        [](CUgraph handle) {
          size_t count;
          return cuGraphGetNodes(handle, nullptr, &count);
        },
        cuGraphDestroy);
    add(
        "executable graph", exec, bad_value, bad_value, bad_value,
        [](CUgraphExec handle) {
          cuuint64_t flags;
          return cuGraphExecGetFlags(handle, &flags);
        },
        cuGraphExecDestroy);
    add(
        "user object", object, bad_value, bad_value, bad_value,
        [](CUuserObject handle) {
          const CUresult retained = cuUserObjectRetain(handle, 1);
          return retained == CUDA_SUCCESS ? cuUserObjectRelease(handle, 1) : retained;
        },
        [](CUuserObject handle) { return cuUserObjectRelease(handle, 1); });
  }

  void add_memory() {
    CUmemPoolProps properties{};
    properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    CUmemoryPool pool = nullptr;
    EXPECT_EQ(cuMemPoolCreate(&pool, &properties), CUDA_SUCCESS);
    add(
        "memory pool", pool, bad_value, bad_value, bad_value,
        [](CUmemoryPool handle) { return cuMemPoolTrimTo(handle, 0); }, cuMemPoolDestroy);
    CUmemAllocationProp physical{};
    physical.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    physical.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    CUmemGenericAllocationHandle memory = 0;
    EXPECT_EQ(cuMemCreate(&memory, size_t{2} << 20, &physical, 0), CUDA_SUCCESS);
    add_number(
        "physical memory", memory,
        [](Number handle) {
          CUmemAllocationProp answer;
          return cuMemGetAllocationPropertiesFromHandle(&answer, handle);
        },
        cuMemRelease);
  }

  void add_textures() {
    const CUarray array = counted_array(CUDA_ARRAY3D_SURFACE_LDST);
    CUDA_ARRAY3D_DESCRIPTOR shape{16, 16, 0, CU_AD_FORMAT_FLOAT, 1, 0};
    CUmipmappedArray levels = nullptr;
    EXPECT_EQ(cuMipmappedArrayCreate(&levels, &shape, 2), CUDA_SUCCESS);
    add_number(
        "texture", texture_of(array),
        [](Number handle) {
          CUDA_RESOURCE_DESC answer;
          return cuTexObjectGetResourceDesc(&answer, handle);
        },
        [](Number handle) { return cuTexObjectDestroy(handle); });
    add_number(
        "surface", surface_of(array),
        [](Number handle) {
          CUDA_RESOURCE_DESC answer;
          return cuSurfObjectGetResourceDesc(&answer, handle);
        },
        [](Number handle) { return cuSurfObjectDestroy(handle); });
    add(
        "array", array, bad_handle, bad_handle, bad_handle,
        [](CUarray handle) {
          CUDA_ARRAY_DESCRIPTOR answer;
          return cuArrayGetDescriptor(&answer, handle);
        },
        cuArrayDestroy);
    add(
        "mip-mapped array", levels, bad_handle, bad_handle, bad_handle,
        [](CUmipmappedArray handle) {
          CUarray level;
          return cuMipmappedArrayGetLevel(&level, handle, 0);
        },
        cuMipmappedArrayDestroy);
  }

  void add_foreign() {
    const CUexternalMemory memory = import(memory_fd(), 4096);
    add(
        "external memory", memory, bad_value, bad_handle, bad_handle,
        [](CUexternalMemory handle) {
          const auto [result, address] = try_map(handle, 0, 4096);
          return result == CUDA_SUCCESS ? cuMemFree(address) : result;
        },
        cuDestroyExternalMemory);
    CUexternalSemaphore semaphore = nullptr;
    EXPECT_EQ(
        import_fd(&semaphore, cuvetteSemaphoreCreate(CUVETTE_SEMAPHORE_TIMELINE, 0), as_timeline),
        CUDA_SUCCESS);
    add(
        "external semaphore", semaphore, bad_value, bad_value, bad_value,
        [](CUexternalSemaphore handle) { return signal(handle, ++signalled, nullptr); },
        cuDestroyExternalSemaphore);
    // Only a program that uses OpenGL has one.
    types.push_back({"graphics resource", 0, bad_handle, bad_handle, bad_handle,
                     [](Number number) {
                       return cuGraphicsUnregisterResource(handle_with<CUgraphicsResource>(number));
                     },
                     [] { return CUDA_ERROR_NOT_SUPPORTED; }});
  }

  static int memory_fd() {
    const int fd = memfd_create("memory", 0);
    EXPECT_EQ(ftruncate(fd, 4096), 0);
    return fd;
  }
  static inline Number signalled = 0;
};

TEST(Handles, OfOneTypeMeanNothingToAnother) {
  All all;
  for (const Type& type : all.types) {
    EXPECT_EQ(type.use(0), type.null) << type.name;
    for (const Type& other : all.types) {
      if (other.live == 0) continue;
      EXPECT_EQ(type.use(other.live), &other == &type ? CUDA_SUCCESS : type.foreign)
          << other.name << " used as " << type.name;
    }
  }
}

TEST(Handles, ThatAreNobodysAreRefused) {
  All all;
  std::mt19937_64 random(22);
  std::vector<Number> live{number_of(all.context), number_of(CU_STREAM_LEGACY),
                           number_of(CU_STREAM_PER_THREAD), 0};
  for (const Type& type : all.types) live.push_back(type.live);
  for (const Type& type : all.types) {
    for (int i = 0; i < 3000; ++i) {
      const Number some = live[random() % live.size()];
      Number number = 0;
      switch (i % 4) {
        case 0:
          number = random() >> random() % 64;
          break;
        case 1:
          number = some ^ Number { 1 } << random() % 64;
          break;
        case 2:
          number = some + (random() % 2 ? 1 : -1) * (Number{1} << random() % 64);
          break;
        default:
          number = some ^ (random() << random() % 64);
      }
      if (std::find(live.begin(), live.end(), number) != live.end()) continue;
      const CUresult answer = type.use(number);
      EXPECT_TRUE(answer == type.foreign || answer == type.stale)
          << type.name << ' ' << number << ": " << answer;
    }
    if (type.live != 0) {
      EXPECT_EQ(type.use(type.live), CUDA_SUCCESS) << type.name;
    }
  }
}

TEST(Handles, MeanNothingOnceTheirObjectHasEnded) {
  All all;
  for (const Type& type : all.types) {
    const CUresult ended = type.end();
    if (ended == CUDA_ERROR_NOT_SUPPORTED) continue;
    ASSERT_EQ(ended, CUDA_SUCCESS) << type.name;
    EXPECT_EQ(type.use(type.live), type.stale) << type.name;
  }
  // These ended together with another object.
  for (const Type& type : all.types)
    if (type.live != 0) {
      EXPECT_EQ(type.use(type.live), type.stale) << type.name;
    }
}

TEST(Handles, AreTheSameForAllThatAskFirst) {
  const Scene scene;
  constexpr int threads = 4, rounds = 100, levels = 5;
  CUmodule module = nullptr;
  CUlibrary library = nullptr;
  CUmipmappedArray array = nullptr;
  struct Told {
    CUfunction function;
    CUkernel kernel;
    CUarray levels[5];
    bool operator==(const Told&) const = default;
  };
  std::vector<Told> told(threads);
  std::barrier before(threads + 1), after(threads + 1);
  std::vector<std::thread> askers;
  for (int i = 0; i < threads; ++i)
    askers.emplace_back([&, i] {
      EXPECT_EQ(cuCtxSetCurrent(scene.context), CUDA_SUCCESS);
      for (int round = 0; round < rounds; ++round) {
        before.arrive_and_wait();
        EXPECT_EQ(cuModuleGetFunction(&told[i].function, module, "plain"), CUDA_SUCCESS);
        EXPECT_EQ(cuLibraryGetKernel(&told[i].kernel, library, "plain"), CUDA_SUCCESS);
        for (unsigned level = 0; level < levels; ++level)
          EXPECT_EQ(cuMipmappedArrayGetLevel(&told[i].levels[level], array, level), CUDA_SUCCESS);
        after.arrive_and_wait();
      }
    });
  const CUDA_ARRAY3D_DESCRIPTOR shape{16, 16, 0, CU_AD_FORMAT_FLOAT, 1, 0};
  for (int round = 0; round < rounds; ++round) {
    EXPECT_EQ(cuModuleLoadData(&module, program.c_str()), CUDA_SUCCESS);
    EXPECT_EQ(
        cuLibraryLoadData(&library, program.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0),
        CUDA_SUCCESS);
    EXPECT_EQ(cuMipmappedArrayCreate(&array, &shape, levels), CUDA_SUCCESS);
    before.arrive_and_wait();
    after.arrive_and_wait();
    EXPECT_EQ(std::count(told.begin(), told.end(), told.front()), threads) << "round " << round;
    EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
    EXPECT_EQ(cuLibraryUnload(library), CUDA_SUCCESS);
    EXPECT_EQ(cuMipmappedArrayDestroy(array), CUDA_SUCCESS);
  }
  for (std::thread& asker : askers) asker.join();
}

// The node keeps the event alive and returns the handle by which the program knows it.
TEST(Handles, AreToldAgainAfterTheirEnd) {
  const Scene scene;
  CUgraph graph = nullptr;
  OK(cuGraphCreate(&graph, 0));
  const CUevent event = new_event();
  CUgraphNode node = nullptr;
  OK(cuGraphAddEventRecordNode(&node, graph, nullptr, 0, event));
  OK(cuEventDestroy(event));
  CUevent told = nullptr;
  OK(cuGraphEventRecordNodeGetEvent(node, &told));
  EXPECT_EQ(told, event);
  EXPECT_EQ(cuEventQuery(told), bad_handle);
  OK(cuGraphDestroy(graph));
}

}  // namespace
