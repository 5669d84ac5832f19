// Lazy datasets: examples, and the verbs of tf.data that turn them into batches. sources.h reads datasets from files.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "portatune/process_group.h"
#include "portatune/tensor.h"

namespace portatune::data {

/// The file and row of an example, for error messages.
struct Origin {
  std::shared_ptr<const std::string> file;  ///< shared by all rows of a file; null if there is no file
  int64_t row = -1;                         ///< the line, counted from 1 as editors do; without a file, from 0
};

/// "train.csv:17"; "example 3" without a file; "an example" if the origin is unknown.
std::string to_string(const Origin& origin);
/// "train.csv:17, 3, 20; other.csv:5": consecutive rows of one file share its name; only the first 20 rows are listed.
std::string to_string(const std::vector<Origin>& origins);

/// A value: a text, an array, or (in a batch) one text per row.
using Column = std::variant<std::string, Tensor, std::vector<std::string>>;

/// Names and types of the arrays of a batch.
using BatchType = std::vector<std::pair<std::string, TensorType>>;

/// The rows of each batch that this process puts on its devices, when several processes train together. Only these rows
/// need all arrays: see Dataset::map_local().
struct LocalRows {
  int64_t size = 0;       ///< rows of a batch, including filler rows
  BatchShare share = {};  ///< the part of the rows that is local: batch_share() of device.h
  BatchType arrays = {};  ///< names and types of the arrays that the other rows lack

  /// True if row `index` of a batch is local, 0 <= index < size.
  bool has(int64_t index) const;
};

/// An element of a dataset: named columns in a fixed order. A batch is also an Example: its arrays have a batch axis,
/// and its texts are lists.
class Example {
 public:
  struct Entry {
    std::string name;
    Column value;
  };

  Example() = default;
  explicit Example(Origin origin) : origin_(std::move(origin)) {}

  /// Adds a column, or replaces the one of this name.
  Example& set(std::string_view name, Column value);
  /// Removes a column if it exists.
  Example& erase(std::string_view name);

  bool has(std::string_view name) const { return find(name) != nullptr; }
  const std::vector<Entry>& columns() const { return columns_; }
  const Origin& origin() const { return origin_; }

  /// The value of a column. DataError, which names the origin and the existing columns, if there is no such column.
  const Column& column(std::string_view name) const;
  /// The value of a column of a given kind. DataError if the column is missing or of another kind.
  const std::string& text(std::string_view name) const;
  const Tensor& tensor(std::string_view name) const;
  const std::vector<std::string>& texts(std::string_view name) const;

  /// The types that batches of this dataset may have, including that of this batch, so that all programs can be
  /// compiled at the first batch. Empty if the stage that made the batch does not know them, or if this is no batch.
  const std::vector<BatchType>& batch_types() const;
  void set_batch_types(std::vector<BatchType> types);

  /// The origins of the examples of a batch, in their order, without filler rows. Empty if the stage that made the
  /// batch does not know them, or if this is no batch.
  const std::vector<Origin>& row_origins() const;
  void set_row_origins(std::vector<Origin> origins);

  /// The rows of a batch that have all arrays, if the batch is made for one of several processes; null: all rows.
  const LocalRows* local_rows() const { return local_rows_.get(); }
  void set_local_rows(std::shared_ptr<const LocalRows> local_rows) { local_rows_ = std::move(local_rows); }

 private:
  const Entry* find(std::string_view name) const;

  Origin origin_;
  // Shared, because examples are copied; null in examples that are not batches.
  std::shared_ptr<const std::vector<BatchType>> batch_types_;
  std::shared_ptr<const std::vector<Origin>> row_origins_;
  std::shared_ptr<const LocalRows> local_rows_;
  std::vector<Entry> columns_;
};

class BadRows;
class Iterator;
class Meter;
class Stage;
struct PackOptions;

/// A pass over a dataset.
///     Cursor cursor = dataset.iterate();
///     while (auto example = cursor.next()) ...
/// or  for (Example& example : dataset.iterate()) ...
/// An error ends the pass: do not call next() again.
class Cursor {
 public:
  Cursor(std::unique_ptr<Iterator> iterator, int64_t epoch);
  Cursor(Cursor&&) noexcept;
  Cursor& operator=(Cursor&&) noexcept;
  ~Cursor();

