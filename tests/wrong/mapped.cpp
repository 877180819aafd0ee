// SPDX-License-Identifier: Apache-2.0
// OpenGL uses what CUDA has mapped. "Accessing resources in OpenGL, while they are mapped for
// access by CUDA, produces undefined results." OpenGL itself refuses only some of it.
#include "tests/wrong/misuse.hpp"

namespace {

// Prepares to draw points at the places in attribute 0, in white or from texture unit 0.
void use_points(bool textured) {
  const char* vertex =
      "#version 450\n"
      "layout(location = 0) in vec4 place;\n"
      "void main() { gl_Position = vec4(place.xy, 0, 1); }\n";
  const char* white =
      "#version 450\n"
      "out vec4 result;\n"
      "void main() { result = vec4(1); }\n";
  const char* sampled =
      "#version 450\n"
      "layout(binding = 0) uniform sampler2D colours;\n"
      "out vec4 result;\n"
      "void main() { result = texture(colours, vec2(0.5)); }\n";
  const GLuint program = glCreateProgram();
  for (const auto& [kind, source] : {std::pair{GL_VERTEX_SHADER, vertex},
                                     std::pair{GL_FRAGMENT_SHADER, textured ? sampled : white}}) {
    const GLuint shader = glCreateShader(static_cast<GLenum>(kind));
    glShaderSource(shader, 1, &source, nullptr);
    glCompileShader(shader);
    glAttachShader(program, shader);
  }
  glLinkProgram(program);
  glUseProgram(program);
}

// Binds vertices of 16 bytes, and indices if there are any.
void bind_vertices(GLuint vertices, GLuint indices) {
  GLuint array = 0;
  glCreateVertexArrays(1, &array);
  glBindVertexArray(array);
  glVertexArrayVertexBuffer(array, 0, vertices, 0, 16);
  glVertexArrayAttribFormat(array, 0, 4, GL_FLOAT, GL_FALSE, 0);
  glVertexArrayAttribBinding(array, 0, 0);
  glEnableVertexArrayAttrib(array, 0);
  if (indices) glVertexArrayElementBuffer(array, indices);
}

// Maps and unmaps `resource`, and calls `use` in between or afterwards.
template <typename Use>
CUresult use_around(Program& program, CUgraphicsResource resource, Twin twin, const Use& use) {
  NEED(map(resource, program.stream));
  if (twin == Twin::wrong) use();
  const CUresult answer = unmap(resource, program.stream);
  use();
  glFinish();
  NEED(cuGraphicsUnregisterResource(resource));
  return answer;
}

}  // namespace

CUresult draws_from_a_mapped_buffer(Twin twin) {
  Program program;
  const GLuint vertices = new_buffer(256);
  const CUgraphicsResource resource = register_buffer(vertices, 0);
  bind_target(new_texture());
  use_points(false);
  bind_vertices(vertices, 0);
  return use_around(program, resource, twin, [] { glDrawArrays(GL_POINTS, 0, 16); });
}

CUresult draws_by_mapped_indices(Twin twin) {
  Program program;
  const GLuint indices = new_buffer(256);
  const CUgraphicsResource resource = register_buffer(indices, 0);
  bind_target(new_texture());
  use_points(false);
  bind_vertices(new_buffer(256), indices);
  return use_around(program, resource, twin,
                    [] { glDrawElements(GL_POINTS, 16, GL_UNSIGNED_INT, nullptr); });
}

CUresult draws_with_a_mapped_texture(Twin twin) {
  Program program;
  const GLuint texture = new_texture();
  const CUgraphicsResource resource = register_texture(texture);
  bind_target(new_texture());
  use_points(true);
  bind_vertices(new_buffer(256), 0);
  glBindTextureUnit(0, texture);
  return use_around(program, resource, twin, [] { glDrawArrays(GL_POINTS, 0, 16); });
}

CUresult draws_into_a_mapped_texture(Twin twin) {
  Program program;
  const GLuint texture = new_texture();
  const CUgraphicsResource resource = register_texture(texture);
  bind_target(texture);
  return use_around(program, resource, twin, [] { glClear(GL_COLOR_BUFFER_BIT); });
}

CUresult overwrites_a_mapped_buffer(Twin twin) {
  Program program;
  const GLuint buffer = new_buffer(256);
  const CUgraphicsResource resource = register_buffer(buffer, 0);
  const char bytes[256] = {};
  return use_around(program, resource, twin, [&] { glNamedBufferSubData(buffer, 0, 256, bytes); });
}

CUresult overwrites_a_mapped_texture(Twin twin) {
  Program program;
  const GLuint texture = new_texture();
  const CUgraphicsResource resource = register_texture(texture);
  const char pixels[1024] = {};
  return use_around(program, resource, twin, [&] {
    glTextureSubImage2D(texture, 0, 0, 0, 16, 16, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
  });
}

CUresult reads_a_mapped_texture(Twin twin) {
  Program program;
  const GLuint texture = new_texture();
  const CUgraphicsResource resource = register_texture(texture);
  char pixels[1024];
  return use_around(program, resource, twin, [&] {
    glGetTextureImage(texture, 0, GL_RGBA, GL_UNSIGNED_BYTE, sizeof pixels, pixels);
  });
}

CUresult copies_a_mapped_buffer(Twin twin) {
  Program program;
  const GLuint buffer = new_buffer(256), other = new_buffer(256);
  const CUgraphicsResource resource = register_buffer(buffer, 0);
  return use_around(program, resource, twin,
                    [&] { glCopyNamedBufferSubData(buffer, other, 0, 0, 256); });
}
