#include "portatune/tasks/files/speech_windows.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "portatune/base/random.h"
#include "portatune/base/text/message.h"
#include "portatune/error.h"
#include "portatune/io/text/json.h"
#include "portatune/tasks/metrics/generated_texts.h"
#include "portatune/tasks/metrics/texts/words.h"
#include "portatune/tasks/speech_seq2seq.h"

namespace portatune::tasks {
namespace {

// Column of texts: the spectrogram of a recording of several windows as bytes of float32 [mel bins, frames], else
// empty.
constexpr const char* kLongFeatures = "long_features";

// The tokens of a text in a row of generated tokens.
std::span<const int32_t> text_in(std::span<const int32_t> row, const TimedSpeech& speech) {
  const auto text = row.subspan(static_cast<size_t>(speech.prompt));
  return {text.begin(), std::ranges::find_first_of(text, speech.ends)};
}

generate::SpeechWindow window_at(int64_t begin, int64_t frames, const TimedSpeech& speech) {
  return {.begin = begin, .frames = std::min(frames - begin, speech.window)};
}

// The new tokens in a row of generated tokens, with the one that ends the text.
std::span<const int32_t> new_tokens_in(std::span<const int32_t> row, const TimedSpeech& speech) {
  const auto all = row.subspan(static_cast<size_t>(speech.prompt));
  return all.first(std::min(all.size(), text_in(row, speech).size() + 1));
}

void append_padded(const std::vector<int32_t>& tokens, size_t size, std::vector<int32_t>& to) {
  to.resize(to.size() + size - tokens.size(), -1);
  to.insert(to.end(), tokens.begin(), tokens.end());
}

// The recordings of a batch, and what was heard of them.
class Recordings {
 public:
  Recordings(const data::Example& batch, const data::Example& outputs, const char* name, const TimedSpeech& speech,
             const SpeechAttempts& attempts)
      : batch_(batch),
        long_features_(batch.texts(kLongFeatures)),
        next_(batch),
        name_(name),
        speech_(speech),
        attempts_(attempts) {
    next_.erase(kLongFeatures);
    for (const int32_t frames : outputs.tensor(kSpeechFrames).as<int32_t>()) {
      rows_.push_back({.frames = frames, .history = {}});
      if (speech.history) rows_.back().history.emplace(*speech.history);
    }
  }

  bool are_heard() const {
    return std::ranges::all_of(rows_, [](const Row& row) { return row.is_heard(); });
  }

  // Adds the outputs of the current windows, and moves to the next ones, or to the next temperatures.
  void take(const data::Example& outputs) {
    const Tensor& tokens = outputs.tensor(kGeneratedTokens);
    length_ = static_cast<size_t>(tokens.shape()[1]);
    for (size_t i = 0; i < rows_.size(); ++i) {
      Row& row = rows_[i];
      if (row.is_heard()) continue;
      const auto heard = tokens.as<int32_t>().subspan(i * length_, length_);
      if (row.language < 0) row.language = heard[1];
      const generate::SpeechVerdict verdict = verdict_of(heard, outputs, i);
      if (verdict == generate::SpeechVerdict::kRefused && row.attempt + 1 < attempts_.temperatures.size()) {
        ++row.attempt;
        continue;
      }
      if (row.history) row.history->set_temperature(attempts_.temperatures[row.attempt]);
      row.attempt = 0;
      if (verdict == generate::SpeechVerdict::kSilent) {
        row.next += window_at(row.next, row.frames, speech_).frames;
      } else {
        add(heard, row);
      }
    }
  }

  // The batch of the current windows. Heard recordings are silent there.
  data::Example batch() {
    next_.set(name_, features());
    if (next_.has(kSpeechLanguages)) {
      next_.set(kSpeechLanguages, column<int32_t>([](const Row& row) { return row.language; }));
    }
    if (speech_.history) next_.set(kPreviousSpeech, previous_texts());
    if (attempts_.are_scored()) set_attempts();
    return next_;
  }

