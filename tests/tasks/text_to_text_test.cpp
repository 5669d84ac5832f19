#include "portatune/tasks/text_to_text.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/io/safetensors/safetensors.h"
#include "portatune/tasks/task_spec.h"
#include "tasks/forward.h"
#include "tasks/toy_seq2seq.h"
#include "text/language_files.h"
#include "text/marian_files.h"

namespace portatune {
namespace {

using test::compute;
using test::Computed;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr auto kRequired = RowTask::Labels::kRequired, kIgnored = RowTask::Labels::kIgnored;
const std::vector<std::string> kWords = {"a", "b", "c", "d", "to:"};  // ids 4 to 8

class TextToText : public testing::Test {
 protected:
  TextToText() { write_toy_bart(folder_.path(), kWords); }

  std::unique_ptr<RowTask> task(TextToTextOptions options = {}) const {
    if (options.max_length == TextToTextOptions().max_length) options.max_length = 8;
    if (options.max_target_length == TextToTextOptions().max_target_length) options.max_target_length = 6;
    if (options.text_column.empty()) options.text_column = "text";
    if (options.target_column.empty() && options.source_lang.empty()) options.target_column = "target";
    return text_to_text(folder_.path(), options);
  }
  static data::Example row(const std::string& text, const std::string& target) {
    return data::Example().set("text", text).set("target", target);
  }
  static std::vector<data::Example> batches(const RowTask& task, std::vector<data::Example> rows, int64_t size,
                                            RowTask::Labels labels = kRequired) {
    std::vector<data::Example> all;
    for (data::Example& batch : task.batches(data::from_examples(std::move(rows)), size, labels).iterate()) {
      all.push_back(std::move(batch));
    }
    return all;
  }
  static std::vector<int32_t> ids(const data::Example& batch, std::string_view column) {
    const auto values = batch.tensor(column).as<int32_t>();
    return {values.begin(), values.end()};
  }
  template <class F>
  static std::string message(F f) {
    return message_of<UsageError>(f);
  }

  TemporaryFolder folder_;
};

TEST_F(TextToText, LabelsHaveTheTokenThatEndsTheTarget) {
  const auto t = task();
  const data::Example batch = batches(*t, {row("a b", "c")}, 1).front();
  EXPECT_THAT(ids(batch, "input_ids"), ElementsAre(0, 4, 5, 2, 1, 1, 1, 1));
  EXPECT_THAT(ids(batch, "attention_mask"), ElementsAre(1, 1, 1, 1, 0, 0, 0, 0));
  EXPECT_THAT(ids(batch, "labels"), ElementsAre(0, 6, 2, -100, -100, -100));
  const TokenCount count = t->tokens(batch);
  EXPECT_EQ(count.real, 4 + 3);
  EXPECT_EQ(count.positions, 8 + 6);
}

TEST_F(TextToText, CutsSourceAndTargetBeforeTheirLastToken) {
  const auto t = task({.max_length = 4, .max_target_length = 3});
  const data::Example r = row("a b c d", "d c");
  const data::Example batch = batches(*t, {r}, 1).front();
  EXPECT_THAT(ids(batch, "input_ids"), ElementsAre(0, 4, 5, 2));
  EXPECT_THAT(ids(batch, "labels"), ElementsAre(0, 7, 2));
  EXPECT_EQ(t->cut_texts(r), 2);
  EXPECT_EQ(t->cut_texts(row("a b", "c")), 0);
}

TEST_F(TextToText, ThePrefixComesBeforeEverySource) {
  const data::Example batch = batches(*task({.source_prefix = "to: "}), {row("a", "b")}, 1).front();
  EXPECT_THAT(ids(batch, "input_ids"), ElementsAre(0, 8, 4, 2, 1, 1, 1, 1));
}

TEST_F(TextToText, RowsToPredictHaveNoLabels) {
  const auto t = task();
  const data::Example batch = batches(*t, {data::Example().set("text", "a b")}, 1, kIgnored).front();
  EXPECT_FALSE(batch.has("labels"));
  EXPECT_THAT(t->columns(kIgnored), ElementsAre("text"));
  EXPECT_THAT(t->columns(kRequired), ElementsAre("text", "target"));
  EXPECT_TRUE(t->reads_one_text());
}

TEST_F(TextToText, SourcesAndTargetsHaveLengthsOfTheirOwn) {
  const auto t = task();
  const std::vector<data::Example> rows = {row("a", "b"), row("a b c d", "a"), row("b", "c"), row("d", "a b c")};
  EXPECT_EQ(t->pair_counts(t->batches(data::from_examples(rows), 2)),
            (data::PairCounts{{{3, 3}, 2}, {{3, 5}, 1}, {{6, 3}, 1}}));
  t->set_pairs({{3, 3}, {6, 5}});
  std::vector<data::LengthPair> shapes;
  for (const data::Example& batch : batches(*t, rows, 2)) {
    shapes.push_back({batch.tensor("input_ids").shape()[1], batch.tensor("labels").shape()[1]});
  }
  EXPECT_THAT(shapes, ElementsAre(data::LengthPair{3, 3}, data::LengthPair{6, 5}));
  EXPECT_EQ(t->max_target_length(), 6);
  EXPECT_THROW(t->set_pairs({{3, 7}}), UsageError);
}

// The weights of the parity case bart_lm: tests/oracle/models/make_model_cases.py.
class TextToTextOfBart : public TextToText {
 protected:
  TextToTextOfBart() {
    for (const char* file : {"config.json", "model.safetensors"}) {
      std::filesystem::copy_file(case_ / file, folder_ / file, std::filesystem::copy_options::overwrite_existing);
    }
  }

