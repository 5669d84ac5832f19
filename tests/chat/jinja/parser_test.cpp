#include "portatune/chat/jinja/parser.h"

#include <gtest/gtest.h>

#include "chat/jinja/run.h"
#include "portatune/error.h"

namespace portatune::jinja {
namespace {

std::string parse_error_of(const std::string& source) {
  try {
    parse(source, "t");
  } catch (const CheckpointError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Parser, ErrorsNameTheGivenAndTheExpectedToken) {
  EXPECT_EQ(parse_error_of("{% if x %}\n{% for %}"), "t, line 2\n  given     %}\n  expected  a name to assign to");
  EXPECT_EQ(parse_error_of("{% if x %}\n\na"),
            "t, line 3\n  given     the end of the template\n  expected  {% endif %}");
  EXPECT_EQ(parse_error_of("{{ a b }}"), "t, line 1\n  given     b\n  expected  }}");
  EXPECT_EQ(parse_error_of("{{ f(*a) }}"),
            "t, line 1\n  given     unpacked arguments (*, **)\n  expected  separate arguments");
}

TEST(Parser, RefusesSourcesOfMoreThanAMegabyte) {
  EXPECT_NE(parse_error_of(std::string(1'000'001, 'a')).find("at most 1 MB"), std::string::npos);
}

// These rules are Jinja's; Python's differ.
TEST(Parser, BindsAsJinja) {
  EXPECT_EQ(run("{{ 2 ** 3 ** 2 }}").text, "64");
  EXPECT_EQ(run("{{ 'a' ~ 'b' | upper }}").text, "aB");
  EXPECT_EQ(run("{{ 1 ~ 2 * 3 }}").text, "16");
}

}  // namespace
}  // namespace portatune::jinja
