// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "campaign/jube.hpp"
#include "campaign/test_jube.hpp"

namespace pathline::campaign {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class JubeRefused : public testing::Test, protected JubeStudies {
 protected:
  /// Of a benchmark whose text begins in line 2.
  std::string of(const std::string& inside) {
    return refused(
        "a.xml", "<jube><benchmark name=\"b\" outpath=\"o\">\n" + inside + "\n</benchmark></jube>");
  }
  /// Of a parameter in line 3.
  std::string of_parameter(const std::string& parameter) {
    return of("<parameterset name=\"p\">\n" + parameter +
              "\n<parameter name=\"n\">1,2</parameter></parameterset>\n"
              "<step name=\"s\"><use>p</use><do>true</do></step>");
  }
  /// Of what stands in a step, in line 3.
  std::string of_step(const std::string& inside, const std::string& attributes = "") {
    return of(
        "<parameterset name=\"p\"><parameter name=\"n\">1,2</parameter></parameterset>\n"
        "<step name=\"s\" " +
        attributes + "><use>p</use>" + inside + "</step>");
  }
  /// Of a result; patterns, analyser and table are in lines 3, 4 and 5.
  std::string of_result(const std::string& pattern, const std::string& analyse,
                        const std::string& column, const std::string& table = "") {
    return of(
        "<step name=\"s\"><do>true</do></step><step name=\"t\"><do>true</do></step>\n"
        "<patternset name=\"q\"><pattern name=\"x\" " +
        pattern + "</pattern></patternset>\n<analyser name=\"a\"><use>q</use>" + analyse +
        "</analyser>\n<result><use>a</use><table name=\"r\" " + table + "><column>" + column +
        "</column></table></result>");
  }
};

TEST_F(JubeRefused, AttributesOfSteps) {
  EXPECT_EQ(of_step("", "work_dir=\"/tmp/x\""),
            "line 3: attribute 'work_dir' of <step> is not supported: each run has a folder of its "
            "own | Change into it in the command.");
  EXPECT_THAT(of_step("", "shared=\"all\""),
              HasSubstr("line 3: attribute 'shared' of <step> is not supported: "));
  EXPECT_THAT(of_step("", "export=\"true\""), HasSubstr("'export' of <step> is not supported"));
  EXPECT_THAT(of_step("", "cycles=\"5\""), HasSubstr("'cycles' of <step> is not supported"));
  EXPECT_EQ(of_step("", "cycles=\"1\" export=\"false\""), "read");
  EXPECT_THAT(of_step("", "do_log_file=\"l\""), HasSubstr("'do_log_file' of <step> is not"));
  EXPECT_THAT(of_step("", "active=\"$n==1\""),
              HasSubstr("line 3: attribute 'active' with $n is not supported"));
  EXPECT_THAT(of_step("", "iterations=\"many\""),
              HasSubstr("line 3: 'iterations' is 'many', expected a whole number"));
  EXPECT_THAT(of_step("", "dependd=\"x\""),
              HasSubstr("line 3: there is no attribute 'dependd' in <step> | Did you mean"));
  EXPECT_THAT(of_step("<dos/>"), HasSubstr("line 3: there is no <dos> in <step>"));
}

TEST_F(JubeRefused, AttributesOfCommands) {
  EXPECT_THAT(
      of_step("<do done_file=\"ready\">sbatch x</do>"),
      HasSubstr("line 3: attribute 'done_file' of <do> is not supported: Pathline waits for "
                "the command itself | Let the command wait (sbatch --wait)"));
  EXPECT_THAT(of_step("<do error_file=\"e\">x</do>"), HasSubstr("'error_file' of <do> is not"));
  EXPECT_THAT(of_step("<do break_file=\"e\">x</do>"), HasSubstr("'break_file' of <do> is not"));
  EXPECT_THAT(of_step("<do shared=\"true\">x</do>"), HasSubstr("'shared' of <do> is not"));
  EXPECT_THAT(of_step("<do>echo $jube_benchmark_id</do>"),
              StartsWith("line 3: $jube_benchmark_id is not supported"));
  EXPECT_THAT(of_step("<do>echo {n}</do>"), StartsWith("line 3: '{n}' is not supported"));
  EXPECT_THAT(of_step("<do>echo $${n}</do>"), StartsWith("line 3: '{n}' is not supported"));
  EXPECT_EQ(of_step("<do>awk '{print $1}' {x}</do>"), "read");
}

TEST_F(JubeRefused, Parameters) {
  for (const char* mode : {"shell", "perl", "env", "tag"}) {
    EXPECT_THAT(
        of_parameter(fmt::format("<parameter name=\"x\" mode=\"{}\">a</parameter>", mode)),
        StartsWith(fmt::format("line 3: mode=\"{}\" of parameter 'x' is not supported", mode)));
  }
  EXPECT_THAT(of_parameter("<parameter name=\"x\" mode=\"python\">f($n)</parameter>"),
              StartsWith("line 3: mode=\"python\" of parameter 'x' is not supported: the function "
                         "f() in 'f(1)' | "));
  EXPECT_THAT(of_parameter("<parameter name=\"x\" mode=\"python\">$x+1</parameter>"),
              StartsWith("line 3: parameter 'x' depends on itself"));
  EXPECT_THAT(of_parameter("<parameter name=\"x\" mode=\"python\">$jube_wp_id+1</parameter>"),
              StartsWith("line 3: $jube_wp_id in parameter 'x' is not supported"));
  EXPECT_THAT(of_parameter("<parameter name=\"x\" export=\"true\">1</parameter>"),
              StartsWith("line 3: attribute 'export' of <parameter> is not supported"));
  EXPECT_THAT(of_parameter("<parameter name=\"x y\">1</parameter>"),
              StartsWith("line 3: 'x y' cannot be the name of a parameter"));
  EXPECT_THAT(of_parameter("<parameter name=\"x\" duplicate=\"error\">1</parameter>"
                           "<parameter name=\"x\" duplicate=\"error\">2</parameter>"),
              StartsWith("line 3: there are two parameters 'x'"));
  EXPECT_THAT(of("<parameterset name=\"p\"><parameter name=\"n\">1</parameter></parameterset>\n"
                 "<parameterset name=\"q\"><parameter name=\"n\">2</parameter></parameterset>\n"
                 "<step name=\"s\"><use>p</use></step><step name=\"t\"><use>q</use></step>"),
              StartsWith("line 3: a second parameter 'n' is not supported"));
  EXPECT_THAT(of("<parameterset name=\"p\"><parameter name=\"n\">$m</parameter></parameterset>\n"
                 "<parameterset name=\"q\"><parameter name=\"m\">2</parameter></parameterset>\n"
                 "<step name=\"s\"><use>p</use></step><step name=\"t\"><use>q</use></step>"),
              StartsWith("line 4: step 's' uses parameter 'n', which is made of 'm'"));
  EXPECT_THAT(of("<parameterset name=\"p\">\n<parameter name=\"x\">$jube_wp_id</parameter>"
                 "</parameterset>\n<step name=\"s\"><use>p</use></step>\n"
                 "<step name=\"t\" depend=\"s\"><do>echo $x</do></step>"),
              StartsWith("line 5: $x in step 't' is not supported: its text is of the run of step "
                         "'s' (update_mode=\"never\" in line 3) | With update_mode=\"step\""));
}

TEST_F(JubeRefused, SetsAndFiles) {
  EXPECT_THAT(of_step("<use>pp</use>"), StartsWith("line 3: there is no set 'pp'"));
  EXPECT_THAT(of_step("<use>p$n</use>"),
              StartsWith("line 3: a parameter in the name of a set is not supported"));
  EXPECT_THAT(of_step("<use from=\"no.xml\">q</use>"),
              StartsWith("line 3: there is no file no.xml"));
  EXPECT_THAT(of("<fileset name=\"f\">\n<copy>*.dat</copy></fileset>"
                 "<step name=\"s\"><use>f</use></step>"),
              StartsWith("line 3: the file '*.dat' is not supported: a pattern of names"));
  EXPECT_THAT(of("<fileset name=\"f\">\n<copy>$$HOME/x</copy></fileset>"
                 "<step name=\"s\"><use>f</use></step>"),
              StartsWith("line 3: the file '$$HOME/x' is not supported: variables"));
  EXPECT_THAT(of("<fileset name=\"f\">\n<copy>a/x,b/x</copy></fileset>"
                 "<step name=\"s\"><use>f</use></step>"),
              StartsWith("line 3: a second file 'x' is not supported"));
  EXPECT_THAT(
      of("<substituteset name=\"f\">\n<iofile in=\"a\" out=\"b\" out_mode=\"a\"/>"
         "<sub source=\"x\" dest=\"y\"/></substituteset><step name=\"s\"><use>f</use></step>"),
      StartsWith("line 3: attribute 'out_mode' of <iofile> is not supported"));
  EXPECT_THAT(of("<fileset name=\"f\"/>\n<fileset name=\"f\"/>"),
              StartsWith("line 3: there are two sets 'f', the other in"));
  EXPECT_THAT(of("<step name=\"a\" iterations=\"2\"/>\n<step name=\"b\" iterations=\"3\"/>"),
              StartsWith("line 3: attribute 'iterations' of 3 is not supported: other steps are"));
  EXPECT_THAT(of("<step name=\"a\" iterations=\"2\"/>\n"
                 "<step name=\"b\" depend=\"a\" iterations=\"2\"/>"),
              StartsWith("line 3: attribute 'iterations' of <step> behind 'a' is not supported"));
  EXPECT_THAT(of("<step name=\"a\"/>\n<step name=\"a\"/>"),
              StartsWith("line 3: there are two steps 'a', the other in"));
  EXPECT_THAT(of("<comment/>"), HasSubstr("there is no step to run"));
  EXPECT_THAT(refused("a.xml", "<jube>\n<include from=\"x.xml\" path=\"y\"/></jube>"),
              StartsWith("line 2: there is no file x.xml"));
  EXPECT_THAT(refused("a.xml", "<jube><include from=\"a.xml\"/></jube>"),
              HasSubstr("files include one another without an end"));
  EXPECT_THAT(refused("a.xml",
                      "<jube><benchmark name=\"b\"><parameterset name=\"p\" "
                      "init_with=\"a.xml\"/></benchmark></jube>"),
              HasSubstr("files include one another without an end"));
  EXPECT_THAT(of("<step name=\"a\" tag=\"(a\"/>"), StartsWith("line 2: the tags '(a' cannot be"));
  EXPECT_THAT(refused("a.yaml", "name: b\nstep:\n  name: s\n  do: !include a.yaml:[\"step\"].x\n"),
              StartsWith("line 4: !include with '.x' is not supported"));
  EXPECT_THAT(refused("a.yaml", "name: b\nsteps:\n  - {name: s}\n"),
              StartsWith("line 3: there is no <steps> in <benchmark>"));
}

TEST_F(JubeRefused, Results) {
  const std::string one = "<analyse step=\"s\"><file>stdout</file></analyse>";
  EXPECT_EQ(of_result(">$jube_pat_int", one, "x"), "read");
  EXPECT_THAT(of_result("mode=\"python\">1", one, "x"),
              StartsWith("line 3: attribute 'mode' of <pattern> is not supported"));
  EXPECT_THAT(of_result("default=\"0\">1", one, "x"),
              StartsWith("line 3: attribute 'default' of <pattern> is not supported"));
  EXPECT_THAT(of_result(">$jube_pat_int $jube_pat_int", one, "x_max"),
              StartsWith("line 3: pattern 'x' with several groups is not supported"));
  EXPECT_EQ(of_result(">$jube_pat_int $jube_pat_int", one, "x"), "read");
  EXPECT_THAT(of_result(">1", "<analyse step=\"s\"><file>a,b</file></analyse>", "x"),
              StartsWith("line 3: pattern 'x' in 2 files is not supported"));
  EXPECT_THAT(of_result(">1", "<analyse step=\"s\"><file>out.*</file></analyse>", "x"),
              StartsWith("line 4: the file 'out.*' is not supported"));
  EXPECT_THAT(of_result(">1", one + "<analyse step=\"t\"/>", "x"),
              StartsWith("line 5: a table of steps that do not come after one another"));
  EXPECT_THAT(of_result(">1", "<analyse step=\"u\"/>", "x"),
              StartsWith("line 4: there is no step 'u'"));
  EXPECT_THAT(of_result(">1", one, "jube_wp_id"),
              StartsWith("line 5: <column>jube_wp_id</column> is not supported"));
  EXPECT_THAT(of_result(">1", one, "xx"),
              StartsWith("line 5: 'xx' is neither a parameter of the steps that are analysed nor a "
                         "pattern"));
  EXPECT_THAT(of_result(">1", one, "x", "transpose=\"true\""),
              StartsWith("line 5: attribute 'transpose' of <table> is not supported"));
  EXPECT_THAT(of_result(">1", one, "x", "filter=\"$x==1\""),
              StartsWith("line 5: attribute 'filter' of <table> is not supported"));
  EXPECT_THAT(of("<step name=\"s\"/>\n<result><use>a</use><database name=\"d\"/></result>"),
              StartsWith("line 3: <database> is not supported"));
  EXPECT_THAT(of("<step name=\"s\"/><analyser name=\"a\"><analyse step=\"s\"/></analyser>\n"
                 "<result><use>a</use><table name=\"d\"/>\n<table name=\"e\"/></result>"),
              StartsWith("line 4: a second <table> is not supported"));
  EXPECT_THAT(of("<step name=\"s\"/><analyser name=\"a\"><analyse step=\"s\"/></analyser>\n"
                 "<result><use>a,b</use><table name=\"d\"/></result>"),
              StartsWith("line 3: a second analyser in a <result> is not supported"));
}

}  // namespace
}  // namespace pathline::campaign
