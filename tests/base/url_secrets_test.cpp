#include "portatune/base/text/url_secrets.h"

#include <gtest/gtest.h>

#include "portatune/error.h"

namespace portatune {
namespace {

TEST(UrlSecrets, SignaturesAreHidden) {
  EXPECT_EQ(without_secrets("https://h/a.csv?X-Amz-Credential=AKIA&X-Amz-Signature=abc&versionId=7 was read"),
            "https://h/a.csv?X-Amz-Credential=...&X-Amz-Signature=...&versionId=7 was read");
  EXPECT_EQ(without_secrets("'https://h/a?sv=2024&sig=x%2Fy'"), "'https://h/a?sv=2024&sig=...'");
  EXPECT_EQ(without_secrets("https://h/a?GoogleAccessId=me&access_token=t"),
            "https://h/a?GoogleAccessId=me&access_token=...");
}

TEST(UrlSecrets, SecretsInFragmentsAreHidden) {
  EXPECT_EQ(without_secrets("https://h/a#access_token=t"), "https://h/a#access_token=...");
}

TEST(UrlSecrets, SecretsBehindQuotesAreHidden) {
  EXPECT_EQ(without_secrets("https://h/a?f=John's.csv&token=S"), "https://h/a?f=John's.csv&token=...");
  EXPECT_EQ(without_secrets(R"(--train 'https://h/a?f=John'\''s&token=S' --quiet)"),
            R"(--train 'https://h/a?f=John'\''s&token=...' --quiet)");
  EXPECT_EQ(without_secrets(R"({"a":"https://h?sig=1","b":"https://h?sig=2"})"),
            R"({"a":"https://h?sig=...","b":"https://h?sig=..."})");
}

TEST(UrlSecrets, UserNamesAndPasswordsAreHidden) {
  EXPECT_EQ(without_secrets("https://me:word@host/a"), "https://...@host/a");
  EXPECT_EQ(without_secrets("two: s3://key:secret@b/x and https://me@h"), "two: s3://...@b/x and https://...@h");
  EXPECT_EQ(without_secrets("gs://anonymous@bucket/a"), "gs://anonymous@bucket/a");
}

TEST(UrlSecrets, OtherTextIsUnchanged) {
  for (const char* text : {"", "data/train.csv:17", "https://h/a@b/c?download=true&name=x", "https://", "a?token=x"}) {
    EXPECT_EQ(without_secrets(text), text);
  }
}

TEST(UrlSecrets, AreHiddenInErrors) {
  const DataError error(
      {.where = "https://h/a.csv?token=abc:17", .given = "https://me:word@h/x", .fix = "https://h?sig=1"});
  const std::string message = error.what();
  for (const char* secret : {"abc", "word", "sig=1"}) EXPECT_EQ(message.find(secret), std::string::npos) << message;
  EXPECT_EQ(error.report().where, "https://h/a.csv?token=...");
}

}  // namespace
}  // namespace portatune
