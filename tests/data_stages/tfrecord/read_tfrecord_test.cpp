#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data_stages/resuming.h"
#include "io/temporary_folder.h"
#include "io/tfrecord_cases.h"
#include "portatune/data/stage.h"
#include "portatune/error.h"
#include "portatune/io/tfrecord/tfrecord_writer.h"
#include "portatune/sources.h"

namespace portatune::data {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

const std::string kExamples = std::string(PORTATUNE_TEST_DATA) + "/tfrecord/examples.tfrecord";

Example record(const Dataset& dataset, int64_t number) {
  Cursor cursor = dataset.iterate();
  cursor.skip(number);
  return *cursor.next();
}

template <class T>
std::vector<T> values(const Example& example, std::string_view column) {
  const std::span<const T> elements = example.tensor(column).as<T>();
  return {elements.begin(), elements.end()};
}

std::vector<std::string> names_of(const Example& example) {
  std::vector<std::string> names;
  for (const Example::Entry& entry : example.columns()) names.push_back(entry.name);
  return names;
}

// Files of examples with a text "n": file i has `counts[i]` of them, numbered from i * 100.
class NumberedShards {
 public:
  explicit NumberedShards(const std::vector<int>& counts, TfrecordWriterOptions options = {}) {
    for (size_t file = 0; file < counts.size(); ++file) {
      TfrecordWriter writer(path(file), options);
      for (int i = 0; i < counts[file]; ++i) {
        Example example;
        writer.write(example.set("n", std::to_string(file * 100 + static_cast<size_t>(i))));
      }
      writer.commit();
      paths_.push_back(path(file));
    }
  }

  std::string path(size_t file) const { return (folder_ / ("shard-" + std::to_string(file))).string(); }
  const std::vector<std::string>& paths() const { return paths_; }

 private:
  TemporaryFolder folder_;
  std::vector<std::string> paths_;
};

std::vector<int> numbers(Cursor cursor) {
  std::vector<int> numbers;
  for (const Example& example : cursor) numbers.push_back(std::stoi(example.text("n")));
  return numbers;
}

}  // namespace

TEST(ReadTfrecord, BytesAndSingleNumbersAreTexts) {
  const Example first = record(read_tfrecord(kExamples), 0);
  EXPECT_EQ(first.text("sentence"), "The sailors rode the breeze clear of the rocks.");
  EXPECT_EQ(first.text("label"), "1");
  const Example second = record(read_tfrecord(kExamples), 1);
  EXPECT_EQ(second.text("sentence"), "Zo\u00eb \u4f60\u597d");
  EXPECT_EQ(second.text("label"), "-1");
  EXPECT_EQ(record(read_tfrecord(kExamples), 2).text("score"), "0.5");
}

TEST(ReadTfrecord, ListsAreArrays) {
  const Example third = record(read_tfrecord(kExamples), 2);
  EXPECT_THAT(values<int64_t>(third, "input_ids"),
              ElementsAre(101, 7592, 127, 128, 16383, 16384, 2097151, 2097152, INT32_MAX, INT64_MAX, INT64_MIN, 102));
  const Example fourth = record(read_tfrecord(kExamples), 3);
  EXPECT_THAT(values<float>(fourth, "floats"), ElementsAre(0.1F, -1.5F, 3e38F, 1e-45F, 0.0F));
  EXPECT_EQ(fourth.tensor("empty_ints").type(), (TensorType{DType::kInt64, {0}}));
  EXPECT_EQ(fourth.tensor("empty_floats").type(), (TensorType{DType::kFloat32, {0}}));
}

TEST(ReadTfrecord, BytesAreUnchangedAndSeveralTextsAreJson) {
  const Example fourth = record(read_tfrecord(kExamples), 3);
  ASSERT_EQ(fourth.text("raw").size(), 256u);
  EXPECT_EQ(fourth.text("raw")[255], '\xFF');
  EXPECT_EQ(fourth.text("words"), R"(["one","","three"])");
  EXPECT_EQ(fourth.text("empty_bytes"), "");
}

