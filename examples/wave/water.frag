// SPDX-License-Identifier: Apache-2.0
// Water in a tiled basin, seen from above, with the sun in the upper left.
//
// The image holds nothing but heights, so all that is seen follows from how they differ: a slope
// shifts the floor that is seen through it and mirrors the sky, and a bulge is a lens that gathers
// the sun's light on the floor.
#version 450
#extension GL_EXT_samplerless_texture_functions : require

layout(set = 0, binding = 0) uniform texture2D heights;
layout(location = 0) out vec4 result;

// Lengths below are those of a picture of 270 rows, times this.
ivec2 size = textureSize(heights, 0);
float unit = float(size.y) / 270;

float height(ivec2 cell) { return texelFetch(heights, clamp(cell, ivec2(0), size - 1), 0).r; }

// CUDA writes 100 where there is stone (Basin::stone).
bool is_stone(ivec2 cell) { return height(cell) >= 50; }

// A number from 0 to 1 for each place, without any order.
float grain(ivec2 place) {
  uint bits = uint(place.x) * 0x9e3779b1u ^ uint(place.y) * 0x85ebca6bu;
  bits = (bits ^ bits >> 15) * 0x2c1b3c6du;
  return float(bits >> 16 & 255u) / 255;
}

// Edges that face the sun are bright, those that do not are dark.
vec3 stone(ivec2 cell) {
  ivec2 edge = ivec2(max(1, size.y / 135));
  float bright = is_stone(cell - edge) ? 0 : 1, dark = is_stone(cell + edge) ? 0 : 1;
  return vec3(0.50, 0.42, 0.33) * (0.92 + 0.12 * grain(cell) + 0.35 * bright - 0.3 * dark);
}

// Tiles of different tones with a joint around each.
vec3 ground(vec2 place) {
  vec2 tiles = place / (27 * unit), first = floor(tiles);
  vec2 from_edge = 0.5 - abs(tiles - first - 0.5);
  float inside = smoothstep(0.02, 0.06, min(from_edge.x, from_edge.y));
  vec3 tile = mix(vec3(0.012, 0.19, 0.30), vec3(0.022, 0.27, 0.38), grain(ivec2(first)));
  return mix(vec3(0.10, 0.38, 0.44), tile, inside);
}

// How much of the way to the sun is stone.
float shadow(ivec2 cell) {
  int far = max(1, size.y / 180);
  float sum = 0;
  for (int i = 1; i <= 6; ++i) sum += is_stone(cell - i * far) ? 1 : 0;
  return sum / 6;
}

// Stone mirrors the water, here as where it moves.
float beside(ivec2 cell, float here) {
  float there = height(cell);
  return there >= 50 ? here : there;
}

vec3 water(ivec2 cell) {
  float here = height(cell);
  float left = beside(cell - ivec2(1, 0), here), right = beside(cell + ivec2(1, 0), here);
  float above = beside(cell - ivec2(0, 1), here), below = beside(cell + ivec2(0, 1), here);
  vec2 slope = vec2(right - left, below - above) * 0.5 * unit;
  float bend = (left + right + above + below - 4 * here) * unit * unit;
  float to_sun = -dot(slope, vec2(0.63, 0.77)), in_shadow = shadow(cell);

  vec3 seen = ground(vec2(cell) + 0.5 + slope * (90 * unit));
  float gathered = exp2(clamp(-12 * bend, -1.5, 1.6)) * (1 - 0.6 * in_shadow);
  seen *= (0.25 + 0.75 * gathered) * exp2(clamp(3 * to_sun, -1.2, 0.5));
  seen = mix(seen, vec3(0.62, 0.80, 0.95), clamp(0.03 + 2.2 * to_sun, 0.0, 0.5));

  vec3 normal = normalize(vec3(-4 * slope, 1));
  float gloss = pow(max(dot(normal, normalize(vec3(-0.45, -0.55, 1.6))), 0.0), 160);
  return seen + vec3(1.0, 0.93, 0.78) * (0.9 * gloss * (1 - in_shadow));
}

void main() {
  ivec2 cell = ivec2(gl_FragCoord.xy);
  vec3 light = is_stone(cell) ? stone(cell) : water(cell);
  // Screens want brightness encoded.
  result = vec4(pow(clamp(light, 0.0, 1.0), vec3(1 / 2.2)), 1);
}
