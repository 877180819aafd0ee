// SPDX-License-Identifier: Apache-2.0
// `cuvette run` with programs that use an OpenGL resource while CUDA has it mapped: they are
// reported, and the same programs done right are not.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const fs::path programs = CUVETTE_GL_WATCH_PROGRAMS;
constexpr const char used[] = "graphics-used-while-mapped";
constexpr const char changed[] = "graphics-storage-changed";

struct Outcome {
  int status;
  std::vector<Json> reports;
};

// Runs `line` under the command with these options and returns the reports.
Outcome run(const std::string& line, const std::string& options = "") {
  const fs::path file = fs::path(testing::TempDir()) / ("gl-watch-" + std::to_string(getpid()));
  fs::remove(file);
  const std::string whole = "'" CUVETTE_COMMAND "' run --report='" + file.string() + "' " +
                            options + " -- " + line + " 2>'" + file.string() + ".err'";
  const int status = std::system(whole.c_str());
  Outcome outcome{WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status), {}};
  std::ifstream reports(file);
  for (std::string text; std::getline(reports, text);) outcome.reports.push_back(Json::parse(text));
  if (outcome.status != 0) {
    std::ifstream errors(file.string() + ".err");
    ADD_FAILURE() << line << " ended with " << outcome.status << ":\n"
                  << std::string(std::istreambuf_iterator<char>(errors), {});
  }
  fs::remove(file);
  fs::remove(file.string() + ".err");
  return outcome;
}

std::string sentences(const Outcome& outcome) {
  std::string text;
  for (const Json& report : outcome.reports)
    text +=
        report["report"].get<std::string>() + ": " + report["sentence"].get<std::string>() + "\n";
  return text;
}

// The report that a case of gl_watch_linked causes if it is done wrong: its kind, and words that
// its sentence contains.
struct Expected {
  const char* report;
  std::string words;
};
struct Misuse {
  const char* name;
  std::vector<Expected> expected;
};

// Such as "is used by glDrawArrays as vertex attribute 2 while".
Expected use(const std::string& function, const std::string& as, const std::string& others = "") {
  return {used, "is used by " + function + (as.empty() ? "" : " as " + as) +
                    " while CUDA has it mapped" + others +
                    ". Graphics must not access a resource while CUDA has it mapped."};
}
std::vector<Expected> uses(const std::vector<const char*>& functions, const std::string& as) {
  std::vector<Expected> all;
  for (const char* function : functions) all.push_back(use(function, as));
  return all;
}
Expected change(const std::string& how) { return {changed, how}; }

void PrintTo(const Misuse& misuse, std::ostream* out) { *out << misuse.name; }

class Linked : public testing::TestWithParam<Misuse> {
 protected:
  void SetUp() override {
    if (!fs::exists(program)) GTEST_SKIP() << "built without OpenGL";
  }
  const std::string program = programs / "gl_watch_linked";
};

TEST_P(Linked, IsReportedWhereItIsWrong) {
  const Misuse& misuse = GetParam();
  const Outcome outcome = run(program + " " + misuse.name + " wrong");
  for (const Expected& one : misuse.expected) {
    const auto found =
        std::count_if(outcome.reports.begin(), outcome.reports.end(), [&](const Json& r) {
          return r["report"] == one.report &&
                 r["sentence"].get<std::string>().find(one.words) != std::string::npos;
        });
    const auto wanted =
        std::count_if(misuse.expected.begin(), misuse.expected.end(),
                      [&](const Expected& other) { return other.words == one.words; });
    EXPECT_EQ(found, wanted) << one.report << ": " << one.words << "\n" << sentences(outcome);
  }
  // No other use is reported; a replaced or deleted resource may be reported again by the unmapping
  // call.
  for (const Json& report : outcome.reports) {
    EXPECT_TRUE(std::any_of(misuse.expected.begin(), misuse.expected.end(),
                            [&](const Expected& one) { return report["report"] == one.report; }))
        << report;
    EXPECT_TRUE(report["facts"].contains("registered at")) << report;
    EXPECT_NE(report["facts"]["found at"].get<std::string>().find("gl_watch_linked+0x"),
              std::string::npos)
        << report;
  }
  if (misuse.expected.empty() || misuse.expected[0].report == used) {
    EXPECT_EQ(outcome.reports.size(), misuse.expected.size()) << sentences(outcome);
  }
}

