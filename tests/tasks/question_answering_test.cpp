// Comparison of windows and answers with transformers: tests/oracle/tasks/make_question_answering_cases.py.
#include "portatune/tasks/question_answering.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "graph/evaluate.h"
#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/tasks/results/answer_search.h"
#include "portatune/tasks/rows/question_windows.h"
#include "portatune/text.h"
#include "tasks/sentences.h"

namespace portatune::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Json = nlohmann::json;
using Labels = RowTask::Labels;

Json golden(const std::string& file) { return Json::parse(std::ifstream(PORTATUNE_TEST_DATA "/" + file)); }

data::Example row_of(const std::string& question, const std::string& context, const std::string& answers) {
  data::Example row;
  row.set("id", std::string("q1")).set("question", question).set("context", context).set("answers", answers);
  return row;
}

Json json_ints(const data::Example& example, std::string_view column) { return ints(example, column); }

// ---- windows

TEST(QuestionAnswering, WindowsEqualThoseOfTransformers) {
  int compared = 0;
  const Json cases = golden("tasks/question_answering.json");
  for (const Json& expected : cases["windows"]) {
    if (expected["tokenizer"] != "tiny_bert" || expected["max_length"] > 32) continue;  // the model has 32 positions
    const QuestionAnswering task(kTinyBert, {.max_length = expected["max_length"], .doc_stride = expected["stride"]});
    const std::vector<data::Example> windows =
        task.encode(row_of(expected["question"], expected["context"], expected["answers"].dump()));
    ASSERT_EQ(windows.size(), expected["windows"].size()) << expected["id"];
    for (size_t i = 0; i < windows.size(); ++i) {
      const Json& window = expected["windows"][i];
      Json offsets = Json::array();
      const Json begins = json_ints(windows[i], "span_begins"), ends = json_ints(windows[i], "span_ends");
      for (size_t k = 0; k < begins.size(); ++k) offsets.push_back({begins[k], ends[k]});
      EXPECT_EQ(json_ints(windows[i], "input_ids"), window["ids"]) << expected["id"] << i;
      EXPECT_EQ(json_ints(windows[i], "token_type_ids"), window["type_ids"]) << expected["id"] << i;
      EXPECT_EQ(offsets, window["offsets"]) << expected["id"] << i;
      EXPECT_EQ(json_ints(windows[i], "start_positions")[0], window["start"]) << expected["id"] << i;
      EXPECT_EQ(json_ints(windows[i], "end_positions")[0], window["end"]) << expected["id"] << i;
    }
    ++compared;
  }
  EXPECT_EQ(compared, 14);
}

TEST(QuestionWindows, EqualThoseOfTransformersForByteLevelTokenizers) {
  const Json components = golden("tokenizer/components.json");
  const Json& changes = components["tokenizers"]["RoBERTa False"];
  Json json = components["plain"];
  for (const auto& [key, value] : changes.items()) json[key] = value;
  json["model"] = components["models"][changes["model"].get<size_t>()];
  const TemporaryFolder folder;
  write_text(folder / "tokenizer.json", json.dump());
  const text::Tokenizer tokenizer = text::Tokenizer::load(folder.path());
  int compared = 0;
  const Json cases = golden("tasks/question_answering.json");
  for (const Json& expected : cases["windows"]) {
    if (expected["tokenizer"] != "RoBERTa False") continue;
    std::string question = expected["question"];
    question.erase(0, question.find_first_not_of(' '));
    const text::Encoding pair =
        tokenizer.encode(question, expected["context"].get<std::string>(),
                         {.truncation = text::TruncationStrategy::kDoNotTruncate, .with_offsets = true});
    const auto windows = tasks::windows_of(pair, expected["max_length"], expected["stride"]);
    ASSERT_EQ(windows.size(), expected["windows"].size()) << expected["id"];
    for (size_t i = 0; i < windows.size(); ++i) {
      EXPECT_EQ(Json(windows[i].encoding.ids), expected["windows"][i]["ids"]);
      for (size_t k = windows[i].context_begin; k < windows[i].context_end; ++k) {
        const text::Offsets offsets = windows[i].encoding.offsets[k];
        EXPECT_EQ(Json({offsets.begin, offsets.end}), expected["windows"][i]["offsets"][k]) << expected["id"] << k;
      }
    }
    ++compared;
  }
  EXPECT_EQ(compared, 7);
}

