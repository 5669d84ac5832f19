// Lazy datasets: examples, and the verbs of tf.data that turn them into batches. sources.h reads them from files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "portatune/batch_share.h"
#include "portatune/tensor.h"

namespace portatune::data {

/// Where an example comes from, for error messages.
struct Origin {
  std::shared_ptr<const std::string> file;  ///< shared by all rows of a file; null if there is no file
  int64_t row = -1;                         ///< the line, counted from 1 as editors do; without a file, from 0
};

/// "train.csv:17"; "example 3" where there is no file; "an example" where nothing is known.
std::string to_string(const Origin& origin);
/// "train.csv:17, 3, 20; other.csv:5": rows that follow each other share the name of their file; of many, the first 20.
std::string to_string(const std::vector<Origin>& origins);

/// One value: a text, an array, or (in a batch) one text per row.
using Column = std::variant<std::string, Tensor, std::vector<std::string>>;

/// Names and types of the arrays of a batch.
using BatchType = std::vector<std::pair<std::string, TensorType>>;

/// The rows of every batch that a process needs whole, where several train together and each puts its own on its
/// devices: see Dataset::map_local().
struct LocalRows {
  int64_t size = 0;       ///< rows of a batch, its fillers among them
  BatchShare share = {};  ///< which of them are its own: batch_share() of device.h
  BatchType arrays = {};  ///< names and types of the arrays that the other rows lack

  /// Whether the row at this place of a batch is one, 0 <= place < size.
  bool has(int64_t place) const;
};

/// An element of a dataset: named columns in a fixed order. A batch is again an Example, whose arrays have a leading
/// dimension and whose texts are lists.
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
  /// Removes a column, if it is there.
  Example& erase(std::string_view name);

  bool has(std::string_view name) const { return find(name) != nullptr; }
  const std::vector<Entry>& columns() const { return columns_; }
  const Origin& origin() const { return origin_; }

  /// The value of a column. DataError, which names the origin and the columns there are, if there is no such column.
  const Column& column(std::string_view name) const;
  /// The value of a column of a given kind. DataError if the column is missing or of another kind.
  const std::string& text(std::string_view name) const;
  const Tensor& tensor(std::string_view name) const;
  const std::vector<std::string>& texts(std::string_view name) const;

  /// Of a batch: the types that batches of its dataset may have, its own among them, so that whoever compiles a program
  /// for each knows all of them from the first. Empty where the stage that made the batch does not tell.
  const std::vector<BatchType>& batch_types() const;
  void set_batch_types(std::vector<BatchType> types);

  /// Of a batch: where its examples come from, in their order; fillers are none. Empty where the stage that made the
  /// batch does not tell.
  const std::vector<Origin>& row_origins() const;
  void set_row_origins(std::vector<Origin> origins);

  /// Of a batch: of which rows it has all arrays, where it is made for one of several processes; null: of all.
  const LocalRows* local_rows() const { return local_rows_.get(); }
  void set_local_rows(std::shared_ptr<const LocalRows> local_rows) { local_rows_ = std::move(local_rows); }

 private:
  const Entry* find(std::string_view name) const;

  Origin origin_;
  // Shared, because examples are copied, and null in all that are no batches.
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

/// One pass over a dataset.
///     Cursor cursor = dataset.iterate();
///     while (auto example = cursor.next()) ...
/// or  for (Example& example : dataset.iterate()) ...
/// After an error the pass is over: do not pull from it again.
class Cursor {
 public:
  Cursor(std::unique_ptr<Iterator> iterator, int64_t epoch);
  Cursor(Cursor&&) noexcept;
  Cursor& operator=(Cursor&&) noexcept;
  ~Cursor();