  data::Example outputs_of_all(data::Example first) const {
    size_t windows = 1;
    for (const Row& row : rows_) windows = std::max(windows, row.begins.size());
    first.set(kGeneratedTokens,
              table(windows * length_, attempts_.pad_id, [](const Row& row) { return std::span(row.tokens); }));
    if (first.has(kWindowBegins)) {
      first.set(kWindowBegins, table(windows, -1, [](const Row& row) { return std::span(row.begins); }));
    }
    return first;
  }

 private:
  struct Row {
    int64_t frames, next = 0;
    size_t attempt = 0;                             // index of the temperature
    int32_t language = -1;                          // that of the first window
    std::vector<int32_t> tokens = {}, begins = {};  // of the windows
    std::optional<generate::SpeechHistory> history;

    bool is_heard() const { return next >= frames; }
  };

  generate::SpeechVerdict verdict_of(std::span<const int32_t> heard, const data::Example& outputs, size_t row) const {
    if (!attempts_.are_scored()) return generate::SpeechVerdict::kKept;
    const auto number = [&](const char* name) { return double{outputs.tensor(name).as<float>()[row]}; };
    const std::span<const int32_t> tokens = new_tokens_in(heard, speech_);
    return generate::verdict_of({.tokens = tokens,
                                 .logprob = number(kSpeechLogprobs) / static_cast<double>(tokens.size()),
                                 .no_speech = outputs.has(kNoSpeech) ? number(kNoSpeech) : 0},
                                attempts_.thresholds, attempts_.vocab_size);
  }

  void add(std::span<const int32_t> heard, Row& row) const {
    row.tokens.insert(row.tokens.end(), heard.begin(), heard.end());
    row.begins.push_back(static_cast<int32_t>(row.next));
    if (row.history) row.history->add(text_in(heard, speech_), speech_.scale);
    const bool is_one_window = row.frames <= speech_.window;
    row.next = is_one_window ? row.frames
                             : generate::next_window(text_in(heard, speech_), speech_.scale,
                                                     window_at(row.next, row.frames, speech_));
  }

  Tensor previous_texts() const {
    const int64_t size = speech_.history->size();
    std::vector<int32_t> all;
    for (const Row& row : rows_) append_padded(row.history->previous(), static_cast<size_t>(size), all);
    return Tensor({std::ssize(rows_), size}, std::span<const int32_t>(all));
  }

  void set_attempts() {
    const auto temperature = [&](const Row& row) { return attempts_.temperatures[row.attempt]; };
    next_.set(kSpeechTemperatures, column<float>(temperature));
    if (!attempts_.samples()) return;
    const std::span<const float> features = next_.tensor(name_).as<float>();
    const size_t size = features.size() / rows_.size();
    const auto draw = [&, i = size_t{0}](const Row& row) mutable {
      return draw_of_speech(features.subspan(size * i++, size), row.attempt);
    };
    next_.set(kSpeechDraws, column<int32_t>(draw));
  }

  Tensor features() const {
    const Tensor& first = batch_.tensor(name_);
    Tensor features(first.type());
    const auto bins = static_cast<size_t>(features.shape()[1]), width = static_cast<size_t>(features.shape()[2]);
    for (size_t i = 0; i < rows_.size(); ++i) {
      const Row& row = rows_[i];
      if (row.is_heard()) continue;
      if (row.next == 0) {
        const size_t bytes = bins * width * sizeof(float);
        std::memcpy(features.data() + i * bytes, first.data() + i * bytes, bytes);
        continue;
      }
      if (long_features_[i].empty()) continue;  // a row of another process
      const auto frames = static_cast<size_t>(window_at(row.next, row.frames, speech_).frames);
      for (size_t bin = 0; bin < bins; ++bin) {
        const size_t from = bin * static_cast<size_t>(row.frames) + static_cast<size_t>(row.next);
        std::memcpy(features.data() + (i * bins + bin) * width * sizeof(float),
                    long_features_[i].data() + from * sizeof(float), frames * sizeof(float));
      }
    }
    return features;
  }

