// SPDX-License-Identifier: Apache-2.0
// A plugin that is linked to OpenGL, for a program that is not.
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <dlfcn.h>

#include <cstring>

// Returns a function that the plugin is linked to, or else one that it finds itself.
extern "C" __attribute__((visibility("default"))) void* plugin_function(const char* name) {
  if (strcmp(name, "glDrawArrays") == 0) return reinterpret_cast<void*>(glDrawArrays);
  // No library exports this name.
  if (strcmp(name, "glDrawArraysInstancedARB") == 0)
    return reinterpret_cast<void*>(glDrawArraysInstanced);
  // Avoids a tail call: dlsym looks at its return address.
  void* volatile found = dlsym(RTLD_DEFAULT, name);
  return found;
}
