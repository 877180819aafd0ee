// SPDX-License-Identifier: Apache-2.0
// Finds what the shaders of a draw or a dispatch read and write: vertex attributes, textures,
// images, blocks.
#include <cstring>
#include <set>

#include "sim/interop/gl/watch/gl_watch_uses.hpp"

namespace cuvette::interop::gl {
namespace {

// Returns the name (GL_TEXTURE_BINDING_*) of the binding that a sampler of this type reads; 0 if
// neither its texture nor that texture's buffer can be registered.
GLenum binding_of_sampler(GLenum type) {
  switch (type) {
    case GL_SAMPLER_2D:
    case GL_INT_SAMPLER_2D:
    case GL_UNSIGNED_INT_SAMPLER_2D:
      return GL_TEXTURE_BINDING_2D;
    case GL_SAMPLER_3D:
    case GL_INT_SAMPLER_3D:
    case GL_UNSIGNED_INT_SAMPLER_3D:
      return GL_TEXTURE_BINDING_3D;
    case GL_SAMPLER_CUBE:
    case GL_INT_SAMPLER_CUBE:
    case GL_UNSIGNED_INT_SAMPLER_CUBE:
      return GL_TEXTURE_BINDING_CUBE_MAP;
    case GL_SAMPLER_2D_RECT:
    case GL_INT_SAMPLER_2D_RECT:
    case GL_UNSIGNED_INT_SAMPLER_2D_RECT:
      return GL_TEXTURE_BINDING_RECTANGLE;
    case GL_SAMPLER_2D_ARRAY:
    case GL_INT_SAMPLER_2D_ARRAY:
    case GL_UNSIGNED_INT_SAMPLER_2D_ARRAY:
      return GL_TEXTURE_BINDING_2D_ARRAY;
    case GL_SAMPLER_BUFFER:
    case GL_INT_SAMPLER_BUFFER:
    case GL_UNSIGNED_INT_SAMPLER_BUFFER:
      return GL_TEXTURE_BINDING_BUFFER;
    default:
      return 0;
  }
}

bool is_image(GLenum type) {
  return type >= GL_IMAGE_1D && type <= GL_UNSIGNED_INT_IMAGE_2D_MULTISAMPLE_ARRAY;
}

// Returns how many attribute locations a variable of this type takes.
int locations_of(GLenum type) {
  switch (type) {
    case GL_FLOAT_MAT2:
    case GL_FLOAT_MAT2x3:
    case GL_FLOAT_MAT2x4:
    case GL_DOUBLE_MAT2:
    case GL_DOUBLE_MAT2x3:
    case GL_DOUBLE_MAT2x4:
      return 2;
    case GL_FLOAT_MAT3:
    case GL_FLOAT_MAT3x2:
    case GL_FLOAT_MAT3x4:
    case GL_DOUBLE_MAT3:
    case GL_DOUBLE_MAT3x2:
    case GL_DOUBLE_MAT3x4:
      return 3;
    case GL_FLOAT_MAT4:
    case GL_FLOAT_MAT4x2:
    case GL_FLOAT_MAT4x3:
    case GL_DOUBLE_MAT4:
    case GL_DOUBLE_MAT4x2:
    case GL_DOUBLE_MAT4x3:
      return 4;
    default:
      return 1;
  }
}

constexpr GLenum vertex_stage[] = {GL_VERTEX_SHADER};
constexpr GLenum draw_stages[] = {GL_VERTEX_SHADER, GL_FRAGMENT_SHADER, GL_GEOMETRY_SHADER,
                                  GL_TESS_CONTROL_SHADER, GL_TESS_EVALUATION_SHADER};
constexpr GLenum compute_stage[] = {GL_COMPUTE_SHADER};

// The state from before shaders, given as numbers, because the core profile does not have it.
struct ClientArray {
  GLenum enabled, binding;
  const char* attribute;  // in GLSL
  const char* words;
};
constexpr ClientArray client_arrays[] = {
    {0x8074, 0x8896, "gl_Vertex", "vertex array"},
    {0x8075, 0x8897, "gl_Normal", "normal array"},
    {0x8076, 0x8898, "gl_Color", "color array"},
    {0x845E, 0x889C, "gl_SecondaryColor", "secondary color array"},
    {0x8457, 0x889D, "gl_FogCoord", "fog coordinate array"},
};
constexpr GLenum texture_coordinates = 0x8078, texture_coordinates_binding = 0x889A;
constexpr GLenum client_active_texture = 0x84E1, texture_units = 0x84E2, texture_sets = 0x8871;

struct FixedTexture {
  GLenum enabled, binding;
};
constexpr FixedTexture fixed_textures[] = {
    {GL_TEXTURE_CUBE_MAP, GL_TEXTURE_BINDING_CUBE_MAP},
    {GL_TEXTURE_3D, GL_TEXTURE_BINDING_3D},
    {GL_TEXTURE_RECTANGLE, GL_TEXTURE_BINDING_RECTANGLE},
    {GL_TEXTURE_2D, GL_TEXTURE_BINDING_2D},
};

}  // namespace

// Selects texture units one after the other; at the end the program's is active again.
class Uses::Units {
 public:
  explicit Units(const Uses& uses)
      : gl_(uses.gl_), before_(static_cast<GLenum>(uses.integer(GL_ACTIVE_TEXTURE))) {
    active_ = before_;
    count_ = uses.integer(GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS);
  }
  ~Units() { activate(before_); }
  Units(const Units&) = delete;
  Units& operator=(const Units&) = delete;

