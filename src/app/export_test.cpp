// SPDX-License-Identifier: BSD-3-Clause
#include "app/export.hpp"

#include <bit>
#include <fstream>
#include <limits>
#include <sstream>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/text_file.hpp"
#include "trace/test_trace.hpp"

namespace pathline::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using trace::DefinitionKind;
using trace::EventKind;
using trace::Region;
using trace::TestTrace;
using trace::Trace;

/// A folder that goes with the test.
class Export : public testing::Test {
 protected:
  Export() {
    std::string name = (fs::temp_directory_path() / "pathline-export-XXXXXX").string();
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    folder = name;
  }
  ~Export() override { fs::remove_all(folder); }

  static std::string content(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }
  static std::vector<std::string> rows(const fs::path& path) {
    std::istringstream in(content(path));
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }
  json chrome(const Trace& trace, const trace::Selection& selection = {}) {
    base::Progress progress;
    const auto status = export_chrome(trace, selection, folder / "run.json", progress);
    EXPECT_TRUE(status.ok()) << status.error().message;
    const json parsed = json::parse(content(folder / "run.json"), nullptr, false);
    EXPECT_FALSE(parsed.is_discarded()) << content(folder / "run.json");
    return parsed.is_object() ? parsed.value("traceEvents", json()) : json();
  }
  fs::path csv(const Trace& trace, const trace::Selection& selection = {}) {
    base::Progress progress;
    const auto status = export_csv(trace, selection, folder / "tables", progress);
    EXPECT_TRUE(status.ok()) << status.error().message;
    return folder / "tables";
  }

  fs::path folder;
};

std::vector<json> of_phase(const json& events, const std::string& phase) {
  std::vector<json> found;
  for (const json& event : events) {
    if (event.at("ph") == phase) found.push_back(event);
  }
  return found;
}

/// Two ranks from 1000 ns on, a call in a call, one message.
Trace small_trace() {
  TestTrace test(2);
  const Region main = test.region("main");
  const Region send = test.region("MPI_Send");
  test.on(0).enter(1000, main).enter(3000, send).send(3500, 1, 64, 9).leave(4000, send);
  test.on(0).leave(9000, main);
  test.on(1).enter(2000, main).recv(5250, 0, 64, 9).leave(8000, main);
  return test.finish();
}

using ExportChrome = Export;

TEST_F(ExportChrome, WritesCallsInMicrosecondsSinceTheStart) {
  const json events = chrome(small_trace());
  std::vector<std::string> calls;
  for (const json& call : of_phase(events, "X")) {
    calls.push_back(call.at("name").get<std::string>() + " rank " + call.at("pid").dump() +
                    " from " + call.at("ts").dump() + " for " + call.at("dur").dump());
  }
  EXPECT_THAT(calls, UnorderedElementsAre("main rank 0 from 0.0 for 8.0",
                                          "MPI_Send rank 0 from 2.0 for 1.0",
                                          "main rank 1 from 1.0 for 6.0"));
}

TEST_F(ExportChrome, JoinsTheEndsOfAMessageOnTheThreadsOfTheirCalls) {
  const json events = chrome(small_trace());
  const auto starts = of_phase(events, "s");
  const auto ends = of_phase(events, "f");
  ASSERT_EQ(starts.size(), 1U);
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(starts[0].at("id"), ends[0].at("id"));
  EXPECT_EQ(starts[0].at("cat"), ends[0].at("cat"));
  EXPECT_EQ(starts[0].at("name"), ends[0].at("name"));
  EXPECT_EQ(starts[0].at("pid"), 0);
  EXPECT_EQ(ends[0].at("pid"), 1);
  EXPECT_EQ(starts[0].at("ts"), 2.5);
  EXPECT_EQ(ends[0].at("ts"), 4.25);
  EXPECT_EQ(starts[0].at("args"), json({{"bytes", 64}, {"tag", 9}}));
  for (const json& call : of_phase(events, "X")) {
    EXPECT_EQ(call.at("tid"), (call.at("pid") == 0 ? starts : ends)[0].at("tid"));
  }
}

