#include <gmock/gmock.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"
#include "media/image/write_png.h"
#include "portatune/sources.h"

namespace portatune::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kExamples = std::string(PORTATUNE_TEST_DATA) + "/tfrecord/examples.tfrecord";

std::vector<data::Example> examples_of(const std::string& file) {
  std::vector<data::Example> examples;
  for (data::Example& example : data::read_tfrecord(file).iterate()) examples.push_back(std::move(example));
  return examples;
}

std::vector<int64_t> integers(const data::Example& example, const std::string& column) {
  const std::span<const int64_t> values = example.tensor(column).as<int64_t>();
  return {values.begin(), values.end()};
}

class TfrecordCommand : public testing::Test {
 protected:
  Finished write_rows(const std::string& name, const std::string& rows, const Words& more = {}) const {
    return write_rows_to(out(), name, rows, more);
  }
  Finished write_rows_to(const std::string& output, const std::string& name, const std::string& rows,
                         const Words& more) const {
    write(toy_.file(name), rows);
    return portatune(Words{"tfrecord", "write", "--input", toy_.file(name), "--output", output} + more);
  }
  std::string out() const { return toy_.file("out.tfrecord"); }

  const Toy toy_;
};

TEST_F(TfrecordCommand, WritesColumnsOfTables) {
  const Finished finished = write_rows("a.csv", "id,text,label,score\n007,good,1,0.1\n008,bad,0,-1\n",
                                       {"--int64-columns", "label", "--float-columns", "score"});
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_EQ(finished.out, "");
  EXPECT_EQ(finished.err, "2 records in 1 file\n");
  const json inspected = json::parse(portatune({"tfrecord", "inspect", out(), "--json"}).out);
  EXPECT_EQ(inspected["features"]["label"]["kind"], "int64");
  EXPECT_EQ(inspected["features"]["score"]["kind"], "float");
  EXPECT_EQ(inspected["features"]["id"]["kind"], "bytes");
  EXPECT_EQ(inspected["first"][0], json::parse(R"({"id": "007", "label": 1, "score": 0.1, "text": "good"})"));
}

TEST_F(TfrecordCommand, WritesTokenIdsInShards) {
  const Finished finished = write_rows_to(
      toy_.file("a-{shard:05d}-of-{shards:05d}.tfrecord"), "a.csv", "text,label\nthe film,1\nthe good film,0\ngood,1\n",
      {"--tokenizer", tiny_bert(), "--max-length", "4", "--int64-columns", "label", "--shards", "2", "--json"});
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  const json result = json::parse(finished.out);
  EXPECT_EQ(result["records"], 3);
  EXPECT_EQ(result["files"][1], toy_.file("a-00001-of-00002.tfrecord"));
  const auto first = examples_of(result["files"][0]), second = examples_of(result["files"][1]);
  ASSERT_EQ(first.size(), 2u);
  EXPECT_THAT(integers(first[0], "input_ids"), ElementsAre(2, 13, 15, 3));
  EXPECT_THAT(integers(first[1], "input_ids"), ElementsAre(2, 5, 3));
  EXPECT_THAT(integers(second[0], "input_ids"), ElementsAre(2, 13, 5, 3));
  EXPECT_FALSE(first[0].has("text"));
  EXPECT_EQ(first[0].text("label"), "1");
}

TEST_F(TfrecordCommand, WritesPairsWithTheirTypes) {
  ASSERT_EQ(write_rows("a.csv", "a,b\nthe,film\n",
                       {"--tokenizer", tiny_bert(), "--text-column", "a", "--text-pair-column", "b", "--keep-text"})
                .exit_code,
            0);
  const data::Example example = examples_of(out())[0];
  EXPECT_THAT(integers(example, "input_ids"), ElementsAre(2, 13, 3, 15, 3));
  EXPECT_THAT(integers(example, "token_type_ids"), ElementsAre(0, 0, 0, 1, 1));
  EXPECT_EQ(example.text("b"), "film");
}