TEST_P(Linked, IsNotReportedWhereItIsRight) {
  const Outcome outcome = run(program + " " + GetParam().name + " right");
  EXPECT_TRUE(outcome.reports.empty()) << sentences(outcome);
}

const std::string attribute = "vertex attribute 2",
                  drawn = "colour attachment 0 of the draw framebuffer",
                  read_from = "colour attachment 0 of the read framebuffer";

const Misuse draws[] = {
    {"vertices", {use("glDrawArrays", attribute)}},
    {"interleaved", {use("glDrawArrays", "vertex attribute 0 and vertex attribute 2")}},
    {"unread_attribute", {}},
    {"matrix", {use("glDrawArrays", "vertex attribute 6")}},
    {"indices", {use("glDrawElements", "element array buffer")}},
    {"indirect", {use("glDrawArraysIndirect", "draw indirect buffer")}},
    {"draw_count", {use("glMultiDrawArraysIndirectCount", "parameter buffer")}},
    {"every_draw", uses({"glDrawArrays",
                         "glDrawArraysInstanced",
                         "glDrawArraysInstancedBaseInstance",
                         "glMultiDrawArrays",
                         "glDrawArraysIndirect",
                         "glMultiDrawArraysIndirect",
                         "glDrawElements",
                         "glDrawElementsBaseVertex",
                         "glDrawElementsInstanced",
                         "glDrawElementsInstancedBaseVertex",
                         "glDrawElementsInstancedBaseInstance",
                         "glDrawElementsInstancedBaseVertexBaseInstance",
                         "glDrawRangeElements",
                         "glDrawRangeElementsBaseVertex",
                         "glMultiDrawElements",
                         "glMultiDrawElementsBaseVertex",
                         "glDrawElementsIndirect",
                         "glMultiDrawElementsIndirect",
                         "glDrawTransformFeedback",
                         "glDrawTransformFeedbackInstanced",
                         "glDrawTransformFeedbackStream",
                         "glDrawTransformFeedbackStreamInstanced"},
                        attribute)},
    {"client_arrays", {use("glDrawArrays", "color array and texture coordinate array 3")}},
    {"client_arrays_of_shader", {use("glDrawArrays", "normal array")}},
    {"fixed_texture", {use("glBegin", "texture of unit 2")}},
    {"pixels", {use("glDrawPixels", "pixel unpack buffer")}},
    {"display_list", {}},
};

const Misuse shaders[] = {
    {"sampled", {use("glDrawArrays", "sampler 'picture' (texture unit 5)")}},
    {"not_sampled", {}},
    {"sampled_of_array", {use("glDrawArrays", "sampler 'scene.volumes[1]' (texture unit 8)")}},
    {"sampled_by_pipeline", {use("glDrawArrays", "sampler 'picture' (texture unit 0)")}},
    {"buffer_texture", {use("glDrawArrays", "buffer of sampler 'list' (texture unit 0)")}},
    {"uniform_block", {use("glDrawArrays", "uniform block 'Material'")}},
    {"other_uniform_block", {}},
    {"storage_block", {use("glDispatchCompute", "shader storage block 'Particles'")}},
    {"atomic_counter", {use("glDispatchCompute", "atomic counter buffer 1")}},
    {"image_unit", {use("glDispatchCompute", "image 'target' (image unit 3)")}},
    {"indirect_dispatch", {use("glDispatchComputeIndirect", "dispatch indirect buffer")}},
    {"feedback", {use("glDrawArrays", "transform feedback buffer 0")}},
};

std::vector<Expected> both(std::vector<Expected> some, const std::vector<Expected>& others) {
  some.insert(some.end(), others.begin(), others.end());
  return some;
}

