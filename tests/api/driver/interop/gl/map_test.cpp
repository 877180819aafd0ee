// SPDX-License-Identifier: Apache-2.0
// Mapping and unmapping: which calls are refused; a refused call changes nothing.
#include "tests/api/driver/interop/gl/gl.hpp"

namespace {

// Three registered buffers of 4096 bytes.
class Three {
 public:
  Three() {
    for (size_t i = 0; i < 3; ++i) {
      buffers_[i] = new_buffer(pattern(4096, static_cast<unsigned>(i)));
      resources[i] = register_buffer(buffers_[i]);
    }
  }
  ~Three() {
    for (const CUgraphicsResource resource : resources) {
      if (is_mapped(resource)) {
        EXPECT_EQ(unmap(resource), CUDA_SUCCESS);
      }
      EXPECT_EQ(cuGraphicsUnregisterResource(resource), CUDA_SUCCESS);
    }
    glDeleteBuffers(3, buffers_);
  }
  Three(const Three&) = delete;
  Three& operator=(const Three&) = delete;

  // One character for each resource, 'm' if it is mapped: "--m".
  std::string state() const {
    std::string state;
    for (const CUgraphicsResource resource : resources) state += is_mapped(resource) ? 'm' : '-';
    return state;
  }

  CUgraphicsResource resources[3];