  /// The next element; nullopt at the end.
  std::optional<Example> next();
  /// Skips the next `count` elements, or all if fewer remain, and returns the number of skipped elements. Rows are read
  /// but not mapped, encoded or put into batches, so their errors may go unnoticed.
  int64_t skip(int64_t count);
  /// The position of the pass, as a small JSON object: Dataset::resume() continues with exactly the next element, in
  /// this process or in another. Not to be called after an error.
  std::string state() const;
  /// Moves to the position of another pass at the time of its state(), for custom verbs. Must be called first.
  /// errors  those of Dataset::resume(); DataError for the state of another epoch
  void restore(const std::string& state);
  /// The epoch of Dataset::iterate().
  int64_t epoch() const { return epoch_; }

  /// Iterator for range-based for loops.
  class Position {
   public:
    explicit Position(Cursor* cursor) : cursor_(cursor) { ++*this; }
    Example& operator*() { return *example_; }
    Position& operator++() {
      example_ = cursor_->next();
      return *this;
    }
    bool operator==(std::default_sentinel_t) const { return !example_; }

   private:
    Cursor* cursor_;
    std::optional<Example> example_;
  };
  Position begin() { return Position(this); }
  std::default_sentinel_t end() const { return {}; }

 private:
  std::unique_ptr<Iterator> iterator_;
  int64_t epoch_;
};

/// A pass of a custom source or verb: see from_iterator() and Dataset::apply(). Used by one thread at a time. An error
/// ends the pass.
class CustomIterator {
 public:
  virtual ~CustomIterator() = default;
  /// The next element; nullopt at the end and in all later calls.
  virtual std::optional<Example> next() = 0;
  /// Skips as Cursor::skip(); by default it makes the elements.
  virtual int64_t skip(int64_t count);

  /// The position after the elements of next() and skip(), as a short text in UTF-8.
  virtual std::string state() const = 0;
  /// Moves to the position of another pass of the same epoch at the time of its state(). Is called first. The text may
  /// come from another program or version.
  /// errors  DataError for another text, or if the data have changed
  virtual void restore(const std::string& state) = 0;
};

struct MapOptions {
  /// 1: the consumer's thread; n > 1: a pool of n threads; 0: as many threads as cores that the process may use
  int threads = 1;
  bool ordered = true;  ///< false: examples come as soon as a thread has made them, in an order that no seed determines
  /// Examples that a thread takes at a time; each thread has up to two such blocks. 1 suits functions that wait for a
  /// server.
  int block = 16;
};

struct ShuffleOptions {
  /// Size of the shuffle buffer in examples; with at least the dataset's size every order is equally likely. 0: no
  /// buffer but a random permutation of the indices, which needs an input with random access.
  int64_t buffer = 0;
  uint64_t seed = 0;
  bool reshuffle_each_iteration = true;  ///< another order in each epoch; otherwise always that of epoch 0
  bool prefer_permutation = false;       ///< use no buffer if the input has random access
};

/// The float32 column [size] of every batch: 1 for an example, 0 for a filler row. An example with a float32 scalar of
/// this name keeps its weight.
inline constexpr std::string_view kExampleWeight = "example_weight";

struct BatchOptions {
  int64_t size = 0;             ///< examples in a batch
  bool drop_remainder = false;  ///< drop the last batch if it is not full
  bool fill_remainder = true;   ///< fill the last batch with rows of weight 0; false: it is smaller than the others
};

struct PaddedBatchOptions {
  /// The lengths that a batch may have. Each batch gets the smallest that holds its longest example, so there is at
  /// most one shape to compile for each length. One entry is a fixed length.
  std::vector<int64_t> lengths;
  std::vector<std::string> columns;          ///< the columns to pad, along their last axis; empty: all 1-D columns
  std::map<std::string, double> pad_values;  ///< the pad value of each column; 0 for other columns
  bool drop_remainder = false;               ///< as in BatchOptions
  bool fill_remainder = true;
  /// Columns that are padded to lengths of their own, ascending, one for each of `lengths`. A batch has the first pair
  /// of lengths that holds its examples.
  std::vector<std::string> target_columns = {};
  std::vector<int64_t> target_lengths = {};
};

/// The int64 column [size] of the batches of bucket_by_length: the number of each example in the input, from 1; 0 in
/// filler rows.
inline constexpr std::string_view kExamplePlace = "example_place";

struct BucketOptions {
  /// Padding of the batches. There is a bucket for each of its lengths; the last must hold the longest example.
  PaddedBatchOptions padding;
  /// Batches after which all buckets are emptied. A larger window gives less padding; a smaller one needs less memory
  /// to restore the order.
  int64_t window = 128;
};

struct InterleaveOptions {
  int64_t cycle_length = 0;  ///< datasets that are read at a time; 0: all
  int64_t block_length = 1;  ///< consecutive examples of one dataset
};

struct SampleOptions {
  std::vector<double> weights;  ///< relative frequency of each dataset; empty: all equal
  uint64_t seed = 0;
  bool reshuffle_each_iteration = true;  ///< other choices in each epoch
  bool stop_on_empty_dataset = false;    ///< end when an exhausted dataset is chosen; false: continue with the others
};

/// A lazy sequence of examples: nothing is read before it is iterated. Cheap to copy; every verb returns a new dataset
/// and leaves this one unchanged. Each iteration starts from the beginning. The order depends on seeds and epoch only,
/// never on threads or the machine, except for maps that are not ordered.
///
/// Examples from memory, folders of images, TFRecords with an index and caches have random access: any example can be
/// read without those before it. map, select, enumerate, take, skip, shard, concatenate, zip and shuffle without a
/// buffer keep random access.
class [[nodiscard]] Dataset {
 public:
  // Shared, because copies of a dataset and datasets derived from it read the same immutable description.
  explicit Dataset(std::shared_ptr<const Stage> stage) : stage_(std::move(stage)) {}