  /// The next element; nothing at the end.
  std::optional<Example> next();
  /// Passes over the next `count` elements, or as many as there are, and returns how many these were. Rows are read
  /// but not mapped, encoded or put into batches, so what is wrong with them may go unnoticed.
  int64_t skip(int64_t count);
  /// Where the pass stands, as a small JSON object: Dataset::resume() goes on from there with exactly the next element,
  /// in this process or in another. Never after an error.
  std::string state() const;

  /// What a range-based for loop needs.
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

struct MapOptions {
  /// 1: on the pulling thread; more: a pool of that many; 0: as many as cores that the process may use
  int threads = 1;
  bool ordered = true;  ///< otherwise several threads give examples as they get ready, in an order that no seed decides
  /// Examples that a thread takes at a time; each thread has up to two such blocks. 1 suits functions that wait for a
  /// server.
  int block = 16;
};

struct ShuffleOptions {
  /// Examples held; at least the dataset's size makes every order equally likely. 0: none are held, and every element
  /// is found where a random permutation says, which needs an input with random access.
  int64_t buffer = 0;
  uint64_t seed = 0;
  bool reshuffle_each_iteration = true;  ///< another order in each epoch; otherwise always that of epoch 0
  bool prefer_permutation = false;       ///< hold none where the input has random access; otherwise as `buffer` says
};

/// The float32 column [size] that every batch carries: 1 for an example, 0 for a row that only fills the batch up.
/// Examples that bring a float32 scalar of this name keep their own weight.
inline constexpr std::string_view kExampleWeight = "example_weight";

struct BatchOptions {
  int64_t size = 0;             ///< examples in a batch
  bool drop_remainder = false;  ///< leave out a last batch that is not full
  bool fill_remainder = true;   ///< fill it up with rows of weight 0; otherwise it is smaller than the others
};

struct PaddedBatchOptions {
  /// The lengths a batch may have: it gets the smallest that holds its longest example, so that there are at most this
  /// many shapes to compile. One entry is a fixed length.
  std::vector<int64_t> lengths;
  std::vector<std::string> columns;          ///< the columns to pad, along their last axis; empty: all 1-D columns
  std::map<std::string, double> pad_values;  ///< what a column is padded with; 0 where it is not named
  bool drop_remainder = false;               ///< as in BatchOptions
  bool fill_remainder = true;
};

/// The int64 column [size] of the batches of bucket_by_length: the place of each example in the input, counted from 1;
/// 0 in rows that only fill a batch up.
inline constexpr std::string_view kExamplePlace = "example_place";

struct BucketOptions {
  /// A bucket for each length; the last holds the longest example. And which columns are padded with what.
  PaddedBatchOptions padding;
  /// Batches after which all buckets are emptied. More: less padding; fewer: less memory until the order is restored.
  int64_t window = 128;
};

struct InterleaveOptions {
  int64_t cycle_length = 0;  ///< datasets that are read at a time; 0: all
  int64_t block_length = 1;  ///< examples of one before it is the next one's turn
};

struct SampleOptions {
  std::vector<double> weights;  ///< how often a dataset is chosen, in proportion; empty: all equally often
  uint64_t seed = 0;
  bool reshuffle_each_iteration = true;  ///< other choices in each epoch
  bool stop_on_empty_dataset = false;  ///< end when a dataset that has ended is chosen; otherwise go on with the others
};

/// A lazy sequence of examples: nothing is read before it is iterated. Cheap to copy; every verb returns a new dataset
/// and leaves this one as it is. Iterating twice starts afresh. The order depends on seeds and epoch only, never on
/// threads or the machine, but for maps that are not ordered.
///
/// Examples from memory, folders of images, TFRecords with an index and caches have random access: any example can be
/// had without those before it. map, select, enumerate, take, skip, shard, concatenate, zip and shuffle without a
/// buffer keep it.
class Dataset {
 public:
  // Shared, because copies of a dataset and datasets derived from it read the same immutable description.
  explicit Dataset(std::shared_ptr<const Stage> stage) : stage_(std::move(stage)) {}