  template <class T, class Of>
  Tensor column(Of of_row) const {
    std::vector<T> values;
    for (const Row& row : rows_) values.push_back(static_cast<T>(of_row(row)));
    return vector_of(values);
  }

  template <class Part>
  Tensor table(size_t width, int32_t padding, const Part& part) const {
    std::vector<int32_t> values(rows_.size() * width, padding);
    for (size_t i = 0; i < rows_.size(); ++i) {
      std::ranges::copy(part(rows_[i]), values.begin() + static_cast<ptrdiff_t>(i * width));
    }
    return Tensor({std::ssize(rows_), static_cast<int64_t>(width)}, std::span<const int32_t>(values));
  }

  const data::Example& batch_;
  const std::vector<std::string>& long_features_;
  data::Example next_;
  const char* const name_;
  const TimedSpeech& speech_;
  const SpeechAttempts& attempts_;
  std::vector<Row> rows_;
  size_t length_ = 0;  // tokens of a window
};

using Segments = std::vector<generate::SpeechSegment>;

Segments segments_of(const data::Example& outputs, size_t row, const TimedSpeech& speech) {
  const Tensor &tokens = outputs.tensor(kGeneratedTokens), &begins = outputs.tensor(kWindowBegins);
  const auto windows = static_cast<size_t>(begins.shape()[1]);
  const size_t length = static_cast<size_t>(tokens.shape()[1]) / windows;
  const int32_t frames = outputs.tensor(kSpeechFrames).as<int32_t>()[row];
  Segments all;
  for (size_t i = row * windows; i < (row + 1) * windows; ++i) {
    const int32_t begin = begins.as<int32_t>()[i];
    if (begin < 0) break;
    const auto text = text_in(tokens.as<int32_t>().subspan(i * length, length), speech);
    std::ranges::move(generate::speech_segments(text, speech.scale, window_at(begin, frames, speech)),
                      std::back_inserter(all));
  }
  return all;
}

std::string decoded(const std::vector<int32_t>& ids, const text::Tokenizer& tokenizer) {
  return std::string(stripped(tokenizer.decode(ids, {.skip_special_tokens = true})));
}

std::string line_of_segments(const std::string& audio, const Segments& parts, const text::Tokenizer& tokenizer) {
  std::vector<int32_t> all;
  auto segments = nlohmann::ordered_json::array();
  for (const generate::SpeechSegment& part : parts) {
    all.insert(all.end(), part.tokens.begin(), part.tokens.end());
    segments.push_back({{"start", part.start}, {"end", part.end}, {"text", decoded(part.tokens, tokenizer)}});
  }
  return io::line_of(
      nlohmann::ordered_json({{"audio", audio}, {"text", decoded(all, tokenizer)}, {"segments", segments}}));
}

// The first frames of a spectrogram [mel bins, all frames].
Tensor first_frames(const Tensor& spectrogram, int64_t frames) {
  const int64_t bins = spectrogram.shape()[0], all = spectrogram.shape()[1];
  Tensor first({DType::kFloat32, {bins, frames}});
  for (int64_t bin = 0; bin < bins; ++bin) {
    std::ranges::copy_n(spectrogram.as<float>().begin() + bin * all, frames, first.as<float>().begin() + bin * frames);
  }
  return first;
}

}  // namespace

bool SpeechAttempts::samples() const {
  return std::ranges::any_of(temperatures, [](double temperature) { return temperature > 0; });
}

bool SpeechAttempts::are_scored() const { return samples() || thresholds.compression_ratio || thresholds.logprob; }

void require_useful(const SpeechAttempts& attempts) {
  const std::vector<double>& temperatures = attempts.temperatures;
  const generate::SpeechThresholds& thresholds = attempts.thresholds;
  const auto refuse = [](const char* option, const std::string& given, const std::string& expected) {
    throw UsageError({.where = option, .given = given, .expected = expected});
  };
  std::string given;
  for (const double t : temperatures) given += (given.empty() ? "" : ",") + to_text(t);
  const auto is_possible = [](double t) { return t >= 0 && t <= Temperature::kHighest; };
  if (temperatures.empty() || !std::ranges::all_of(temperatures, is_possible)) {
    refuse("temperature", given, OptionType<Temperature>::expected());
  }
  const bool refuses = thresholds.compression_ratio || thresholds.logprob;
  if (temperatures.size() > 1 && !refuses) {
    refuse("temperature", given + " without a threshold that refuses texts",
           "one temperature, or compression_ratio_threshold or logprob_threshold beside several");
  }
  if (thresholds.no_speech && !thresholds.logprob) {
    refuse("no_speech_threshold", to_text(*thresholds.no_speech) + " without logprob_threshold",
           "logprob_threshold beside it, as only improbable texts can be silence");
  }
  if (temperatures.size() > 1) return;
  const std::string expected =
      "several temperatures beside it, such as 0,0.2,0.4, as a refused text needs the next one";
  if (thresholds.compression_ratio) {
    refuse("compression_ratio_threshold", to_text(*thresholds.compression_ratio) + " with one temperature", expected);
  }
  if (thresholds.logprob && !thresholds.no_speech) {
    refuse("logprob_threshold", to_text(*thresholds.logprob) + " with one temperature", expected);
  }
}

void set_window_columns(data::Example& example, int64_t window, bool detects_language) {
  example.set(kSpeechFrames, Tensor({}, {static_cast<int32_t>(window)}));
  example.set(kLongFeatures, "");
  if (detects_language) example.set(kSpeechLanguages, Tensor({}, {int32_t{-1}}));
}

void set_long_recording(data::Example& example, const char* name, const Tensor& spectrogram, int64_t window) {
  example.set(name, first_frames(spectrogram, window));
  example.set(kSpeechFrames, Tensor({}, {static_cast<int32_t>(spectrogram.shape()[1])}));
  const std::span<const float> values = spectrogram.as<float>();
  example.set(kLongFeatures, std::string(reinterpret_cast<const char*>(values.data()), values.size_bytes()));
}

void set_previous_column(data::Example& example, const generate::HistoryRules& history) {
  std::vector<int32_t> tokens;
  append_padded(generate::SpeechHistory(history).previous(), static_cast<size_t>(history.size()), tokens);
  example.set(kPreviousSpeech, vector_of(tokens));
}

void set_attempt_columns(data::Example& example, const SpeechAttempts& attempts) {
  example.set(kSpeechTemperatures, Tensor({}, {static_cast<float>(attempts.temperatures.front())}));
  if (attempts.samples()) example.set(kSpeechDraws, Tensor({}, {int32_t{0}}));
}

int32_t draw_of_speech(std::span<const float> features, size_t attempt) {
  uint64_t draw = attempt;
  for (const float feature : features) draw = split_mix_64(draw, std::bit_cast<uint32_t>(feature));
  return static_cast<int32_t>(draw >> 33);
}

data::Example heard_windows(const data::Example& batch, const data::Example& outputs, const Task::RunBatch& run,
                            const char* name, const TimedSpeech& speech, const SpeechAttempts& attempts) {
  Recordings recordings(batch, outputs, name, speech, attempts);
  recordings.take(outputs);
  while (!recordings.are_heard()) recordings.take(run(recordings.batch()));
  return recordings.outputs_of_all(outputs);
}

std::string timed_lines(const data::Example& batch, const data::Example& outputs, const text::Tokenizer& tokenizer,
                        const TimedSpeech& speech) {
  const auto weights = batch.tensor(data::kExampleWeight).as<float>();
  std::string lines;
  for (size_t row = 0; row < weights.size(); ++row) {
    if (weights[row] == 0) continue;
    lines += line_of_segments(batch.texts("audio")[row], segments_of(outputs, row, speech), tokenizer);
  }
  return lines;
}

}  // namespace portatune::tasks
