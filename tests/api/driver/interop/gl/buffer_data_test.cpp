// SPDX-License-Identifier: Apache-2.0
// The contents of buffers: OpenGL and CUDA see each other's writes in every kind of storage; and
// what OpenGL may do to the storage of a registered buffer.
#include <algorithm>
#include <cstring>
#include <random>

#include "tests/api/driver/interop/gl/gl.hpp"

namespace {

// Writes and reads back through both APIs, several times.
void expect_data_flows(GLuint buffer, size_t size, bool gl_may_write) {
  const CUgraphicsResource resource = register_buffer(buffer);
  Bytes expected = gl_content(buffer, size);
  for (unsigned round = 0; round < 3; ++round) {
    OK(map(resource));
    const CUdeviceptr address = address_of(resource);
    ASSERT_EQ(cuda_content(address, size), expected) << "OpenGL's, in round " << round;
    const size_t half = (size + 1) / 2;
    const Bytes written = pattern(half, round + 1);
    cuda_write(address + size - half, written);
    std::copy(written.begin(), written.end(), expected.end() - static_cast<ptrdiff_t>(half));
    ASSERT_EQ(cuda_content(address, size), expected);
    OK(unmap(resource));
    ASSERT_EQ(gl_content(buffer, size), expected) << "CUDA's, in round " << round;
    if (!gl_may_write) continue;
    const Bytes drawn = pattern(half, round + 50);
    glNamedBufferSubData(buffer, 0, static_cast<GLsizeiptr>(half), drawn.data());
    std::copy(drawn.begin(), drawn.end(), expected.begin());
  }
  OK(cuGraphicsUnregisterResource(resource));
}

TEST(cuGraphicsMapResources, LetsDataFlowBothWays) {
  const GlScene scene;
  for (const size_t size : {1, 2, 63, 64, 65, 4095, 4096, 4097, 1'000'003}) {
    const GLuint buffer = new_buffer(pattern(size, 9));
    expect_data_flows(buffer, size, true);
    delete_buffer(buffer);
  }
}

TEST(cuGraphicsMapResources, LetsDataFlowForEachKindOfStorage) {
  const GlScene scene;
  for (const GLenum usage :
       {GL_STREAM_DRAW, GL_STREAM_READ, GL_STREAM_COPY, GL_STATIC_DRAW, GL_STATIC_READ,
        GL_STATIC_COPY, GL_DYNAMIC_DRAW, GL_DYNAMIC_READ, GL_DYNAMIC_COPY}) {
    const GLuint buffer = new_buffer(4096);
    glNamedBufferData(buffer, 4096, pattern(4096, 2).data(), usage);
    expect_data_flows(buffer, 4096, true);
    delete_buffer(buffer);
  }
}

// Storage that OpenGL does not allow to be mapped, or only for one direction, is copied instead.
TEST(cuGraphicsMapResources, LetsDataFlowForImmutableStorage) {
  const GlScene scene;
  constexpr GLbitfield read = GL_MAP_READ_BIT, write = GL_MAP_WRITE_BIT,
                       persistent = GL_MAP_PERSISTENT_BIT, coherent = GL_MAP_COHERENT_BIT;
  for (const GLbitfield map_bits :
       {GLbitfield{0}, read, write, read | write, read | persistent, write | persistent,
        read | write | persistent, read | write | persistent | coherent})
    for (const GLbitfield dynamic : {0, GL_DYNAMIC_STORAGE_BIT}) {
      SCOPED_TRACE(map_bits | dynamic);
      const GLuint buffer = new_immutable_buffer(pattern(5000, 4), map_bits | dynamic);
      expect_data_flows(buffer, 5000, dynamic);
      delete_buffer(buffer);
    }
}

TEST(cuGraphicsMapResources, LetsCopiedStorageBeRegisteredTwice) {
  const GlScene scene;
  const GLuint buffer = new_immutable_buffer(pattern(4096, 4), 0);
  const CUgraphicsResource a = register_buffer(buffer), b = register_buffer(buffer);
  OK(map(a));
  OK(map(b));
  OK(cuMemsetD8(address_of(a), 1, 100));
  OK(cuMemsetD8(address_of(b) + 100, 2, 100));
  Bytes expected = pattern(4096, 4);
  std::fill_n(expected.begin(), 100, uint8_t{1});
  std::fill_n(expected.begin() + 100, 100, uint8_t{2});
  EXPECT_EQ(cuda_content(address_of(a), 4096), expected);
  OK(unmap(b));
  OK(unmap(a));
  EXPECT_EQ(gl_content(buffer), expected);
  OK(cuGraphicsUnregisterResource(a));
  OK(cuGraphicsUnregisterResource(b));
  delete_buffer(buffer);
}

// The program's own persistent mapping stays valid, and both APIs see the same memory.
TEST(cuGraphicsMapResources, UsesAPersistentMappingOfTheProgram) {
  const GlScene scene;
  constexpr GLbitfield flags = GL_MAP_READ_BIT | GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT;
  for (const GLbitfield coherent : {0, GL_MAP_COHERENT_BIT}) {
    const GLuint buffer = new_immutable_buffer(pattern(8192, 6), flags | coherent);
    auto* const own =
        static_cast<uint8_t*>(glMapNamedBufferRange(buffer, 0, 8192, flags | coherent));
    ASSERT_NE(own, nullptr);
    const CUgraphicsResource resource = register_buffer(buffer);
    Bytes expected = pattern(8192, 6);
    for (uint8_t round = 0; round < 3; ++round) {
      expected[round] = own[round] = static_cast<uint8_t>(200 + round);
      OK(map(resource));
      EXPECT_EQ(cuda_content(address_of(resource), 8192), expected);
      OK(cuMemsetD8(address_of(resource) + 4096, static_cast<unsigned char>(round + 1), 100));
      std::fill_n(expected.begin() + 4096, 100, static_cast<uint8_t>(round + 1));
      OK(unmap(resource));
      GLint mapped = 0;
      GLvoid* pointer = nullptr;
      glGetNamedBufferParameteriv(buffer, GL_BUFFER_MAPPED, &mapped);
      glGetNamedBufferPointerv(buffer, GL_BUFFER_MAP_POINTER, &pointer);
      EXPECT_TRUE(mapped) << "it is the program's to end";
      EXPECT_EQ(pointer, own);
      EXPECT_EQ(Bytes(own, own + 8192), expected);
      EXPECT_EQ(gl_content(buffer), expected);
    }
    OK(cuGraphicsUnregisterResource(resource));
    EXPECT_TRUE(glUnmapNamedBuffer(buffer));
    EXPECT_EQ(gl_content(buffer), expected);
    delete_buffer(buffer);
  }
}

// CUDA gets the whole buffer even if the program keeps only a part of it mapped.
TEST(cuGraphicsMapResources, LivesWithAPersistentMappingOfAPart) {
  const GlScene scene;
  constexpr GLbitfield flags = GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
  const GLuint buffer = new_immutable_buffer(pattern(8192, 6), flags | GL_MAP_READ_BIT);
  auto* const part = static_cast<uint8_t*>(glMapNamedBufferRange(buffer, 1024, 512, flags));
  ASSERT_NE(part, nullptr);
  const CUgraphicsResource resource = register_buffer(buffer);
  part[0] = 255;
  Bytes expected = pattern(8192, 6);
  expected[1024] = 255;
  OK(map(resource));
  CUdeviceptr address;
  size_t size;
  OK(cuGraphicsResourceGetMappedPointer(&address, &size, resource));
  EXPECT_EQ(size, 8192u);
  EXPECT_EQ(cuda_content(address, 8192), expected);
  OK(cuMemsetD8(address + 1025, 254, 1));
  OK(cuMemsetD8(address + 8191, 253, 1));
  expected[1025] = 254;
  expected[8191] = 253;
  OK(unmap(resource));
  EXPECT_EQ(part[1], 254);
  EXPECT_EQ(gl_content(buffer), expected);
  OK(cuGraphicsUnregisterResource(resource));
  EXPECT_TRUE(glUnmapNamedBuffer(buffer));
  delete_buffer(buffer);
}

// Mapping a buffer that the program itself has mapped either works, or is refused by OpenGL and
// therefore by CUDA.
TEST(cuGraphicsMapResources, MapsOrRefusesWhatTheProgramHasMapped) {
  const GlScene scene;
  const GLuint buffer = new_buffer(pattern(4096, 7));
  const CUgraphicsResource resource = register_buffer(buffer);
  void* const own = glMapNamedBuffer(buffer, GL_READ_WRITE);
  ASSERT_NE(own, nullptr);
  const CUresult answer = map(resource);
  EXPECT_EQ(is_mapped(resource), answer == CUDA_SUCCESS);
  if (answer == CUDA_SUCCESS) {
    EXPECT_EQ(cuda_content(address_of(resource), 4096), pattern(4096, 7));
    OK(unmap(resource));
  }
  EXPECT_TRUE(glUnmapNamedBuffer(buffer)) << "the program's mapping is still there";
  OK(map(resource));
  EXPECT_EQ(cuda_content(address_of(resource), 4096), pattern(4096, 7));
  OK(unmap(resource));
  OK(cuGraphicsUnregisterResource(resource));
  delete_buffer(buffer);
}

// --- Storage that changes
// -------------------------------------------------------------------------

TEST(cuGraphicsMapResources, RefusesStorageThatWasRespecified) {
  const GlScene scene;
  for (const GLsizeiptr size : {8192, 4095, 1}) {
    const GLuint buffer = new_buffer(pattern(4096, 7));
    const CUgraphicsResource resource = register_buffer(buffer);
    OK(map(resource));
    OK(unmap(resource));
    glNamedBufferData(buffer, size, nullptr, GL_DYNAMIC_DRAW);
    for (int attempt = 0; attempt < 2; ++attempt) {
      EXPECT_EQ(map(resource), CUDA_ERROR_UNKNOWN);
      EXPECT_FALSE(is_mapped(resource));
      EXPECT_EQ(unmap(resource), CUDA_ERROR_NOT_MAPPED);
    }
    OK(cuGraphicsUnregisterResource(resource));
    // Registered again, it works like any other.
    glNamedBufferSubData(buffer, 0, size, pattern(static_cast<size_t>(size), 8).data());
    expect_data_flows(buffer, static_cast<size_t>(size), true);
    delete_buffer(buffer);
  }
}

// New storage of the same size either looks the same as before, or is refused; CUDA never sees the
// old storage.
TEST(cuGraphicsMapResources, NeverGoesOnWithOldStorage) {
  const GlScene scene;
  const GLuint buffer = new_buffer(pattern(4096, 7));
  const CUgraphicsResource resource = register_buffer(buffer);
  glNamedBufferData(buffer, 4096, pattern(4096, 8).data(), GL_DYNAMIC_DRAW);
  const CUresult answer = map(resource);
  if (answer == CUDA_SUCCESS) {
    EXPECT_EQ(cuda_content(address_of(resource), 4096), pattern(4096, 8));
    cuda_write(address_of(resource), pattern(4096, 9));
    OK(unmap(resource));
    EXPECT_EQ(gl_content(buffer), pattern(4096, 9));
  } else {
    EXPECT_EQ(answer, CUDA_ERROR_UNKNOWN);
  }
  OK(cuGraphicsUnregisterResource(resource));
  delete_buffer(buffer);
}

TEST(cuGraphicsMapResources, RefusesABufferThatWasDeleted) {
  const GlScene scene;
  const GLuint buffer = new_buffer(4096);
  const CUgraphicsResource resource = register_buffer(buffer);
  delete_buffer(buffer);
  EXPECT_EQ(map(resource), CUDA_ERROR_UNKNOWN);
  EXPECT_FALSE(is_mapped(resource));
  // The name may come back as a new buffer, which is not registered.
  glBindBuffer(GL_ARRAY_BUFFER, buffer);
  EXPECT_EQ(map(resource), CUDA_ERROR_UNKNOWN);
  glBufferData(GL_ARRAY_BUFFER, 64, nullptr, GL_STATIC_DRAW);
  EXPECT_EQ(map(resource), CUDA_ERROR_UNKNOWN);
  EXPECT_FALSE(is_mapped(resource));
  OK(cuGraphicsUnregisterResource(resource));
  glBindBuffer(GL_ARRAY_BUFFER, 0);
  delete_buffer(buffer);
}

// For later readers, glInvalidateBufferData and an orphaning map do not count as new storage.
TEST(cuGraphicsMapResources, LivesWithInvalidation) {
  const GlScene scene;
  const GLuint buffer = new_buffer(pattern(4096, 1));
  const CUgraphicsResource resource = register_buffer(buffer);
  for (unsigned round = 0; round < 3; ++round) {
    if (round == 1) glInvalidateBufferData(buffer);
    void* const own =
        glMapNamedBufferRange(buffer, 0, 4096, GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_BUFFER_BIT);
    ASSERT_NE(own, nullptr);
    memcpy(own, pattern(4096, round).data(), 4096);
    glUnmapNamedBuffer(buffer);
    const CUresult answer = map(resource);
    if (answer != CUDA_SUCCESS) {
      EXPECT_EQ(answer, CUDA_ERROR_UNKNOWN) << "only because its storage is another one";
      continue;
    }
    EXPECT_EQ(cuda_content(address_of(resource), 4096), pattern(4096, round));
    OK(unmap(resource));
  }
  OK(cuGraphicsUnregisterResource(resource));
  delete_buffer(buffer);
}

// --- Flags
// ----------------------------------------------------------------------------------------

TEST(cuGraphicsMapResources, WithReadOnlyStillShowsTheContent) {
  const GlScene scene;
  for (const bool copied : {false, true}) {
    const GLuint buffer = copied ? new_immutable_buffer(pattern(4096, 1), GL_DYNAMIC_STORAGE_BIT)
                                 : new_buffer(pattern(4096, 1));
    const CUgraphicsResource resource =
        register_buffer(buffer, CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY);
    for (unsigned round = 1; round < 4; ++round) {
      OK(map(resource));
      EXPECT_EQ(cuda_content(address_of(resource), 4096), pattern(4096, round));
      OK(unmap(resource));
      glNamedBufferSubData(buffer, 0, 4096, pattern(4096, round + 1).data());
    }
    EXPECT_EQ(gl_content(buffer), pattern(4096, 4));
    OK(cuGraphicsUnregisterResource(resource));
    delete_buffer(buffer);
  }
}

TEST(cuGraphicsMapResources, WithWriteDiscardHidesTheOldContent) {
  const GlScene scene;
  for (const bool copied : {false, true}) {
    const GLuint buffer = copied ? new_immutable_buffer(pattern(4096, 1), GL_DYNAMIC_STORAGE_BIT)
                                 : new_buffer(pattern(4096, 1));
    const CUgraphicsResource resource =
        register_buffer(buffer, CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD);
    OK(map(resource));
    const Bytes before = cuda_content(address_of(resource), 4096);
    const Bytes old = pattern(4096, 1);
    size_t same = 0;
    for (size_t i = 0; i < 4096; ++i) same += before[i] == old[i];
    EXPECT_LT(same, 256u) << "what is read there shows that it is no content";
    cuda_write(address_of(resource), pattern(4096, 2));
    OK(unmap(resource));
    EXPECT_EQ(gl_content(buffer), pattern(4096, 2));
    OK(cuGraphicsUnregisterResource(resource));
    delete_buffer(buffer);
  }
}

// --- Against a model
// ------------------------------------------------------------------------------

// Random writes by both APIs to buffers of random kinds, against plain arrays.
TEST(cuGraphicsMapResources, AgreesWithAModel) {
  const GlScene scene;
  std::mt19937 random(3);
  struct Entry {
    GLuint buffer;
    CUgraphicsResource resource;
    Bytes model;
    bool mapped = false;
  };
  std::vector<Entry> entries;
  for (int i = 0; i < 12; ++i) {
    Bytes content = pattern(1 + random() % 20'000, static_cast<unsigned>(i));
    const GLuint buffer =
        i % 3 == 0 ? new_immutable_buffer(content, GL_DYNAMIC_STORAGE_BIT) : new_buffer(content);
    entries.push_back({buffer, register_buffer(buffer), std::move(content)});
  }
  const CUstream stream = new_stream();
  for (int step = 0; step < 3000; ++step) {
    Entry& entry = entries[random() % entries.size()];
    const size_t at = random() % entry.model.size(),
                 size = 1 + random() % (entry.model.size() - at);
    const auto value = static_cast<uint8_t>(random());
    switch (random() % 4) {
      case 0:
        OK(entry.mapped ? unmap(entry.resource, stream) : map(entry.resource, stream));
        entry.mapped = !entry.mapped;
        break;
      case 1:
        if (entry.mapped) {
          OK(cuMemsetD8Async(address_of(entry.resource) + at, value, size, stream));
        } else {
          const Bytes bytes(size, value);
          glNamedBufferSubData(entry.buffer, static_cast<GLintptr>(at),
                               static_cast<GLsizeiptr>(size), bytes.data());
        }
        std::fill_n(entry.model.begin() + static_cast<ptrdiff_t>(at), size, value);
        break;
      case 2: {  // copy from another buffer
        Entry& from = entries[random() % entries.size()];
        if (&from == &entry || from.mapped != entry.mapped) break;
        const size_t count = std::min(size, from.model.size());
        if (entry.mapped) {
          OK(cuMemcpyDtoDAsync(address_of(entry.resource) + at, address_of(from.resource), count,
                               stream));
        } else {
          glCopyNamedBufferSubData(from.buffer, entry.buffer, 0, static_cast<GLintptr>(at),
                                   static_cast<GLsizeiptr>(count));
        }
        std::copy_n(from.model.begin(), count, entry.model.begin() + static_cast<ptrdiff_t>(at));
        break;
      }
      default:
        if (entry.mapped) {
          OK(cuStreamSynchronize(stream));
          ASSERT_EQ(cuda_content(address_of(entry.resource), entry.model.size()), entry.model);
        } else {
          ASSERT_EQ(gl_content(entry.buffer), entry.model);
        }
    }
  }
  for (const Entry& entry : entries) {
    if (entry.mapped) {
      OK(unmap(entry.resource, stream));
    }
    EXPECT_EQ(gl_content(entry.buffer), entry.model);
    OK(cuGraphicsUnregisterResource(entry.resource));
    delete_buffer(entry.buffer);
  }
  OK(cuStreamDestroy(stream));
}

}  // namespace