TEST(ReadTfrecord, ColumnsAreInTheOrderOfTheirNames) {
  EXPECT_THAT(names_of(record(read_tfrecord(kExamples), 3)),
              ElementsAre("empty_bytes", "empty_floats", "empty_ints", "floats", "raw", "words"));
  EXPECT_THAT(names_of(record(read_tfrecord(kExamples), 4)), ElementsAre());
}

TEST(ReadTfrecord, OriginIsTheRecord) {
  EXPECT_THAT(to_string(record(read_tfrecord(kExamples), 3).origin()), EndsWith("examples.tfrecord:4"));
}

TEST(ReadTfrecord, ChosenFeaturesHaveTypesNamesAndFallbacks) {
  const Dataset dataset = read_tfrecord(
      kExamples, {.features = {{.name = "score", .column = "s", .dtype = DType::kFloat32, .shape = Shape{}},
                               {.name = "attention_mask", .dtype = DType::kInt32},
                               {.name = "long", .dtype = DType::kInt64, .shape = Shape{3, 100}, .otherwise = "none"}}});
  const Example example = record(dataset.skip(2), 0);
  EXPECT_THAT(names_of(example), ElementsAre("s", "attention_mask", "long"));
  EXPECT_EQ(example.tensor("s").type(), (TensorType{DType::kFloat32, {}}));
  EXPECT_EQ(example.tensor("s").as<float>()[0], 0.5F);
  EXPECT_EQ(values<int32_t>(example, "attention_mask"), std::vector<int32_t>(12, 1));
  EXPECT_EQ(example.text("long"), "none");
}

TEST(ReadTfrecord, FixedShape) {
  const Dataset dataset =
      read_tfrecord(kExamples, {.features = {{.name = "long", .dtype = DType::kInt64, .shape = Shape{3, 100}}}});
  const Example example = record(dataset.skip(5), 0);
  EXPECT_EQ(example.tensor("long").shape(), (Shape{3, 100}));
  EXPECT_EQ(example.tensor("long").as<int64_t>()[299], 299);
}

TEST(ReadTfrecord, ErrorsDescribeTheFeature) {
  const auto message = [](TfrecordFeature feature, int64_t number) {
    return message_of<DataError>([&] { record(read_tfrecord(kExamples, {.features = {feature}}), number); });
  };
  EXPECT_THAT(message({.name = "lable"}, 0),
              AllOf(HasSubstr("examples.tfrecord:1"), HasSubstr("did you mean 'label'?")));
  EXPECT_THAT(message({.name = "label", .dtype = DType::kFloat32}, 0),
              AllOf(HasSubstr("values of kind int64 in feature 'label'"), HasSubstr("at byte offset 0"),
                    HasSubstr("of kind float")));
  EXPECT_THAT(message({.name = "input_ids", .dtype = DType::kInt32}, 2),
              AllOf(HasSubstr("examples.tfrecord:3"), HasSubstr("9223372036854775807 in feature 'input_ids'")));
  EXPECT_THAT(message({.name = "input_ids", .dtype = DType::kInt64, .shape = Shape{2, 5}}, 2),
              AllOf(HasSubstr("12 values"), HasSubstr("10, for [2, 5]")));
}

TEST(ReadTfrecord, ErrorOfAnInvalidExampleNamesItsOffset) {
  const TemporaryFolder folder;
  io::TfrecordWriter writer((folder / "a").string(), {});
  writer.write("");
  writer.write("\x0A\x05no");
  writer.finish();
  io::TfrecordWriter::commit_together({&writer});
  EXPECT_THAT(message_of<DataError>([&] { record(read_tfrecord((folder / "a").string()).map(std::identity()), 1); }),
              AllOf(HasSubstr("/a:2\n"), HasSubstr("a field of 5 bytes, with only 2 left"),
                    HasSubstr("in the record at byte offset 16")));
}