// The features are those that tf.io.FixedLenFeature reads from rows that `tokenizers` has padded.
TEST_F(TfrecordCommand, PadsAllRowsToOneLength) {
  const json rows = json::parse(read(std::string(PORTATUNE_TEST_DATA) + "/tfrecord/padded.json"));
  std::string lines;
  for (const json& row : rows) lines += json{{"text", row["text"]}, {"pair", row["pair"]}}.dump() + "\n";
  const Finished finished = write_rows(
      "a.jsonl", lines,
      {"--tokenizer", tiny_bert(), "--text-pair-column", "pair", "--max-length", "8", "--padding", "max_length"});
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  const std::vector<data::Example> examples = examples_of(out());
  ASSERT_EQ(examples.size(), rows.size());
  for (size_t i = 0; i < examples.size(); ++i) {
    for (const auto& [name, values] : rows[i]["features"].items()) {
      EXPECT_EQ(integers(examples[i], name), values.get<std::vector<int64_t>>()) << "row " << i << ", " << name;
    }
  }
}

TEST_F(TfrecordCommand, PaddingNeedsALengthAndAPaddingToken) {
  const auto complaint = [&](const Words& more) {
    const Finished finished = write_rows("a.csv", "text\na\n", more + Words{"--padding", "max_length"});
    EXPECT_EQ(finished.exit_code, 2) << finished.err;
    return finished.err;
  };
  EXPECT_THAT(complaint({}), HasSubstr("add --tokenizer DIR"));
  EXPECT_THAT(complaint({"--tokenizer", tiny_bert()}),
              AllOf(HasSubstr("no --max-length"), HasSubstr("--max-length 128")));
  const std::string gpt2 = toy_.file("gpt2");
  fs::create_directory(gpt2);
  write(gpt2 + "/vocab.json", R"({"a": 0, "<|endoftext|>": 1})");
  write(gpt2 + "/merges.txt", "#version: 0.2\n");
  EXPECT_THAT(complaint({"--tokenizer", gpt2, "--max-length", "8"}), HasSubstr("no padding token"));
}

TEST_F(TfrecordCommand, WritesImagesOfFoldersAndTables) {
  fs::create_directories(toy_.file("photos/red"));
  image::write_png(toy_.file("photos/red/1.png"), image::plain_picture({16, 16}, {200, 20, 20}, 0));
  const std::string bytes = read(toy_.file("photos/red/1.png"));
  ASSERT_EQ(portatune({"tfrecord", "write", "--input", toy_.file("photos"), "--output", out()}).exit_code, 0);
  EXPECT_EQ(examples_of(out())[0].text("image"), bytes);
  EXPECT_EQ(examples_of(out())[0].text("label"), "red");
  ASSERT_EQ(write_rows("a.csv", "file,label\nphotos/red/1.png,x\n", {"--image-column", "file"}).exit_code, 0);
  EXPECT_EQ(examples_of(out())[0].text("file"), bytes);
  EXPECT_THAT(portatune({"tfrecord", "inspect", out()}).out, HasSubstr("<image, " + std::to_string(bytes.size())));
  const Finished other = write_rows("b.csv", "file\na.csv\n", {"--image-column", "file"});
  EXPECT_EQ(other.exit_code, 65);
  EXPECT_THAT(other.err, HasSubstr("a JPEG, PNG or WebP file"));
}

TEST_F(TfrecordCommand, BadRowLeavesTheOlderFiles) {
  write(out(), "older");
  const Finished finished = write_rows("a.csv", "label\n1\nx\n", {"--int64-columns", "label"});
  EXPECT_EQ(finished.exit_code, 65);
  EXPECT_THAT(finished.err, AllOf(HasSubstr("a.csv:3"), HasSubstr("x in column \"label\""), HasSubstr("an integer")));
  EXPECT_EQ(read(out()), "older");
  EXPECT_THAT(toy_.left_behind(), testing::UnorderedElementsAre("a.csv", "out.tfrecord"));
}

TEST_F(TfrecordCommand, BadRowsAreSkippedAndCounted) {
  const std::string rows = "label\n1\nx\n2\n";
  const Words words = {"--int64-columns", "label", "--bad-rows", "skip:1"};
  const Finished finished = write_rows("a.csv", rows, words);
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_THAT(finished.err, AllOf(HasSubstr("skipped"), HasSubstr("a.csv:3: x in column \"label\""),
                                  HasSubstr("2 records in 1 file\n1 bad row skipped\n")));
  const json result = json::parse(write_rows("a.csv", rows, words + Words{"--json"}).out);
  EXPECT_EQ(result["records"], 2);
  EXPECT_EQ(result["skipped_rows"], 1);
}