TEST(QuestionAnswering, AnswerAtTheLastTokenOfAWindowIsItsLabel) {
  const QuestionAnswering task(kTinyBert, {.max_length = 16});
  const auto windows = task.encode(row_of("what", "the film was good", R"({"text": ["good"], "answer_start": [13]})"));
  ASSERT_EQ(windows.size(), 1u);  // [CLS] what(4 letters) [SEP] the film was good [SEP]
  const Json begins = json_ints(windows[0], "span_begins");
  const auto place = std::find(begins.begin(), begins.end(), 13) - begins.begin();
  EXPECT_EQ(json_ints(windows[0], "start_positions"), Json({place}));
  EXPECT_EQ(json_ints(windows[0], "end_positions"), Json({place}));
}

TEST(QuestionAnswering, StrideIsHalfAWindowUnlessGiven) {
  const QuestionAnswering task(kTinyBert, {.max_length = 13});
  // [CLS] it [SEP] + 9 of the context + [SEP]: 4 are shared, so windows begin at 0, 5, 10, ...
  const std::string context = "the film was good the film was good the film was good";
  const std::string none = R"({"text": [], "answer_start": []})";
  const auto windows = task.encode(row_of("it", context, none));
  ASSERT_EQ(windows.size(), 2u);
  EXPECT_EQ(json_ints(windows[0], "window"), Json({0}));
  EXPECT_EQ(json_ints(windows[1], "window"), Json({1}));
  EXPECT_EQ(json_ints(windows[1], "span_begins")[3], 22);
  EXPECT_EQ(task.examples(data::from_examples({row_of("it", context, none), row_of("it", "good", none)})).count(), 3);
}

// A context of a megabyte has a thousand windows, whose copies of it would take a gigabyte.
TEST(QuestionAnswering, OnlyTheFirstWindowHasTheTexts) {
  const QuestionAnswering task(kTinyBert, {.max_length = 13});
  const std::string context = "the film was good the film was good the film was good";
  const std::string none = R"({"text": [], "answer_start": []})";
  for (const Labels labels : {Labels::kRequired, Labels::kIgnored}) {
    const auto windows = task.encode(row_of("it", context, none), labels);
    ASSERT_EQ(windows.size(), 2u);
    EXPECT_EQ(windows[0].text("id"), "q1");
    EXPECT_EQ(windows[0].text("context"), context);
    for (const char* column : {"id", "context"}) EXPECT_EQ(windows[1].text(column), "") << column;
    for (const data::Example& window : windows) EXPECT_EQ(window.has("answers"), labels == Labels::kRequired);
  }
  EXPECT_EQ(task.encode(row_of("it", context, none))[0].text("answers"), none);
}