TEST(ReadTfrecord, RejectsInvalidOptions) {
  EXPECT_THROW(read_tfrecord(std::vector<std::string>{}), UsageError);
  EXPECT_THROW(read_tfrecord("none.tfrecord"), NotFoundError);
  EXPECT_THROW(read_tfrecord(kExamples, {.features = {{.name = "a", .dtype = DType::kFloat64}}}), UsageError);
  EXPECT_THROW(read_tfrecord(kExamples, {.features = {{.name = "a", .shape = Shape{2}}}}), UsageError);
  EXPECT_THROW(read_tfrecord(kExamples, {.features = {{.name = "a"}, {.name = "b", .column = "a"}}}), UsageError);
  EXPECT_THROW(read_tfrecord(kExamples, {.num_parallel_reads = 0}), UsageError);
}

TEST(ReadTfrecord, ReadsFilesInOrderAndSomeMayBeEmpty) {
  const NumberedShards shards({0, 2, 0, 3});
  EXPECT_THAT(numbers(read_tfrecord(shards.paths()).iterate()), ElementsAre(100, 101, 300, 301, 302));
  const NumberedShards empty({0, 0});
  EXPECT_THAT(message_of<DataError>([&] { numbers(read_tfrecord(empty.paths()).iterate()); }),
              AllOf(HasSubstr("shard-0 and 1 more"), HasSubstr("no records")));
}

TEST(ReadTfrecord, FilesMayHaveNoRecordsIfBadRowsAreSkipped) {
  const NumberedShards empty({0, 0});
  const auto bad_rows = std::make_shared<BadRows>(1);
  for (const int reads : {1, 2}) {
    const Dataset dataset = read_tfrecord(empty.paths(), {.num_parallel_reads = reads}).skip_bad_rows(bad_rows);
    EXPECT_THAT(numbers(dataset.iterate()), ElementsAre());
    EXPECT_EQ(dataset.count(), 0);
  }
  EXPECT_EQ(bad_rows->count(), 0);
}

// tf.io.FixedLenFeature([], tf.string) rejects such records, too.
TEST(ReadTfrecord, AScalarHasExactlyOneValue) {
  const TemporaryFolder folder;
  const std::string path = folder / "a.tfrecord";
  TfrecordWriter writer(path);
  const std::vector<Column> columns = {"one", std::vector<std::string>{"a", "b"}, std::vector<std::string>{},
                                       Tensor({}, {int64_t{3}}), vector_of(std::vector<int64_t>{3, 4})};
  for (const Column& column : columns) writer.write(Example().set("text", column));
  writer.commit();
  const Dataset rows = read_tfrecord(path, {.features = {{.name = "text", .shape = Shape{}}}});
  const auto message = [&](int64_t number) { return message_of<DataError>([&] { record(rows, number); }); };
  EXPECT_EQ(record(rows, 0).text("text"), "one");
  EXPECT_THAT(message(1),
              AllOf(HasSubstr("a.tfrecord:2"), HasSubstr("2 values in feature 'text'"), HasSubstr("exactly one")));
  EXPECT_THAT(message(2), HasSubstr("0 values in feature 'text'"));
  EXPECT_EQ(record(rows, 3).text("text"), "3");
  EXPECT_THAT(message(4), HasSubstr("2 values in feature 'text'"));
  EXPECT_THROW(rows.batch({.size = 2}).iterate().next(), DataError);
  EXPECT_EQ(rows.take(1).batch({.size = 1}).iterate().next()->texts("text").front(), "one");
}

TEST(ReadTfrecord, SkipsWithAndWithoutAnIndex) {
  for (const bool index : {true, false}) {
    const NumberedShards shards({3, 0, 4, 2}, {.index = index});
    for (int64_t count = 0; count <= 9; ++count) {
      Cursor cursor = read_tfrecord(shards.paths()).iterate();
      EXPECT_EQ(cursor.skip(count), count);
      const std::vector<int> all = {0, 1, 2, 200, 201, 202, 203, 300, 301};
      EXPECT_EQ(numbers(std::move(cursor)), std::vector<int>(all.begin() + count, all.end())) << count;
    }
    EXPECT_EQ(read_tfrecord(shards.paths()).count(), 9);
  }
}