TEST_F(TfrecordCommand, SignalLeavesNothing) {
  write(toy_.file("many.csv"), toy_csv(2'000'000));
  fs::create_directory(toy_.file("results"));
  Program program({"tfrecord", "write", "--input", toy_.file("many.csv"), "--output",
                   toy_.file("results/{shard}.tfrecord"), "--shards", "3"});
  ASSERT_TRUE(program.makes(toy_.file("results"), "tmp.2.tfrecord."));
  program.signal(SIGINT);
  EXPECT_EQ(program.wait().exit_code, 128 + SIGINT);
  EXPECT_THAT(names_in(toy_.file("results")), IsEmpty());
}

TEST_F(TfrecordCommand, RemovesWhatAKilledRunHasLeft) {
  fs::create_directory(toy_.file("results"));
  for (const char* name : {"results/tmp.0.tfrecord.0123456789abcdef", "results/tmp.1.tfrecord.0123456789abcdef"}) {
    write(toy_.file(name), "unfinished");
  }
  write(toy_.file("a.csv"), "text\na\nb\n");
  const Finished finished = portatune({"tfrecord", "write", "--input", toy_.file("a.csv"), "--output",
                                       toy_.file("results/{shard}.tfrecord"), "--shards", "2", "--no-index"});
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_THAT(names_in(toy_.file("results")), testing::ElementsAre("0.tfrecord", "1.tfrecord"));
}

TEST_F(TfrecordCommand, InspectsWhatTensorFlowWrote) {
  const Finished finished = portatune({"tfrecord", "inspect", kExamples, kExamples + ".gz", "--verify", "--json"});
  EXPECT_EQ(finished.exit_code, 0);
  for (const json& file : json_lines(finished.out)) {
    EXPECT_EQ(file["records"], 6);
    EXPECT_EQ(file["corrupt"], json::array());
    EXPECT_EQ(file["features"]["sentence"],
              json::parse(R"({"kind": "bytes", "records": 2, "values": [1, 1], "bytes": [11, 47]})"));
    EXPECT_EQ(file["features"]["long"]["values"], json::parse("[300, 300]"));
  }
}

TEST_F(TfrecordCommand, InspectTellsWhatIsDamaged) {
  std::string bytes = read(kExamples);
  bytes[60] ^= 1;  // in the first record
  write(toy_.file("a.tfrecord"), bytes.substr(0, bytes.size() - 1));
  const Finished finished = portatune({"tfrecord", "inspect", toy_.file("a.tfrecord"), "--verify"});
  EXPECT_EQ(finished.exit_code, 65);
  EXPECT_THAT(finished.out, AllOf(HasSubstr("5 records"), HasSubstr("a.tfrecord:1: a record with a wrong checksum"),
                                  HasSubstr("a.tfrecord:6: a file that ends")));
  EXPECT_EQ(finished.err, "");
}

TEST_F(TfrecordCommand, IndexesFilesOfOthersAndNoticesOldIndexes) {
  const std::string file = toy_.file("a.tfrecord");
  fs::copy_file(kExamples, file);
  const Finished finished = portatune({"tfrecord", "index", file});
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_THAT(finished.err, HasSubstr("a.tfrecord: 6 records"));
  EXPECT_THAT(portatune({"tfrecord", "inspect", file}).out, HasSubstr("6 records, 1584 bytes, with an index"));
  write(file, read(kExamples) + read(kExamples));
  const Finished inspected = portatune({"tfrecord", "inspect", file});
  EXPECT_EQ(inspected.exit_code, 65);
  EXPECT_THAT(inspected.out, HasSubstr("the index of a file of 1584 bytes"));
}