TEST_F(ExportChrome, EscapesNamesAndStaysReadableWhateverTheyHold) {
  TestTrace test(1);
  const std::vector<std::string> names = {"operator\"\"_s",
                                          "C:\\run\\main",
                                          "a/b</script>",
                                          "läuft",
                                          "tab\tend\n",
                                          "\xff\xfe",
                                          "",
                                          "\x01"};
  uint64_t now = 0;
  for (const std::string& name : names) {
    const Region region = test.region(name);
    test.on(0).enter(now, region).leave(now + 10, region);
    now += 10;
  }
  std::vector<std::string> found;
  for (const json& call : of_phase(chrome(test.finish()), "X")) {
    found.push_back(call.at("name").get<std::string>());
  }
  const std::string unknown = "\xef\xbf\xbd";
  EXPECT_THAT(found,
              ElementsAre(names[0], names[1], names[2], names[3], "tab" + unknown + "end" + unknown,
                          unknown + unknown, "", unknown));
}

TEST_F(ExportChrome, NamesProcessesAndThreads) {
  TestTrace test(2, 2);
  std::vector<std::string> names;
  for (const json& name : of_phase(chrome(test.finish()), "M")) {
    names.push_back(name.at("name").get<std::string>() + ' ' + name.at("pid").dump() + ' ' +
                    name.at("args").at("name").get<std::string>());
  }
  EXPECT_THAT(names, UnorderedElementsAre("process_name 0 rank 0", "thread_name 0 thread 0",
                                          "process_name 0 rank 0", "thread_name 0 thread 1",
                                          "process_name 1 rank 1", "thread_name 1 thread 0",
                                          "process_name 1 rank 1", "thread_name 1 thread 1"));
}

TEST_F(ExportChrome, WritesMetricsByTheirTypeAndLeavesOutWhatIsNoNumber) {
  TestTrace test(1);
  test.define(DefinitionKind::kMetricMember,
              {31, test.text("cache \"L1\""), test.text(""), 0, 0, 6, 10, 0, 0, test.text("#")});
  test.define(DefinitionKind::kMetricClass, {32, 1, 31, 0, 0});
  const auto add = [&](uint64_t ticks, uint32_t type, uint64_t bits) {
    test.on(0).add(EventKind::kMetric, ticks,
                   {32, 1, type, static_cast<uint32_t>(bits), static_cast<uint32_t>(bits >> 32U)});
  };
  constexpr uint32_t kUnsigned = 4;
  constexpr uint32_t kSigned = 8;
  constexpr uint32_t kDouble = 10;
  add(0, kUnsigned, 5'000'000'000);
  add(1000, kSigned, static_cast<uint64_t>(int64_t{-7}));
  add(2000, kDouble, std::bit_cast<uint64_t>(0.125));
  add(3000, kDouble, std::bit_cast<uint64_t>(std::numeric_limits<double>::quiet_NaN()));
  add(4000, kDouble, std::bit_cast<uint64_t>(std::numeric_limits<double>::infinity()));
  add(5000, kDouble, std::bit_cast<uint64_t>(1e300));
  std::vector<double> values;
  std::vector<double> times;
  for (const json& counter : of_phase(chrome(test.finish()), "C")) {
    EXPECT_EQ(counter.at("name"), "cache \"L1\" (0)");
    values.push_back(counter.at("args").at("value").get<double>());
    times.push_back(counter.at("ts").get<double>());
  }
  EXPECT_THAT(values, ElementsAre(5e9, -7, 0.125, 1e300));
  EXPECT_THAT(times, ElementsAre(0, 1, 2, 5));
}

TEST_F(ExportChrome, WritesTheSelectionOnly) {
  const Trace trace = small_trace();
  trace::Selection selection;
  selection.ranks = {false, true};
  const json one_rank = chrome(trace, selection);
  for (const char* phase : {"X", "M"}) {
    for (const json& event : of_phase(one_rank, phase)) EXPECT_EQ(event.at("pid"), 1) << event;
  }
  EXPECT_EQ(of_phase(one_rank, "X").size(), 1U);
  EXPECT_EQ(of_phase(one_rank, "s").size(), 1U);  // Of rank 0, but to rank 1.

  selection = {};
  selection.from_ticks = 4001;
  const json late = chrome(trace, selection);
  EXPECT_EQ(of_phase(late, "X").size(), 2U);  // Both calls of main reach into it.
  EXPECT_THAT(of_phase(late, "s"), IsEmpty());
}

TEST_F(ExportChrome, OfNothingIsAnEmptyList) { EXPECT_EQ(chrome(Trace{}), json::array()); }

using ExportCsv = Export;

TEST_F(ExportCsv, WritesFiveTables) {
  const fs::path tables = csv(small_trace());
  EXPECT_THAT(rows(tables / "locations.csv"),
              ElementsAre("location,name,type,rank,events", "3000,thread 0,cpu_thread,0,5",
                          "3001,thread 0,cpu_thread,1,3"));
  EXPECT_THAT(rows(tables / "regions.csv"),
              ElementsAre("region,name,file,line", "200,main,,0", "201,MPI_Send,,0"));
  EXPECT_THAT(rows(tables / "calls.csv"), ElementsAre("location,region,begin_s,end_s,depth,name",
                                                      "3000,201,0.000002000,0.000003000,1,MPI_Send",
                                                      "3000,200,0.000000000,0.000008000,0,main",
                                                      "3001,200,0.000001000,0.000007000,0,main"));
  EXPECT_THAT(rows(tables / "messages.csv"), ElementsAre("sender,receiver,send_s,recv_s,bytes,tag",
                                                         "0,1,0.000002500,0.000004250,64,9"));
  const auto events = rows(tables / "events.csv");
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[0], "location,time_s,event,fields");
  EXPECT_EQ(events[1], "3000,0.000002500,MpiSend,receiver=1 comm=70 tag=9 bytes=64");
  EXPECT_EQ(events[2], "3001,0.000004250,MpiRecv,sender=0 comm=70 tag=9 bytes=64");
}