  const std::filesystem::path case_ = PORTATUNE_TEST_DATA "/models/bart_lm";
};

TEST_F(TextToTextOfBart, LossEqualsThatOfTransformers) {
  const auto t = task({.max_length = 9, .max_target_length = 7});
  const auto inputs = io::SafetensorsFile::open(case_ / "inputs.safetensors");
  data::Example batch;
  for (const auto& entry : inputs.entries()) {
    std::vector<int64_t> ids(static_cast<size_t>(entry.type.shape.elements()));
    std::memcpy(ids.data(), inputs.view(entry).data, ids.size() * sizeof(int64_t));
    const std::vector<int32_t> narrow(ids.begin(), ids.end());
    batch.set(entry.name, Tensor(entry.type.shape, std::span<const int32_t>(narrow)));
  }
  batch.set(data::kExampleWeight, Tensor({3}, {1.0f, 1.0f, 1.0f}));
  const Computed found = compute(*t, batch);
  EXPECT_EQ(found.weight_sum, 2 + 3 + 7);
  const auto golden = nlohmann::json::parse(std::ifstream(case_ / "case.json"));
  EXPECT_NEAR(found.loss_sum / found.weight_sum, golden["loss"].get<double>(), 1e-5);
  EXPECT_FALSE(found.outputs.has("generated_tokens"));
}

TEST_F(TextToTextOfBart, RowsWithoutLabelsGenerateTexts) {
  const auto t = task({.generation_max_length = 5});
  const std::vector<data::Example> rows = {data::Example().set("text", "a b"), data::Example().set("text", "c")};
  const data::Example batch = batches(*t, rows, 3, kIgnored).front();
  const Computed found = compute(*t, batch);
  const Tensor& tokens = found.outputs.tensor("generated_tokens");
  EXPECT_EQ(tokens.shape(), (Shape{3, 5}));
  EXPECT_EQ(tokens.as<int32_t>()[0], 2) << "the token that the decoder starts with";
  const std::string lines = t->prediction_lines()->take(batch, found.outputs);
  EXPECT_EQ(std::ranges::count(lines, '\n'), 2) << "the third row fills the batch";
  EXPECT_THAT(lines, testing::StartsWith("{\"text\":"));
}

// Makes all elements of a tensor in a file of safetensors infinite.
void make_infinite(const std::filesystem::path& path, const std::string& tensor) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  uint64_t size = 0;
  file.read(reinterpret_cast<char*>(&size), sizeof(size));
  std::string header(size, ' ');
  file.read(header.data(), static_cast<std::streamsize>(size));
  const auto offsets = nlohmann::json::parse(header)[tensor]["data_offsets"].get<std::vector<int64_t>>();
  file.seekp(static_cast<std::streamoff>(sizeof(size) + size) + offsets[0]);
  const std::vector<float> values(static_cast<size_t>(offsets[1] - offsets[0]) / sizeof(float), INFINITY);
  file.write(reinterpret_cast<const char*>(values.data()), offsets[1] - offsets[0]);
}

// Evaluation refuses outputs that are not finite (Trainer.ErrorForNonFiniteOutputsNamesTheRows).
TEST_F(TextToTextOfBart, AnOutputTellsWhetherGeneratedLogitsAreFinite) {
  for (const int64_t beams : {1, 2}) {
    const auto logits_of = [&] {
      const auto t = task({.generation_max_length = 5, .num_beams = beams});
      const data::Example batch = batches(*t, {data::Example().set("text", "a b")}, 2, kIgnored).front();
      const Tensor logits = compute(*t, batch).outputs.tensor("generated_logits");
      EXPECT_EQ(logits.shape(), (Shape{2}));
      return logits.as<float>()[1];
    };
    EXPECT_EQ(logits_of(), 0);
    make_infinite(folder_ / "model.safetensors", "final_logits_bias");
    EXPECT_EQ(logits_of(), INFINITY);
    std::filesystem::copy_file(case_ / "model.safetensors", folder_ / "model.safetensors",
                               std::filesystem::copy_options::overwrite_existing);
  }
}

TEST_F(TextToTextOfBart, EvaluationsScoreGeneratedTexts) {
  const auto t = task({.predict_with_generate = true, .metrics = {"gen_len", "chrf"}});
  const data::Example batch = batches(*t, {row("a b", "c")}, 1).front();
  const Computed found = compute(*t, batch);
  const auto metrics = t->metrics();
  metrics->update(batch, found.outputs);
  std::vector<std::string> names;
  for (const auto& [name, value] : metrics->result()) names.push_back(name);
  EXPECT_THAT(names, ElementsAre("perplexity", "accuracy", "gen_len", "chrf"));
  EXPECT_EQ(t->score_of_best_model(), "") << "which is not reported";
  EXPECT_EQ(task({.predict_with_generate = true})->score_of_best_model(), "exact_match");
  EXPECT_EQ(task()->score_of_best_model(), "");
}

TEST_F(TextToText, ReadsTheTextsOfLanguages) {
  const auto t = task({.text_column = "translation", .source_lang = "en", .target_lang = "ro"});
  EXPECT_THAT(t->columns(kRequired), ElementsAre("translation"));
  const auto with = [](const char* texts) { return data::Example().set("translation", texts); };
  const data::Example batch = batches(*t, {with(R"({"ro": "b", "en": "a"})")}, 1).front();
  EXPECT_THAT(ids(batch, "input_ids"), ElementsAre(0, 4, 2, 1, 1, 1, 1, 1));
  EXPECT_THAT(ids(batch, "labels"), ElementsAre(0, 5, 2, -100, -100, -100));
  EXPECT_THAT(message_of<DataError>([&] { batches(*t, {with(R"({"en": "a"})")}, 1); }), HasSubstr("\"ro\""));
  EXPECT_THAT(message_of<DataError>([&] { batches(*t, {with("a")}, 1); }), HasSubstr("translation"));
  EXPECT_THAT(message([&] { task({.source_lang = "en"}); }), HasSubstr("--target-lang"));
}

// A language such as en_XX has the key "en", as in transformers' run_translation.py.
TEST_F(TextToText, LanguagesMayHaveTheirOwnColumns) {
  const auto in_object = task({.text_column = "translation", .source_lang = "en_XX", .target_lang = "ro_RO"});
  const data::Example texts = data::Example().set("translation", R"({"ro": "b", "en": "a"})");
  const auto in_columns = task({.target_column = "target", .source_lang = "en_XX", .target_lang = "ro_RO"});
  for (const data::Example& batch :
       {batches(*in_object, {texts}, 1).front(), batches(*in_columns, {row("a", "b")}, 1).front()}) {
    EXPECT_THAT(ids(batch, "input_ids"), ElementsAre(0, 4, 2, 1, 1, 1, 1, 1));
    EXPECT_THAT(ids(batch, "labels"), ElementsAre(0, 5, 2, -100, -100, -100));
  }
}

// The weights of the parity case mbart_lm with a tokenizer of several languages: tests/text/language_files.h.
class TextToTextOfMBart : public TextToText {
 protected:
  TextToTextOfMBart() {
    const std::filesystem::path mbart = PORTATUNE_TEST_DATA "/models/mbart_lm";
    for (const char* file : {"config.json", "generation_config.json", "model.safetensors"}) {
      std::filesystem::copy_file(mbart / file, folder_ / file, std::filesystem::copy_options::overwrite_existing);
    }
  }
  // Writes the tokenizer of a case. Its ids of en_XX and ro_RO are 14 and 15, that of "a" is 9.
  void write_tokenizer(size_t index) const { text::language_cases()[index].write(folder_.path()); }
  std::unique_ptr<RowTask> translation() const {
    return task({.text_column = "translation", .source_lang = "en_XX", .target_lang = "ro_RO"});
  }