TEST_F(TfrecordCommand, HelpAndMisuse) {
  const Finished help = portatune({"tfrecord", "--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.out, AllOf(HasSubstr("  write "), HasSubstr("  inspect "), HasSubstr("  index ")));
  EXPECT_THAT(portatune({"tfrecord", "inspect", "--help"}).out, AllOf(HasSubstr("  FILE... "), HasSubstr("--verify")));
  const Finished nothing = portatune({"tfrecord"});
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_THAT(nothing.err, HasSubstr("see portatune tfrecord --help"));
  const Finished typo = portatune({"tfrecord", "write", "--shard", "3"});
  EXPECT_EQ(typo.exit_code, 2);
  EXPECT_THAT(typo.err, AllOf(HasSubstr("tfrecord write"), HasSubstr("did you mean --shards?")));
  EXPECT_EQ(portatune({"tfrecord", "inpsect"}).exit_code, 2);
  EXPECT_EQ(portatune({"tfrecord", "inspect", toy_.file("none")}).exit_code, 66);
  write(toy_.file("a.csv"), "text\na\n");
  const Finished pattern =
      portatune({"tfrecord", "write", "--input", toy_.file("a.csv"), "--output", out(), "--shards", "2"});
  EXPECT_EQ(pattern.exit_code, 2);
  EXPECT_THAT(pattern.err, HasSubstr("{shard"));
}

TEST_F(TfrecordCommand, ShardsDoNotReplaceTheRows) {
  write(toy_.file("1.csv"), "text\na\n");
  const Finished finished = portatune({"tfrecord", "write", "--input", toy_.file("1.csv"), "--output",
                                       toy_.file("{shard}.csv"), "--shards", "2"});
  EXPECT_EQ(finished.exit_code, 73);
  EXPECT_THAT(finished.err, HasSubstr("a file whose rows are read"));
  EXPECT_EQ(read(toy_.file("1.csv")), "text\na\n");
}

// The records, written by TensorFlow, have one number, several and none; one text, several and none.
TEST_F(TfrecordCommand, WritesRecordsAgainAsTheyWere) {
  const Finished finished = portatune({"tfrecord", "write", "--input", kExamples, "--output", out()});
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  const auto inspected = [](const std::string& file) {
    return json::parse(portatune({"tfrecord", "inspect", file, "--records", "100", "--json"}).out);
  };
  const json before = inspected(kExamples), after = inspected(out());
  EXPECT_EQ(after["features"], before["features"]);
  EXPECT_EQ(after["first"], before["first"]);
  ASSERT_EQ(write_rows_to(toy_.file("ints.tfrecord"), "a.csv", "n\n3\n", {"--int64-columns", "n"}).exit_code, 0);
  const Finished floats = portatune({"tfrecord", "write", "--input", toy_.file("ints.tfrecord"), "--output",
                                     toy_.file("floats.tfrecord"), "--float-columns", "n"});
  ASSERT_EQ(floats.exit_code, 0) << floats.err;
  EXPECT_EQ(inspected(toy_.file("floats.tfrecord"))["features"]["n"]["kind"], "float");
}

TEST_F(TfrecordCommand, AnEmptyFileHasNoRows) {
  write(toy_.file("empty.tfrecord"), "");
  ASSERT_EQ(write_rows("a.csv", toy_csv(32)).exit_code, 0);
  const Finished fit = portatune({"fit", "--model", tiny_bert(), "--train", toy_.file("empty.tfrecord"), out(),
                                  "--output", toy_.output(), "--max-length", "16", "--epochs", "1", "--json"});
  ASSERT_EQ(fit.exit_code, 0) << fit.err;
  EXPECT_EQ(json::parse(fit.out)["train_examples"], 32);
  const auto predict = [&](const Words& more) {
    return portatune(
        Words{"predict", "--model", toy_.output(), "--data", toy_.file("empty.tfrecord"), "--max-length", "16"} + more);
  };
  EXPECT_EQ(predict({}).exit_code, 65);
  const Finished skips = predict({"--bad-rows", "skip:1"});
  EXPECT_EQ(skips.exit_code, 0) << skips.err;
  EXPECT_EQ(skips.out, "");
}

// Several values would become a JSON list, and the model would learn its brackets.
TEST_F(TfrecordCommand, TextsAndLabelsHaveExactlyOneValue) {
  const auto fit_on = [&](const data::Example& second, const Words& more) {
    data::TfrecordWriter writer(out());
    data::Example good;
    good.set("text", "good").set("label", "1");
    for (const data::Example& row : {good, second, data::Example(good).set("label", "0")}) writer.write(row);
    writer.commit();
    return portatune(Words{"fit", "--model", tiny_bert(), "--train", out(), "--output", toy_.output(), "--max-length",
                           "16", "--epochs", "1", "--json"} +
                     more);
  };
  const std::vector<std::string> two = {"a", "b"};
  for (const char* column : {"text", "label"}) {
    const data::Example bad = data::Example().set("text", "bad").set("label", "0").set(column, two);
    const Finished fails = fit_on(bad, {});
    EXPECT_EQ(fails.exit_code, 65) << fails.err;
    EXPECT_THAT(fails.err,
                AllOf(HasSubstr("out.tfrecord:2"), HasSubstr("2 values in feature '" + std::string(column))));
    const Finished skips = fit_on(bad, {"--bad-rows", "skip:1"});
    ASSERT_EQ(skips.exit_code, 0) << skips.err;
    EXPECT_EQ(json::parse(skips.out)["train_examples"], 2);
    fs::remove_all(toy_.output());
  }
  const data::Example several = data::Example().set("text", "bad").set("label", std::vector<std::string>{"0", "1"});
  const Finished multi_label = fit_on(several, {"--head", "multi_label_classification"});
  EXPECT_EQ(multi_label.exit_code, 0) << multi_label.err;
}

TEST_F(TfrecordCommand, OptionsThatSayNothingAreRefused) {
  const auto complaint = [&](const std::string& output, const Words& more) {
    const Finished finished = write_rows_to(output, "a.csv", "text,n\na,1\n", more);
    EXPECT_EQ(finished.exit_code, 2) << finished.err;
    return finished.err;
  };
  EXPECT_THAT(complaint(out(), {"--max-length", "8"}), HasSubstr("no --tokenizer"));
  EXPECT_THAT(complaint(out(), {"--keep-text"}), HasSubstr("no --tokenizer"));
  EXPECT_THAT(complaint(out() + ".gz", {}), HasSubstr("without --gzip"));
  EXPECT_THAT(complaint(out(), {"--int64-columns", "n", "--float-columns", "n"}), HasSubstr("column 'n'"));
  std::filesystem::create_directory(toy_.file("folder.tfrecord"));
  EXPECT_THAT(complaint(toy_.file("folder.tfrecord"), {}), HasSubstr("not a regular file"));
  EXPECT_EQ(complaint("/dev/null", {}).find("records"), std::string::npos);
}

// The same rows as texts in a table and as token ids in TFRecords, padded or not: the same training, to the digit.
TEST_F(TfrecordCommand, TrainingOnTokenIdsIsThatOnTexts) {
  const Words more = {"--max-steps", "4", "--json"};
  const Finished texts = portatune(toy_.fit(more));
  ASSERT_EQ(texts.exit_code, 0) << texts.err;
  for (const std::string name : {"train", "validation"}) {
    ASSERT_EQ(portatune({"tfrecord", "write", "--input", toy_.file(name + ".csv"), "--tokenizer", tiny_bert(),
                         "--max-length", "16", "--padding", name == "train" ? "max_length" : "none", "--int64-columns",
                         "label", "--output", toy_.file(name + ".tfrecord")})
                  .exit_code,
              0);
  }
  std::filesystem::remove(toy_.file("train.tfrecord.index"));  // with which rows are shuffled as a whole
  Words words = toy_.fit(more);
  for (std::string& word : words) {
    if (word.ends_with(".csv")) word.replace(word.size() - 4, 4, ".tfrecord");
    if (word == toy_.output()) word += "-of-ids";
  }
  const Finished ids = portatune(words);
  ASSERT_EQ(ids.exit_code, 0) << ids.err;
  EXPECT_EQ(json::parse(ids.out)["train_loss"], json::parse(texts.out)["train_loss"]);
  EXPECT_EQ(json::parse(ids.out)["after"], json::parse(texts.out)["after"]);
  EXPECT_EQ(read(toy_.output() + "-of-ids/model.safetensors"), read(toy_.output() + "/model.safetensors"));
}

}  // namespace
}  // namespace portatune::cli