// Malicious indexes: none leads back, or to fewer records than were read.
TEST(ReadTfrecord, AnIndexOfAnotherFileIsAnError) {
  const NumberedShards shards({4}, {.index = false});
  const std::string& path = shards.paths()[0];
  const auto bytes = static_cast<int64_t>(std::filesystem::file_size(path));
  const auto skipping = [&](const std::vector<int64_t>& offsets, int64_t read, int64_t end) {
    io::write_index(path, offsets, end, bytes);
    return message_of<DataError>([&] {
      Cursor cursor = read_tfrecord(path).iterate();
      for (int64_t i = 0; i < read; ++i) cursor.next();
      cursor.skip(1);
    });
  };
  EXPECT_THAT(skipping({0, 16, 32, 48}, 2, bytes), AllOf(HasSubstr("shard-0.index"), HasSubstr("record 3")));
  EXPECT_THAT(skipping({0, 16}, 3, bytes), HasSubstr("an index of 2 records"));
  EXPECT_THAT(skipping({0, -1000, 1000}, 1, bytes), HasSubstr("record 2 at byte offset -1000"));
  EXPECT_THAT(skipping({0}, 0, 16), HasSubstr("records up to byte offset 16"));
}

TEST(ReadTfrecord, SkipsInCompressedFiles) {
  const NumberedShards shards({300}, {.gzip = true});
  EXPECT_EQ(numbers(read_tfrecord(shards.paths()).skip(298).iterate()), (std::vector{298, 299}));
}

TEST(ReadTfrecord, ResumesFromItsState) {
  for (const auto& options : std::vector<TfrecordWriterOptions>{{.index = false}, {.index = true}, {.gzip = true}}) {
    const NumberedShards shards({3, 0, 4, 2}, options);
    expect_resumable([&] { return read_tfrecord(shards.paths()); });
    expect_resumable([&] { return read_tfrecord(shards.paths(), {.features = {{.name = "n"}}}).batch({.size = 2}); });
  }
}

TEST(ReadTfrecord, ErrorNamesAFileThatChangedBeforeAResume) {
  const NumberedShards shards({3, 3}, {.index = false});
  Cursor cursor = read_tfrecord(shards.paths()).iterate();
  cursor.next();
  const std::string state = cursor.state();
  std::filesystem::copy_file(shards.path(0), shards.path(1), std::filesystem::copy_options::overwrite_existing);
  EXPECT_THAT(message_of<DataError>([&] { read_tfrecord(shards.paths()).resume(state); }),
              AllOf(HasSubstr("shard-1"), HasSubstr("other bytes than when the state was saved")));
}

// A shuffle without a buffer makes all orders equally likely; it needs the index that TfrecordWriter writes.
TEST(ReadTfrecord, IndexGivesRandomAccess) {
  const NumberedShards shards({30, 0, 50, 20});
  const Dataset shuffled = read_tfrecord(shards.paths()).shuffle({.seed = 1});
  std::vector<int> order = numbers(shuffled.iterate());
  std::vector<int> all = numbers(read_tfrecord(shards.paths()).iterate());
  EXPECT_NE(order, all);
  EXPECT_EQ(numbers(shuffled.iterate()), order);
  std::ranges::sort(order);
  EXPECT_EQ(order, all);
  expect_resumable([&] { return read_tfrecord(shards.paths()).shuffle({.seed = 1}).take(20); });
  Cursor cursor = shuffled.iterate();
  const Example example = *cursor.next();
  const int number = std::stoi(example.text("n"));
  EXPECT_THAT(to_string(example.origin()),
              EndsWith("shard-" + std::to_string(number / 100) + ":" + std::to_string(number % 100 + 1)));
}

TEST(ReadTfrecord, HasNoRandomAccessWithoutIndexOrInCompressedFiles) {
  for (const auto& options : std::vector<TfrecordWriterOptions>{{.index = false}, {.gzip = true}}) {
    const NumberedShards shards({3, 2}, options);
    EXPECT_THROW(numbers(read_tfrecord(shards.paths()).shuffle({.seed = 1}).iterate()), UsageError);
  }
  const NumberedShards shards({3, 2});
  EXPECT_THROW(numbers(read_tfrecord(shards.paths(), {.num_parallel_reads = 2}).shuffle({.seed = 1}).iterate()),
               UsageError);
}