 private:
  GLuint buffers_[3];
};

// The resources of `three` whose numbers `which` lists; 'x' stands for an invalid one.
std::vector<CUgraphicsResource> list(const Three& three, const std::string& which) {
  std::vector<CUgraphicsResource> found;
  for (const char number : which) {
    if (number == 'x') {
      found.push_back(no_resource());
    } else if (number == '0') {
      found.push_back(nullptr);
    } else {
      found.push_back(three.resources[number - '1']);
    }
  }
  return found;
}
CUresult map(const Three& three, const std::string& which) {
  auto resources = list(three, which);
  return cuGraphicsMapResources(static_cast<unsigned>(resources.size()), resources.data(), nullptr);
}
CUresult unmap(const Three& three, const std::string& which) {
  auto resources = list(three, which);
  return cuGraphicsUnmapResources(static_cast<unsigned>(resources.size()), resources.data(),
                                  nullptr);
}

// --- cuGraphicsMapResources
// -----------------------------------------------------------------------

TEST(cuGraphicsMapResources, ChecksItsArguments) {
  const GlScene scene;
  Three three;
  EXPECT_EQ(cuGraphicsMapResources(0, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphicsMapResources(0, three.resources, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphicsMapResources(1, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  const auto no_stream = reinterpret_cast<CUstream>(no_resource());
  EXPECT_EQ(map(three.resources[0], no_stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(three.state(), "---");
}

TEST(cuGraphicsMapResources, MapsAll) {
  const GlScene scene;
  Three three;
  OK(map(three, "312"));
  EXPECT_EQ(three.state(), "mmm");
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_EQ(cuda_content(address_of(three.resources[i]), 4096), pattern(4096, i));
  }
}

TEST(cuGraphicsMapResources, MapsAllOrNothing) {
  const GlScene scene;
  Three three;
  OK(map(three, "2"));
  for (const char* which : {"12", "21", "2", "123", "132"}) {
    EXPECT_EQ(map(three, which), CUDA_ERROR_ALREADY_MAPPED) << which;
    EXPECT_EQ(three.state(), "-m-") << which;
  }
  for (const char* which : {"1x", "x1", "x", "1x3", "0", "10", "3310"}) {
    EXPECT_EQ(map(three, which), CUDA_ERROR_INVALID_HANDLE) << which;
    EXPECT_EQ(three.state(), "-m-") << which;
  }
  OK(map(three, "31"));
  EXPECT_EQ(three.state(), "mmm");
}

// "If resources contains any duplicate entries then CUDA_ERROR_INVALID_HANDLE is returned."
TEST(cuGraphicsMapResources, RefusesDuplicates) {
  const GlScene scene;
  Three three;
  for (const char* which : {"11", "121", "1233", "2112"}) {
    EXPECT_EQ(map(three, which), CUDA_ERROR_INVALID_HANDLE) << which;
    EXPECT_EQ(three.state(), "---") << which;
  }
}

TEST(cuGraphicsMapResources, FailingLeavesStorageThatCannotBeMappedAlone) {
  const GlScene scene;
  Three three;
  const GLuint gone = new_buffer(64);
  const CUgraphicsResource stale = register_buffer(gone);
  delete_buffer(gone);
  CUgraphicsResource mixed[] = {three.resources[0], stale, three.resources[1]};
  EXPECT_EQ(cuGraphicsMapResources(3, mixed, nullptr), CUDA_ERROR_UNKNOWN);
  EXPECT_EQ(three.state(), "---");
  EXPECT_FALSE(is_mapped(stale));
  OK(map(three, "12"));
  OK(unmap(three, "12"));
  OK(cuGraphicsUnregisterResource(stale));
}

// Measured, and documented.
TEST(cuGraphicsMapResources, NeedsACudaContext) {
  GlScene scene;
  Three three;
  OK(cuCtxSetCurrent(nullptr));
  for (const char* which : {"1", "123", "11"})
    EXPECT_EQ(map(three, which), CUDA_ERROR_INVALID_CONTEXT) << which;
  EXPECT_EQ(map(three, "x"), CUDA_ERROR_INVALID_HANDLE) << "handles are looked at first";
  EXPECT_EQ(cuGraphicsMapResources(0, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  OK(cuCtxSetCurrent(scene.cuda.context));
  EXPECT_EQ(three.state(), "---");
}

// A resource belongs to the CUDA context that registered it.
TEST(cuGraphicsMapResources, RefusesAResourceOfAnotherCudaContext) {
  GlScene scene;
  Three three;
  CUcontext other;
  OK(cuCtxCreate(&other, nullptr, 0, 0));
  EXPECT_EQ(map(three, "1"), CUDA_ERROR_INVALID_HANDLE);
  OK(cuCtxDestroy(other));
  OK(cuCtxSetCurrent(scene.cuda.context));
  EXPECT_EQ(three.state(), "---");
}

TEST(cuGraphicsMapResources, GoesWithAnyStream) {
  const GlScene scene;
  Three three;
  const CUstream blocking = new_stream(CU_STREAM_DEFAULT), own = new_stream(CU_STREAM_NON_BLOCKING);
  for (const CUstream stream :
       {CUstream{}, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD, blocking, own}) {
    OK(map(three.resources[0], stream));
    OK(cuMemsetD8Async(address_of(three.resources[0]), 3, 4096, stream));
    OK(unmap(three.resources[0], stream));
  }
  // Mapping in one stream and unmapping in another.
  OK(map(three.resources[0], blocking));
  OK(unmap(three.resources[0], own));
  OK(cuStreamDestroy(blocking));
  OK(cuStreamDestroy(own));
  EXPECT_NE(map(three.resources[0], own), CUDA_SUCCESS);
  EXPECT_EQ(three.state(), "---");
}

TEST(cuGraphicsMapResources, ManyTimesIsAsGoodAsOnce) {
  const GlScene scene;
  Three three;
  CUdeviceptr address = 0;
  for (unsigned i = 0; i < 2000; ++i) {
    OK(map(three, "123"));
    if (i == 0) address = address_of(three.resources[1]);
    EXPECT_EQ(address_of(three.resources[1]), address) << "measured: it is the same each time";
    OK(cuMemsetD32(address, i, 1));
    OK(unmap(three, "321"));
  }
}

// --- cuGraphicsUnmapResources
// ---------------------------------------------------------------------

TEST(cuGraphicsUnmapResources, ChecksItsArguments) {
  const GlScene scene;
  Three three;
  OK(map(three, "1"));
  EXPECT_EQ(cuGraphicsUnmapResources(0, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphicsUnmapResources(0, three.resources, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphicsUnmapResources(1, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  const auto no_stream = reinterpret_cast<CUstream>(no_resource());
  EXPECT_EQ(unmap(three.resources[0], no_stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(three.state(), "m--");
}

TEST(cuGraphicsUnmapResources, NeedsACudaContext) {
  GlScene scene;
  Three three;
  OK(map(three, "12"));
  OK(cuCtxSetCurrent(nullptr));
  for (const char* which : {"1", "12", "13", "11"})
    EXPECT_EQ(unmap(three, which), CUDA_ERROR_INVALID_CONTEXT) << which;
  EXPECT_EQ(unmap(three, "x"), CUDA_ERROR_INVALID_HANDLE) << "handles are looked at first";
  EXPECT_EQ(cuGraphicsUnmapResources(0, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  OK(cuCtxSetCurrent(scene.cuda.context));
  EXPECT_EQ(three.state(), "mm-");
}

TEST(cuGraphicsUnmapResources, UnmapsAllOrNothing) {
  const GlScene scene;
  Three three;
  OK(map(three, "13"));
  for (const char* which : {"12", "21", "2", "123", "312"}) {
    EXPECT_EQ(unmap(three, which), CUDA_ERROR_NOT_MAPPED) << which;
    EXPECT_EQ(three.state(), "m-m") << which;
  }
  for (const char* which : {"1x", "x1", "x", "0", "30"}) {
    EXPECT_EQ(unmap(three, which), CUDA_ERROR_INVALID_HANDLE) << which;
    EXPECT_EQ(three.state(), "m-m") << which;
  }
  OK(unmap(three, "31"));
  EXPECT_EQ(three.state(), "---");
  EXPECT_EQ(unmap(three, "1"), CUDA_ERROR_NOT_MAPPED);
}

TEST(cuGraphicsUnmapResources, RefusesDuplicates) {
  const GlScene scene;
  Three three;
  OK(map(three, "123"));
  for (const char* which : {"11", "121", "1233", "2112"}) {
    EXPECT_EQ(unmap(three, which), CUDA_ERROR_INVALID_HANDLE) << which;
    EXPECT_EQ(three.state(), "mmm") << which;
  }
  OK(unmap(three, "213"));
}

// Unmapping a buffer that OpenGL has deleted meanwhile. OpenGL may not touch a mapped buffer, but
// the program must not crash.
TEST(cuGraphicsUnmapResources, LivesWithABufferThatOpenGLDeletedMeanwhile) {
  const GlScene scene;
  const GLuint buffer = new_buffer(4096);
  const CUgraphicsResource resource = register_buffer(buffer);
  OK(map(resource));
  OK(cuMemsetD8(address_of(resource), 1, 4096));
  OK(cuCtxSynchronize());
  delete_buffer(buffer);
  unmap(resource);
  EXPECT_FALSE(is_mapped(resource));
  OK(cuGraphicsUnregisterResource(resource));
}

TEST(cuGraphicsUnmapResources, NeedsAnOpenGLContext) {
  GlScene scene;
  Three three;
  OK(map(three, "1"));
  scene.gl.release();
  EXPECT_EQ(unmap(three, "1"), CUDA_ERROR_INVALID_GRAPHICS_CONTEXT);
  scene.gl.make_current();
  EXPECT_EQ(three.state(), "m--");
}

}  // namespace
