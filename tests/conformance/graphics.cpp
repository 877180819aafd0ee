// SPDX-License-Identifier: Apache-2.0
// The cases of graphics_*.cpp in one program: a driver's answers about OpenGL, EGL and VDPAU
// resources.
#include "graphics.hpp"

int main(int count, char** names) { return conformance::run(count, names); }
