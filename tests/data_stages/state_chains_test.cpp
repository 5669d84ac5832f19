// Random chains of verbs resume from their state, also after a process was killed.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <random>

#include "data_stages/custom.h"
#include "data_stages/numbers.h"
#include "data_stages/resuming.h"
#include "io/table_file.h"
#include "portatune/sources.h"

namespace portatune::data {
namespace {

// Keeps only the number, as chains may add columns to some of the examples.
Example number_only(const Example& example) { return Example(example.origin()).set("n", example.text("n")); }

std::string rows(int count, const std::string& before, const std::string& after) {
  std::string text;
  for (int i = 0; i < count; ++i) text += before + std::to_string(i) + after + "\n";
  return text;
}

using Make = std::function<Dataset()>;

class RandomChain {
 public:
  explicit RandomChain(unsigned seed) : random_(seed) {}

  Make make() {
    Make chain = source();
    for (int left = 1 + below(6); left > 0; --left) chain = with_verb(chain);
    return [chain] { return chain().take(70); };
  }

 private:
  // Replaces std::uniform_int_distribution, which differs between libraries.
  int below(int bound) { return static_cast<int>(random_() % static_cast<unsigned>(bound)); }

  Make source() {
    const int count = 1 + below(25);
    const std::string name = std::to_string(random_());
    switch (below(4)) {
      case 0: {
        const std::string path = write_file(name + ".csv", "n\n" + rows(count, "", ""));
        return [path] { return read_csv(path); };
      }
      case 1: {
        const Files files{write_file(name + ".jsonl", rows(count, "{\"n\": ", "}")),
                          write_file(name + "b.jsonl", rows(3, "{\"n\": \"", "\"}"))};
        return [files] { return read_jsonl(files); };
      }
      case 2: {
        const std::string path = write_file(name + ".txt", rows(count, "", ""));
        return [path] {
          return read_text(path).map([](const Example& e) { return Example(e.origin()).set("n", e.text("text")); });
        };
      }
      default:
        return [count] { return numbers(count); };
    }
  }

  // Adds a verb whose arguments are drawn now, so that they are the same each time the chain is made.
  Make with_verb(const Make& x) {
    const int64_t k = 1 + below(6);
    const auto seed = static_cast<uint64_t>(below(100));
    switch (below(17)) {
      case 0:
        return [=] { return x().map(same); };
      case 1:
        return [=] { return x().map(same, {.threads = 2}); };
      case 2:
        return [=] { return x().flat_map([](const Example& e) { return std::vector<Example>(number_of(e) % 3, e); }); };
      case 3:
        return [=] { return x().filter([k](const Example& e) { return number_of(e) % (k + 1) != 0; }); };
      case 4:
        return [=] { return x().enumerate(); };
      case 5:
      case 6:
        return [=] { return x().shuffle({.buffer = 3 * k, .seed = seed}); };
      case 7:
        return [=] { return x().repeat(k % 3 + 1); };
      case 8:
        return [=] { return x().take(8 * k); };
      case 9:
        return [=] { return x().skip(k); };
      case 10:
        return [=] { return x().shard(2, k % 2); };
      case 11: {
        const Make y = source();
        return [=] { return x().concatenate(y()); };
      }
      case 12: {
        const Make y = source(), z = source();
        return [=] { return interleave({x(), y(), z()}, {.cycle_length = k % 3 + 1, .block_length = k % 4 + 1}); };
      }
      case 13: {
        const Make y = source();
        return [=] { return sample({x(), y()}, {.weights = {1.0, double(k)}, .seed = seed}); };
      }
      case 14:
        return [=] { return x().prefetch(k); };
      case 15:
        return [=] { return x().apply("before", before); };
      default:
        return [=] { return x().take(60).cache().shuffle({.seed = seed}); };
    }
  }

  std::mt19937 random_;
};

class Chains : public ::testing::TestWithParam<unsigned> {};

TEST_P(Chains, ResumeFromAnyPosition) {
  RandomChain random(GetParam());
  const Make chain = random.make();
  expect_resumable(chain);
  expect_resumable([&] { return chain().map(number_only, {.threads = 2}).batch({.size = 3}).prefetch(2); });
}

INSTANTIATE_TEST_SUITE_P(Random, Chains, ::testing::Range(0u, 60u));

// A process that records its state after every batch, and is killed in its second epoch.
TEST(Killed, ResumesWithTheSameBatches) {
  const std::string path = write_file("rows.csv", "n\n" + rows(30, "", ""));
  const auto batches = [&] {
    return read_csv(path)
        .shuffle({.buffer = 8, .seed = 4})
        .map(same, {.threads = 2})
        .batch({.size = 4})
        .prefetch(2)
        .repeat();
  };
  constexpr int kKilledAfter = 11;  // batches; 8 are an epoch
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    Cursor cursor = batches().iterate();
    for (int i = 0; i < kKilledAfter; ++i) {
      cursor.next();
      const std::string line = cursor.state() + "\n";
      if (write(pipe_ends[1], line.data(), line.size()) < 0) _exit(1);
    }
    kill(getpid(), SIGKILL);
  }
  close(pipe_ends[1]);
  std::string written;
  char bytes[4096];
  for (ssize_t count; (count = read(pipe_ends[0], bytes, sizeof bytes)) > 0;) written.append(bytes, size_t(count));
  close(pipe_ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));

  written.pop_back();
  const std::string last = written.substr(written.rfind('\n') + 1);
  Cursor whole = batches().iterate(), resumed = batches().resume(last);
  for (int i = 0; i < kKilledAfter; ++i) whole.next();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(to_text(*resumed.next()), to_text(*whole.next())) << i;
}

}  // namespace
}  // namespace portatune::data