const Misuse images[] = {
    {"rendered", {use("glDrawArrays", drawn)}},
    {"rendered_renderbuffer", {use("glDrawArrays", "colour attachment 1 of the draw framebuffer")}},
    {"not_rendered", {}},
    {"cleared", uses({"glClear", "glClearBufferfv", "glClearNamedFramebufferfv"}, drawn)},
    {"blitted",
     {use("glBlitFramebuffer", read_from), use("glBlitNamedFramebuffer", read_from),
      use("glBlitNamedFramebuffer", drawn)}},
    {"read_from", uses({"glReadPixels", "glCopyTexSubImage2D"}, read_from)},
    {"invalidated", uses({"glInvalidateFramebuffer", "glInvalidateNamedFramebufferData"}, drawn)},
    {"read", both(uses({"glGetTexImage", "glGetnTexImage"}, "what is bound to GL_TEXTURE_2D"),
                  uses({"glGetTextureImage", "glGetTextureSubImage"}, ""))},
    {"written",
     both(uses({"glTexSubImage2D", "glGenerateMipmap"}, "what is bound to GL_TEXTURE_2D"),
          uses({"glTextureSubImage2D", "glClearTexImage", "glClearTexSubImage",
                "glGenerateTextureMipmap", "glCopyImageSubData", "glInvalidateTexImage"},
               ""))},
    {"written_face", {use("glTexSubImage2D", "what is bound to GL_TEXTURE_CUBE_MAP")}},
    {"other_texture", {}},
    {"replaced", {change("is given other storage by glTexImage2D while it is registered.")}},
    {"replaced_mapped",
     {change("is given other storage by glTexImage2D while CUDA has it mapped.")}},
    {"made_immutable",
     {change("is given other storage by glTextureStorage2D while it is registered.")}},
    {"replaced_renderbuffer",
     {change("is given other storage by glRenderbufferStorage while it is registered.")}},
    {"deleted_renderbuffer",
     {change("is deleted by glDeleteRenderbuffers while it is registered.")}},
    {"deleted", {change("is deleted by glDeleteTextures while it is registered.")}},
    {"immutable", {}},
};

const Misuse buffers[] = {
    {"named_buffer",
     {use("glNamedBufferSubData", ""), use("glGetNamedBufferSubData", ""),
      use("glCopyNamedBufferSubData", ""), use("glCopyNamedBufferSubData", ""),
      use("glClearNamedBufferData", ""), use("glClearNamedBufferSubData", ""),
      use("glInvalidateBufferData", ""), use("glInvalidateBufferSubData", "")}},
    {"bound_buffer",
     {use("glBufferSubData", "what is bound to GL_ARRAY_BUFFER"),
      use("glGetBufferSubData", "what is bound to GL_UNIFORM_BUFFER"),
      use("glCopyBufferSubData", "what is bound to GL_COPY_READ_BUFFER"),
      use("glClearBufferData", "what is bound to GL_ARRAY_BUFFER"),
      use("glClearBufferSubData", "what is bound to GL_ARRAY_BUFFER")}},
    {"mapped_by_both",
     {use("glMapNamedBufferRange", ""),
      use("glUnmapNamedBuffer", ""),
      {used, "was unmapped by glUnmapBuffer"}}},
    {"packed", {use("glReadPixels", "pixel pack buffer")}},
    {"unpacked", {use("glTexSubImage2D", "pixel unpack buffer")}},
    {"registered_twice", {use("glNamedBufferSubData", "")}},
    {"replaced_buffer", {change("is given other storage by glBufferData while it is registered.")}},
    {"replaced_mapped_buffer",
     {change("is given other storage by glBufferData while CUDA has it mapped.")}},
    {"made_immutable_buffer",
     {change("is given other storage by glNamedBufferStorage while it is registered.")}},
    {"deleted_buffer", {change("is deleted by glDeleteBuffers while it is registered.")}},
};

const std::vector<Expected> ended = {
    change("was deleted with the last OpenGL context that had it, while CUDA had it mapped."),
    {"graphics-not-unregistered", "is never unregistered"}};
const Misuse others[] = {
    {"state_stays",
     {use("glDrawArrays", attribute,
          ", and so is OpenGL 2D texture 1 (16 x 16) as sampler 'pictures[1]' (texture unit 9)")}},
    {"debug_callback", {use("glDrawArrays", attribute), use("glDrawArrays", attribute)}},
    {"other_group", {}},
    {"other_thread", {use("glDrawArrays", attribute)}},
    {"core", {use("glDrawArrays", attribute), use("glClearTexImage", "")}},
    {"gles", {use("glDrawArrays", "vertex attribute 1")}},
    {"context_destroyed", ended},
    {"context_destroyed_while_current", ended},
    {"context_with_survivor", {}},
    {"dlsym_is_itself", {}},
};

