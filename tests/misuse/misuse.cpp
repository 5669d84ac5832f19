// Misuse that does not compile. Each line with "error:" is refused with a message that contains the text after it; all
// other lines compile. tests/tools/misuse_test.py compiles this file.
#include "portatune/portatune.h"

using namespace portatune;

Device make_device();
TextClassification make_task();
text::Tokenizer make_tokenizer();

// References to objects that are gone at the end of the line.
void temporaries(const Device& device, const Task& task, const text::Tokenizer& tokenizer) {
  Trainer trainer(device, task, {});
  Trainer over_device(make_device(), task, {});       // error: deleted
  Trainer over_task(device, make_task(), {});         // error: deleted
  Trainer over_both(make_device(), make_task(), {});  // error: deleted
  Generator generator(device, "gpt2");
  Generator over_temporary(make_device(), "gpt2");  // error: deleted
  text::IdEncoder encoder(tokenizer);
  text::IdEncoder over_tokenizer(make_tokenizer());  // error: deleted
}

void runs(const run::RunOptions& options, run::Events& events, const data::Dataset& batches) {
  run::fit(options, events);
  run::fit(options, run::Events());  // error: rvalue
  run::RowProgress progress;
  const data::Dataset counted = progress.over(batches);
  const data::Dataset lost = run::RowProgress().over(batches);  // error: discards qualifiers
}

// Results without which the call does nothing.
void ignored_results(const data::Dataset& rows) {
  const data::Dataset shuffled = rows.shuffle({.buffer = 10});
  rows.shuffle({.buffer = 10});                     // error: ignoring return
  rows.map([](data::Example row) { return row; });  // error: ignoring return
  data::read_csv("rows.csv");                       // error: ignoring return
}

// Functions of another type than the verb calls.
void functions(const data::Dataset& rows) {
  const data::Dataset same = rows.map([](data::Example row) { return row; });
  const data::Dataset no_row = rows.map([] { return data::Example(); });                           // error: convert
  const data::Dataset no_result = rows.map([](const data::Example&) {});                           // error: convert
  const data::Dataset no_choice = rows.filter([](const data::Example&) {});                        // error: convert
  const data::Dataset no_list = rows.flat_map([](data::Example row) { return row; });              // error: convert
  const data::Dataset no_iterator = rows.apply("verb", [](data::Cursor input) { return input; });  // error: convert
}

// Objects that are moved and never copied, as a copy would be another object than the one that is in use.
void copies(const StopSource& stop, const data::Cursor& pass, const DeviceArray& array, const Trainer& trainer) {
  const StopToken token = stop.token();
  const StopSource other_stop = stop;    // error: deleted
  const data::Cursor other_pass = pass;  // error: deleted
  const DeviceArray other_array(array);  // error: deleted
  const Trainer other_trainer(trainer);  // error: deleted
}

void requests(run::RunOptions& options, const StopSource& stop) {
  options.stop = stop.token();
  options.stop = stop;  // error: no match
}

// Values come from parameters and operations, arrays on a device from Device::put().
void values(const Program& program, Tensor& on_host, DeviceArray& on_device) {
  const Value x = parameter("x", {DType::kFloat32, {2}});
  const Value sum = x + 1.0;
  const Value number = 1.0;       // error: conversion
  const Value nothing = nullptr;  // error: conversion
  program.run({&on_device});
  program.run({&on_host});  // error: convert
}
