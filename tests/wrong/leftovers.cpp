// SPDX-License-Identifier: Apache-2.0
// Objects that are never released, or are released in the wrong order.
#include "tests/wrong/misuse.hpp"

CUresult never_unmaps(Twin twin) {
  Program program;
  const CUgraphicsResource resource = register_buffer(new_buffer(256), 0);
  const CUresult answer = map(resource, program.stream);
  if (twin == Twin::repaired) {
    NEED(unmap(resource, program.stream));
    NEED(cuGraphicsUnregisterResource(resource));
  }
  return answer;
}

CUresult never_unregisters(Twin twin) {
  Program program;
  const CUgraphicsResource resource = register_texture(new_texture());
  const CUresult answer = map(resource, program.stream);
  NEED(unmap(resource, program.stream));
  if (twin == Twin::repaired) NEED(cuGraphicsUnregisterResource(resource));
  return answer;
}

// The registration ends with its CUDA context.
CUresult resets_the_device_while_registered(Twin twin) {
  EglContext gl(EglContext::Api::core);
  gl.make_current();
  CUcontext context = nullptr;
  NEED(cuInit(0));
  NEED(cuDevicePrimaryCtxRetain(&context, 0));
  NEED(cuCtxSetCurrent(context));
  const CUgraphicsResource resource = register_buffer(new_buffer(256), 0);
  if (twin == Twin::repaired) NEED(cuGraphicsUnregisterResource(resource));
  return cuDevicePrimaryCtxReset(0);
}

CUresult unregisters_while_mapped(Twin twin) {
  Program program;
  const CUgraphicsResource resource = register_buffer(new_buffer(256), 0);
  NEED(map(resource, program.stream));
  CUresult answer = CUDA_SUCCESS;
  if (twin == Twin::wrong) answer = cuGraphicsUnregisterResource(resource);
  NEED(unmap(resource, program.stream));
  NEED(cuGraphicsUnregisterResource(resource));
  return answer;
}

CUresult unregisters_twice(Twin twin) {
  Program program;
  const CUgraphicsResource resource = register_buffer(new_buffer(256), 0);
  const CUresult answer = cuGraphicsUnregisterResource(resource);
  return twin == Twin::wrong ? cuGraphicsUnregisterResource(resource) : answer;
}

CUresult maps_after_unregister(Twin twin) {
  Program program;
  const CUgraphicsResource resource = register_buffer(new_buffer(256), 0);
  if (twin == Twin::wrong) {
    NEED(cuGraphicsUnregisterResource(resource));
    return map(resource, program.stream);
  }
  const CUresult answer = map(resource, program.stream);
  NEED(unmap(resource, program.stream));
  NEED(cuGraphicsUnregisterResource(resource));
  return answer;
}

// Like a window that is closed before the objects that use it are destroyed.
CUresult closes_opengl_first(Twin twin) {
  Program program;
  const CUgraphicsResource resource = register_buffer(new_buffer(256), 0);
  if (twin == Twin::wrong) program.gl.release();
  return cuGraphicsUnregisterResource(resource);
}
