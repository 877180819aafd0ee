// SPDX-License-Identifier: Apache-2.0
// How a program gets a function of OpenGL, and how it gets the stand-in instead: linked,
// eglGetProcAddress and its like, dlsym.
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "tools/gl_watch/functions.hpp"

namespace cuvette::gl_watch {
namespace {

struct Name {
  std::string_view name;
  Row row;
};

constexpr std::string_view names[] = {
#define GL_CALL(wanted, result, name, ...) "gl" #name,
#define GL_ALIAS(other, name)
#include "tools/gl_watch/calls.def"
#undef GL_CALL
#undef GL_ALIAS
#define CREATES(name, ...) #name,
#define ENTERS(result, name, ...) #name,
#define ENDS(result, name, ...) #name,
#include "tools/gl_watch/context_calls.def"
#undef CREATES
#undef ENTERS
#undef ENDS
    "eglGetProcAddress", "glXGetProcAddress", "glXGetProcAddressARB"};
static_assert(std::size(names) == rows);

// All names, in order.
constexpr auto index = [] {
  constexpr Name aliases[] = {
#define GL_CALL(wanted, result, name, ...)
#define GL_ALIAS(other, name) {"gl" #other, row_gl##name},
#include "tools/gl_watch/calls.def"
#undef GL_CALL
#undef GL_ALIAS
  };
  std::array<Name, rows + std::size(aliases)> all{};
  for (size_t row = 0; row < rows; ++row) all[row] = {names[row], static_cast<Row>(row)};
  std::copy(std::begin(aliases), std::end(aliases), all.begin() + rows);
  std::sort(all.begin(), all.end(), [](const Name& a, const Name& b) { return a.name < b.name; });
  return all;
}();

// --- dlsym of the C library ---

using Dlsym = void* (*)(void* handle, const char* name);
constinit std::atomic<Dlsym> next_dlsym{nullptr};

// Found by its version, because this library defines "dlsym" itself. glibc before 2.34 has the
// second version on x86-64, and the third on 64-bit ARM.
Dlsym real_dlsym() {
  Dlsym found = next_dlsym.load(std::memory_order_relaxed);
  if (found) [[likely]]
    return found;
  for (const char* version : {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"}) {
    found = reinterpret_cast<Dlsym>(dlvsym(RTLD_NEXT, "dlsym", version));
    if (found) break;
  }
  next_dlsym.store(found, std::memory_order_relaxed);
  return found;
}

void* exported(Row row) { return stand_ins[row][linked]; }

// Returns the function from now on: `found`, unless another was stored before.
void* set_linked(Row row, void* found) {
  void* before = nullptr;
  return real_functions[row][linked].compare_exchange_strong(before, found) ? found : before;
}

// Returns the function of a loaded library, unless it is ours.
void* in_loaded(const char* library, Row row, const char* name) {
  void* const handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  if (!handle) return nullptr;
  void* const found = real_dlsym()(handle, name);
  dlclose(handle);  // its user keeps it loaded
  return found == exported(row) ? nullptr : found;
}

// Returns the next function after our exported one, for the code at `caller`.
void* behind(Row row, const char* name, const void* caller) {
  if (void* const found = real_dlsym()(RTLD_NEXT, name)) return found;
  // A plugin that was loaded with RTLD_LOCAL finds it in its own libraries.
  Dl_info file;
  link_map* map = nullptr;
  if (dladdr1(caller, &file, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) && map)
    if (void* const found = in_loaded(map->l_name, row, name)) return found;
  return nullptr;
}

}  // namespace

Row find_row(const char* name) {
  const std::string_view wanted(name);
  const auto found = std::lower_bound(index.begin(), index.end(), wanted,
                                      [](const Name& a, std::string_view b) { return a.name < b; });
  return found != index.end() && found->name == wanted ? found->row : rows;
}

void* stand_in(Row row, void* real) {
  for (void* const ours : stand_ins[row])
    if (real == ours) return real;
  for (size_t place = 0; place < places; ++place) {
    std::atomic<void*>& at = real_functions[row][place];
    void* there = at.load(std::memory_order_acquire);
    // The linked one's place is not taken: it may be another function.
    if (!there && place != linked && at.compare_exchange_strong(there, real)) there = real;
    if (there == real) return stand_ins[row][place];
  }
  return real;
}

void* find_linked(Row row, const void* caller) {
  const char* const name = names[row].data();
  if (void* const found = behind(row, name, caller)) return set_linked(row, found);
  // Code without such a library may have got the address from a plugin that has one.
  for (const char* library :
       {"libOpenGL.so.0", "libGL.so.1", "libGLESv2.so.2", "libEGL.so.1", "libGLX.so.0"})
    if (void* const found = in_loaded(library, row, name)) return set_linked(row, found);
  // Say what the loader says, and end as it does, if no library has the function.
  for (const char* part : {"cuvette: symbol lookup error: undefined symbol: ", name, "\n"})
    if (write(STDERR_FILENO, part, strlen(part)) < 0) break;
  _exit(127);
}

namespace {

// Does what dlsym does, for a function that has stand-ins.
void* find(Row row, void* handle, const char* name, const void* caller) {
  const Dlsym next = real_dlsym();
  // A function that is looked up and one that is linked have the same address if they are the same
  // function. This comes first: what dlerror() says is of the last look, and that is the program's
  // own.
  if (void* const linked_one = next(RTLD_NEXT, name)) set_linked(row, linked_one);
  void* found = next(handle, name);
  // It belongs to a library in front of us that calls us in turn, or to the program itself.
  if (!found || (handle == RTLD_DEFAULT && found != exported(row))) return found;
  // Our function exists even if there is no next one.
  if (found == exported(row)) {
    found = behind(row, name, caller);
    if (!found) {
      next(RTLD_NEXT, name);  // so that dlerror() has something to say
      return nullptr;
    }
    set_linked(row, found);
  }
  return stand_in(row, found);
}

}  // namespace

// Other names continue with a jump, so that the C library sees who called: RTLD_NEXT and
// RTLD_DEFAULT mean something else for each library. That needs the optimiser.
extern "C" __attribute__((visibility("default"))) void* dlsym(void* handle,
                                                              const char* name) noexcept {
  const Dlsym next = real_dlsym();
  const bool may_be_ours = strncmp(name, "gl", 2) == 0 || strncmp(name, "egl", 3) == 0;
  if (!may_be_ours || handle == RTLD_NEXT) [[likely]]
    return next(handle, name);
  const Row row = find_row(name);
  if (row == rows) return next(handle, name);
  return find(row, handle, name, __builtin_return_address(0));
}

}  // namespace cuvette::gl_watch
