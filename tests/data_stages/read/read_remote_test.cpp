// Remote files give the same rows as local files, in every format. The servers are part of the tests; clouds are
// skipped if the plug-in is not built.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>

#include "data_stages/resuming.h"
#include "io/object_store.h"
#include "io/table_file.h"
#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/io/tfrecord/tfrecord_writer.h"
#include "portatune/sources.h"

namespace portatune::data {
namespace {

using testing::ElementsAre;
namespace fs = std::filesystem;

bool has_arrow() { return fs::exists(PORTATUNE_ARROW_PLUGIN_FILE); }

// The schemes of one server, which has the same objects for each.
class ReadRemote : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    setenv("PORTATUNE_ARROW_PLUGIN", PORTATUNE_ARROW_PLUGIN_FILE, 1);
    setenv("NETRC", "/dev/null", 1);
    if (!has_arrow() && std::string(GetParam()) != "http") GTEST_SKIP() << "no plug-in for Arrow";
  }

  std::string remote(const std::string& name) const {
    const std::string scheme = GetParam();
    return scheme == "http" ? store_.server().url("/b/" + name) : scheme + "://b/" + name;
  }
  std::string local(const std::string& name) const { return folder_ / name; }

  void put(const std::string& name, const std::string& bytes) {
    fs::create_directories(fs::path(local(name)).parent_path());
    write_text(local(name), bytes);
    store_.put("b/" + name, bytes);
  }
  void put_all_of(const std::string& prefix) {
    for (const auto& file : fs::directory_iterator(folder_.path())) {
      const std::string name = file.path().filename();
      if (name.starts_with(prefix)) store_.put("b/" + name, text_of(file.path()));
    }
  }

  // Expects the same elements except for the names of files in origins, after a cut at any element; for clouds, where a
  // cut is slow, only after one in the middle.
  void expect_same(const std::string& name) const {
    const auto from = [](const std::string& path) { return [path] { return read_table(path); }; };
    std::vector<std::string> expected = texts_of(read_table(local(name)).iterate());
    for (std::string& text : expected) text.replace(0, local(name).size(), remote(name));
    EXPECT_EQ(texts_of(read_table(remote(name)).iterate()), expected) << name;
    if (std::string(GetParam()) == "http") {
      expect_resumable(from(remote(name)));
    } else {
      const size_t cut = expected.size() / 2;
      EXPECT_EQ(rest_after(from(remote(name)), 0, cut), std::vector(expected.begin() + cut, expected.end())) << name;
    }
  }

  const TemporaryFolder folder_;
  ObjectStore& store_ = []() -> ObjectStore& {
    static ObjectStore store;
    return store;
  }();
};

std::string gzipped(const std::string& text) {
  const std::string file = write_file("a.gz", "");
  gzFile out = gzopen(file.c_str(), "wb");
  gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
  gzclose(out);
  return text_of(file);
}

TEST_P(ReadRemote, TablesOfTextEqualLocalTables) {
  put("a.csv", "text,label\n\"good, really\",1\nbad,0\n");
  put("a.tsv", "text\tlabel\ngood\t1\n");
  put("a.jsonl", "{\"text\": \"good\", \"n\": 1}\n{\"text\": \"bad\", \"n\": 2}\n");
  put("a.txt", "one\ntwo\nthree\n");
  put("b.csv.gz", gzipped("text,label\ngood,1\nbad,0\n"));
  for (const char* name : {"a.csv", "a.tsv", "a.jsonl", "a.txt", "b.csv.gz"}) expect_same(name);
}

TEST_P(ReadRemote, ReadsLargeTablesInBlocks) {
  std::string text = "n,text\n";
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i) + "," + std::string(60 + i % 50, 'x') + "\n";
  ASSERT_GT(text.size(), 8u << 20);
  put("large.csv", text);
  const Dataset rows = read_table(remote("large.csv"));
  Cursor cursor = rows.iterate();
  for (int i = 0; i < 90'000; ++i) ASSERT_EQ(cursor.next()->text("n"), std::to_string(i));
  EXPECT_EQ(rows.resume(cursor.state()).next()->text("n"), "90000");
}

TEST_P(ReadRemote, ArrowTablesEqualLocalTables) {
  if (!has_arrow()) GTEST_SKIP() << "no plug-in for Arrow";
  for (const char* name : {"types.parquet", "types.arrow", "types_file.arrow"}) {
    put(name, text_of(std::string(PORTATUNE_TEST_DATA "/arrow/") + name));
    expect_same(name);
  }
}

