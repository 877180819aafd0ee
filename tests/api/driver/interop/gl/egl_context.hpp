// SPDX-License-Identifier: Apache-2.0
// EglContext: an OpenGL or OpenGL ES context without a window system: on the GPU of CUDA's device 0
// if there is one, otherwise on Mesa's surfaceless platform.
#pragma once

#include "tests/api/driver/interop/gl/gl_context.hpp"

class EglContext final : public GlContext {
 public:
  enum class Api { core, compatibility, gles };  // 4.5; 4.5 with deprecated parts; ES 3.0

  // Shares with no other context; not current in any thread.
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
