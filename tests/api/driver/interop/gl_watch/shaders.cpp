// SPDX-License-Identifier: Apache-2.0
// Shaders that read and write mapped buffers and textures.
#include "tests/api/driver/interop/gl_watch/misuse.hpp"

namespace {

void draw() { glDrawArrays(GL_TRIANGLES, 0, 3); }

// Sets up a draw with `source` as the fragment shader.
GLuint set_fragments(const char* source) {
  set_draw(new_buffer());
  return use_program({{GL_VERTEX_SHADER, no_attributes}, {GL_FRAGMENT_SHADER, source}});
}

GLuint set_compute(const char* source) { return use_program({{GL_COMPUTE_SHADER, source}}); }

constexpr const char sampling[] = R"(#version 330
uniform sampler2D picture;
out vec4 colour;
void main() { colour = texture(picture, vec2(0)); })";

void sampled(bool wrong) {
  const GLuint texture = new_texture();
  const GLuint program = set_fragments(sampling);
  glUniform1i(glGetUniformLocation(program, "picture"), 5);
  glBindTextureUnit(5, texture);
  with_mapped(image_resource(texture, GL_TEXTURE_2D), wrong, draw);
}

// The texture is bound, but to a unit or target that no sampler of the program reads.
void not_sampled(bool) {
  const GLuint texture = new_texture(), cube = new_texture(GL_TEXTURE_CUBE_MAP);
  const GLuint program = set_fragments(sampling);
  glUniform1i(glGetUniformLocation(program, "picture"), 5);
  glBindTextureUnit(4, texture);
  glBindTextureUnit(5, cube);
  with_mapped(image_resource(texture, GL_TEXTURE_2D), true, draw);
  with_mapped(image_resource(cube, GL_TEXTURE_CUBE_MAP), true, draw);
}

void sampled_of_array(bool wrong) {
  const GLuint texture = new_texture(GL_TEXTURE_3D, GL_R32UI);
  const GLuint program = set_fragments(R"(#version 400
uniform struct { usampler3D volumes[3]; } scene;
uniform int which;
out vec4 colour;
void main() { colour = vec4(texture(scene.volumes[which], vec3(0))); })");
  const GLint units[] = {7, 8, 9};
  glUniform1iv(glGetUniformLocation(program, "scene.volumes"), 3, units);
  glBindTextureUnit(8, texture);
  with_mapped(image_resource(texture, GL_TEXTURE_3D), wrong, draw);
}

void sampled_by_pipeline(bool wrong) {
  const GLuint texture = new_texture();
  set_draw(new_buffer());
  glUseProgram(0);
  const GLuint vertex = new_program({{GL_VERTEX_SHADER, R"(#version 410
out gl_PerVertex { vec4 gl_Position; };
void main() { gl_Position = vec4(0); })"}},
                                    true);
  const GLuint fragment = new_program({{GL_FRAGMENT_SHADER, sampling}}, true);
  GLuint pipeline = 0;
  glCreateProgramPipelines(1, &pipeline);
  glUseProgramStages(pipeline, GL_VERTEX_SHADER_BIT, vertex);
  glUseProgramStages(pipeline, GL_FRAGMENT_SHADER_BIT, fragment);
  glBindProgramPipeline(pipeline);
  glBindTextureUnit(0, texture);
  with_mapped(image_resource(texture, GL_TEXTURE_2D), wrong, draw);
}

void buffer_texture(bool wrong) {
  const GLuint buffer = new_buffer();
  set_fragments(R"(#version 330
uniform samplerBuffer list;
out vec4 colour;
void main() { colour = texelFetch(list, 0); })");
  GLuint texture = 0;
  glCreateTextures(GL_TEXTURE_BUFFER, 1, &texture);
  glTextureBuffer(texture, GL_RGBA32F, buffer);
  glBindTextureUnit(0, texture);
  with_mapped(buffer_resource(buffer), wrong, draw);
}

void uniform_block(bool wrong) {
  const GLuint buffer = new_buffer();
  const GLuint program = set_fragments(R"(#version 330
layout(std140) uniform Material { vec4 tint; };
out vec4 colour;
void main() { colour = tint; })");
  glUniformBlockBinding(program, glGetUniformBlockIndex(program, "Material"), 3);
  glBindBufferBase(GL_UNIFORM_BUFFER, 3, buffer);
  with_mapped(buffer_resource(buffer), wrong, draw);
}

// The buffer is bound where the program has no block, so it is not read.
void other_uniform_block(bool) {
  const GLuint buffer = new_buffer();
  set_fragments(plain_fragment);
  glBindBufferBase(GL_UNIFORM_BUFFER, 3, buffer);
  glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 3, buffer);
  with_mapped(buffer_resource(buffer), true, draw);
}

void storage_block(bool wrong) {
  const GLuint buffer = new_buffer();
  set_compute(R"(#version 430
layout(local_size_x = 1) in;
layout(std430, binding = 2) buffer Particles { float values[]; };
void main() { values[0] += 1; })");
  glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 2, buffer);
  with_mapped(buffer_resource(buffer), wrong, [] { glDispatchCompute(1, 1, 1); });
}

void atomic_counter(bool wrong) {
  const GLuint buffer = new_buffer();
  set_compute(R"(#version 430
layout(local_size_x = 1) in;
layout(binding = 1) uniform atomic_uint counter;
void main() { atomicCounterIncrement(counter); })");
  glBindBufferBase(GL_ATOMIC_COUNTER_BUFFER, 1, buffer);
  with_mapped(buffer_resource(buffer), wrong, [] { glDispatchCompute(1, 1, 1); });
}

constexpr const char storing[] = R"(#version 430
layout(local_size_x = 1) in;
layout(binding = 3, rgba8) uniform image2D target;
void main() { imageStore(target, ivec2(0), vec4(1)); })";

void image_unit(bool wrong) {
  const GLuint texture = new_texture();
  set_compute(storing);
  glBindImageTexture(3, texture, 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RGBA8);
  with_mapped(image_resource(texture, GL_TEXTURE_2D), wrong, [] { glDispatchCompute(1, 1, 1); });
}

void indirect_dispatch(bool wrong) {
  const GLuint buffer = new_buffer();
  set_compute(storing);
  glBindBuffer(GL_DISPATCH_INDIRECT_BUFFER, buffer);
  with_mapped(buffer_resource(buffer), wrong, [] { glDispatchComputeIndirect(0); });
}

void feedback(bool wrong) {
  const GLuint buffer = new_buffer();
  set_draw(new_buffer());
  glEnable(GL_RASTERIZER_DISCARD);
  glUseProgram(new_program({{GL_VERTEX_SHADER, no_attributes}}, false, {"gl_Position"}));
  glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
  with_mapped(buffer_resource(buffer), wrong, [] {
    glBeginTransformFeedback(GL_TRIANGLES);
    draw();
    glEndTransformFeedback();
  });
}

}  // namespace

const std::vector<Case> shader_cases = {
    {"sampled", sampled},
    {"not_sampled", not_sampled},
    {"sampled_of_array", sampled_of_array},
    {"sampled_by_pipeline", sampled_by_pipeline},
    {"buffer_texture", buffer_texture},
    {"uniform_block", uniform_block},
    {"other_uniform_block", other_uniform_block},
    {"storage_block", storage_block},
    {"atomic_counter", atomic_counter},
    {"image_unit", image_unit},
    {"indirect_dispatch", indirect_dispatch},
    {"feedback", feedback},
};
