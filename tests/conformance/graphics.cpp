// SPDX-License-Identifier: Apache-2.0
// The cases of graphics_*.cpp in one program: what a driver answers about resources of OpenGL, EGL
// and VDPAU.
#include "graphics.hpp"

int main(int count, char** names) { return conformance::run(count, names); }
