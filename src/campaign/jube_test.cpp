// SPDX-License-Identifier: BSD-3-Clause
#include "campaign/jube.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "campaign/plan.hpp"
#include "campaign/test_jube.hpp"

namespace pathline::campaign {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kXml = R"(<?xml version="1.0" encoding="UTF-8"?>
<jube>
  <benchmark name="stencil" outpath="runs">
    <comment>A solver at several sizes</comment>
    <parameterset name="sizes">
      <parameter name="tasks" type="int">1, 2,4</parameter>
      <parameter name="cells" type="int" mode="python">$tasks * 32</parameter>
      <parameter name="solver" separator=";">cg;mg</parameter>
      <parameter name="label">${solver}-$cells</parameter>
    </parameterset>
    <parameterset name="machine">
      <parameter name="start">mpirun -n $tasks</parameter>
      <parameter name="log" mode="text">$jube_wp_abspath/log</parameter>
    </parameterset>
    <fileset name="inputs">
      <copy>mesh.dat, case.in</copy>
      <link name="bin/solver">build/solve</link>
    </fileset>
    <substituteset name="case">
      <iofile in="case.in" out="case.cfg"/>
      <sub source="#CELLS#" dest="$cells"/>
      <sub source="#NAME#">$label</sub>
    </substituteset>
    <patternset name="times">
      <pattern name="time" type="float" unit="s">time: $jube_pat_fp s</pattern>
      <pattern name="sweeps" type="int">^${solver} sweep $jube_pat_int$</pattern>
    </patternset>
    <step name="check"><use>sizes</use><do>echo $label</do></step>
    <step name="run" depend="check" iterations="3" suffix="$label" procs="2">
      <use>machine</use>
      <use>inputs, case</use>
      <do>$start bin/solver case.cfg &gt; $log</do>
      <do>cd out; ls</do>
      <do>cat "$$HOME/x" ${log}</do>
    </step>
    <analyser name="read">
      <use>times</use>
      <analyse step="run"><file>stdout</file></analyse>
    </analyser>
    <result>
      <use>read</use>
      <table name="all" style="pretty" sort="tasks,solver">
        <column>tasks</column>
        <column title="Solver">solver</column>
        <column format=".2f">time</column>
        <column>sweeps_avg</column>
        <column>sweeps_std</column>
        <column>sweeps_cnt</column>
      </table>
    </result>
  </benchmark>
</jube>
)";

constexpr const char* kYaml = R"(name: stencil
outpath: runs
comment: A solver at several sizes
parameterset:
  - name: sizes
    parameter:
      - {name: tasks, type: int, _: "1, 2,4"}
      - {name: cells, type: int, mode: python, _: $tasks * 32}
      - {name: solver, separator: ;, _: cg;mg}
      - {name: label, _: "${solver}-$cells"}
  - name: machine
    parameter:
      - {name: start, _: mpirun -n $tasks}
      - {name: log, mode: text, _: $jube_wp_abspath/log}
fileset:
  name: inputs
  copy: mesh.dat, case.in
  link: {name: bin/solver, _: build/solve}
substituteset:
  name: case
  iofile: {in: case.in, out: case.cfg}
  sub:
    - {source: "#CELLS#", dest: $cells}
    - {source: "#NAME#", _: $label}
patternset:
  name: times
  pattern:
    - {name: time, type: float, unit: s, _: "time: $jube_pat_fp s"}
    - {name: sweeps, type: int, _: "^${solver} sweep $jube_pat_int$"}
step:
  - name: check
    use: sizes
    do: echo $label
  - name: run
    depend: check
    iterations: 3
    suffix: $label
    procs: 2
    use: [machine, "inputs, case"]
    do:
      - $start bin/solver case.cfg > $log
      - cd out; ls
      - cat "$$HOME/x" ${log}
analyser:
  name: read
  use: times
  analyse: {step: run, file: stdout}
result:
  use: read
  table:
    name: all
    style: pretty
    sort: tasks,solver
    column:
      - tasks
      - {title: Solver, _: solver}
      - {format: .2f, _: time}
      - sweeps_avg
      - sweeps_std
      - sweeps_cnt
)";

constexpr const char* kStudy = R"(stencil x3
set
  tasks = 1; 2; 4
  cells = 32; 64; 128
