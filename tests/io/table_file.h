// Small files and expected errors for the tests of table readers.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <string>
#include <string_view>

namespace portatune {

/// Writes a temporary file whose name begins with that of the running test, and returns its path.
inline std::string write_file(const std::string& name, std::string_view content) {
  const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
  std::string prefix = std::string(test.test_suite_name()) + "." + test.name() + ".";
  std::replace(prefix.begin(), prefix.end(), '/', '-');
  const std::string path = testing::TempDir() + prefix + name;
  std::ofstream(path, std::ios::binary).write(content.data(), static_cast<std::streamsize>(content.size()));
  return path;
}

/// Expects an error of this class whose message contains all parts.
template <class E, class F>
void expect_error(const F& f, std::initializer_list<const char*> parts) {
  try {
    f();
    ADD_FAILURE() << "no error";
  } catch (const E& error) {
    for (const char* part : parts) EXPECT_THAT(error.what(), testing::HasSubstr(part));
  }
}

}  // namespace portatune
