// Every stage resumes from its state with exactly the next element.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <regex>
#include <set>

#include "data_stages/custom.h"
#include "data_stages/numbers.h"
#include "data_stages/resuming.h"
#include "io/table_file.h"
#include "io/temporary_folder.h"
#include "portatune/data.h"
#include "portatune/error.h"
#include "portatune/sources.h"

namespace portatune::data {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

bool is_odd(const Example& example) { return number_of(example) % 2 == 1; }

// Copies example n, n modulo 4 times.
std::vector<Example> copies(const Example& example) {
  return std::vector<Example>(static_cast<size_t>(number_of(example) % 4), example);
}

// Example n with n ones as tokens.
Example with_tokens(Example example) {
  const std::vector<int32_t> ones(static_cast<size_t>(number_of(example)), 1);
  return Example(example.origin()).set("tokens", vector_of(ones));
}

// Example n with a mask of n + 1 ones.
Example with_mask(Example example) {
  const std::vector<int32_t> ones(static_cast<size_t>(number_of(example) + 1), 1);
  return Example(example.origin()).set(kAttentionMask, vector_of(ones));
}

// The number as an array, of local rows.
Example with_number(const Example& example, bool is_local) {
  Example result(example.origin());
  return is_local ? result.set("number", Tensor({}, {static_cast<float>(number_of(example))})) : result;
}

// Options with which some examples wait for a later batch.
PackOptions packed(Packing packing) {
  return {.shapes = {.packing = packing, .examples = 3, .rows = {2}, .length = 15, .window = 7}};
}

// All words before "(" in a text.
std::set<std::string> calls_in(const std::string& text) {
  std::set<std::string> names;
  const std::regex call("\\b([a-z_]+)\\(");
  for (std::sregex_iterator it(text.begin(), text.end(), call); it != std::sregex_iterator(); ++it)
    names.insert((*it)[1]);
  return names;
}

// The tests below, and those of bad rows, resume each verb of data.h.
TEST(State, OfEveryVerbIsTested) {
  const std::string root = PORTATUNE_TEST_DATA "/../..";
  const std::string header = text_of(root + "/include/portatune/data.h");
  const std::set<std::string> tested = calls_in(text_of(root + "/tests/data_stages/state_test.cpp") +
                                                text_of(root + "/tests/data_stages/read/bad_rows_test.cpp") +
                                                text_of(root + "/tests/data_stages/numbers.h"));
  const std::regex verb("\n *Dataset ([a-z_]+)\\(");
  int verbs = 0;
  for (std::sregex_iterator it(header.begin(), header.end(), verb); it != std::sregex_iterator(); ++it, ++verbs) {
    EXPECT_TRUE(tested.contains((*it)[1])) << (*it)[1];
  }
  EXPECT_GT(verbs, 20);
}

TEST(State, OfVerbs) {
  expect_resumable([] { return numbers(5); });
  expect_resumable([] { return numbers(40).map(same); });
  expect_resumable([] { return numbers(40).map(same, {.threads = 2}); });
  expect_resumable([] { return numbers(9).flat_map(copies); });
  expect_resumable([] { return numbers(40).map(same, {.threads = 2}).flat_map(copies); });
  expect_resumable([] { return numbers(9).filter(is_odd); });
  expect_resumable([] { return numbers(6).select({true, false, true, true, false, false}); });
  expect_resumable([] { return numbers(5).enumerate(); });
  expect_resumable([] { return numbers(4).repeat(3); });
  expect_resumable([] { return numbers(4).repeat().take(10); });
  expect_resumable([] { return numbers(0).repeat(); });
  expect_resumable([] { return numbers(7).take(5); });
  expect_resumable([] { return numbers(7).skip(3); });
  expect_resumable([] { return numbers(11).shard(3, 1); });
  expect_resumable([] { return numbers(3).concatenate(numbers(4)); });
  expect_resumable([] { return numbers(7).cache(); });
  expect_resumable([] { return numbers(8).batch({.size = 3}); });
  expect_resumable([] { return numbers(8).batch({.size = 3, .drop_remainder = true}); });
  for (const int threads : {1, 2}) {
    const LocalRows local{
        .size = 6, .share = {.parts = 3, .begin = 1, .end = 2}, .arrays = {{"number", {DType::kFloat32, {}}}}};
    expect_resumable(
        [=] { return numbers(45).map_local(with_number, local, {.threads = threads}).batch_local(local); });
    expect_resumable([=] {
      return numbers(20).map_local(with_number, local, {.threads = threads}).batch_local(local).prefetch(2).repeat(2);
    });
  }
  expect_resumable([] { return numbers(8).map(with_tokens).padded_batch(3, {.lengths = {8}}); });
  expect_resumable([] {
    return numbers(25).map(with_tokens).bucket_by_length(3, {.padding = {.lengths = {4, 9, 25}}, .window = 2});
  });
  expect_resumable([] { return numbers(8).map(same).named("same").batch({.size = 3}).named("batch"); });
  expect_resumable([] { return numbers(8).map(with_tokens).blocks("tokens", 5); });
  expect_resumable([] { return numbers(20).map(with_tokens).blocks("tokens", 3).padded_batch(2, {.lengths = {3}}); });
  for (const Packing packing : {Packing::kExactExamples, Packing::kTokenBudget}) {
    expect_resumable([=] { return numbers(15).map(with_mask).pack(packed(packing)); });
    expect_resumable([=] { return numbers(15).map(with_mask).shuffle({.seed = 1}).pack(packed(packing)).repeat(2); });
  }
  expect_resumable([] { return numbers(9).prefetch(2); });
  expect_resumable([] {
    return zip({numbers(5), numbers(4).map([](const Example& example) {
                  return Example(example.origin()).set("m", example.text("n"));
                })});
  });
  expect_resumable([] {
    return interleave({numbers(5), numbers(2), numbers(7)}, {.cycle_length = 2, .block_length = 2});
  });
  expect_resumable([] { return sample({numbers(5), numbers(9)}, {.weights = {1, 3}, .seed = 2}); });
  expect_resumable([] { return sample({numbers(5), numbers(9)}, {.seed = 2, .stop_on_empty_dataset = true}); });
}

TEST(State, OfCustomSourcesAndVerbs) {
  const auto begin = [](int64_t epoch) { return std::make_unique<Counter>(9, epoch); };
  const auto at = [](int64_t index) { return Example(Origin{.row = index}).set("n", std::to_string(index)); };
  expect_resumable([=] { return from_iterator("counter", begin); });
  expect_resumable([=] { return from_iterator("counter", begin).shuffle({.buffer = 4, .seed = 1}).repeat(2); });
  expect_resumable([=] { return from_index("numbers", 9, at); });
  expect_resumable([=] { return from_index("numbers", 9, at).shuffle({.seed = 1}).repeat(2); });
  expect_resumable([] { return numbers(9).apply("before", before); });
  expect_resumable([=] {
    return from_iterator("counter", begin).shuffle({.buffer = 3}).apply("before", before).repeat(2).prefetch(2);
  });
  expect_resumable([] { return numbers(9).apply("before", before).apply("before again", before); });
}

TEST(State, OfShuffles) {
  for (const int64_t buffer : {0, 1, 2, 7, 16, 100}) {
    expect_resumable([=] { return numbers(60).shuffle({.buffer = buffer, .seed = 5}); });
    expect_resumable([=] { return numbers(30).shuffle({.buffer = buffer, .seed = 5}).repeat(3); });
    expect_resumable(
        [=] { return numbers(40).filter(is_odd).shuffle({.buffer = std::max<int64_t>(1, buffer), .seed = 1}); });
  }
  expect_resumable([] { return numbers(20).shuffle({.buffer = 4}).shuffle({.buffer = 3, .seed = 1}); });
  expect_resumable([] { return numbers(20).shuffle({.seed = 4, .reshuffle_each_iteration = false}).repeat(2); });
}

TEST(State, OfFiles) {
  const Files tables{write_file("a.csv", "n,t\n1,\"a\n\"\"b\"\"\"\n\n2,\n3,c"),
                     write_file("b.csv", "\xEF\xBB\xBFn,t\r\n4,d\r\n")};
  const Files lines{write_file("a.txt", "one\r\n\ntwo"), write_file("b.txt", "three\n")};
  const Files objects{write_file("a.jsonl", "{\"n\": \"1\"}\n\n{\"n\": 2}\n"), write_file("b.jsonl", "{\"n\": [3]}")};
  const Files sentences{write_file("a.conll", "-DOCSTART- O\n\na B\nb O\n\n\nc O\n"), write_file("b.conll", "d O\n\n")};
  const std::string headless = write_file("c.tsv", "1\ta\n2\tb\n3\tc\n");
  const std::string answers = write_file("d.json", R"({"data": [
      {"id": "1", "question": "q", "context": "c", "answers": {"text": ["c"], "answer_start": [0]}},
      {"id": "2", "question": "r", "context": "c", "answers": {"text": [], "answer_start": []}}]})");
  expect_resumable([&] { return read_csv(tables); });
  expect_resumable([&] { return read_csv(tables).repeat(2); });
  expect_resumable([&] { return read_tsv(headless, {.header = false, .names = {"n", "t"}}); });
  expect_resumable([&] { return read_text(lines); });
  expect_resumable([&] { return read_jsonl(objects); });
  expect_resumable([&] { return read_conll(sentences); });
  expect_resumable([&] { return read_squad(answers); });
  const std::string archive = std::string(PORTATUNE_TEST_DATA) + "/tar/pax.tar";
  expect_resumable([&] { return read_tar(archive, {.columns = {"cls"}}); });
}

