// SPDX-License-Identifier: Apache-2.0
// OpenGL uses what CUDA has mapped, through a binding that the call does not name. The twins leave
// the binding in place and do not use it.
#include <EGL/egl.h>

#include "tests/wrong/misuse.hpp"

namespace {

GLuint link(std::initializer_list<std::pair<GLenum, const char*>> shaders) {
  const GLuint program = glCreateProgram();
  for (const auto& [kind, source] : shaders) {
    const GLuint shader = glCreateShader(kind);
    glShaderSource(shader, 1, &source, nullptr);
    glCompileShader(shader);
    glAttachShader(program, shader);
  }
  glLinkProgram(program);
  GLint linked = 0;
  glGetProgramiv(program, GL_LINK_STATUS, &linked);
  need_gl(linked, "program of shaders that links");
  return program;
}

constexpr const char* nowhere =
    "#version 450\n"
    "void main() { gl_Position = vec4(0, 0, 0, 1); }\n";
constexpr const char* white =
    "#version 450\n"
    "out vec4 result;\n"
    "void main() { result = vec4(1); }\n";

// Prepares to draw into a texture of its own.
void use_vertex_program(const char* vertex) {
  GLuint array = 0;
  glCreateVertexArrays(1, &array);
  glBindVertexArray(array);
  bind_target(new_texture());
  glUseProgram(link({{GL_VERTEX_SHADER, vertex}, {GL_FRAGMENT_SHADER, white}}));
}

// Calls `use` while `resource` is mapped; in the twin `leave`, which does without the resource.
template <typename Use, typename Leave>
CUresult use_while_mapped(Program& program, CUgraphicsResource resource, Twin twin, const Use& use,
                          const Leave& leave) {
  NEED(map(resource, program.stream));
  if (twin == Twin::wrong) {
    use();
  } else {
    leave();
  }
  glFinish();
  const CUresult answer = unmap(resource, program.stream);
  NEED(cuGraphicsUnregisterResource(resource));
  // OpenGL itself refuses some of these uses.
  need_gl(glGetError() == GL_NO_ERROR || twin == Twin::wrong, "use of OpenGL without an error");
  return answer;
}

}  // namespace

CUresult draws_with_mapped_uniforms(Twin twin) {
  Program program;
  const GLuint uniforms = new_buffer(256);
  use_vertex_program(
      "#version 450\n"
      "layout(binding = 2) uniform Places { vec4 place; };\n"
      "void main() { gl_Position = place; }\n");
  const GLuint without = link({{GL_VERTEX_SHADER, nowhere}, {GL_FRAGMENT_SHADER, white}});
  glBindBufferBase(GL_UNIFORM_BUFFER, 2, uniforms);
  return use_while_mapped(
      program, register_buffer(uniforms, 0), twin, [] { glDrawArrays(GL_POINTS, 0, 1); },
      [without] {
        glUseProgram(without);
        glDrawArrays(GL_POINTS, 0, 1);
      });
}

CUresult computes_with_a_mapped_buffer(Twin twin) {
  Program program;
  const GLuint storage = new_buffer(256), other = new_buffer(256);
  glUseProgram(link({{GL_COMPUTE_SHADER,
                      "#version 450\n"
                      "layout(local_size_x = 64) in;\n"
                      "layout(std430, binding = 1) buffer Numbers { uint numbers[]; };\n"
                      "void main() { numbers[gl_LocalInvocationIndex] = 1u; }\n"}}));
  glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, storage);
  return use_while_mapped(
      program, register_buffer(storage, 0), twin, [] { glDispatchCompute(1, 1, 1); },
      [other] {
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, other);
        glDispatchCompute(1, 1, 1);
      });
}

CUresult stores_into_a_mapped_texture(Twin twin) {
  Program program;
  const GLuint texture = new_texture(), other = new_texture();
  glUseProgram(
      link({{GL_COMPUTE_SHADER,
             "#version 450\n"
             "layout(local_size_x = 16) in;\n"
             "layout(rgba8, binding = 3) writeonly uniform image2D picture;\n"
             "void main() { imageStore(picture, ivec2(gl_LocalInvocationID), vec4(1)); }\n"}}));
  glBindImageTexture(3, texture, 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RGBA8);
  return use_while_mapped(
      program, register_texture(texture), twin, [] { glDispatchCompute(1, 1, 1); },
      [other] {
        glBindImageTexture(3, other, 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RGBA8);
        glDispatchCompute(1, 1, 1);
      });
}

CUresult draws_what_a_mapped_buffer_says(Twin twin) {
  Program program;
  const GLuint commands = new_buffer(256);
  use_vertex_program(nowhere);
  glBindBuffer(GL_DRAW_INDIRECT_BUFFER, commands);
  return use_while_mapped(
      program, register_buffer(commands, 0), twin, [] { glDrawArraysIndirect(GL_POINTS, nullptr); },
      [] { glDrawArrays(GL_POINTS, 0, 1); });
}

