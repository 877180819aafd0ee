// SPDX-License-Identifier: Apache-2.0
// No tests: the program exists for the headers that it precompiles (CMakeLists.txt).
