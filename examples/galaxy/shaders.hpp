// SPDX-License-Identifier: Apache-2.0
// The programs that run in OpenGL. `lens` is the camera's distance, zoom, aspect ratio and scale.
#pragma once

namespace galaxy::shaders {

// A star becomes a point; one without a size yet gives no light.
inline constexpr const char* star = R"(#version 450
layout(location = 0) in vec4 vertex;  // place and size
layout(location = 1) in vec4 colour;  // and brightness
uniform vec3 right, up, towards;
uniform vec4 lens;
uniform float brightness;
out vec3 light;
void main() {
  float depth = lens.x - dot(towards, vertex.xyz);
  vec2 place = vec2(dot(right, vertex.xyz) / lens.z, dot(up, vertex.xyz)) * lens.y / depth;
  gl_Position = vec4(place, 0, 1);
  gl_PointSize = max(vertex.w * lens.w, 1);
  light = vertex.w == 0 ? vec3(0) : colour.rgb * colour.a * brightness;
})";

// Brightest in the middle, dark at the edge.
inline constexpr const char* point = R"(#version 450
in vec3 light;
out vec4 result;
void main() {
  vec2 from_centre = gl_PointCoord * 2 - 1;
  float inside = max(0, 1 - dot(from_centre, from_centre));
  result = vec4(light * inside * inside, 0);
})";

// The disc's square in space, in perspective.
inline constexpr const char* disc = R"(#version 450
uniform vec3 right, up, towards;
uniform vec4 lens;
out vec2 cell;
void main() {
  cell = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  vec3 place = vec3((cell * 2 - 1) * 1.5, 0);
  float depth = lens.x - dot(towards, place);
  gl_Position = vec4(vec2(dot(right, place) / lens.z, dot(up, place)) * lens.y, 0, depth);
})";

// Old light is golden and young light is blue.
inline constexpr const char* glow = R"(#version 450
layout(binding = 0) uniform sampler2D cells;
in vec2 cell;
out vec4 result;
void main() {
  vec2 light = texture(cells, cell).rg;
  result = vec4(light.r * vec3(0.0045, 0.0029, 0.0016) + light.g * vec3(0.0007, 0.0011, 0.0034), 0);
})";

// One triangle that covers the whole picture.
inline constexpr const char* screen = R"(#version 450
void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4 - 1;
  gl_Position = vec4(corner, 0, 1);
})";

// Tone mapping: any amount of light becomes a colour that a screen can show, and is encoded for it.
inline constexpr const char* develop = R"(#version 450
layout(binding = 0) uniform sampler2D lights;
out vec4 result;
void main() {
  vec3 light = texelFetch(lights, ivec2(gl_FragCoord.xy), 0).rgb;
  result = vec4(pow(1 - exp(-1.6 * light), vec3(1 / 2.2)), 1);
})";

}  // namespace galaxy::shaders
