// SPDX-License-Identifier: Apache-2.0
// EglContext: an OpenGL or OpenGL ES context without any window system: on the GPU of CUDA's device
// 0 where there is one, else on Mesa's surfaceless platform.
#pragma once

#include "tests/api/driver/interop/gl/gl_context.hpp"

class EglContext final : public GlContext {
 public:
  enum class Api { core, compatibility, gles };  // 4.5, 4.5 with all that is old, 3.0

  // Shares with nobody; current nowhere.
  explicit EglContext(Api api);
  ~EglContext() override;

  void make_current() override;
  void release() override;
  bool is_current() const override;
  std::unique_ptr<GlContext> shared() override;

 private:
  EglContext(Api api, void* context);

  const Api api_;
  void* const context_;  // an EGLContext
};