set
  solver = cg; mg
set
  label = {solver}-{cells}
set
  start = mpirun -n {tasks}
step check after  uses tasks,cells,solver,label repeat no
  copies  links 
echo {label}
step run after check uses tasks,cells,solver,label,start repeat yes
  copies mesh.dat,case.in links build/solve
  template case.in -> case.cfg
    #CELLS# : {cells}
    #NAME# : {label}
mkdir -p "bin"
mv "solve" "bin/solver"
jube_dir=$PWD
{start} bin/solver case.cfg > {jube_wp_abspath}/log
{
cd out; ls
} || exit
cd "$jube_dir"
cat "$HOME/x" {jube_wp_abspath}/log
column time of run in stdout: time: ([+-]?(?:\d*\.?\d+(?:[eE][-+]?\d+)?|\d+\.)) s first
column sweeps_avg of run in stdout: ^{solver} sweep ([+-]?\d+)$ mean
column sweeps_std of run in stdout: ^{solver} sweep ([+-]?\d+)$ std
column sweeps_cnt of run in stdout: ^{solver} sweep ([+-]?\d+)$ count
shown tasks '' 
shown solver 'Solver' 
shown time 'time[s]' .2f
shown sweeps_avg '' 
shown sweeps_std '' 
shown sweeps_cnt '' 
sorted by tasks,solver
)";

class Jube : public testing::Test {
 protected:
  Study read(const std::string& name, const std::string& text,
             const std::vector<std::string>& tags = {}) {
    auto study = read_study(studies_.folder.write(name, text), tags);
    EXPECT_TRUE(study.ok()) << study.error().message << " | " << study.error().advice;
    return study.ok() ? std::move(study).value() : Study{};
  }

  JubeStudies studies_;
};

TEST_F(Jube, XmlAndYamlAreTheSameStudy) {
  const Study xml = read("study.xml", kXml);
  EXPECT_EQ(described(xml), kStudy);
  const Study yaml = read("study.yaml", kYaml);
  EXPECT_EQ(described(yaml), kStudy);
  EXPECT_EQ(yaml.steps[1].place.line, 34U);
  EXPECT_EQ(xml.sets[0].parameters[0].place.text().substr(xml.file.string().size()), ", line 6");
  ASSERT_EQ(xml.texts.size(), 1U);
  EXPECT_EQ(xml.texts[0].text, kXml);
  const auto planned = plan(xml);
  ASSERT_TRUE(planned.ok()) << planned.error().message;
  EXPECT_EQ(planned.value().packages.size(), 6U + 6 * 3);
  EXPECT_THAT(planned.value().points[5], ElementsAre("4", "128", "mg", "mg-128", "mpirun -n 4"));
}

/// A benchmark with one step.
std::string xml(const std::string& sets, const std::string& step, const std::string& behind = "") {
  return "<jube><benchmark name=\"b\" outpath=\"o\">\n" + sets + "\n<step name=\"s\">" + step +
         "</step>\n" + behind + "</benchmark></jube>\n";
}

TEST_F(Jube, CalculatesPythonForAllValuesOfWhatItNames) {
  const Study study = read("a.xml", xml(R"(<parameterset name="p">
  <parameter name="n">1,2</parameter>
  <parameter name="text">x</parameter>
  <parameter name="more" mode="python">",".join(str(a*$n) for a in [1,2])</parameter>
  <parameter name="product" mode="python">${n}*${more}</parameter>
  <parameter name="half" mode="python">$n/2</parameter>
</parameterset>)",
                                        "<use>p</use><do>echo $product</do>"));
  ASSERT_EQ(study.sets.size(), 2U);
  const ParameterSet& set = study.sets[0];
  ASSERT_EQ(set.parameters.size(), 4U);
  EXPECT_THAT(set.parameters[0].values, ElementsAre("1", "1", "2", "2"));
  EXPECT_THAT(set.parameters[1].values, ElementsAre("1", "2", "2", "4"));
  EXPECT_THAT(set.parameters[2].values, ElementsAre("1", "2", "4", "8"));
  EXPECT_THAT(set.parameters[3].values, ElementsAre("0.5", "0.5", "1.0", "1.0"));
  EXPECT_TRUE(plan(study).ok());
}