CUresult captures_into_a_mapped_buffer(Twin twin) {
  Program program;
  const GLuint captured = new_buffer(256);
  use_vertex_program(
      "#version 450\n"
      "layout(xfb_buffer = 0, xfb_offset = 0, xfb_stride = 16) out vec4 place;\n"
      "void main() { gl_Position = place = vec4(0, 0, 0, 1); }\n");
  glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, captured);
  return use_while_mapped(
      program, register_buffer(captured, 0), twin,
      [] {
        glBeginTransformFeedback(GL_POINTS);
        glDrawArrays(GL_POINTS, 0, 1);
        glEndTransformFeedback();
      },
      [] { glDrawArrays(GL_POINTS, 0, 1); });
}

// Draws with the other attribute; only the wrong program also uses the mapped one.
CUresult draws_beside_a_mapped_buffer(Twin twin) {
  Program program;
  const GLuint mapped = new_buffer(256), other = new_buffer(256);
  use_vertex_program(
      "#version 450\n"
      "layout(location = 0) in vec4 place;\n"
      "layout(location = 1) in vec4 offset;\n"
      "void main() { gl_Position = place + offset; }\n");
  GLint array = 0;
  glGetIntegerv(GL_VERTEX_ARRAY_BINDING, &array);
  const auto vertex_array = static_cast<GLuint>(array);
  for (const GLuint attribute : {0u, 1u}) {
    glVertexArrayVertexBuffer(vertex_array, attribute, attribute ? mapped : other, 0, 16);
    glVertexArrayAttribFormat(vertex_array, attribute, 4, GL_FLOAT, GL_FALSE, 0);
    glVertexArrayAttribBinding(vertex_array, attribute, attribute);
    glEnableVertexArrayAttrib(vertex_array, attribute);
  }
  const auto draw = [] { glDrawArrays(GL_POINTS, 0, 16); };
  return use_while_mapped(program, register_buffer(mapped, 0), twin, draw, [&] {
    glDisableVertexArrayAttrib(vertex_array, 1);
    draw();
  });
}

CUresult reads_pixels_of_a_mapped_texture(Twin twin) {
  Program program;
  const GLuint texture = new_texture();
  bind_target(texture);
  const auto read = [] {
    char pixels[1024];
    glReadPixels(0, 0, 16, 16, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
  };
  return use_while_mapped(program, register_texture(texture), twin, read, [&] {
    bind_target(new_texture());
    read();
  });
}

CUresult blits_from_a_mapped_texture(Twin twin) {
  Program program;
  const GLuint texture = new_texture();
  GLuint framebuffers[2];
  glCreateFramebuffers(2, framebuffers);
  glNamedFramebufferTexture(framebuffers[0], GL_COLOR_ATTACHMENT0, texture, 0);
  glNamedFramebufferTexture(framebuffers[1], GL_COLOR_ATTACHMENT0, new_texture(), 0);
  return use_while_mapped(
      program, register_texture(texture), twin,
      [&] {
        glBlitNamedFramebuffer(framebuffers[0], framebuffers[1], 0, 0, 16, 16, 0, 0, 16, 16,
                               GL_COLOR_BUFFER_BIT, GL_NEAREST);
      },
      [&] { glCheckNamedFramebufferStatus(framebuffers[0], GL_READ_FRAMEBUFFER); });
}

CUresult makes_mipmaps_of_a_mapped_texture(Twin twin) {
  Program program;
  const GLuint texture = new_texture(GL_TEXTURE_2D, GL_RGBA8, 5, 1), other = new_texture();
  return use_while_mapped(
      program, register_texture(texture), twin, [&] { glGenerateTextureMipmap(texture); },
      [&] { glGenerateTextureMipmap(other); });
}

// Like programs that get their functions from a loader: GLAD, GLEW, GLFW.
CUresult draws_by_a_loaded_function(Twin twin) {
  Program program;
  const GLuint vertices = new_buffer(256);
  use_vertex_program(
      "#version 450\n"
      "layout(location = 0) in vec4 place;\n"
      "void main() { gl_Position = place; }\n");
  GLint array = 0;
  glGetIntegerv(GL_VERTEX_ARRAY_BINDING, &array);
  glVertexArrayVertexBuffer(static_cast<GLuint>(array), 0, vertices, 0, 16);
  glVertexArrayAttribFormat(static_cast<GLuint>(array), 0, 4, GL_FLOAT, GL_FALSE, 0);
  glEnableVertexArrayAttrib(static_cast<GLuint>(array), 0);
  const auto draw =
      reinterpret_cast<PFNGLDRAWARRAYSINSTANCEDPROC>(eglGetProcAddress("glDrawArraysInstanced"));
  need_gl(draw, "glDrawArraysInstanced");
  return use_while_mapped(
      program, register_buffer(vertices, 0), twin, [draw] { draw(GL_POINTS, 0, 16, 2); },
      [&] {
        glDisableVertexArrayAttrib(static_cast<GLuint>(array), 0);
        draw(GL_POINTS, 0, 16, 2);
      });
}
