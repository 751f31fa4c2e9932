// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "campaign/jube.hpp"
#include "campaign/plan.hpp"
#include "campaign/test_jube.hpp"

namespace pathline::campaign {
namespace {

using testing::HasSubstr;

class JubeDamaged : public testing::Test, protected JubeStudies {};

constexpr const char* kXml = R"(<?xml version="1.0"?>
<jube><benchmark name="b" outpath="o">
<parameterset name="p"><parameter name="n" mode="python">[1,2][0]</parameter></parameterset>
<fileset name="f"><copy>a</copy></fileset>
<substituteset name="s"><iofile in="a" out="b"/><sub source="x" dest="$n"/></substituteset>
<patternset name="q"><pattern name="t">$jube_pat_fp s</pattern></patternset>
<step name="run" tag="!x"><use>p,f,s</use><do>echo ${n} &amp; true</do></step>
<analyser name="a"><use>q</use><analyse step="run"><file>stdout</file></analyse></analyser>
<result><use>a</use><table name="r" sort="n"><column>n</column><column>t_avg</column></table></result>
</benchmark></jube>
)";
constexpr const char* kYaml = R"(name: b
outpath: o
parameterset: {name: p, parameter: [{name: n, mode: python, _: "[1,2][0]"}, {name: m, _: 1:30}]}
patternset: &q
  name: q
  pattern: {name: t, _: $jube_pat_fp s}
step:
  - {name: run, tag: "!x", use: p, do: ['echo ${n}', 'echo "$m"']}
analyser: {name: a, use: q, analyse: {step: run, file: stdout}}
result: {use: a, table: {name: r, sort: n, column: [n, t_avg]}}
)";

/// Any Result is fine.
void look_at(const std::filesystem::path& file) {
  const auto study = read_study(file, {});
  if (study) (void)plan(study.value());
}

TEST_F(JubeDamaged, CutAnywhereIsNoCrash) {
  for (const auto& [name, whole] :
       {std::pair("a.xml", std::string(kXml)), std::pair("a.yaml", std::string(kYaml))}) {
    ASSERT_TRUE(read_study(folder.write(name, whole), {}).ok()) << name;
    for (size_t size = 0; size < whole.size(); ++size) {
      look_at(folder.write(name, whole.substr(0, size)));
    }
  }
}

TEST_F(JubeDamaged, OneOtherByteIsNoCrash) {
  for (const auto& [name, whole] :
       {std::pair("a.xml", std::string(kXml)), std::pair("a.yaml", std::string(kYaml))}) {
    for (size_t i = 0; i < whole.size(); ++i) {
      constexpr char kOther[] = {'\0', '$', '{', '"', '(', '\xff', '\n'};
      std::string other = whole;
      other[i] = kOther[i % std::size(kOther)];
      look_at(folder.write(name, other));
    }
  }
}

TEST_F(JubeDamaged, NoFilesOfJube) {
  EXPECT_THAT(refused("a.xml", ""), HasSubstr("line 1: no XML: no element found"));
  EXPECT_THAT(refused("a.yaml", ""), HasSubstr("line 1: no YAML of JUBE"));
  EXPECT_THAT(refused("a.yaml", "3"), HasSubstr("line 1: no YAML of JUBE"));
  EXPECT_THAT(refused("a.yaml", "a: [1\nb: }\n"), HasSubstr("line 2: no YAML: "));
  EXPECT_THAT(refused("a.xml", "<html/>"), HasSubstr("there is no <benchmark> to run"));
  EXPECT_THAT(refused("a.xml", "<jube>\n<a></b></jube>"), HasSubstr("line 2: no XML: mismatched"));
  std::string binary;
  for (int i = 0; i < 4096; ++i) binary += static_cast<char>(i * 37 % 256);
  EXPECT_THAT(refused("a.xml", binary), HasSubstr("line 1: no XML: "));
  EXPECT_THAT(refused("a.yml", binary), HasSubstr("no YAML"));
}

TEST_F(JubeDamaged, TooDeep) {
  std::string xml;
  for (int i = 0; i < 100'000; ++i) xml += "<a>";
  EXPECT_THAT(refused("a.xml", xml), HasSubstr("more than 64 elements inside each other"));
  EXPECT_THAT(refused("a.yaml", "name: b\nstep: {name: s, do: " + std::string(100, '[') +
                                    std::string(100, ']') + "}\n"),
              HasSubstr("line 2: "));
  EXPECT_THAT(refused("a.yaml", std::string(200'000, '[')), HasSubstr("no YAML"));
  EXPECT_THAT(refused("a.yaml", std::string(200'000, '{')), HasSubstr("no YAML"));
}

TEST_F(JubeDamaged, Bombs) {
  EXPECT_THAT(refused("a.xml", R"(<?xml version="1.0"?>
<!DOCTYPE jube [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>
<jube><benchmark name="&b;"/></jube>)"),
              HasSubstr("line 2: a document type with declarations of its own"));
  EXPECT_THAT(refused("a.xml", "<!DOCTYPE jube SYSTEM \"jube.dtd\">\n<jube>&a;</jube>"),
              HasSubstr("line 2: no XML: there is no entity 'a'"));
  // Each level means the one before it ten times.
  std::string yaml = "name: b\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    yaml += fmt::format("a{}: &a{} [", i, i);
    for (int k = 0; k < 10; ++k) yaml += fmt::format("{}*a{}", k > 0 ? ", " : "", i - 1);
    yaml += "]\n";
  }
  EXPECT_THAT(refused("a.yaml", yaml + "step: {name: s, do: *a11}\n"), HasSubstr("line "));
  std::string maps = "x0: &m0 {name: s, do: x}\n";
  for (int i = 1; i < 40; ++i) {
    maps += fmt::format("x{}: &m{} {{<<: [*m{}, *m{}], k{}: v}}\n", i, i, i - 1, i - 1, i);
  }
  EXPECT_THAT(refused("a.yaml", maps + "step: *m39\n"), HasSubstr("line "));
  const std::string letters(1'000'000, 'x');
  std::string texts =
      "name: b\nparameterset: {name: p, parameter: [{name: a, _: &t " + letters + "}";
  for (int i = 0; i < 1000; ++i) texts += ", *t";
  EXPECT_THAT(refused("a.yaml", texts + "]}\n"), HasSubstr("letters"));
  std::string doubled =
      "<jube><benchmark name=\"b\"><parameterset name=\"p\">"
      "<parameter name=\"a0\">xxxxxxxx</parameter>";
  for (int i = 1; i < 40; ++i) {
    doubled += fmt::format("<parameter name=\"a{}\">$a{}$a{}</parameter>", i, i - 1, i - 1);
  }
  doubled +=
      "<parameter name=\"z\" mode=\"python\">len('$a39')</parameter></parameterset>"
      "<step name=\"s\"><use>p</use></step></benchmark></jube>";
  EXPECT_THAT(refused("a.xml", doubled), HasSubstr("is too long"));
}

TEST_F(JubeDamaged, YamlThatMeansItself) {
  (void)refused("a.yaml", "name: b\nstep: &s {name: s, do: *s}\n");
  (void)refused("a.yaml", "&a [*a, *a]\n");
  (void)refused("a.yaml", "name: b\nstep: &s {<<: *s, name: s}\n");
  EXPECT_THAT(refused("a.yaml", "!include a.yaml\n"),
              HasSubstr("line 1: more than 64 values inside each other"));
  EXPECT_NE(refused("a.yaml", "name: b\ninclude-path: !include a.yaml\n"), "read");
}

}  // namespace
}  // namespace pathline::campaign