// Each window shares all but one of its tokens with the one before.
TEST(QuestionWindows, RejectOneWindowPerTokenOfALongContext) {
  text::Encoding pair;
  const auto windows = [&](size_t context) {
    pair.sequence_ids.assign(3, 0);  // the question takes 3 of 8, the context has 5
    pair.sequence_ids.resize(3 + context, 1);
    pair.ids.resize(3 + context);
    pair.type_ids.resize(3 + context);
    pair.offsets.resize(3 + context);
    return tasks::windows_of(pair, 8, 4).size();
  };
  EXPECT_EQ(windows(10'004), 10'000u);
  EXPECT_THAT(message_of<DataError>([&] { windows(10'005); }),
              AllOf(HasSubstr("a context of 10005 tokens, which takes 10001 windows of 5"), HasSubstr("doc_stride")));
}

TEST(QuestionAnswering, ErrorNamesABadRow) {
  const QuestionAnswering task(kTinyBert, {.max_length = 16, .doc_stride = 4});
  const auto message = [&](const std::string& question, const char* answers) {
    return message_of<DataError>([&] { task.encode(row_of(question, "the film was good", answers)); });
  };
  EXPECT_THAT(message("it", R"({"text": ["good"], "answer_start": [12]})"),
              AllOf(HasSubstr("answer \"good\" at 12 of question \"q1\""), HasSubstr("\" goo\"")));
  EXPECT_THAT(message("it", R"({"text": ["good"], "answer_start": [99]})"), HasSubstr("17 characters"));
  EXPECT_THAT(message("it", R"({"text": ["good"], "answer_start": [-1]})"), HasSubstr("17 characters"));
  EXPECT_THAT(message("it", R"({"text": ["good"], "answer_start": ["13"]})"), HasSubstr("17 characters"));
  EXPECT_THAT(message("it", R"({"text": ["good"], "answer_start": []})"), HasSubstr("lists of one length"));
  EXPECT_THAT(message("it", R"([])"), HasSubstr("lists of one length"));
  EXPECT_THAT(message("it", "good"), HasSubstr("in JSON"));
  const std::string long_question = "the film was good the film was good the film was good";
  EXPECT_THAT(message(long_question, R"({"text": [], "answer_start": []})"), HasSubstr("raise max_length"));
}

TEST(QuestionAnswering, OptionsAreChecked) {
  const auto message = [](QuestionAnsweringOptions options) {
    return message_of<UsageError>([&] { QuestionAnswering(kTinyBert, options); });
  };
  EXPECT_THAT(message({.max_length = 16, .n_best_size = 0}), HasSubstr("n_best_size"));
  EXPECT_THAT(message({.max_length = 16, .max_answer_length = 0}), HasSubstr("max_answer_length"));
  EXPECT_THAT(message({.max_length = 16, .doc_stride = -1}), HasSubstr("doc_stride"));
}

// ---- answers

// The rows of a case with its logits, in batches; the last one has a row that only fills it up.
struct Batches {
  std::vector<data::Example> batches, outputs;

  Batches(const QuestionAnswering& task, const Json& rows, const Json& expected) {
    std::vector<data::Example> examples;
    for (const Json& row : rows) {
      data::Example example = row_of(row["question"], row["context"], row["answers"].dump());
      examples.push_back(example.set("id", row["id"].get<std::string>()));
    }
    constexpr size_t kSize = 2;
    size_t window = 0;
    for (data::Example& batch : task.batches(data::from_examples(examples), kSize).iterate()) {
      data::Example& output = outputs.emplace_back();
      for (const char* side : {"start_logits", "end_logits"}) {
        std::vector<float> logits;
        for (size_t i = window; i < window + kSize; ++i) {
          const bool is_filler = i >= expected[side].size();
          for (const Json& logit : expected[side][is_filler ? 0 : i]) logits.push_back(logit.get<float>());
        }
        output.set(side, Tensor({kSize, task.options().max_length}, std::span<const float>(logits)));
      }
      window += kSize;
      batches.push_back(std::move(batch));
    }
  }
};

Json rows_of_answers(const Json& cases) {
  Json rows = Json::array();
  for (const Json& row : cases["windows"]) {
    if (row["tokenizer"] == "tiny_bert" && row["max_length"] == 24) rows.push_back(row);
  }
  return rows;
}

QuestionAnsweringOptions options_of(const Json& expected) {
  return {.max_length = expected["max_length"],
          .doc_stride = expected["stride"],
          .version_2_with_negative = expected["version_2_with_negative"],
          .n_best_size = expected["n_best_size"],
          .max_answer_length = expected["max_answer_length"],
          .null_score_diff_threshold = expected["null_score_diff_threshold"]};
}

TEST(AnswerSearch, EqualsRunQa) {
  const Json cases = golden("tasks/question_answering.json");
  const Json rows = rows_of_answers(cases);
  int compared = 0;
  for (const Json& expected : cases["answers"]) {
    const QuestionAnswering task(kTinyBert, options_of(expected));
    const Batches given(task, rows, expected);
    tasks::AnswerSearch search(task.options());
    std::vector<tasks::Answer> answers;
    for (size_t i = 0; i < given.batches.size(); ++i) {
      const std::vector<tasks::Answer> complete = search.take(given.batches[i], given.outputs[i]);
      answers.insert(answers.end(), complete.begin(), complete.end());
    }
    answers.push_back(*search.last());
    ASSERT_EQ(answers.size(), expected["answers"].size());
    for (size_t i = 0; i < answers.size(); ++i) {
      const Json& wanted = expected["answers"][i];
      EXPECT_EQ(answers[i].id, wanted["id"]);
      if (!wanted["has_span"]) {
        EXPECT_EQ(answers[i].text, "");
        continue;
      }
      ++compared;
      EXPECT_EQ(answers[i].text, wanted["text"]) << wanted << expected["n_best_size"];
      EXPECT_NEAR(answers[i].probability, wanted["probability"].get<double>(), 1e-5) << wanted;
      if (!wanted["null_score_diff"].is_null()) {
        EXPECT_NEAR(answers[i].null_score_diff, wanted["null_score_diff"].get<double>(), 1e-5) << wanted;
      }
    }
  }
  EXPECT_EQ(compared, 27);
}

TEST(QuestionAnswering, PredictionFilesHaveEveryQuestion) {
  const Json cases = golden("tasks/question_answering.json");
  const Json& expected = cases["answers"][2];
  const QuestionAnswering task(kTinyBert, options_of(expected));
  const Batches given(task, rows_of_answers(cases), expected);
  const auto lines = task.prediction_lines(), document = task.prediction_document();
  std::string of_lines, of_document;
  for (size_t i = 0; i < given.batches.size(); ++i) {
    of_lines += lines->take(given.batches[i], given.outputs[i]);
    of_document += document->take(given.batches[i], given.outputs[i]);
  }
  of_lines += lines->finish();
  of_document += document->finish();
  const Json map = Json::parse(of_document);
  std::istringstream in(of_lines);
  size_t count = 0;
  for (std::string text; std::getline(in, text); ++count) {
    const Json line = Json::parse(text);
    EXPECT_EQ(line["id"], expected["answers"][count]["id"]);
    EXPECT_EQ(line["prediction_text"], map[line["id"].get<std::string>()]);
    EXPECT_TRUE(line.contains("null_score_diff"));
  }
  EXPECT_EQ(count, 7u);
  EXPECT_EQ(map.size(), 7u);
  EXPECT_EQ(task.prediction_document()->finish(), "{}\n");
}

// Written by hand: one window per question, start and end at the given positions.
TEST(QuestionAnswering, MetricsArePercentagesOfQuestions) {
  const QuestionAnswering task(kTinyBert, {.max_length = 12, .version_2_with_negative = true});
  const data::Example found = row_of("it", "the film was good", R"({"text": ["film was good"], "answer_start": [4]})");
  const data::Example none = row_of("it", "the film was good", R"({"text": [], "answer_start": []})");
  const auto batch = task.batches(data::from_examples({found, none}), 2).iterate().next();
  // [CLS] it [SEP] the film was good [SEP]: "film was" for the first, no answer for the second.
  std::vector<float> starts(24, 0), ends(24, 0);
  starts[4] = ends[5] = starts[12] = ends[12] = 5;
  data::Example outputs;
  outputs.set("start_logits", Tensor({2, 12}, std::span<const float>(starts)));
  outputs.set("end_logits", Tensor({2, 12}, std::span<const float>(ends)));
  const auto metrics = task.metrics();
  metrics->update(*batch, outputs);
  const Scores scores = metrics->result();
  EXPECT_THAT(scores, ElementsAre(testing::Pair("exact_match", 50), testing::Pair("f1", testing::DoubleEq(90)),
                                  testing::Pair("has_answer_exact_match", 0), testing::Pair("has_answer_f1", 80),
                                  testing::Pair("no_answer_exact_match", 100)));
}

}  // namespace
}  // namespace portatune::test