// Compares batches made directly from records with batches gathered from examples.
TEST(ReadTfrecord, BatchesEqualThoseOfExamples) {
  const TemporaryFolder folder;
  const std::string path = (folder / "a").string();
  TfrecordWriter writer(path);
  for (int64_t i = 0; i < 7; ++i) {
    Example example;
    example.set("ids", Tensor({3}, {i, 300 * i, int64_t{1} << (5 * i)})).set("x", Tensor({2}, {0.5F * i, 1.0F}));
    writer.write(example.set("text", std::to_string(i)).set("label", Tensor({}, {i % 2})));
  }
  writer.commit();
  const std::vector<TfrecordFeature> features = {{.name = "ids"},
                                                 {.name = "label", .dtype = DType::kInt32, .shape = Shape{}},
                                                 {.name = "x", .dtype = DType::kFloat32, .shape = Shape{2, 1}},
                                                 {.name = "text", .column = "t"}};
  const Dataset examples = read_tfrecord(path, {.features = features});
  const auto same = [](Example example) { return example; };
  for (const BatchOptions& options : {BatchOptions{.size = 3}, BatchOptions{.size = 3, .drop_remainder = true},
                                      BatchOptions{.size = 4, .fill_remainder = false}, BatchOptions{.size = 7}}) {
    EXPECT_EQ(texts_of(examples.batch(options).iterate()), texts_of(examples.map(same).batch(options).iterate()));
    EXPECT_EQ(examples.batch(options).count(), examples.map(same).batch(options).count());
    EXPECT_EQ(to_string(examples.batch(options).iterate().next()->row_origins()),
              to_string(examples.map(same).batch(options).iterate().next()->row_origins()));
  }
}

TEST(ReadTfrecord, ErrorsOfBatchesNameTheRecord) {
  const TemporaryFolder folder;
  const std::string path = (folder / "a").string();
  TfrecordWriter writer(path);
  for (const int64_t length : {2, 2, 3}) {
    Example example;
    writer.write(example.set("ids", Tensor({DType::kInt64, {length}})));
  }
  writer.commit();
  const auto read = [&](TfrecordFeature feature) {
    for (const Example& batch : read_tfrecord(path, {.features = {feature}}).batch({.size = 3}).iterate())
      to_text(batch);
  };
  EXPECT_THAT(message_of<DataError>([&] { read({.name = "ids"}); }),
              AllOf(HasSubstr("a:3"), HasSubstr("int64[3]"), HasSubstr("int64[2], as in the batch's first example")));
  EXPECT_THAT(message_of<DataError>([&] { read({.name = "idz"}); }), HasSubstr("did you mean 'ids'?"));
}

TEST(ReadTfrecord, ReadTableUsesItsFeatureNames) {
  const TemporaryFolder folder;
  for (const std::string name : {"a.tfrecord", "a.tfrecords", "a.tfrecord.gz", "a.tfrecord-00000-of-00002"}) {
    std::filesystem::copy_file(kExamples, folder / name);
    const Dataset dataset = read_table((folder / name).string(), {.columns = {"label"}});
    EXPECT_THAT(names_of(record(dataset, 0)), ElementsAre("label")) << name;
  }
  const Dataset twice = read_table(kExamples, {.columns = {"label", "sentence", "label"}});
  EXPECT_THAT(names_of(record(twice, 0)), ElementsAre("label", "sentence"));
  EXPECT_THAT(
      message_of<DataError>([] {
        record(read_table(kExamples, {.columns = {"w"}, .single_values = {"w"}, .rename = {{"words", "w"}}}), 3);
      }),
      HasSubstr("3 values in feature 'words'"));
  EXPECT_THROW(read_table(kExamples, {.names = {"a"}}), UsageError);
  EXPECT_THROW(read_table({kExamples, "a.csv"}), UsageError);
}

}  // namespace portatune::data