  /// Begins a pass. `epoch` chooses the order of shuffled data. repeat() counts epochs from this number: epoch k of
  /// x.repeat() has the order of x.iterate(k).
  /// meter  measures the named() stages; nullptr: no measurement. It must outlive the cursor.
  Cursor iterate(int64_t epoch = 0, Meter* meter = nullptr) const;

  /// Continues from Cursor::state() of a pass over the same data with the same verbs. Sources with random access and
  /// files of rows seek; other sources, and the elements that a verb holds, are read again as far as needed.
  /// errors  DataError that names the stage whose state is invalid or of another verb, or the file that has changed
  Cursor resume(const std::string& state, Meter* meter = nullptr) const;

  /// True if any example can be read without those before it.
  bool has_random_access() const;
  /// Number of examples in a pass, found by skipping them as Cursor::skip() does.
  int64_t count() const;

  /// Replaces each example by f(example). With several threads f runs concurrently and must be thread-safe. An error of
  /// f is thrown in place of its example.
  Dataset map(std::function<Example(Example)> f, MapOptions options = {}) const;
  /// map() for costly arrays, in one of several processes that train together: f learns whether an example will be a
  /// local row, and omits `local.arrays` of all others. batch_local() must follow directly. With skip_bad_rows() the
  /// index of an example depends on the result of f for those before it, in all processes alike; then all examples are
  /// local.
  /// options  several threads call f at the same time, some blocks of examples ahead of the consumer; always ordered
  /// errors   UsageError if the share is not valid, or its parts do not divide the batch size
  Dataset map_local(std::function<Example(Example, bool is_local)> f, LocalRows local, MapOptions options = {}) const;
  /// Replaces each example by the list f(example), which may be empty, in order.
  Dataset flat_map(std::function<std::vector<Example>(Example)> f) const;
  /// The stages before this one skip bad rows, as many as `bad_rows` (portatune/sources.h) allows: records that a
  /// reader rejects, and rows for which a function of map(), flat_map() or filter() throws DataError or NotFoundError.
  /// A fault after which the beginning of the next row is unknown remains an error. The rows are then made in order to
  /// count or skip them, as some may be bad. skip_bad_rows() goes before cache(), whose examples are the same for all
  /// consumers: after cache() it skips nothing.
  Dataset skip_bad_rows(std::shared_ptr<BadRows> bad_rows) const;
  /// The examples for which `keep` is true.
  Dataset filter(std::function<bool(const Example&)> keep) const;
  /// The examples i with keep[i], found without looking at the examples.
  /// errors  DataError, when the pass reaches it, if the dataset has more or fewer examples than `keep` has elements
  Dataset select(std::vector<bool> keep) const;
  /// Adds two columns to each example, int64 scalars: "index", its index in the pass, and "epoch", the epoch of the
  /// pass. Before shuffle() they identify an example in any order, so that random changes can depend on them alone.
  Dataset enumerate() const;
  /// A random order: each example is drawn from a buffer that is refilled from the input, or read by its index.
  /// errors  UsageError by iterate(), without a buffer and random access
  Dataset shuffle(ShuffleOptions options) const;
  /// The dataset `count` times, or without end. An empty dataset stays empty.
  Dataset repeat(std::optional<int64_t> count = std::nullopt) const;
  /// The first `count` examples.
  Dataset take(int64_t count) const;
  /// All but the first `count` examples, which are skipped as by Cursor::skip().
  Dataset skip(int64_t count) const;
  /// Every `count`-th example, beginning with example `index`: the part of worker `index` of `count` workers. Each
  /// example belongs to exactly one worker.
  /// errors  UsageError unless 0 <= index < count
  Dataset shard(int64_t count, int64_t index) const;
  /// The examples of this dataset, and then those of another.
  Dataset concatenate(const Dataset& other) const;
  /// Keeps the examples of the first pass, with epoch 0, and gives the same in every other pass without running the
  /// verbs before it again. The examples are in memory, or in a file that is complete before the first example comes
  /// and that later processes read. Gives random access.
  /// errors  IoError; DataError if the file is damaged, or of other data or verbs (functions are not compared);
  ///         UsageError for a file with batches of batch_local(), which differ between processes
  Dataset cache(const std::filesystem::path& file = {}) const;
  /// Stacks `size` examples: arrays of one shape [...] become [size, ...], texts a list of `size` texts. Filler rows of
  /// the last batch hold zeros and empty texts.
  /// errors  DataError if examples differ in columns, element types or shapes
  Dataset batch(BatchOptions options) const;
  /// batch() of the examples of map_local() with the same `local`. Arrays that rows lack are zeros, and
  /// Example::local_rows of the batches is set unless all rows are local.
  /// errors  as batch() and map_local(); DataError for a local row without such an array, or with one of another type
  Dataset batch_local(LocalRows local) const;
  /// As batch(), with arrays padded at the end of their last axis to a common length. Filler rows hold the pad value.
  /// errors  DataError that names the origin of an example longer than the largest length
  Dataset padded_batch(int64_t size, PaddedBatchOptions options) const;
  /// As padded_batch(), with examples of similar length in one batch, like tf.data's bucket_by_sequence_length: an
  /// example joins the bucket of the smallest length that holds it, and a full bucket becomes a batch. At the end of a
  /// window the rest of each bucket joins the next larger one, so that only the last batch has filler rows, and there
  /// are as many batches as without buckets. Composition and order are as random as those of the input. Batches have
  /// the column kExamplePlace.
  /// errors  as padded_batch(); UsageError for a window below 1
  Dataset bucket_by_length(int64_t size, BucketOptions options) const;
  /// The same examples; a Meter measures the verbs since the previous named() under this name.
  Dataset named(std::string name) const;
  /// Batches with several texts in a row, each with its own attention mask: the result of a model for one text does not
  /// depend on the others. The arrays of tokens become int32 [rows, length], beside kAttentionMask, kPositionIds and
  /// kTokenPlaces; all other arrays become those of padded_batch(). An example may have several texts, as arrays
  /// [texts, positions], which may be in different rows. Each example comes once in a pass.
  /// errors  DataError that names the origin of an example that does not fit
  Dataset pack(PackOptions options) const;
  /// Joins the int32 1-D arrays of a column and divides the result into blocks of `size`; the last may be shorter. Each
  /// block has the origin of the example that contains its end, and no other column.
  Dataset blocks(std::string column, int64_t size) const;
  /// Reads ahead: a background thread keeps up to `count` elements ready. An error of the input is thrown after the
  /// elements before it. A pass that ends early waits for the element that is being made.
  Dataset prefetch(int64_t count) const;
  /// A custom verb: begin(input) begins a pass over a pass of this dataset. The state of the result contains that of
  /// `input`, which restore() needs. The result has no random access.
  /// name  identifies the verb in the states of passes
  Dataset apply(std::string name, std::function<std::unique_ptr<CustomIterator>(Cursor input)> begin) const;