TEST_F(ExportCsv, LeavesOutWhatIsNotKnownOrDoesNotApply) {
  constexpr uint32_t kNone = UINT32_MAX;
  TestTrace test(1);
  auto& on = test.on(0);
  on.add(EventKind::kProgramEnd, 1, {0, 0x80000000});  // INT64_MIN.
  on.add(EventKind::kProgramEnd, 2, {kNone, kNone});   // -1.
  for (const uint32_t root : {3U, kNone, kNone - 1, kNone - 2}) {
    on.add(EventKind::kMpiCollectiveEnd, 3, {1, TestTrace::kWorld, root, 8, 0, kNone, kNone});
  }
  // What a program recorded itself has no value that means anything else.
  on.add(EventKind::kParameterUnsignedInt, 4, {5, kNone, kNone});
  on.add(EventKind::kParameterInt, 5, {5, 0, 0x80000000});
  on.add(EventKind::kCallingContextEnter, 6, {99, kNone})
      .add(EventKind::kCallingContextLeave, 7, {99});
  Trace trace = test.finish();
  const fs::path tables = csv(trace);
  std::vector<std::string> fields;
  for (const std::string& row : rows(tables / "events.csv")) {
    fields.push_back(row.substr(row.rfind(',') + 1));
  }
  EXPECT_THAT(fields,
              ElementsAre("fields", "exit_status=", "exit_status=-1",
                          "operation=1 comm=70 root=3 bytes_sent=8 bytes_received=",
                          "operation=1 comm=70 root= bytes_sent=8 bytes_received=",
                          "operation=1 comm=70 root=self bytes_sent=8 bytes_received=",
                          "operation=1 comm=70 root=this_group bytes_sent=8 bytes_received=",
                          "parameter=5 value=18446744073709551615",
                          "parameter=5 value=-9223372036854775808",
                          "calling_context=99 unwind_distance=", "calling_context=99"));
  EXPECT_THAT(rows(tables / "calls.csv"), ElementsAre("location,region,begin_s,end_s,depth,name",
                                                      "3000,,0.000000005,0.000000006,0,"));
}