  // The tokens that a task writes for a text.
  std::vector<int32_t> generated(const RowTask& task) const {
    const data::Example rows = data::Example().set("translation", R"({"en": "a"})").set("text", "a");
    const data::Example batch = batches(task, {rows}, 1, kIgnored).front();
    return ids(compute(task, batch).outputs, "generated_tokens");
  }
  static nlohmann::json json_in(const std::filesystem::path& file) {
    return nlohmann::json::parse(std::ifstream(file));
  }
  // Expects that the model folder, saved by the task, has both languages without any option.
  void expect_saved(const RowTask& trained, const TemporaryFolder& saved) const {
    trained.save(saved.path());
    std::filesystem::copy_file(folder_ / "model.safetensors", saved / "model.safetensors");
    const auto used = text_to_text(
        saved.path(), {.text_column = "text", .target_column = "target", .max_length = 8, .max_target_length = 6});
    const data::Example batch = batches(*used, {row("a", "a")}, 1).front();
    const data::Example expected = batches(trained, {two_languages()}, 1).front();
    for (const char* column : {"input_ids", "labels"}) EXPECT_EQ(ids(batch, column), ids(expected, column));
    EXPECT_EQ(generated(*used), generated(trained));
  }
  static data::Example two_languages() { return data::Example().set("translation", R"({"en": "a", "ro": "a"})"); }
};

TEST_F(TextToTextOfMBart, TheLanguageEndsTargetsAndBeginsGeneratedTexts) {
  write_tokenizer(0);
  const auto t = translation();
  const data::Example batch = batches(*t, {two_languages()}, 1).front();
  EXPECT_THAT(ids(batch, "input_ids"), ElementsAre(9, 2, 14, 1, 1, 1, 1, 1));
  EXPECT_THAT(ids(batch, "labels"), ElementsAre(9, 2, 15, -100, -100, -100));
  EXPECT_EQ(generated(*t).front(), 15);
  const TemporaryFolder saved;
  expect_saved(*t, saved);
  EXPECT_EQ(json_in(saved / "config.json")["decoder_start_token_id"], 15);
  EXPECT_EQ(json_in(saved / "generation_config.json")["decoder_start_token_id"], 15);
  EXPECT_EQ(json_in(saved / "tokenizer_config.json")["src_lang"], "en_XX");
  EXPECT_EQ(json_in(saved / "tokenizer_config.json")["tgt_lang"], "ro_RO");
}

TEST_F(TextToTextOfMBart, TheLanguageBeginsTargetsOfMBart50) {
  write_tokenizer(1);
  std::filesystem::remove(folder_ / "generation_config.json");
  const auto t = translation();
  const data::Example batch = batches(*t, {two_languages()}, 1).front();
  EXPECT_THAT(ids(batch, "input_ids"), ElementsAre(14, 9, 2, 1, 1, 1, 1, 1));
  EXPECT_THAT(ids(batch, "labels"), ElementsAre(15, 9, 2, -100, -100, -100));
  EXPECT_EQ(generated(*t)[0], 2);
  EXPECT_EQ(generated(*t)[1], 15);
  const TemporaryFolder saved;
  expect_saved(*t, saved);
  EXPECT_EQ(json_in(saved / "config.json")["forced_bos_token_id"], 15);
}

TEST_F(TextToTextOfMBart, RefusesLanguagesOfOtherNames) {
  write_tokenizer(0);
  EXPECT_THAT(message([&] { task({.source_lang = "en", .target_lang = "ro"}); }), HasSubstr("did you mean en_XX?"));
}

// A Marian without weights, with a vocabulary for each side.
class TextToTextOfMarian : public TextToText {
 protected:
  TextToTextOfMarian() {
    std::filesystem::remove(folder_ / "tokenizer.json");
    case_.write(folder_.path());
    write_config(nlohmann::json::parse(case_.files.at("target_vocab.json")).size());
  }
  void write_config(size_t target_tokens) const {
    const nlohmann::json config = {{"model_type", "marian"},
                                   {"share_encoder_decoder_embeddings", false},
                                   {"vocab_size", nlohmann::json::parse(case_.files.at("vocab.json")).size()},
                                   {"decoder_vocab_size", target_tokens},
                                   {"d_model", 16},
                                   {"encoder_attention_heads", 4},
                                   {"decoder_attention_heads", 4},
                                   {"max_position_embeddings", 64},
                                   {"pad_token_id", 2},
                                   {"decoder_start_token_id", 2}};
    write_text(folder_ / "config.json", config.dump());
  }
  // The results of transformers for a text: its ids as a source and as a target, and the text of the latter, twice.
  const nlohmann::json& results_of(const std::string& text) const {
    const std::vector<std::string> texts = text::marian_texts();
    return case_.results[static_cast<size_t>(std::ranges::find(texts, text) - texts.begin())];
  }
  std::vector<int32_t> ids_of(const std::string& text, size_t side) const { return results_of(text)[side]; }

