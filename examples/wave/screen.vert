// SPDX-License-Identifier: Apache-2.0
// One triangle that covers the whole picture; no vertices are needed for it.
#version 450

void main() {
  vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4 - 1;
  gl_Position = vec4(corner, 0, 1);
}