TEST_F(Jube, ChoosesByTags) {
  const std::string text = xml(R"(<parameterset name="p" duplicate="concat">
  <parameter name="n">3</parameter>
  <parameter name="n" tag="few">20,10</parameter>
  <parameter name="w" duplicate="replace">a</parameter>
  <parameter name="w" duplicate="replace" tag="!few">b</parameter>
</parameterset>)",
                               R"(<use>p</use><do tag="few+more">echo few</do><do>echo $n</do>)");
  const Study plain = read("a.xml", text);
  EXPECT_THAT(plain.sets[0].parameters[0].values, ElementsAre("3"));
  EXPECT_THAT(plain.sets[1].parameters[0].values, ElementsAre("b"));
  EXPECT_EQ(plain.steps[0].command, "echo {n}");
  const Study few = read("a.xml", text, {"few", "more"});
  EXPECT_THAT(few.sets[0].parameters[0].values, ElementsAre("10", "20", "3")) << "as texts";
  EXPECT_THAT(few.sets[1].parameters[0].values, ElementsAre("a"));
  EXPECT_EQ(few.steps[0].command, "echo few\necho {n}");
  const Study other = read("b.xml", R"(<jube><selection><tag>x</tag><not>one</not></selection>
<benchmark name="one" outpath="o"/>
<benchmark name="two" outpath="o"><step name="s" tag="x"><do>true</do></step></benchmark></jube>)");
  EXPECT_EQ(other.name, "two");
}

TEST_F(Jube, IncludesFilesAndSets) {
  studies_.folder.write("sub/sets.xml", R"(<jube>
<parameterset name="p"><parameter name="n">1,2</parameter><parameter name="m">1</parameter></parameterset>
<parameterset name="q" init_with="more.yaml:base"><parameter name="k">7</parameter></parameterset>
<fileset name="f"><copy>in.dat</copy></fileset>
<dos><do>echo a</do><do tag="b">echo b</do></dos></jube>)");
  studies_.folder.write("sub/more.yaml",
                        "parameterset: {name: base, parameter: {name: j, _: 5}}\n"
                        "dos: [echo c, echo d]\n");
  const Study study = read("main.xml", R"(<jube><include-path><path>sub</path></include-path>
<benchmark name="b" outpath="o">
<parameterset name="p" init_with="sets.xml"><parameter name="m">3</parameter></parameterset>
<step name="s"><use>p</use><use from="sets.xml">q,f</use>
<include from="sets.xml" path="dos/do"/><do>echo $n $k $j</do></step></benchmark></jube>)");
  ASSERT_EQ(study.sets.size(), 4U);
  EXPECT_THAT(study.sets[1].parameters[0].values, ElementsAre("3"));
  EXPECT_EQ(study.sets[2].parameters[0].name, "j");
  EXPECT_THAT(study.sets[2].parameters[0].place.text(), HasSubstr("more.yaml, line 1"));
  EXPECT_THAT(study.steps[0].copies, ElementsAre("sub/in.dat"));
  EXPECT_EQ(study.steps[0].command, "echo a\necho {n} {k} {j}");
  EXPECT_EQ(study.texts.size(), 3U);
  // The same of the texts that were kept, when the files are gone.
  const std::vector<StudyText> kept = study.texts;
  std::filesystem::remove_all(studies_.folder.path() / "sub");
  const auto again = read_jube(study.file, {}, kept);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(described(again.value()), described(study));
}

TEST_F(Jube, YamlIncludesEntriesAndMerges) {
  studies_.folder.write("sub/data.yaml",
                        "dos:\n  - echo a\n  - echo b\nsets: {x: [{name: p, parameter: "
                        "{name: n, _: 4}}]}\n");
  const Study study = read("main.yaml", R"(include-path: {path: sub}
benchmark:
  name: b
  outpath: o
  parameterset: !include data.yaml:["sets"]['x'][0]
  patternset: &pats {name: t, pattern: {name: v, type: int, _: $jube_pat_int}}
  step:
    - &first
      name: s
      use: p
      do:
        - !include data.yaml:["dos"]
        - {_: echo c, active: yes}
    - {<<: *first, name: s2}
)");
  ASSERT_EQ(study.steps.size(), 2U);
  EXPECT_EQ(study.steps[0].command, "echo a\necho b\necho c");
  EXPECT_EQ(study.steps[1].command, study.steps[0].command);
  EXPECT_THAT(study.steps[1].uses.value(), ElementsAre("n"));
}

