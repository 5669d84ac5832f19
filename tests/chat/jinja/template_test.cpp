#include "portatune/chat/jinja/template.h"

#include <gtest/gtest.h>

#include <fstream>

#include "chat/jinja/run.h"
#include "portatune/error.h"

namespace portatune::jinja {
namespace {

nlohmann::ordered_json golden(const std::string& file) {
  std::ifstream in(PORTATUNE_TEST_DATA "/" + file);
  return nlohmann::ordered_json::parse(in);
}

std::string message_of(const auto& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::string error_of(const std::string& source, const nlohmann::ordered_json& variables = {{"x", 1}}) {
  return message_of([&] { run(source, variables); });
}

TEST(Template, RendersEachConstructAsTheReference) {
  const nlohmann::ordered_json file = golden("jinja/snippets.json");
  nlohmann::ordered_json variables = file.at("variables");
  variables.update({{"messages", nlohmann::ordered_json::array()},
                    {"tools", nullptr},
                    {"documents", nullptr},
                    {"add_generation_prompt", false}});
  ASSERT_GT(file.at("cases").size(), 400u);
  for (const auto& expected : file.at("cases")) {
    const std::string source = expected.at("source");
    SCOPED_TRACE(source);
    Rendered rendered;
    const std::string message = message_of([&] { rendered = run(source, variables); });
    if (expected.contains("error")) {
      EXPECT_NE(message, "no error") << rendered.text << " for " << expected.at("error");
      continue;
    }
    EXPECT_EQ(message, "no error");
    EXPECT_EQ(rendered.text, expected.at("text").get<std::string>());
    const nlohmann::ordered_json spans = in_code_points(rendered);
    EXPECT_EQ(spans, expected.at("generations"));
  }
}

TEST(Template, RendersConversationsAsTheReference) {
  const nlohmann::ordered_json cases = golden("chat/renderings.json").at("cases");
  ASSERT_GT(cases.size(), 100u);
  for (const auto& expected : cases) {
    std::ifstream in(PORTATUNE_TEST_DATA "/chat/" + expected.at("template").get<std::string>());
    const std::string source((std::istreambuf_iterator<char>(in)), {});
    SCOPED_TRACE(expected.at("template").get<std::string>() + " " + expected.at("variables").dump());
    if (expected.contains("error")) {
      EXPECT_THROW(run(source, expected.at("variables")), DataError);
      continue;
    }
    const Rendered rendered = run(source, expected.at("variables"));
    EXPECT_EQ(rendered.text, expected.at("text").get<std::string>());
    const nlohmann::ordered_json spans = in_code_points(rendered);
    EXPECT_EQ(spans, expected.at("generations"));
  }
}

TEST(Template, ErrorsNameLineAndConstruct) {
  EXPECT_EQ(
      error_of("a\n{{ x | center(3) }}"),
      "template, line 2\n  given     the filter \"center\"\n  expected  a construct of Jinja that Portatune supports");
  EXPECT_EQ(error_of("\n\n{{ message.role.first }}"),
            "template, line 3\n  given     \"message\" is undefined, so it has no \"role\"");
  EXPECT_EQ(error_of("{% include 'x' %}"),
            "template, line 1\n  given     the statement \"include\"\n  expected  if, for, set, macro, generation, "
            "filter, with, break, continue or raw");
  EXPECT_NE(error_of("{{ raise_exception('Roles must alternate') }}").find("given     Roles must alternate"),
            std::string::npos);
}

TEST(Template, RefusedVariablesAreDataErrorsAndUnsupportedConstructsCheckpointErrors) {
  EXPECT_THROW(run("{{ raise_exception('no') }}"), DataError);
  EXPECT_THROW(run("{{ absent.x }}"), DataError);
  EXPECT_THROW(run("{{ 1 | wordwrap }}"), CheckpointError);
  EXPECT_THROW(run("{{ 'é' | upper }}"), CheckpointError);
  EXPECT_THROW(run("{% if %}"), CheckpointError);
}

// Templates that would take forever, or all memory, end with an error.
TEST(Template, TemplatesHaveABudget) {
  const char* kGreedy[] = {
      "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
      "{% set ns = namespace(x='ab') %}{% for a in range(99) %}{% set ns.x = ns.x + ns.x %}{% endfor %}",
      "{% set ns = namespace(x=[1]) %}{% for a in range(99) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x }}",
      "{% set ns = namespace(x=[1]) %}{% for a in range(999) %}{% set ns.x = [ns.x] %}{% endfor %}",
      "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
      "{% for a in range(99999) %}{{ 'x' * 99999 }}{% endfor %}",
      "{{ 'x' * 999999999999 }}",
      "{{ [1] * 999999999999 }}",
      "{{ ('a' * 999999) | replace('a', 'b' * 999999) }}",
      "{{ range(99999) | map('string') | join('x' * 999) }}",
      "{{ 'a' | indent(9999999999, true) }}",
      "{{ 9 ** 9 ** 9 ** 9 }}",
      "{% set x = 'ab' * 4000000 %}{% for a in range(99999) %}{% if x | length %}{% endif %}{% endfor %}",
  };
  for (const char* source : kGreedy) {
    SCOPED_TRACE(source);
    EXPECT_THROW(run(source), DataError);
  }
}

TEST(Template, NestingIsLimited) {
  const auto repeated = [](const std::string& text, int times) {
    std::string result;
    for (int i = 0; i < times; ++i) result += text;
    return result;
  };
  const int many = 100'000;
  EXPECT_THROW(run("{{ " + repeated("(", many) + "1" + repeated(")", many) + " }}"), CheckpointError);
  EXPECT_THROW(run("{{ " + repeated("[", many) + repeated("]", many) + " }}"), CheckpointError);
  EXPECT_THROW(run("{{ 1" + repeated(" + 1", many) + " }}"), CheckpointError);
  EXPECT_THROW(run("{{ 1" + repeated(" | abs", many) + " }}"), CheckpointError);
  EXPECT_THROW(run("{{ x" + repeated(".a", many) + " }}"), CheckpointError);
  EXPECT_THROW(run("{{ " + repeated("not ", many) + "1 }}"), CheckpointError);
  EXPECT_THROW(run("{{ " + repeated("- ", many) + "1 }}"), CheckpointError);
  EXPECT_THROW(run(repeated("{% if 1 %}", many) + repeated("{% endif %}", many)), CheckpointError);
  EXPECT_THROW(run("{% if 1 %}" + repeated("{% elif 1 %}", many) + "{% endif %}"), CheckpointError);
  EXPECT_THROW(run("{% set " + repeated("(", many)), CheckpointError);
}

TEST(Template, CyclesOfNamespacesAndMacrosAreFreed) {
  EXPECT_EQ(run("{% set ns = namespace() %}{% set ns.me = ns %}{{ ns.me.me is defined }}").text, "True");
  EXPECT_EQ(run("{% macro m() %}x{% endmacro %}{% set ns = namespace(m=m) %}{{ ns.m() }}").text, "x");
}

}  // namespace
}  // namespace portatune::jinja
