// SPDX-License-Identifier: Apache-2.0
// OpenGL and CUDA contexts that are not where they should be.
#include <thread>

#include "tests/wrong/misuse.hpp"

CUresult registers_without_opengl(Twin twin) {
  Program program;
  const GLuint buffer = new_buffer(256);
  if (twin == Twin::wrong) program.gl.release();
  CUgraphicsResource resource = nullptr;
  const CUresult answer = cuGraphicsGLRegisterBuffer(&resource, buffer, 0);
  if (answer == CUDA_SUCCESS) NEED(cuGraphicsUnregisterResource(resource));
  return answer;
}

// A context is current in only one thread.
CUresult maps_in_a_thread_without_opengl(Twin twin) {
  Program program;
  const CUgraphicsResource resource = register_buffer(new_buffer(256), 0);
  CUresult answer = CUDA_SUCCESS;
  if (twin == Twin::repaired) program.gl.release();
  std::thread([&] {
    if (twin == Twin::repaired) program.gl.make_current();
    NEED(cuCtxSetCurrent(program.cuda));
    answer = map(resource, program.stream);
    if (answer == CUDA_SUCCESS) NEED(unmap(resource, program.stream));
    if (twin == Twin::repaired) program.gl.release();
  }).join();
  program.gl.make_current();
  NEED(cuGraphicsUnregisterResource(resource));
  return answer;
}

// The other thread has a context, but it does not share with the buffer's, which is in use
// elsewhere.
CUresult maps_what_is_current_elsewhere(Twin twin) {
  Program program;
  const CUgraphicsResource resource = register_buffer(new_buffer(256), 0);
  const auto own = twin == Twin::wrong
                       ? std::unique_ptr<GlContext>(new EglContext(EglContext::Api::core))
                       : program.gl.shared();
  CUresult answer = CUDA_SUCCESS;
  std::thread([&] {
    own->make_current();
    NEED(cuCtxSetCurrent(program.cuda));
    answer = map(resource, program.stream);
    if (answer == CUDA_SUCCESS) NEED(unmap(resource, program.stream));
    own->release();
  }).join();
  NEED(cuGraphicsUnregisterResource(resource));
  return answer;
}

CUresult maps_in_another_cuda_context(Twin twin) {
  Program program;
  const CUgraphicsResource resource = register_buffer(new_buffer(256), 0);
  CUcontext other = nullptr;
  NEED(cuCtxCreate(&other, nullptr, 0, 0));
  if (twin == Twin::repaired) NEED(cuCtxSetCurrent(program.cuda));
  const CUresult answer = map(resource, nullptr);
  if (answer == CUDA_SUCCESS) NEED(unmap(resource, nullptr));
  NEED(cuCtxDestroy(other));
  NEED(cuCtxSetCurrent(program.cuda));
  NEED(cuGraphicsUnregisterResource(resource));
  return answer;
}