const auto name_of = [](const auto& info) { return std::string(info.param.name); };
INSTANTIATE_TEST_SUITE_P(GlWatchDraws, Linked, testing::ValuesIn(draws), name_of);
INSTANTIATE_TEST_SUITE_P(GlWatchShaders, Linked, testing::ValuesIn(shaders), name_of);
INSTANTIATE_TEST_SUITE_P(GlWatchImages, Linked, testing::ValuesIn(images), name_of);
INSTANTIATE_TEST_SUITE_P(GlWatchBuffers, Linked, testing::ValuesIn(buffers), name_of);
INSTANTIATE_TEST_SUITE_P(GlWatchOthers, Linked, testing::ValuesIn(others), name_of);

// --- The ways to a function ---

class GlWatchWays : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!fs::exists(program)) GTEST_SKIP() << "built without " << GetParam();
  }
  const std::string program = programs / ("gl_watch_" + std::string(GetParam()));
};

TEST_P(GlWatchWays, AllAreSeen) {
  const Outcome outcome = run(program + " wrong");
  const std::string text = sentences(outcome);
  EXPECT_EQ(outcome.reports.size(), 2u) << text;
  for (const char* function : {"glDrawArrays", "glDrawArraysInstanced"})
    EXPECT_NE(text.find(use(function, "vertex attribute 0").words), std::string::npos) << text;
}

TEST_P(GlWatchWays, AreSilentWhereItIsRight) {
  const Outcome outcome = run(program + " right");
  EXPECT_TRUE(outcome.reports.empty()) << sentences(outcome);
}

TEST_P(GlWatchWays, AreNotSeenWithoutTheLibrary) {
  const Outcome outcome = run(program + " wrong", "--no-watch-gl");
  EXPECT_TRUE(outcome.reports.empty()) << sentences(outcome);
}

INSTANTIATE_TEST_SUITE_P(, GlWatchWays,
                         testing::Values("egl", "handle", "default", "plugin", "glx", "glfw",
                                         "sdl"),
                         [](const auto& info) { return std::string(info.param); });

// --- The command ---

// Returns what `sh` prints under the command.
std::string output(const std::string& before, const std::string& options, const std::string& line) {
  const std::string whole =
      before + " '" CUVETTE_COMMAND "' run --quiet " + options + " -- sh -c '" + line + "' 2>&1";
  FILE* pipe = popen(whole.c_str(), "r");
  std::string text;
  char buffer[4096];
  while (size_t count = fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, count);
  pclose(pipe);
  return text;
}

constexpr char library[] = CUVETTE_LIBRARY "/libcuvette_gl.so";
constexpr char other_libraries[] =
    CUVETTE_LIBRARY "/preload/libnvJitLink.so.13:" CUVETTE_LIBRARY
                    "/preload/libnvJitLink.so.12:" CUVETTE_LIBRARY "/libcuvette_run.so";

TEST(CuvetteRun, WatchesBehindWhatTheUserPreloads) {
  if (CUVETTE_SANITIZED) GTEST_SKIP() << "a sanitizer wants to be in front of what is preloaded";
  const std::string show = "echo $LD_PRELOAD", rest = std::string(":") + other_libraries + "\n";
  EXPECT_EQ(output("LD_PRELOAD=", "", show), library + rest);
  EXPECT_EQ(output("LD_PRELOAD=libm.so.6:libdl.so.2", "", show),
            "libm.so.6:libdl.so.2:" + (library + rest));
  EXPECT_EQ(output("LD_PRELOAD=libm.so.6", "--no-watch-gl", show), "libm.so.6" + rest);
  EXPECT_EQ(output("unset LD_PRELOAD;", "--no-watch-gl", show), rest.substr(1));
}

TEST(CuvetteRun, LetsSanitizersStartBehindTheWatch) {
  const std::string show = "echo $ASAN_OPTIONS";
  EXPECT_EQ(output("ASAN_OPTIONS=", "", show), "verify_asan_link_order=0\n");
  EXPECT_EQ(output("ASAN_OPTIONS=color=never", "", show), "color=never:verify_asan_link_order=0\n");
  EXPECT_EQ(output("ASAN_OPTIONS=verify_asan_link_order=1", "", show),
            "verify_asan_link_order=1\n");
  EXPECT_EQ(output("ASAN_OPTIONS=color=never", "--no-watch-gl", show),
            "color=never:verify_asan_link_order=0\n");
}

}  // namespace
