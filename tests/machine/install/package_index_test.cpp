#include "portatune/machine/install/package_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/http_server.h"
#include "portatune/error.h"

namespace portatune {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

const std::string kDigits(64, 'a');
const pjrt::Pin kPin = {.package = "some-package", .version = "1.2", .sha256 = kDigits};

// A package index with one page.
class PackageIndex : public testing::Test {
 protected:
  void SetUp() override {
    setenv("NETRC", "/dev/null", 1);
    setenv("PORTATUNE_REMOTE_TIMEOUT", "0.5", 1);
  }
  void TearDown() override { unsetenv("PORTATUNE_REMOTE_TIMEOUT"); }
  std::string found() const { return url_of(server_.url("/simple"), kPin); }
  static std::string link(const std::string& href) {
    return "<a href='https://x/old.whl#sha256=" + std::string(64, 'b') + "'>old</a> <a href=\"" + href +
           "\">some_package-1.2-py3-none-any.whl</a>";
  }

  std::string page_;
  HttpServer server_{[this](const HttpRequest& request) {
    if (request.target != "/simple/some-package/") return HttpResponse{.status = 404};
    return HttpResponse{.body = page_};  // the complete page for any range, like PyPI
  }};
};

TEST_F(PackageIndex, FindsTheFileWithTheHash) {
  page_ = link("https://files.example/p/some.whl#sha256=" + kDigits);
  EXPECT_EQ(found(), "https://files.example/p/some.whl");
}

TEST_F(PackageIndex, FollowsRelativeLinks) {
  page_ = link("../../packages/some.whl?a=1&amp;b=2#sha256=" + kDigits);
  EXPECT_EQ(found(), server_.url("/packages/some.whl?a=1&b=2"));
}

TEST_F(PackageIndex, ReadsLongPages) {
  page_ = std::string(1 << 20, ' ') + link("https://files.example/some.whl#sha256=" + kDigits);
  EXPECT_EQ(found(), "https://files.example/some.whl");
}

TEST_F(PackageIndex, WithoutTheFileTheErrorNamesHashAndVersion) {
  page_ = link("https://files.example/some.whl#sha256=" + std::string(64, 'c'));
  EXPECT_THAT([&] { found(); },
              ThrowsMessage<NotFoundError>(AllOf(HasSubstr(server_.url("/simple/some-package/")), HasSubstr(kDigits),
                                                 HasSubstr("some-package 1.2"), HasSubstr("--index-url"))));
}

TEST_F(PackageIndex, WithoutThePackageTheErrorNamesItsPage) {
  EXPECT_THAT([&] { url_of(server_.url("/other/"), kPin); },
              ThrowsMessage<NotFoundError>(HasSubstr(server_.url("/other/some-package/"))));
}

TEST_F(PackageIndex, OtherUrlsAreUsageErrors) {
  for (const char* url : {"/simple", "file:///simple", "http://example.com/simple"}) {
    EXPECT_THAT([&] { url_of(url, kPin); }, ThrowsMessage<UsageError>(HasSubstr("https://"))) << url;
  }
}

}  // namespace
}  // namespace portatune