 private:
  friend struct DatasetAccess;  // for verbs over several datasets

  std::shared_ptr<const Stage> stage_;
};

/// Examples from memory. Those without an origin are numbered from 0.
Dataset from_examples(std::vector<Example> examples);
/// A custom source: begin(epoch) begins a pass, which has the same examples in every process.
/// name  identifies the source in the states of passes
Dataset from_iterator(std::string name, std::function<std::unique_ptr<CustomIterator>(int64_t epoch)> begin);
/// A custom source with random access: example i is at(i), 0 <= i < size. Several threads may call `at` at a time.
/// name    identifies the source in the states of passes
/// errors  UsageError for a negative size
Dataset from_index(std::string name, int64_t size, std::function<Example(int64_t index)> at);

/// Examples of several datasets in turn, like tf.data's interleave: `block_length` of each of the `cycle_length`
/// datasets that are open. When a dataset ends, the next one that has not begun replaces it.
/// errors  UsageError for no datasets
Dataset interleave(std::vector<Dataset> datasets, InterleaveOptions options = {});
/// The columns of several datasets side by side; ends with the shortest. A bad row of a dataset is an error even where
/// bad rows are skipped after zip(); skip_bad_rows() before zip() skips it.
/// errors  UsageError for no datasets; DataError, when the pass reaches it, for a column that two datasets have
Dataset zip(std::vector<Dataset> datasets);
/// Examples of several datasets, each from a dataset chosen at random, like tf.data's sample_from_datasets.
/// errors  UsageError for no datasets, or unless `weights` has one positive number for each dataset
Dataset sample(std::vector<Dataset> datasets, SampleOptions options = {});

/// The fold of each of `examples` examples, 0 to folds - 1, in random order. The sizes of the folds differ by at most
/// one.
/// errors  UsageError for fewer than 2 folds, or more folds than examples
std::vector<int> k_fold(int64_t examples, int folds, uint64_t seed);
/// The same with all examples of a group in one fold. Like sklearn.model_selection.GroupKFold: groups in order of
/// falling size, each into the smallest fold so far; of groups of one size the later name first, of folds of one size
/// the first.
/// errors  UsageError for fewer than 2 folds, or more folds than groups
std::vector<int> group_k_fold(const std::vector<std::string>& groups, int folds);
/// The same with each class spread over the folds as evenly as possible; the examples of a class are assigned at
/// random. Each fold has as many examples of each class as with sklearn.model_selection.StratifiedKFold.
/// labels  the class of each example
/// errors  UsageError for fewer than 2 folds, or more folds than the most frequent class has examples
std::vector<int> stratified_k_fold(const std::vector<std::string>& labels, int folds, uint64_t seed);

/// Holds out a random `share` of the examples, rounded up, like sklearn.model_selection.ShuffleSplit. The result is
/// true for each example held out.
/// errors  UsageError unless 0 < share < 1 and both parts have an example
std::vector<bool> hold_out(int64_t examples, double share, uint64_t seed);
/// The same with as many examples of each class as sklearn.model_selection.StratifiedShuffleSplit; ties between classes
/// with the same remainder are broken at random.
/// errors  as hold_out(); UsageError for a class with fewer than two examples, or a part with fewer examples than there
///         are classes
std::vector<bool> stratified_hold_out(const std::vector<std::string>& labels, double share, uint64_t seed);
/// The same with all examples of a group in one part: `share` is the share of the groups, as in
/// sklearn.model_selection.GroupShuffleSplit.
std::vector<bool> group_hold_out(const std::vector<std::string>& groups, double share, uint64_t seed);

/// Measures the stages of a dataset during one pass, as Dataset::named() has named them:
///     Meter meter;
///     for (const Example& batch : dataset.iterate(0, &meter)) ...
///     meter.stages();
/// Costs two clock readings per element and stage. Another thread may read it during the pass.
class Meter {
 public:
  /// Measurements of a stage: all verbs between its name and the previous name.
  struct Stage {
    std::string name;
    int64_t elements = 0;
    double seconds = 0;  ///< time of the consuming thread, including its waits for other threads
  };
  /// The stages in data flow order. Stages with equal names are summed.
  std::vector<Stage> stages() const;
  /// The name of the stage with the most seconds; empty if no stage has a name.
  std::string slowest() const;

