// SPDX-License-Identifier: Apache-2.0
// A plugin that is linked to OpenGL, for a program that is not.
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <dlfcn.h>

#include <cstring>

// What the plugin is linked to, or else what it finds itself.
extern "C" __attribute__((visibility("default"))) void* plugin_function(const char* name) {
  if (strcmp(name, "glDrawArrays") == 0) return reinterpret_cast<void*>(glDrawArrays);
  // By this name no library has it for linking.
  if (strcmp(name, "glDrawArraysInstancedARB") == 0)
    return reinterpret_cast<void*>(glDrawArraysInstanced);
  // Not by a jump: dlsym looks where it returns to.
  void* volatile found = dlsym(RTLD_DEFAULT, name);
  return found;
}