TEST_F(ExportCsv, NamesTheTypesOfLocations) {
  TestTrace test(1, 4);
  Trace trace = test.finish();
  trace.locations[1].type = trace::LocationType::kAcceleratorStream;
  trace.locations[2].type = trace::LocationType::kMetric;
  trace.locations[3].type = trace::LocationType::kUnknown;
  EXPECT_THAT(rows(csv(trace) / "locations.csv"),
              ElementsAre("location,name,type,rank,events", "3000,thread 0,cpu_thread,0,0",
                          "3001,thread 1,accelerator_stream,0,0", "3002,thread 2,metric,0,0",
                          "3003,thread 3,unknown,0,0"));
}

TEST_F(ExportCsv, QuotesNamesWithCommasQuotesAndLineEnds) {
  TestTrace test(1);
  test.region("f(int, char)");
  test.region("operator\"\"_s");
  test.region("=cmd|' /C calc'!A0");
  test.region("two\nlines");
  test.define(DefinitionKind::kRegion, {900, test.text("g"), trace::kUndefined, trace::kUndefined,
                                        0, 1, 0, test.text("a, \"b\".c"), 42, 50});
  const auto regions = rows(csv(test.finish()) / "regions.csv");
  EXPECT_THAT(regions, ElementsAre("region,name,file,line", "200,\"f(int, char)\",,0",
                                   "201,\"operator\"\"\"\"_s\",,0", "202,=cmd|' /C calc'!A0,,0",
                                   "203,two\xef\xbf\xbdlines,,0", "900,g,\"a, \"\"b\"\".c\",42"));
}

TEST_F(ExportCsv, WritesTheSelectionOnly) {
  const Trace trace = small_trace();
  trace::Selection selection;
  selection.ranks = {true, false};
  selection.until_ticks = 3500;
  const fs::path tables = csv(trace, selection);
  EXPECT_EQ(rows(tables / "locations.csv").size(), 2U);
  EXPECT_EQ(rows(tables / "calls.csv").size(), 3U);
  EXPECT_EQ(rows(tables / "messages.csv").size(), 1U);  // Sent at 3500, which is outside.
  EXPECT_EQ(rows(tables / "events.csv").size(), 1U);
}

TEST_F(ExportCsv, NamesTheFolderThatCannotBeMade) {
  std::ofstream(folder / "file") << "text";
  base::Progress progress;
  const auto status = export_csv(small_trace(), {}, folder / "file", progress);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, base::ErrorCode::kIo);
  EXPECT_THAT(status.error().message, HasSubstr((folder / "file").string()));
}

using TextFileTest = Export;

TEST_F(TextFileTest, IsThereAsAWholeOrNotAtAll) {
  const fs::path path = folder / "file";
  std::ofstream(path) << "old";
  {
    TextFile file(path);
    file.print("{}", std::string(200'000, 'x'));
    EXPECT_TRUE(file.flush().ok());
    EXPECT_EQ(content(path), "old");
  }
  EXPECT_EQ(content(path), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1);  // Nothing left beside it.
  TextFile file(path);
  std::string expected;
  for (int i = 0; i < 30'000; ++i) {
    file.print("{},{}\n", i, i * i);
    expected += std::to_string(i) + ',' + std::to_string(int64_t{i} * i) + '\n';
  }
  ASSERT_TRUE(file.close().ok());
  EXPECT_EQ(content(path), expected);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1);
}

TEST_F(TextFileTest, TellsTheFirstFailureAndTheName) {
  TextFile nowhere(folder / "no" / "file");
  nowhere.print("text");
  EXPECT_FALSE(nowhere.flush().ok());
  const auto status = nowhere.close();
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr((folder / "no" / "file").string()));
  EXPECT_THAT(status.error().message, HasSubstr("No such file"));
  TextFile full("/dev/full");
  full.print("text");
  EXPECT_FALSE(full.close().ok());
}

}  // namespace
}  // namespace pathline::app
