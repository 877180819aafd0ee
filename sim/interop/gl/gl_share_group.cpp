// SPDX-License-Identifier: Apache-2.0
#include "sim/interop/gl/gl_share_group.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string_view>
#include <vector>

namespace cuvette::interop::gl {
namespace {

// The groups with registered objects.
std::vector<ShareGroup*>& living_groups() {
  static auto* const groups = new std::vector<ShareGroup*>;
  return *groups;
}

Capabilities capabilities_of(const Functions& gl) {
  Capabilities found;
  const char* text = reinterpret_cast<const char*>(gl.GetString(GL_VERSION));
  if (!text) return found;
  constexpr const char es[] = "OpenGL ES ";
  found.es = std::strncmp(text, es, sizeof es - 1) == 0;
  if (found.es) text += sizeof es - 1;
  char* point = nullptr;
  const long major = std::strtol(text, &point, 10);
  const long minor = *point == '.' ? std::strtol(point + 1, nullptr, 10) : 0;
  found.version = static_cast<int>(major * 10 + minor);
  if (major < 3) return found;

  GLint count = 0;
  gl.GetIntegerv(GL_NUM_EXTENSIONS, &count);
  std::set<std::string_view> extensions;
  for (GLint i = 0; i < count; ++i)
    extensions.insert(
        reinterpret_cast<const char*>(gl.GetStringi(GL_EXTENSIONS, static_cast<GLuint>(i))));
  const auto has = [&](int version, const char* extension) {
    return (!found.es && found.version >= version) || extensions.contains(extension);
  };
  found.direct_access = !found.es && has(45, "GL_ARB_direct_state_access");
  found.buffer_storage = has(44, found.es ? "GL_EXT_buffer_storage" : "GL_ARB_buffer_storage");
  if (!found.es) {
    GLint profile = 0;
    if (found.version >= 32) gl.GetIntegerv(GL_CONTEXT_PROFILE_MASK, &profile);
    found.legacy = !(profile & GL_CONTEXT_CORE_PROFILE_BIT);
  }
  found.copy_image = !found.es && has(43, "GL_ARB_copy_image");
  return found;
}

Error no_context() {
  return refuse(Error::invalid_graphics_context, "No OpenGL context is current in this thread.");
}

}  // namespace

ShareGroup::ShareGroup(const CurrentContext& home, const Functions& gl,
                       const Capabilities& capabilities)
    : home_(home),
      gl_(gl),
      capabilities_(capabilities),
      fence_(gl.FenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0)) {
  living_groups().push_back(this);
}

Result<> ShareGroup::check_current() {
  if (!current_context()) return no_context();
  return {};
}

Result<Ref<ShareGroup>> ShareGroup::of_current() {
  const std::optional<CurrentContext> current = current_context();
  if (!current) return no_context();
  for (ShareGroup* group : living_groups())
    if (group->home_.system == current->system && group->is_current())
      return Ref<ShareGroup>(group);

  const Functions& gl = functions(current->system);
  const Capabilities capabilities = capabilities_of(gl);
  // Fences, mapped ranges and copies between buffers need OpenGL 3.2 or OpenGL ES 3.0.
  if (capabilities.version < (capabilities.es ? 30 : 32))
    return refuse(
        Error::not_supported, "OpenGL%s %d.%d cannot share its buffers; 3.2 or ES 3.0 is needed.",
        capabilities.es ? " ES" : "", capabilities.version / 10, capabilities.version % 10);
  return make_ref<ShareGroup>(*current, gl, capabilities);
}

Result<ShareGroup::Entered> ShareGroup::enter() {
  if (is_current()) [[likely]]
    return Entered(std::nullopt);
  const std::optional<CurrentContext> callers = current_context();
  if (!callers) return no_context();
  // The second test is there because a destroyed context's handle may belong to another one by now.
  if (home_.make_current() && is_current()) return Entered(callers);
  callers->make_current();
  return refuse(Error::invalid_graphics_context,
                "The resource was registered in OpenGL context %p, which is destroyed or current "
                "in another thread; the current context %p shares nothing with it.",
                home_.context, callers->context);
}

void ShareGroup::remove_object() {
  if (objects_ == 1) gl_.DeleteSync(fence_);
  forget_object();
}

void ShareGroup::forget_object() {
  if (--objects_ == 0) std::erase(living_groups(), this);
}

}  // namespace cuvette::interop::gl