 private:
  friend struct MeterAccess;  // for named()

  struct Counter {
    std::string name;
    std::atomic<int64_t> elements = 0, nanoseconds = 0;
  };
  Counter& counter(const std::string& name);

  mutable std::mutex mutex_;
  std::deque<Counter> counters_;  // a deque, so that references stay valid
};

// ---- lengths of batches, and several texts in one row

/// The number of examples of each length.
using LengthCounts = std::map<int64_t, int64_t>;

/// Positions of all examples, padding included, if each is padded to the smallest of `lengths` that holds it.
/// lengths  ascending
/// errors   UsageError if an example is longer than all of them
int64_t padded_positions(const LengthCounts& examples, std::span<const int64_t> lengths);

/// At most `count` lengths with the fewest padded_positions(), ascending; the last is the length of the longest
/// example. Takes count x (number of different lengths)^2 steps.
/// errors  UsageError for a count below 1, or no examples
std::vector<int64_t> choose_lengths(const LengthCounts& examples, int64_t count);

/// The lengths of an example with two texts that are padded apart.
struct LengthPair {
  int64_t source = 0, target = 0;
  auto operator<=>(const LengthPair&) const = default;
};
/// The number of examples of each pair of lengths.
using PairCounts = std::map<LengthPair, int64_t>;

/// The cost of all examples, padding included, if each is padded to the first of `pairs` that holds it: the number of
/// positions, those of targets counted twice, since a decoder computes about twice as much for each.
/// errors  UsageError if no pair holds an example
int64_t padded_cost(const PairCounts& examples, std::span<const LengthPair> pairs);

/// At most `count` pairs with a low padded_cost(). Each is at least as long in both texts as the one before; the last
/// holds all examples. They are the best among 32 lengths of each text.
/// errors  UsageError for a count below 1, or no examples
std::vector<LengthPair> choose_pairs(const PairCounts& examples, int64_t count);

/// The number of examples in a packed batch.
enum class Packing {
  kExactExamples,  ///< a fixed number, packed within the batch
  kTokenBudget     ///< as many as fill the rows
};

/// The attention mask of an example, which gives the lengths of its texts: 1 for tokens, 0 for padding at the end. In a
/// packed batch int32 [rows, length]: the number of the text that a token belongs to, from 1; 0 for padding.
inline constexpr std::string_view kAttentionMask = "attention_mask";
/// Column of packed batches, int32 [rows, length]: the position of a token in its text, from 0.
inline constexpr std::string_view kPositionIds = "position_ids";
/// Column of packed batches, int32 [texts, length]: the index of each token of each text in the flattened rows; -1
/// after the end of a text. [parts, texts, length] for a batch in several parts, with indices into the rows of each
/// part.
inline constexpr std::string_view kTokenPlaces = "token_places";

/// The shapes of packed batches.
struct PackedShapes {
  Packing packing = Packing::kExactExamples;
  /// Maximal number of examples in a batch; a batch with fewer has filler examples of weight 0.
  int64_t examples = 0;
  /// The numbers of rows that a batch may have. With a token budget all batches have the largest.
  std::vector<int64_t> rows;
  int64_t length = 0;  ///< tokens of a row, and maximal length of a text
  /// Examples among which those of a batch are chosen; those that have waited longest come first if they fit. A larger
  /// window fills the rows better; a smaller one needs less memory.
  int64_t window = 0;
  /// Packed batches side by side in one: one for each device and micro-batch of a training step. `examples` and `rows`
  /// are those of one part.
  int64_t parts = 1;
};

struct PackOptions {
  PackedShapes shapes;
  std::vector<std::string> columns;          ///< int32 columns with a value for each token, beside kAttentionMask
  std::map<std::string, double> pad_values;  ///< of `columns`, and of other 1-D columns that are padded to `length`
};

/// Shapes for packed batches, and what they achieve.
struct PackingPlan {
  PackedShapes shapes;
  double examples_per_batch = 0;  ///< on average
  double useful = 0;              ///< share of the tokens among all positions
};

/// Number of tokens in each text of an example, which usually has one.
using TextLengths = std::vector<int64_t>;

/// Plans batches of `examples` examples, in rows of `length` tokens: as few rows as nearly all batches need, and one
/// smaller number of rows if that saves much, found with random batches of the sample.
/// sample  text lengths of some of the examples, at least one
/// errors  UsageError for sizes below 1, no sample, or texts longer than `length`
PackingPlan plan_exact_examples(const std::vector<TextLengths>& sample, int64_t examples, int64_t length);
/// Plans batches of `tokens` tokens, in rows of `length`: at least one row, and as many as any one example of the
/// sample needs.
PackingPlan plan_token_budget(const std::vector<TextLengths>& sample, int64_t tokens, int64_t length);

}  // namespace portatune::data