  // False if the unit does not exist.
  bool select(GLint unit) {
    if (unit < 0 || unit >= count_) return false;
    activate(GL_TEXTURE0 + static_cast<GLenum>(unit));
    return true;
  }

 private:
  void activate(GLenum unit) {
    if (unit != active_) gl_.ActiveTexture(unit);
    active_ = unit;
  }

  const WatchFunctions& gl_;
  const GLenum before_;
  GLenum active_;
  GLint count_;
};

// Returns the programs that run in these stages: one for all, or a pipeline's. None means OpenGL's
// fixed functions.
std::vector<GLuint> Uses::programs(std::span<const GLenum> stages) const {
  if (const GLint program = integer(GL_CURRENT_PROGRAM)) return {static_cast<GLuint>(program)};
  std::vector<GLuint> found;
  if (!has(41, 31)) return found;
  const GLint pipeline = integer(GL_PROGRAM_PIPELINE_BINDING);
  if (!pipeline) return found;
  for (const GLenum stage : stages) {
    const bool old = stage == GL_VERTEX_SHADER || stage == GL_FRAGMENT_SHADER;
    if (!old && !(stage == GL_COMPUTE_SHADER ? has(43, 31) : has(41, 32))) continue;
    GLint program = 0;
    gl_.GetProgramPipelineiv(static_cast<GLuint>(pipeline), stage, &program);
    if (program) found.push_back(static_cast<GLuint>(program));
  }
  return found;
}

// --- Vertex attributes ---

void Uses::look_at_vertices() {
  // The core profile has no vertex arrays outside of an object; the call will fail.
  if (!es_ && !legacy_ && integer(GL_VERTEX_ARRAY_BINDING) == 0) return;
  const std::vector<GLuint> programs = this->programs(vertex_stage);
  const GLuint program = programs.empty() ? 0 : programs[0];
  std::set<GLint> read;
  std::set<std::string> names;
  GLint active = 0;
  if (program) gl_.GetProgramiv(program, GL_ACTIVE_ATTRIBUTES, &active);
  for (GLint i = 0; i < active; ++i) {
    char name[256] = "";
    GLint count = 0;
    GLenum type = 0;
    gl_.GetActiveAttrib(program, static_cast<GLuint>(i), sizeof name, nullptr, &count, &type, name);
    names.insert(name);
    const GLint first = gl_.GetAttribLocation(program, name);
    for (GLint j = 0; first >= 0 && j < count * locations_of(type); ++j) read.insert(first + j);
  }
  // In a compatibility context gl_Vertex and attribute 0 are the same, and each array serves both.
  const bool position = legacy_ && (names.contains("gl_Vertex") || read.contains(0));
  if (position) read.insert(0), names.insert("gl_Vertex");

  const GLint most = integer(GL_MAX_VERTEX_ATTRIBS);
  for (GLint i = 0; i < most; ++i) {
    if (program && !read.contains(i)) continue;
    GLint value = 0;
    gl_.GetVertexAttribiv(static_cast<GLuint>(i), GL_VERTEX_ATTRIB_ARRAY_ENABLED, &value);
    if (!value) continue;
    gl_.GetVertexAttribiv(static_cast<GLuint>(i), GL_VERTEX_ATTRIB_ARRAY_BUFFER_BINDING, &value);
    see({Object::Kind::buffer, static_cast<GLuint>(value)},
        [&] { return "vertex attribute " + std::to_string(i); });
  }
  if (!legacy_) return;
  for (const ClientArray& array : client_arrays)
    if ((!program || names.contains(array.attribute)) && enabled(array.enabled))
      see_buffer(integer(array.binding), array.words);

  const GLint before = integer(client_active_texture);
  const GLint sets = integer(texture_sets);
  for (GLint i = 0; i < sets; ++i) {
    if (program && !names.contains("gl_MultiTexCoord" + std::to_string(i))) continue;
    gl_.ClientActiveTexture(GL_TEXTURE0 + static_cast<GLenum>(i));
    if (enabled(texture_coordinates))
      see({Object::Kind::buffer, static_cast<GLuint>(integer(texture_coordinates_binding))},
          [&] { return "texture coordinate array " + std::to_string(i); });
  }
  gl_.ClientActiveTexture(static_cast<GLenum>(before));
}

// --- Uniforms and blocks ---

void Uses::look_at_shaders(bool compute) {
  const std::vector<GLuint> programs =
      this->programs(compute ? std::span<const GLenum>(compute_stage) : draw_stages);
  Units units(*this);
  for (const GLuint program : programs) {
    look_at_uniforms(program, units);
    if (want(Object::Kind::buffer)) look_at_blocks(program);
  }
  if (programs.empty() && legacy_ && !compute && want(Object::Kind::texture))
    look_at_fixed_units(units);
}

void Uses::look_at_uniforms(GLuint program, Units& units) {
  GLint active = 0;
  gl_.GetProgramiv(program, GL_ACTIVE_UNIFORMS, &active);
  for (GLint i = 0; i < active; ++i) {
    char buffer[1024] = "";
    GLint count = 0;
    GLenum type = 0;
    gl_.GetActiveUniform(program, static_cast<GLuint>(i), sizeof buffer, nullptr, &count, &type,
                         buffer);
    const GLenum binding = binding_of_sampler(type);
    const bool image = is_image(type);
    if (!binding && !image) continue;
    std::string name = buffer;
    // OpenGL names an array by its first element.
    const bool array = name.ends_with("[0]");
    if (array) name.resize(name.size() - 3);
    for (GLint j = 0; j < count; ++j) {
      const std::string element = array ? name + "[" + std::to_string(j) + "]" : name;
      const GLint location = gl_.GetUniformLocation(program, element.c_str());
      if (location < 0) continue;
      GLint unit = 0;
      gl_.GetUniformiv(program, location, &unit);
      if (image) {
        look_at_image_unit(unit, "image '" + element + "'");
      } else {
        look_at_unit(units, unit, binding, "sampler '" + element + "'");
      }
    }
  }
}

void Uses::look_at_unit(Units& units, GLint unit, GLenum binding, const std::string& words) {
  const bool of_buffer = binding == GL_TEXTURE_BINDING_BUFFER;
  if (!want(of_buffer ? Object::Kind::buffer : Object::Kind::texture) || !units.select(unit))
    return;
  if (!of_buffer)
    return see({Object::Kind::texture, static_cast<GLuint>(integer(binding))},
               [&] { return words + " (texture unit " + std::to_string(unit) + ")"; });
  if (integer(binding) == 0) return;
  GLint buffer = 0;
  gl_.GetTexLevelParameteriv(GL_TEXTURE_BUFFER, 0, GL_TEXTURE_BUFFER_DATA_STORE_BINDING, &buffer);
  see({Object::Kind::buffer, static_cast<GLuint>(buffer)},
      [&] { return "buffer of " + words + " (texture unit " + std::to_string(unit) + ")"; });
}

void Uses::look_at_image_unit(GLint unit, const std::string& words) {
  if (unit < 0 || unit >= integer(GL_MAX_IMAGE_UNITS)) return;
  const GLint texture = integer(GL_IMAGE_BINDING_NAME, static_cast<unsigned>(unit));
  if (texture == 0) return;
  const std::string where = words + " (image unit " + std::to_string(unit) + ")";
  see({Object::Kind::texture, static_cast<GLuint>(texture)}, [&] { return where; });
  if (es_ || version_ < 45) return;
  GLint target = 0, buffer = 0;
  gl_.GetTextureParameteriv(static_cast<GLuint>(texture), GL_TEXTURE_TARGET, &target);
  if (target != GL_TEXTURE_BUFFER) return;
  gl_.GetTextureLevelParameteriv(static_cast<GLuint>(texture), 0,
                                 GL_TEXTURE_BUFFER_DATA_STORE_BINDING, &buffer);
  see({Object::Kind::buffer, static_cast<GLuint>(buffer)}, [&] { return "buffer of " + where; });
}

void Uses::look_at_blocks(GLuint program) {
  GLint active = 0;
  gl_.GetProgramiv(program, GL_ACTIVE_UNIFORM_BLOCKS, &active);
  for (unsigned i = 0; i < static_cast<unsigned>(active); ++i) {
    GLint binding = 0;
    gl_.GetActiveUniformBlockiv(program, i, GL_UNIFORM_BLOCK_BINDING, &binding);
    see({Object::Kind::buffer,
         static_cast<GLuint>(integer(GL_UNIFORM_BUFFER_BINDING, static_cast<unsigned>(binding)))},
        [&] {
          char name[256] = "";
          gl_.GetActiveUniformBlockName(program, i, sizeof name, nullptr, name);
          return std::string("uniform block '") + name + "'";
        });
  }
  if (!has(43, 31)) return;
  look_at_resources(program, GL_SHADER_STORAGE_BLOCK, GL_SHADER_STORAGE_BUFFER_BINDING,
                    "shader storage block");
  look_at_resources(program, GL_ATOMIC_COUNTER_BUFFER, GL_ATOMIC_COUNTER_BUFFER_BINDING,
                    "atomic counter buffer");
}

void Uses::look_at_resources(GLuint program, GLenum interface, GLenum buffers, const char* what) {
  GLint active = 0;
  gl_.GetProgramInterfaceiv(program, interface, GL_ACTIVE_RESOURCES, &active);
  for (unsigned i = 0; i < static_cast<unsigned>(active); ++i) {
    constexpr GLenum which = GL_BUFFER_BINDING;
    GLint binding = 0;
    gl_.GetProgramResourceiv(program, interface, i, 1, &which, 1, nullptr, &binding);
    see({Object::Kind::buffer,
         static_cast<GLuint>(integer(buffers, static_cast<unsigned>(binding)))},
        [&] {
          // Buffers of atomic counters have numbers instead of names.
          if (interface != GL_SHADER_STORAGE_BLOCK)
            return what + std::string(" ") + std::to_string(binding);
          char name[256] = "";
          gl_.GetProgramResourceName(program, interface, i, sizeof name, nullptr, name);
          return what + std::string(" '") + name + "'";
        });
  }
}

// Without a program, each unit uses what is enabled and has the most dimensions.
void Uses::look_at_fixed_units(Units& units) {
  const GLint count = integer(texture_units);
  for (GLint unit = 0; unit < count && units.select(unit); ++unit)
    for (const FixedTexture& texture : fixed_textures) {
      if (!enabled(texture.enabled)) continue;
      see({Object::Kind::texture, static_cast<GLuint>(integer(texture.binding))},
          [&] { return "texture of unit " + std::to_string(unit); });
      break;
    }
}

}  // namespace cuvette::interop::gl