TEST(State, OfAFolderOfImages) {
  const TemporaryFolder folder;
  for (const char* name : {"cats", "dogs"}) std::filesystem::create_directory(folder / name);
  for (const char* name : {"cats/1.jpg", "cats/2.jpg", "dogs/1.jpg"}) write_text(folder / name, "");
  const auto images = [&] { return read_image_folder(folder.path().string()); };
  expect_resumable(images);
  expect_resumable([&] { return images().shuffle({.seed = 2}).repeat(2); });
  const std::string state = images().iterate().state(), shuffled = images().shuffle({.seed = 2}).iterate().state();
  std::filesystem::rename(folder / "dogs/1.jpg", folder / "dogs/2.jpg");
  const TemporaryFolder sounds;
  for (const char* name : {"a", "b"}) {
    std::filesystem::create_directory(sounds / name);
    write_text(sounds / name / "1.wav", "");
  }
  expect_resumable([&] { return read_audio_folder(sounds.path().string()); });
  expect_error<DataError>([&] { images().resume(state); }, {"read_image_folder", "fingerprint"});
  expect_error<DataError>([&] { images().shuffle({.seed = 2}).resume(shuffled); },
                          {"read_image_folder", "fingerprint"});
  expect_error<DataError>([&] { read_audio_folder(sounds.path().string()).resume(state); }, {"read_audio_folder"});
}