  /// Begins a pass. `epoch` chooses the order of shuffled data. repeat() counts epochs itself, from here on: epoch k of
  /// x.repeat() has the order of x.iterate(k).
  /// meter  told how long the named() stages take; nullptr: nobody. It must outlive the cursor.
  Cursor iterate(int64_t epoch = 0, Meter* meter = nullptr) const;

  /// Goes on from Cursor::state() of a pass over the same data with the same verbs. Sources with random access and
  /// files of rows go there at once; others, and what a verb works on, are read again as far as that is needed.
  /// errors  DataError that names the stage where the state is of other verbs or is broken, or the file that has
  ///         changed
  Cursor resume(const std::string& state, Meter* meter = nullptr) const;

  /// Whether any example can be had without those before it.
  bool has_random_access() const;
  /// How many examples a pass gives, by passing over them as Cursor::skip() does.
  int64_t count() const;

  /// Each example replaced by f of it. With several threads f runs concurrently and must allow that. An error of f is
  /// thrown where its example would have come.
  Dataset map(std::function<Example(Example)> f, MapOptions options = {}) const;
  /// map(), in one of several processes that train together, for what is costly to make: f is told whether an example
  /// will be one of the process's own rows, and makes no `own.arrays` of the others. batch_local() is to follow at
  /// once. Where bad rows are passed over (skip_bad_rows) the place of an example depends on what f says of those
  /// before it, in all processes alike: all examples are then own ones.
  /// options  threads call f at the same time, some blocks of examples ahead of the consumer; always ordered
  /// errors   UsageError if `own` is no share of batches of its size, which its parts must divide
  Dataset map_local(std::function<Example(Example, bool is_own)> f, LocalRows own, MapOptions options = {}) const;
  /// Each example replaced by all that f makes of it, which may be none, in order.
  Dataset flat_map(std::function<std::vector<Example>(Example)> f) const;
  /// What stands before this passes over rows that are bad by themselves, as many as `bad_rows` (portatune/bad_rows.h)
  /// allows: records that readers find fault with, and rows for which a function of map(), flat_map() or filter()
  /// throws DataError or NotFoundError. Where a fault leaves it uncertain where the next row begins, it stays an error.
  /// Rows are then counted and skipped by making them, as some may be bad. It goes before cache(), whose examples are
  /// the same for all, and so passes over nothing for what comes after it.
  Dataset skip_bad_rows(std::shared_ptr<BadRows> bad_rows) const;
  /// The examples for which `keep` is true.
  Dataset filter(std::function<bool(const Example&)> keep) const;
  /// Those examples whose place has `true`, without looking at them.
  /// errors  DataError, when it is reached, for an example beyond the last place, or a place without one
  Dataset select(std::vector<bool> places) const;
  /// Each example with two more columns, int64 scalars: "index", its place in the pass, from 0, and "epoch", that of
  /// the pass. Before shuffle() these name an example whatever the order, so that random changes can depend on them
  /// alone.
  Dataset enumerate() const;
  /// A random order: each example is drawn from a buffer that is refilled from the input, or is found at once.
  /// errors  UsageError by iterate(), without a buffer and random access
  Dataset shuffle(ShuffleOptions options) const;
  /// The dataset `count` times, or without end. An empty dataset stays empty.
  Dataset repeat(std::optional<int64_t> count = std::nullopt) const;
  /// The first `count` examples.
  Dataset take(int64_t count) const;
  /// All but the first `count` examples, which are passed over as Cursor::skip() does.
  Dataset skip(int64_t count) const;
  /// Every `count`-th example from the one at place `index` on: the part of worker `index` among `count`, which have
  /// all examples between them, each once.
  /// errors  UsageError unless 0 <= index < count
  Dataset shard(int64_t count, int64_t index) const;
  /// The examples of this dataset, and then those of another.
  Dataset concatenate(const Dataset& other) const;
  /// Holds what the first pass gives, that of epoch 0, and gives the same in every other pass, without asking the verbs
  /// before it again: in memory, or in a file that is written as a whole before the first example comes, and that later
  /// processes read. Gives random access.
  /// errors  IoError; DataError if the file is broken, or of other data or verbs (functions are not compared); UsageError
  ///         for a file of what batch_local() gives, which is not the same in other processes
  Dataset cache(const std::filesystem::path& file = {}) const;
  /// `size` examples side by side: arrays of one shape [...] become [size, ...], texts a list of `size` texts.
  /// Rows that fill up the last batch hold zeros and empty texts.
  /// errors  DataError if examples differ in columns, element types or shapes
  Dataset batch(BatchOptions options) const;
  /// batch() of what map_local() with the same `own` gives. The arrays that rows lack are zeros, and the batches say so
  /// (Example::local_rows) unless the share is the whole.
  /// errors  as batch() and map_local(); DataError for one of the process's own rows without such an array, or of another
  ///         type
  Dataset batch_local(LocalRows own) const;
  /// As batch(), with arrays padded at the end of their last axis to a common length. Fillers hold the pad value.
  /// errors  DataError that names the origin of an example longer than the largest length
  Dataset padded_batch(int64_t size, PaddedBatchOptions options) const;
  /// As padded_batch(), with examples of similar length together, as tf.data's bucket_by_sequence_length has it: an
  /// example joins the bucket of the smallest length that holds it, a full bucket is a batch. What is left in the
  /// buckets at the end joins the next larger one, so that only the very last batch is filled up: there are as many
  /// batches as without buckets. Composition and order are as random as those of the input. Batches have the column
  /// kExamplePlace.
  /// errors  as padded_batch(); UsageError for a window below 1
  Dataset bucket_by_length(int64_t size, BucketOptions options) const;
  /// The same, where all that is done since the last name gets a name for a Meter.
  Dataset named(std::string name) const;
  /// Examples in batches whose texts stand several in a row, each kept apart: what a model computes for one does not
  /// depend on the others. The arrays of tokens become int32 [rows, length], with the columns of packing.h beside them;
  /// all others become those of padded_batch(). An example may have several texts, as arrays [texts, positions]; these
  /// may stand in different rows. Each example comes once in a pass.
  /// errors  DataError that names the origin of an example that does not fit
  Dataset pack(PackOptions options) const;
  /// The int32 1-D arrays of a column joined to one and cut into pieces of `size`; the last may be shorter. Each piece
  /// has the origin of the example that its end is from, and no other column.
  Dataset blocks(std::string column, int64_t size) const;
  /// Works ahead: a background thread keeps up to `count` elements ready. An error of the input is thrown after the
  /// elements before it. Ending a pass early waits for the element that is being made.
  Dataset prefetch(int64_t count) const;

 private:
  friend struct DatasetAccess;  // for verbs over several datasets

  std::shared_ptr<const Stage> stage_;
};

/// Examples from memory. Those without an origin are numbered from 0.
Dataset from_examples(std::vector<Example> examples);

/// Examples of several datasets in turn, as tf.data's interleave: `block_length` of each of the `cycle_length` that are
/// being read. In place of one that has ended, the next that has not been begun is read.
/// errors  UsageError for no datasets
Dataset interleave(std::vector<Dataset> datasets, InterleaveOptions options = {});
/// The columns of several datasets side by side; ends with the shortest. A bad row of one of them is an error even
/// where bad rows are passed over, unless that one has passed over it (skip_bad_rows before zip).
/// errors  UsageError for no datasets; DataError, when it is reached, for a column that two of them have
Dataset zip(std::vector<Dataset> datasets);
/// Examples of several datasets, each time of one that is chosen at random, as tf.data's sample_from_datasets.
/// errors  UsageError for no datasets, or weights that are not as many positive numbers
Dataset sample(std::vector<Dataset> datasets, SampleOptions options = {});

}  // namespace portatune::data