TEST_P(ReadRemote, TfrecordsAndIndexesEqualLocalFiles) {
  for (const bool index : {true, false}) {
    TfrecordWriter writer(local("a.tfrecord"), {.index = index});
    for (int i = 0; i < 20; ++i) {
      Example example;
      writer.write(example.set("n", std::to_string(i)));
    }
    writer.commit();
    store_.remove("b/a.tfrecord.index");
    put_all_of("a.tfrecord");
    expect_same("a.tfrecord");
    const Dataset shuffled = read_table(remote("a.tfrecord")).shuffle({});  // by an index alone
    if (index) {
      EXPECT_EQ(shuffled.count(), 20);
    } else {
      EXPECT_THROW(shuffled.count(), UsageError);
    }
  }
}

TEST_P(ReadRemote, ReadsRecordsInAnyOrderByTheirIndex) {
  TfrecordWriter writer(local("s.tfrecord"), {});
  for (int i = 0; i < 20; ++i) {
    Example example;
    writer.write(example.set("n", std::to_string(i)));
  }
  writer.commit();
  put_all_of("s.tfrecord");
  const auto shuffled = [](const std::string& path) {
    std::vector<std::string> order;
    for (const Example& row : read_table(path).shuffle({.buffer = 0, .seed = 3}).iterate()) {
      order.emplace_back(row.text("n"));
    }
    return order;
  };
  EXPECT_EQ(shuffled(remote("s.tfrecord")), shuffled(local("s.tfrecord")));
}

TEST_P(ReadRemote, MissingFilesAreErrorsAtOnce) {
  expect_error<NotFoundError>([&] { read_table(remote("none.csv")); }, {"none.csv"});
  expect_error<NotFoundError>([&] { read_table(remote("none.tfrecord")); }, {"none.tfrecord"});
}

TEST_P(ReadRemote, ErrorNamesAFileThatChangedBeforeAResume) {
  put("c.csv", "text\none\ntwo\n");
  put("d.csv", "text\nthree\n");
  const auto rows = [&] { return read_table({remote("c.csv"), remote("d.csv")}); };
  Cursor cursor = rows().iterate();
  cursor.next();
  const std::string state = cursor.state();
  store_.put("b/d.csv", "text\nthree\n");  // the same bytes, uploaded again
  expect_error<DataError>([&] { rows().resume(state); }, {"/d.csv", "other bytes than when the state was saved"});
}

TEST_P(ReadRemote, BadRowsNameTheUrl) {
  put("bad.csv", "text,label\ngood,1,2\n");
  const std::string where = remote("bad.csv") + ":2";
  expect_error<DataError>([&] { read_table(remote("bad.csv")).count(); }, {where.c_str()});
}

INSTANTIATE_TEST_SUITE_P(By, ReadRemote, testing::Values("http", "s3", "gs"), [](const auto& of) { return of.param; });

class CloudFolders : public ReadRemote {};

TEST_P(CloudFolders, ExpandPatternsAndFolders) {
  for (const char* name : {"train-1.csv", "train-0.csv", "dev.csv", "dataset_info.json"}) {
    put("tables/" + std::string(name), std::string("text\nof ") + name + "\n");
  }
  put("tables/deep/train-2.csv", "text\nno\n");
  const auto both = ElementsAre(remote("tables/train-0.csv"), remote("tables/train-1.csv"));
  EXPECT_THAT(matching_files({remote("tables/train-*.csv")}), both);
  const auto all = ElementsAre(remote("tables/dev.csv"), remote("tables/train-0.csv"), remote("tables/train-1.csv"));
  EXPECT_THAT(table_files({remote("tables")}), all);
  EXPECT_THAT(table_files({remote("tables/")}), all);
  EXPECT_EQ(read_table(remote("tables")).count(), 3);
  expect_error<NotFoundError>([&] { matching_files({remote("tables/*.tsv")}); }, {"*.tsv", "no file that matches"});
  expect_error<NotFoundError>([&] { table_files({remote("nowhere")}); }, {"nowhere"});
}

INSTANTIATE_TEST_SUITE_P(By, CloudFolders, testing::Values("s3", "gs"), [](const auto& of) { return of.param; });

TEST(UrlPatterns, AreErrors) {
  expect_error<UsageError>([] { matching_files({"https://host/part-*.csv"}); },
                           {"https://host/part-*.csv", "name each file"});
  EXPECT_THAT(matching_files({"https://[::1]/a.csv?x=1"}), ElementsAre("https://[::1]/a.csv?x=1"));
}

}  // namespace
}  // namespace portatune::data