// The resumed pass gives the next row, with its line in the file.
TEST(State, OfATableIsAPositionInTheFile) {
  const std::string path = write_file("t.csv", "n\n1\n2\n3\n4\n");
  Cursor cursor = read_csv(path).iterate();
  cursor.next();
  cursor.next();
  EXPECT_THAT(cursor.state(), HasSubstr("\"line\":4,\"offset\":6"));
  const auto next = read_csv(path).resume(cursor.state()).next();
  EXPECT_EQ(to_text(*next), path + ":4|n=3");
}

TEST(State, DoesNotRepeatEarlierExamples) {
  std::atomic<int> seen = 0;
  const auto counting = [&](Example example) {
    ++seen;
    return example;
  };
  const Dataset rows = read_text(write_file("rows.txt", "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n"));
  const Dataset epochs = rows.map(counting).batch({.size = 2}).repeat();
  Cursor cursor = epochs.iterate();
  for (int i = 0; i < 9; ++i) cursor.next();  // four of the second epoch
  seen = 0;
  EXPECT_EQ(epochs.resume(cursor.state()).next()->texts("text"), (std::vector<std::string>{"8", "9"}));
  EXPECT_EQ(seen, 2);
}

// With random access a resume reads nothing again, even after a shuffle.
TEST(State, OfAPermutationIsAnIndex) {
  std::atomic<int> seen = 0;
  const auto counting = [&](Example example) {
    ++seen;
    return example;
  };
  const Dataset shuffled = numbers(1000).map(counting).shuffle({.seed = 9});
  Cursor cursor = shuffled.iterate();
  for (int i = 0; i < 700; ++i) cursor.next();
  seen = 0;
  const auto next = shuffled.resume(cursor.state()).next();
  EXPECT_EQ(seen, 1);
  EXPECT_EQ(to_text(*next), to_text(*cursor.next()));
}