  const text::MarianCase case_ = text::marian_cases().back();
  const std::string source_ = "The other dog sees the fox and the fox sees the dogs over there.",
                    target_ = "L'autre chien voit le renard et le renard voit les chiens l\u00e0-bas.";
};

TEST_F(TextToTextOfMarian, SourcesAndTargetsHaveTheirOwnTokens) {
  const auto t = task({.max_length = 60, .max_target_length = 60});
  const data::Example batch = batches(*t, {row(source_, target_)}, 1).front();
  const auto tokens_of = [&](const char* column, size_t side) {
    std::vector<int32_t> found = ids(batch, column);
    found.resize(ids_of(side == 0 ? source_ : target_, side).size());
    return found;
  };
  EXPECT_EQ(tokens_of("input_ids", 0), ids_of(source_, 0));
  EXPECT_EQ(tokens_of("labels", 1), ids_of(target_, 1));
}

TEST_F(TextToTextOfMarian, GeneratedTextsHaveTheTokensOfTargets) {
  std::vector<int32_t> tokens = ids_of(target_, 1);
  tokens.insert(tokens.begin(), 2);
  data::Example outputs;
  outputs.set("generated_tokens", Tensor({1, std::ssize(tokens)}, std::span<const int32_t>(tokens)));
  data::Example batch;
  batch.set(data::kExampleWeight, Tensor({1}, {1.0f}));
  const auto line = nlohmann::json::parse(task({.max_length = 60})->prediction_lines()->take(batch, outputs));
  EXPECT_EQ(line["text"], results_of(target_)[3]);
}

TEST_F(TextToTextOfMarian, SavesTheFilesOfBothSides) {
  const TemporaryFolder saved;
  task({.max_length = 60})->save(saved.path());
  for (const char* name : {"source.spm", "target.spm", "vocab.json", "target_vocab.json", "tokenizer_config.json"}) {
    EXPECT_TRUE(std::filesystem::exists(saved / name)) << name;
  }
  const auto config = nlohmann::json::parse(std::ifstream(saved / "config.json"));
  EXPECT_THAT(config["architectures"], ElementsAre("MarianMTModel"));
}

TEST_F(TextToTextOfMarian, RefusesTargetsWithoutEmbeddings) {
  write_config(20);
  EXPECT_THAT(message_of<CheckpointError>([&] { task({.max_length = 60}); }), HasSubstr("a tokenizer of targets"));
}

TEST_F(TextToText, RefusesEmptyTexts) {
  const auto t = task();
  EXPECT_THAT(message_of<DataError>([&] { batches(*t, {row("a", " ")}, 1); }), HasSubstr("\"target\""));
  EXPECT_THAT(message_of<DataError>([&] { batches(*t, {row("", "a")}, 1); }), HasSubstr("\"text\""));
}

TEST_F(TextToText, ReadsTheFirstTwoColumnsOfFiles) {
  write_text(folder_ / "t.csv", "document,summary,other\na,b,c\n");
  const auto columns = [&](TextToTextOptions options) {
    TaskOptions all;
    options.max_length = options.max_target_length = 8;
    all.of<TextToTextOptions>() = options;
    const TaskContext context{.model = folder_.path(), .files = {(folder_ / "t.csv").string()}};
    return summarization_spec().make(context, all)->columns(kRequired);
  };
  EXPECT_THAT(columns({}), ElementsAre("document", "summary"));
  EXPECT_THAT(columns({.text_column = "summary"}), ElementsAre("summary", "document"));
  EXPECT_THAT(columns({.target_column = "other"}), ElementsAre("document", "other"));
  write_text(folder_ / "t.csv", "document\na\n");
  EXPECT_THAT(message([&] { columns({}); }), HasSubstr("\"document\""));
}

TEST_F(TextToText, RefusesOtherModelsLengthsAndScores) {
  EXPECT_THAT(message([&] { task({.max_target_length = 65}); }), HasSubstr("at most 64"));
  EXPECT_THAT(message([&] { task({.metrics = {"rouge"}}); }), HasSubstr("did you mean rouge1"));
  EXPECT_THAT(message([] { text_to_text(PORTATUNE_TEST_DATA "/tiny_bert", {.max_length = 8}); }),
              HasSubstr("encoder-decoder"));
}

TEST_F(TextToText, SettingsNameWhatARunLearnsFrom) {
  const auto settings = task({.source_prefix = "to: ", .label_smoothing = 0.1})->settings();
  EXPECT_EQ(settings.at("columns"), "text,target,");
  EXPECT_EQ(settings.at("source_prefix"), "to: ");
  EXPECT_EQ(settings.at("max_target_length"), "6");
}

}  // namespace
}  // namespace portatune
