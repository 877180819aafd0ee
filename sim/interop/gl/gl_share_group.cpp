// SPDX-License-Identifier: Apache-2.0
#include "sim/interop/gl/gl_share_group.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string_view>
#include <vector>

#include "sim/interop/gl/watch/gl_watch_library.hpp"

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
  found.labels = !found.es && found.version >= 43;
  found.copy_image = !found.es && has(43, "GL_ARB_copy_image");
  return found;
}

constinit uint64_t labels = 0;

Error no_context() {
  return refuse(Error::invalid_graphics_context, "No OpenGL context is current in this thread.");
}

}  // namespace

ShareGroup::ShareGroup(const CurrentContext& home, const Functions& gl,
                       const Capabilities& capabilities)
    : home_(home),
      gl_(gl),
      capabilities_(capabilities),
      fence_(gl.FenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0)),
      label_("cuvette " + std::to_string(++labels)),
      number_(watched_group_of(home.context)),
      seen_{home} {
  if (capabilities_.labels) gl_.ObjectPtrLabel(fence_, -1, label_.c_str());
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
    if (group->home_.system == current->system && group->has_fence()) {
      group->note_current();
      return Ref<ShareGroup>(group);
    }

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
  if (ended()) return ended_error();
  const std::optional<CurrentContext> callers = current_context();
  if (!callers) return no_context();
  // A context that is destroyed ends when it is no longer current; the caller still uses it.
  if (!callers->exists())
    return refuse(Error::invalid_graphics_context,
                  "The current OpenGL context %p is destroyed: it would end if it were replaced by "
                  "that of the resource.",
                  callers->context);
  // The second test is there because a destroyed context's handle may belong to another one by now.
  if (home_.make_current() && has_fence()) return Entered(callers);
  callers->make_current();
  return refuse(Error::invalid_graphics_context,
                "The resource was registered in OpenGL context %p, which is destroyed or current "
                "in another thread; the current context %p shares nothing with it.",
                home_.context, callers->context);
}

// --- Its end ---

bool ShareGroup::has_fence() const {
  if (!is_current()) return false;
  if (!capabilities_.labels) return true;
  char found[32] = {};
  gl_.GetObjectPtrLabel(fence_, sizeof found, nullptr, found);
  return label_ == found;
}

Ref<ShareGroup> ShareGroup::of_number(uint64_t number) {
  for (ShareGroup* group : living_groups())
    if (group->number_ == number) return Ref<ShareGroup>(group);
  return nullptr;
}

bool ShareGroup::has_ended() {
  if (ended()) return true;
  if (number_ != 0 || has_fence()) return false;
  const std::optional<CurrentContext> current = current_context();
  // The thread's own context is not of the group: it has the handle of one that was.
  std::erase_if(seen_, [&](const CurrentContext& one) {
    return (current && one.is(*current)) || !one.exists();
  });
  return seen_.empty();
}

void ShareGroup::end() {
  ended_.store(true, std::memory_order_relaxed);
  std::erase(living_groups(), this);
}

void ShareGroup::note_current() {
  if (number_ != 0 || seen_.back().context == current_handle(home_.system)) [[likely]]
    return;
  const std::optional<CurrentContext> current = current_context();
  if (!current) return;
  std::erase_if(seen_, [&](const CurrentContext& one) { return one.is(*current); });
  seen_.push_back(*current);
}

Error ShareGroup::ended_error() const {
  return refuse(Error::invalid_graphics_context,
                "The OpenGL contexts that had the resource (%p was one) are destroyed, and the "
                "resource with them.",
                home_.context);
}

void ShareGroup::remove_object() {
  if (objects_ == 1) gl_.DeleteSync(fence_);
  forget_object();
}

void ShareGroup::forget_object() {
  if (--objects_ == 0) std::erase(living_groups(), this);
}

}  // namespace cuvette::interop::gl