// For any content of the buffer and any length of the pass.
TEST(State, IsSmall) {
  const Dataset long_chain = numbers(50)
                                 .repeat()
                                 .shuffle({.buffer = 10'000, .seed = 1})
                                 .map(same, {.threads = 2})
                                 .flat_map(copies)
                                 .batch({.size = 4})
                                 .prefetch(2);
  Cursor cursor = long_chain.iterate();
  for (int i = 0; i < 20'000; ++i) cursor.next();
  EXPECT_LT(cursor.state().size(), 1000u);
}

TEST(State, IgnoresExamplesReadAhead) {
  const Dataset ahead = numbers(500).map(same, {.threads = 3}).prefetch(50);
  Cursor cursor = ahead.iterate();
  for (int i = 0; i < 21; ++i) cursor.next();
  EXPECT_EQ(ahead.resume(cursor.state()).next()->text("n"), "21");
}

TEST(State, DoesNotDependOnThreadsAndPrefetch) {
  Cursor cursor = numbers(50).map(same).iterate();
  for (int i = 0; i < 7; ++i) cursor.next();
  EXPECT_EQ(numbers(50).map(same, {.threads = 2}).prefetch(3).resume(cursor.state()).next()->text("n"), "7");
}

TEST(State, BeforeAnErrorResumesWithThatError) {
  for (const int threads : {1, 2}) {
    const Dataset failing = numbers(50)
                                .filter([](const Example& e) -> bool {
                                  if (number_of(e) == 5) throw DataError({.where = "row 5"});
                                  return true;
                                })
                                .map(same, {.threads = threads});
    Cursor cursor = failing.iterate();
    for (int i = 0; i < 5; ++i) cursor.next();
    Cursor again = failing.resume(cursor.state());
    expect_error<DataError>([&] { again.next(); }, {"row 5"});
  }
}

TEST(State, AfterSkippingResumesWithTheNextElement) {
  const Dataset chain = numbers(60).map(same, {.threads = 2}).batch({.size = 4}).repeat(2).prefetch(2);
  const std::vector<std::string> whole = texts_of(chain.iterate());
  for (const int64_t pulled : {0, 1}) {
    for (int64_t skipped = 0; skipped < 20; ++skipped) {
      Cursor cursor = chain.iterate();
      for (int64_t i = 0; i < pulled; ++i) cursor.next();
      cursor.skip(skipped);
      EXPECT_THAT(texts_of(chain.resume(cursor.state())),
                  testing::ElementsAreArray(whole.begin() + pulled + skipped, whole.end()));
    }
  }
}

TEST(State, OfOtherVerbsIsAnErrorOfTheStage) {
  const std::string state = numbers(5).take(3).iterate().state();
  expect_error<DataError>([&] { numbers(5).skip(3).resume(state); },
                          {"resuming skip", "the state of 'take'", "the state of 'skip'", "fix"});
  expect_error<DataError>([&] { numbers(5).resume(state); }, {"resuming from_examples", "'take'"});
  expect_error<DataError>([&] { numbers(6).take(3).resume(state); }, {"resuming from_examples", "size = 5", "6"});
  const std::string shuffled = numbers(5).shuffle({.buffer = 2, .seed = 1}).iterate().state();
  expect_error<DataError>([&] { numbers(5).shuffle({.buffer = 2, .seed = 3}).resume(shuffled); },
                          {"shuffle", "seed = 1", "3"});
  expect_error<DataError>([&] { numbers(5).shuffle({.buffer = 3, .seed = 1}).resume(shuffled); }, {"buffer = 2", "3"});
  const std::string part = numbers(5).shard(2, 0).iterate().state();
  expect_error<DataError>([&] { numbers(5).shard(2, 1).resume(part); }, {"shard", "index = 0", "1"});
}

TEST(State, ThatIsInvalidIsAnError) {
  const Dataset chain = numbers(5).shuffle({.buffer = 2}).take(3);
  expect_error<DataError>([&] { chain.resume("{"); }, {"invalid JSON"});
  expect_error<DataError>([&] { chain.resume("[]"); }, {"a state without a stage"});
  expect_error<DataError>([&] { chain.resume(R"({"stage": "pass"})"); }, {"without 'epoch'"});
  const std::string state = chain.iterate().state();
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = state;
    const size_t at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << state;
    return changed.replace(at, from.size(), to);
  };
  expect_error<DataError>([&] { chain.resume(with("\"left\":3", "\"left\":4")); }, {"take", "left = 4", "0 to 3"});
  expect_error<DataError>([&] { chain.resume(with("\"left\":3", "\"left\":-1")); }, {"take", "left = -1"});
  expect_error<DataError>([&] { chain.resume(with("\"left\":3", "\"left\":\"3\"")); }, {"take", "an integer"});
  expect_error<DataError>([&] { chain.resume(with("\"drawn\":0", "\"drawn\":9")); }, {"shuffle", "drawn = 9"});
  expect_error<DataError>([&] { chain.resume(with("\"read\":0", "\"read\":9")); }, {"shuffle", "read = 9"});
  expect_error<DataError>([&] { chain.resume(with("\"next\":0", "\"next\":6")); }, {"from_examples", "next = 6"});
}

TEST(State, ErrorNamesTheFileThatHasChanged) {
  const std::string first = write_file("a.txt", "1\n2\n3\n"), second = write_file("b.txt", "4\n5\n");
  const std::string state = read_text({first, second}).iterate().state();
  write_file("b.txt", "4\n6\n");
  expect_error<DataError>([&] { read_text({first, second}).resume(state); }, {second.c_str(), "other bytes"});
  expect_error<DataError>([&] { read_text({first}).resume(state); }, {"fingerprints", "1 files"});
}

}  // namespace
}  // namespace portatune::data