TEST_F(Jube, YamlHasTheTextsThatPythonMakes) {
  const Study study = read("a.yml", R"(name: b
outpath: o
parameterset:
  name: p
  parameter:
    - {name: a, _: 010}
    - {name: b, _: 0x1F}
    - {name: c, _: yes}
    - {name: d, _: 1.50}
    - {name: e, _: 1:30}
    - {name: f, _: "010"}
    - {name: g, _: 1_000}
    - {name: h}
    - {name: i, _: 1.0e+20}
    - {name: j, _: 2024-05-01}
    - {name: k, _: ~}
step: {name: s, use: p, do: "true"}
)");
  std::vector<std::string> values;
  for (const ParameterSet& set : study.sets) values.push_back(set.parameters[0].values[0]);
  EXPECT_THAT(values, ElementsAre("8", "31", "True", "1.5", "90", "010", "1000", "", "1e+20",
                                  "2024-05-01", ""));
}

TEST_F(Jube, StepsUseWhatTheyNameAndWhatIsBeforeThem) {
  const Study study = read("a.xml", R"(<jube>
<parameterset name="global"><parameter name="g">1</parameter></parameterset>
<benchmark name="b" outpath="o">
<parameterset name="c"><parameter name="compiler">gcc,clang</parameter></parameterset>
<parameterset name="unused"><parameter name="compiler">icc</parameter></parameterset>
<parameterset name="r"><parameter name="n">1,2,3</parameter></parameterset>
<step name="build"><use>c</use><do>$compiler $n ${n}s $HOME</do></step>
<step name="run" depend="build"><use>r</use><use>global</use><do>echo $n $jube_step_name</do></step>
<step name="off" active="${g}==2" depend="run"><do>false</do></step>
<step name="behind" depend="off"><do>false</do></step>
</benchmark></jube>)");
  ASSERT_EQ(study.steps.size(), 2U);
  EXPECT_EQ(study.steps[0].command, "{compiler} ${n-} ${n-}s $HOME") << "n is no parameter there";
  EXPECT_THAT(study.steps[1].uses.value(), ElementsAre("compiler", "n", "g"));
  EXPECT_EQ(study.steps[1].command, "echo {n} run");
  const auto planned = plan(study);
  ASSERT_TRUE(planned.ok()) << planned.error().message;
  EXPECT_EQ(planned.value().packages.size(), 2U + 6);
}

TEST_F(Jube, TextsOfARunAreWrittenWhereTheyAreNamed) {
  const Study study = read("a.xml", R"(<jube><benchmark name="b" outpath="o">
<parameterset name="p"><parameter name="foo">1,2</parameter>
<parameter name="bar" update_mode="step">$foo run $jube_wp_iteration of $jube_benchmark_name</parameter>
</parameterset>
<step name="one"><use>p</use><do>echo $bar</do></step>
<step name="two" depend="one"><do>echo ${bar}!</do></step></benchmark></jube>)");
  EXPECT_EQ(study.steps[0].command, "echo {foo} run {jube_wp_iteration} of b");
  EXPECT_EQ(study.steps[1].command, "echo {foo} run {jube_wp_iteration} of b!");
  EXPECT_TRUE(plan(study).ok());
}

TEST_F(Jube, CommandsBeginInTheFolderOfTheRunAndFailWithTheirLast) {
  const auto command = [&](const std::string& dos) {
    return read("a.xml", xml("", dos)).steps.at(0).command;
  };
  EXPECT_EQ(command("<do>a &amp;&amp; b</do>"), "a && b");
  EXPECT_EQ(command("<do>a</do><do/><do> b; </do>"), "a\nb");
  EXPECT_EQ(command("<do>a; b</do>"), "{\na; b\n} || exit");
  EXPECT_EQ(command("<do>a | b</do><do>! c</do>"), "{\na | b\n} || exit\n! c");
  EXPECT_EQ(command("<do stdout=\"out\" stderr=\"e rr\">a</do>"),
            "{\na\n} >>\"out\" 2>>\"e rr\" || exit");
  EXPECT_EQ(command("<do work_dir=\"x\" stdout=\"o\">a</do><do active=\"False\">c</do><do>b</do>"),
            "jube_dir=$PWD\nmkdir -p \"x\"\ncd \"x\"\n{\na\n} >>\"$jube_dir/o\" || exit\n"
            "cd \"$jube_dir\"\nb");
}

