// SPDX-License-Identifier: Apache-2.0
// Contains no tests: the program exists only to precompile its headers (CMakeLists.txt).
