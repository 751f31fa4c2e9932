// SPDX-License-Identifier: BSD-3-Clause
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/picture.hpp"
#include "pathline/analysis.hpp"

namespace pathline {
namespace {

using testing::HasSubstr;

/// A file that goes with the test.
class File {
 public:
  File(const std::string& name, const std::string& text)
      : path_(std::filesystem::temp_directory_path() /
              ("pathline-facade-" + std::to_string(::getpid()) + name)) {
    std::ofstream(path_) << text;
  }
  ~File() { std::filesystem::remove(path_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

TEST(Run, TellsWhatTheCommandsPrint) {
  const File file(".csv",
                  "sender,receiver,send_s,recv_s,bytes,tag\n"
                  "2,0,1.5,2.0,100,7\n0,1,1.0,1.25,8,3\n2,0,1.75,3.0,28,7\n");
  std::string error;
  const auto run = Run::open(file.path(), error);
  ASSERT_NE(run, nullptr) << error;
  EXPECT_EQ(error, "");
  EXPECT_EQ(run->rank_count(), 3U);
  EXPECT_DOUBLE_EQ(run->duration_s(), 3.0);
  const auto messages = run->messages();
  ASSERT_EQ(messages.size(), 3U);
  EXPECT_EQ(messages[0].sender, 0U);
  EXPECT_EQ(messages[0].receiver, 1U);
  EXPECT_DOUBLE_EQ(messages[1].send_s, 1.5);
  EXPECT_DOUBLE_EQ(messages[1].recv_s, 2.0);
  EXPECT_EQ(messages[2].bytes, 28U);
  EXPECT_EQ(messages[2].tag, 7U);
  const auto pairs = run->matrix();
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[0].sender, 0U);
  EXPECT_EQ(pairs[0].receiver, 1U);
  EXPECT_EQ(pairs[0].messages, 1U);
  EXPECT_EQ(pairs[1].sender, 2U);
  EXPECT_EQ(pairs[1].messages, 2U);
  EXPECT_EQ(pairs[1].bytes, 128U);
}

TEST(Run, SaysWhyItCannotBeRead) {
  std::string error;
  EXPECT_EQ(Run::open("/nowhere/traces.otf2", error), nullptr);
  EXPECT_THAT(error, HasSubstr("/nowhere/traces.otf2"));
  EXPECT_EQ(error.find('\n'), std::string::npos);
}

TEST(ParseFigureKind, KnowsItsKindsAndListsThemOtherwise) {
  EXPECT_EQ(app::parse_figure_kind("timeline").value(), app::FigureKind::kTimeline);
  EXPECT_EQ(app::parse_figure_kind("matrix").value(), app::FigureKind::kMatrix);
  EXPECT_EQ(app::parse_figure_kind("chord").value(), app::FigureKind::kChord);
  EXPECT_EQ(app::parse_figure_kind("flow").value(), app::FigureKind::kFlow);
  EXPECT_EQ(app::parse_figure_kind("profile").value(), app::FigureKind::kProfile);
  const auto unknown = app::parse_figure_kind("Timeline");
  ASSERT_FALSE(unknown.ok());
  EXPECT_THAT(unknown.error().message, HasSubstr("timeline, matrix, chord, flow, profile"));
}

TEST(WritePicture, ChoosesTheFormatByTheEndOfTheName) {
  base::ThreadPool pool(1);
  layout::Scene scene;
  scene.width_px = scene.height_px = 8;
  scene.title = "A <title> & more";
  const auto written = [&](const File& file) {
    EXPECT_TRUE(app::write_picture(scene, file.path(), pool, nullptr).ok());
    std::ifstream in(file.path(), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  const std::string png = written(File(".svg.png", ""));
  EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  EXPECT_THAT(png, HasSubstr("A <title> & more"));
  const std::string svg = written(File(".png.svg", ""));
  EXPECT_THAT(svg, HasSubstr("<svg "));
  EXPECT_THAT(svg, HasSubstr("A &lt;title&gt; &amp; more"));
  for (const char* name : {"a.gif", "a", "png", "a.PNG.txt"}) {
    const auto status = app::write_picture(scene, name, pool, nullptr);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, base::ErrorCode::kInvalidArgument);
    EXPECT_FALSE(std::filesystem::exists(name));
  }
}

}  // namespace
}  // namespace pathline