TEST_F(Jube, FilesComeUnderTheNamesThatTheyAreGiven) {
  const Study study = read("a.xml", xml(R"(<fileset name="f">
<copy source_dir="src" target_dir="lib" name="b.c">a.c</copy><copy>x;y</copy>
<copy separator=";">u;v</copy>
<link rel_path_ref="internal" name="prev">before/out.dat</link>
<copy rel_path_ref="internal">before/in.dat</copy><copy active="false">no</copy>
<prepare>tar xf u</prepare></fileset>)",
                                        "<use>f</use><do>make</do>"));
  EXPECT_THAT(study.steps[0].copies, ElementsAre("src/a.c", "x;y", "u", "v"));
  EXPECT_EQ(study.steps[0].command,
            "mkdir -p \"lib\"\nmv \"a.c\" \"lib/b.c\"\nln -sfn \"before/out.dat\" \"prev\"\n"
            "cp -R \"before/in.dat\" \"in.dat\"\ntar xf u\nmake");
}

TEST_F(Jube, WhatIsReplacedTwiceIsReplacedFurther) {
  const Study study =
      read("a.xml", xml(R"(<fileset name="f"><copy name="job">job.in</copy></fileset>
<substituteset name="a"><iofile in="job" out="job"/><sub source="#A#" dest="1"/></substituteset>
<substituteset name="b" init_with="a.xml:a"><iofile in="job" out="job"/>
<sub source="#A#" dest="2"/><sub source="#B#" dest="3"/></substituteset>)",
                        "<use>f,a,b</use><do>sh job</do>"));
  ASSERT_EQ(study.steps[0].templates.size(), 1U);
  const Template& file = study.steps[0].templates[0];
  EXPECT_EQ(file.from, "job.in");
  EXPECT_EQ(file.to, "job");
  EXPECT_THAT(file.replacements, ElementsAre(testing::Pair("#A#", "1"), testing::Pair("#A#", "2"),
                                             testing::Pair("#B#", "3")));
  EXPECT_EQ(study.steps[0].command, "sh job");
}

TEST_F(Jube, RowsAreThoseOfTheStepThatIsAnalysedLast) {
  const std::string text = R"(<jube><benchmark name="b" outpath="o">
<parameterset name="p"><parameter name="n">1,2</parameter></parameterset>
<patternset name="a"><pattern name="x">x $jube_pat_wrd</pattern></patternset>
<patternset name="c"><pattern name="y" dotall="true">y $jube_pat_fp</pattern></patternset>
<step name="one"><use>p</use><do>one</do></step>
<step name="two" depend="one"><do>two</do></step><step name="three"><do>three</do></step>
<analyser name="all"><analyse step="one"><file use="a">out_$n</file></analyse>
<analyse step="two"><file use="c">stdout</file></analyse></analyser>
<result><use>all</use><table name="t"><column>n</column><column>x</column></table></result>
</benchmark></jube>)";
  const Study study = read("a.xml", text);
  ASSERT_EQ(study.columns.size(), 2U);
  EXPECT_EQ(study.columns[0].file, "out_{n}");
  EXPECT_EQ(study.columns[1].name, "y") << "not shown, but of the step that makes the rows";
  EXPECT_EQ(study.columns[1].pattern.substr(0, 6), "(?s)y ");
  EXPECT_EQ(study.shown.size(), 2U);
  // Without any pattern: the step that stands last.
  const Study bare = read("b.xml", R"(<jube><benchmark name="b" outpath="o">
<step name="one"><do>one</do></step><step name="two"><do>two</do></step>
<parameterset name="p"><parameter name="n">1</parameter></parameterset>
<step name="run" depend="two"><use>p</use></step><step name="end" depend="one"/>
<analyser name="a"><analyse step="run"/></analyser>
<result><use>a</use><table name="t"><column>n</column></table></result></benchmark></jube>)");
  EXPECT_EQ(bare.steps.back().name, "run");
}

}  // namespace
}  // namespace pathline::campaign
