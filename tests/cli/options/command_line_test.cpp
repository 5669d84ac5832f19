#include "portatune/cli/options/command_line.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "cli/options/fit_words.h"
#include "cli/program.h"
#include "portatune/cli/options/described_options.h"
#include "portatune/error.h"
#include "portatune/tasks/text_classification.h"

namespace portatune::cli {
namespace {

using testing::HasSubstr;

std::string text_of(const Words& words) { return std::get<Text>(parse(words)).text; }

const Words kCommands = {"fit",         "evaluate", "predict", "generate", "tokenize", "devices", "bench", "plan",
                         "bench-input", "parity",   "sweep",   "report",   "doctor",   "man",     "run"};

int64_t widest_line(const std::string& text) {
  int64_t widest = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    widest = std::max(widest, static_cast<int64_t>(end - begin));
    begin = end + 1;
  }
  return widest;
}

TEST(CommandLine, HelpOfEachCommandIsAScreenThatBeginsWithExamples) {
  for (const std::string& command : kCommands) {
    const std::string text = text_of({command, "--help"});
    EXPECT_THAT(text, HasSubstr("Examples\n  portatune " + command));
    const bool trains_otherwise =
        command == "plan" || command == "parity" || command == "sweep";  // with the options of fit and more
    EXPECT_LE(std::ranges::count(text, '\n'), trains_otherwise ? 75 : 60) << text;
    EXPECT_EQ(text_of({command, "-h"}), text);
    EXPECT_EQ(text_of({"help", command}), text);
    EXPECT_THAT(text_of({"--help"}), HasSubstr("\n  " + command + " "));
  }
}

// Of what is no terminal.
TEST(CommandLine, HelpFitsEightyColumns) {
  EXPECT_LE(widest_line(text_of({"--help"})), 80);
  for (const std::string& command : kCommands) {
    EXPECT_LE(widest_line(text_of({command, "--help-all"})), 80) << text_of({command, "--help-all"});
  }
  for (const Words& words : {Words{"tfrecord", "write"}, {"tfrecord", "inspect"}, {"plugin", "install"}}) {
    EXPECT_LE(widest_line(text_of({words[0], words[1], "--help"})), 80);
  }
}

TEST(CommandLine, HelpAllHasEveryOptionAndHelpThoseThatMostRunsNeed) {
  const std::string main = text_of({"fit", "--help"}), all = text_of({"fit", "--help-all"});
  for (const char* option : {"--model PATH", "--train FILE...", "--epochs N", "--learning-rate N", "--output PATH"}) {
    EXPECT_THAT(main, HasSubstr(option));
  }
  EXPECT_THAT(main, HasSubstr("--help-all"));
  EXPECT_THAT(main, testing::Not(HasSubstr("--doc-stride")));
  for (const char* option : {"--doc-stride N", "--gpu-allocator", "--adam-beta1 N", "--chat-template"}) {
    EXPECT_THAT(all, HasSubstr(option));
  }
}

TEST(CommandLine, HelpOnATaskHasItsOptions) {
  const std::string text = text_of({"fit", "--help", "--task", "question-answering"});
  EXPECT_THAT(text, HasSubstr("--doc-stride N"));
  EXPECT_THAT(text, testing::Not(AnyOf(HasSubstr("--mlm-probability"), HasSubstr("--learning-rate"))));
  EXPECT_THAT(complaint({"fit", "--help", "--task", "ner"}), HasSubstr("did you mean token-classification?"));
}

TEST(CommandLine, HelpShowsNamesOfTransformers) {
  const std::string text = text_of({"fit", "--help-all"});
  for (const char* name : {"num_train_epochs", "per_device_train_batch_size", "gradient_checkpointing", "bf16"}) {
    EXPECT_THAT(text, HasSubstr(name));
  }
}

TEST(CommandLine, HelpIsShownWhateverElseIsWrong) {
  EXPECT_THAT(text_of({"fit", "--epohcs", "--help"}), HasSubstr("--learning-rate"));
  EXPECT_THAT(text_of({"fit", "--batch-size", "0", "--help"}), HasSubstr("--learning-rate"));
}

TEST(CommandLine, HelpTellsDefaults) {
  const std::string text = text_of({"fit", "--help-all"});
  for (const char* value : {"[32]", "[5e-05]", "[128]", "[float32]", "[linear]", "[42]", "[label]", "[required]"}) {
    EXPECT_THAT(text, HasSubstr(value));
  }
}

TEST(CommandLine, NoWordsAtAllAskForHelp) { EXPECT_EQ(text_of({}), text_of({"--help"})); }

TEST(CommandLine, VersionIsOneLine) {
  EXPECT_THAT(text_of({"--version"}), testing::MatchesRegex("portatune [0-9.]+\n"));
  EXPECT_EQ(text_of({"-V"}), text_of({"--version"}));
}

TEST(CommandLine, TypoGetsTheNearestName) {
  EXPECT_THAT(complaint({"fti"}), HasSubstr("unknown command fti\n  fix       did you mean fit?"));
  EXPECT_THAT(complaint({"fit", "--epcohs", "3"}),
              HasSubstr("unknown option --epcohs\n  fix       did you mean --epochs?"));
  EXPECT_THAT(complaint({"fit", "--batchsize=3"}), HasSubstr("did you mean --batch-size?"));
  EXPECT_THAT(complaint({"fit", "--xyzzy"}), HasSubstr("see portatune fit --help"));
}

TEST(CommandLine, MissingOptionIsNamed) {
  EXPECT_THAT(complaint({"fit", "--model", "m", "--train", "t.csv"}), HasSubstr("no --output\n"));
  EXPECT_THAT(complaint({"fit", "--model"}), HasSubstr("--model"));
}

TEST(CommandLine, AllMissingOptionsAreNamedAtOnce) {
  EXPECT_THAT(complaint({"fit"}), HasSubstr("no --model, --train, --output\n"));
  EXPECT_THAT(complaint({"fit"}), HasSubstr("portatune fit --model PATH --train FILE... --output PATH"));
}

TEST(CommandLine, ArgumentsWithoutAnOptionAreToldWhichThereAre) {
  EXPECT_THAT(
      complaint({"fit", "bert", "train.csv"}),
      HasSubstr("unknown argument bert\n  fix       name the option that it belongs to: portatune fit --model"));
}

TEST(CommandLine, OptionThatIsGivenTwiceIsNamed) {
  EXPECT_THAT(complaint({"fit", "--model", "m", "--train", "t", "--output", "o", "--seed", "1", "--seed", "2"}),
              HasSubstr("--seed 2 times\n"));
}

TEST(CommandLine, OptionThatIsGivenUnderTwoNamesIsNamedWithBoth) {
  EXPECT_THAT(complaint(fit_words({"--lr=1e-4", "--learning_rate", "1e-5"})),
              HasSubstr("--learning-rate 2 times, as --lr, --learning-rate\n"));
  EXPECT_THAT(complaint(fit_words({"--epochs", "1", "--num_train_epochs", "2", "--epochs", "3"})),
              HasSubstr("--epochs 3 times, as --epochs, --num-train-epochs\n"));
}

TEST(CommandLine, LimitsAreWrittenOut) {
  EXPECT_THAT(complaint({"fit", "--model", "m", "--train", "t", "--output", "o", "--batch-size", "0"}),
              HasSubstr("--batch-size 0\n  expected  an integer of at least 1 and at most 1000000"));
}

// The description of the options has the ranges of both.
TEST(CommandLine, RangesAreThoseOfTheLibrary) {
  const auto expected = [](const std::string& message) { return message.substr(message.find("expected")); };
  const auto of_library = [&](const TrainingOptions& options) {
    try {
      check_ranges(options);
    } catch (const UsageError& error) {
      return expected(error.what());
    }
    return std::string("no complaint");
  };
  const auto of_command = [&](const std::string& option, const std::string& value) {
    Words all = kFit;
    all.insert(all.end(), {option, value});
    return expected(complaint(all));
  };
  EXPECT_EQ(of_command("--max-grad-norm", "-1"), of_library({.max_grad_norm = -1}));
  EXPECT_EQ(of_command("--adam-beta2", "1"), of_library({.adam_beta2 = 1}));
  EXPECT_EQ(of_command("--adam-epsilon", "0"), of_library({.adam_epsilon = 0}));
  EXPECT_EQ(of_command("--gradient-accumulation-steps", "0"), of_library({.gradient_accumulation_steps = 0}));
  EXPECT_EQ(of_command("--lr-min-ratio", "2"), of_library({.schedule = {.min_lr_ratio = 2}}));
}

template <class Options>
void expect_on_the_command_line(Options options) {
  const std::string help = text_of({"fit", "--help-all"});
  for (const OptionField& field : fields_of(options)) {
    EXPECT_THAT(help, HasSubstr("  " + as_option_name(field.name)));
  }
}

TEST(CommandLine, HasEveryDescribedOption) {
  expect_on_the_command_line(run::RunOptions{});
  expect_on_the_command_line(TrainingOptions{});
  expect_on_the_command_line(Lora{});
  expect_on_the_command_line(BestModelOptions{});
  expect_on_the_command_line(DeviceOptions{});
}

TEST(CommandLine, NumbersAreCheckedForSenseAndRange) {
  for (const Words& words : {Words{"--batch-size", "0"},
                             {"--batch-size", "many"},
                             {"--learning-rate", "-1"},
                             {"--learning-rate", "nan"},
                             {"--learning-rate", "inf"},
                             {"--epochs", "1.5"},
                             {"--eval-steps", "0"},
                             {"--checkpoint-every", "1.5"},
                             {"--eval-delay", "-1"},
                             {"--max-length", "2"},
                             {"--seed", "-1"},
                             {"--dtype", "float8"},
                             {"--head", "tanh"},
                             {"--batch-size", "1", "--batch-size", "2"},
                             {"--batch-size", "99999999999999999999"}}) {
    Words all = kFit;
    all.insert(all.end(), words.begin(), words.end());
    EXPECT_THAT(complaint(all), HasSubstr(words[0])) << words[1];
  }
}

TEST(CommandLine, DefaultsAreThoseOfTheLibrary) {
  const FitArguments a = fit_arguments({});
  EXPECT_EQ(a.training.learning_rate, 5e-5);
  EXPECT_EQ(a.training.max_grad_norm, 1.0);
  EXPECT_EQ(a.training.gradient_accumulation_steps, 1);
  EXPECT_EQ(a.training.remat, Remat::kNone);
  EXPECT_EQ(a.training.seed, 42u);
  EXPECT_EQ(a.epochs, 3);
  EXPECT_EQ(a.batch_size, 32);
  EXPECT_EQ(a.model.options.of<TextClassificationRunOptions>().max_length, 128);
  EXPECT_FALSE(a.model.options.of<TextClassificationRunOptions>().head);
  EXPECT_TRUE(a.device.use_cache);
  EXPECT_TRUE(a.device.use_kernels);
}

TEST(CommandLine, OptionsOfTheLossReachTheirPlaces) {
  const FitArguments a = fit_arguments({"--label-smoothing-factor", "0.1", "--focal-gamma", "2", "--metrics",
                                        "f1,recall", "--class-weights", "1,2.5", "--positive-weights", "balanced"});
  const auto& options = a.model.options.of<TextClassificationRunOptions>();
  EXPECT_EQ(options.loss, (LossOptions{.label_smoothing = 0.1, .focal_gamma = 2}));
  EXPECT_THAT(options.metrics, testing::ElementsAre("f1", "recall"));
  EXPECT_THAT(options.weights.class_weights, testing::ElementsAre("1", "2.5"));
  EXPECT_THAT(options.weights.positive_weights, testing::ElementsAre("balanced"));
}

TEST(CommandLine, OptionsOfEvaluationsReachTheirPlaces) {
  const FitArguments none = fit_arguments({});
  EXPECT_FALSE(none.eval_strategy);
  EXPECT_FALSE(none.save_strategy);
  EXPECT_FALSE(none.best_model.greater_is_better);
  const FitArguments a = fit_arguments({"--eval_strategy",
                                        "steps",
                                        "--eval_steps",
                                        "50",
                                        "--save_strategy",
                                        "best",
                                        "--load_best_model_at_end",
                                        "True",
                                        "--metric_for_best_model",
                                        "eval_f1",
                                        "--greater_is_better",
                                        "False",
                                        "--early_stopping_patience",
                                        "3",
                                        "--early_stopping_threshold",
                                        "0.01",
                                        "--max_train_samples",
                                        "100",
                                        "--max_eval_samples",
                                        "10"});
  EXPECT_EQ(a.eval_strategy, run::EvalStrategy::kSteps);
  EXPECT_EQ(a.eval_steps, 50);
  EXPECT_EQ(a.save_strategy, SaveStrategy::kBest);
  EXPECT_TRUE(a.best_model.load_at_end);
  EXPECT_EQ(a.best_model.metric, "eval_f1");
  EXPECT_EQ(a.best_model.greater_is_better, false);
  EXPECT_EQ(a.best_model.early_stopping_patience, 3);
  EXPECT_EQ(a.best_model.early_stopping_threshold, 0.01);
  EXPECT_EQ(a.max_train_samples, 100);
  EXPECT_EQ(a.max_eval_samples, 10);
  const FitArguments parts = fit_arguments({"--eval_steps", "0.1", "--save_steps", "0.2", "--logging_steps", "0.05",
                                            "--logging_first_step", "True", "--eval_delay", "1.5"});
  EXPECT_EQ(parts.eval_steps, 0.1);
  EXPECT_EQ(parts.checkpoint_every, 0.2);
  EXPECT_EQ(parts.logging_steps, 0.05);
  EXPECT_TRUE(parts.logging_first_step);
  EXPECT_EQ(parts.eval_delay, 1.5);
  EXPECT_EQ(fit_arguments({"--greater-is-better"}).best_model.greater_is_better, true);
  EXPECT_EQ(fit_arguments({"--evaluation-strategy", "no"}).eval_strategy, run::EvalStrategy::kNo);
}

TEST(CommandLine, ReadsParameterGroupsAndTheirPeers) {
  const TrainingOptions a = fit_arguments({"--param-group", "classifier: lr=1e-3, weight_decay=0", "--param-group",
                                           "bias: lr=2", "--layer-decay", "0.9", "--ema", "0.99", "--lr-scheduler-type",
                                           "reduce_lr_on_plateau", "--lr-patience", "3", "--lr-mode", "max"})
                                .training;
  EXPECT_THAT(a.param_groups, testing::ElementsAre(ParameterGroup{"classifier", 0.001, 0.0},
                                                   ParameterGroup{"bias", 2.0, std::nullopt}));
  EXPECT_EQ(a.layer_decay, 0.9);
  EXPECT_EQ(a.ema, 0.99);
  EXPECT_EQ(a.schedule.patience, 3);
  EXPECT_EQ(a.schedule.mode, "max");
  EXPECT_THROW(fit_arguments({"--param-group", "classifier lr=1"}), UsageError);
}

TEST(CommandLine, EveryOptionReachesItsPlace) {
  const FitArguments a = fit_arguments({"--validation",
                                        "v1.csv",
                                        "v 2.csv",
                                        "--text-column",
                                        "q",
                                        "--text-pair-column",
                                        "a",
                                        "--label-column",
                                        "y",
                                        "--batch-size",
                                        "8",
                                        "--eval-batch-size",
                                        "9",
                                        "--epochs",
                                        "2",
                                        "--steps-per-epoch",
                                        "7",
                                        "--max-steps",
                                        "5",
                                        "--learning-rate",
                                        "3e-5",
                                        "--lr-scheduler-type",
                                        "warmup_stable_decay",
                                        "--warmup-steps",
                                        "4",
                                        "--warmup-ratio",
                                        "0.1",
                                        "--lr-num-cycles",
                                        "1.5",
                                        "--lr-power",
                                        "2",
                                        "--lr-end",
                                        "1e-6",
                                        "--lr-min-ratio",
                                        "0.2",
                                        "--lr-timescale",
                                        "50",
                                        "--lr-decay-steps",
                                        "20",
                                        "--lr-decay-type",
                                        "1-sqrt",
                                        "--weight-decay",
                                        "0.01",
                                        "--optim",
                                        "sgd",
                                        "--momentum",
                                        "0.9",
                                        "--nesterov",
                                        "--freeze",
                                        "embeddings,encoder.layer.0-5",
                                        "--adapter",
                                        "lora",
                                        "--lora-rank",
                                        "4",
                                        "--lora-alpha",
                                        "3",
                                        "--lora-dropout",
                                        "0.1",
                                        "--lora-target-modules",
                                        "query,dense",
                                        "--modules-to-save",
                                        "pooler",
                                        "--use-rslora",
                                        "--max-grad-norm",
                                        "0",
                                        "--max-grad-value",
                                        "0.5",
                                        "--gradient-accumulation-steps",
                                        "3",
                                        "--remat",
                                        "dots",
                                        "--head",
                                        "sigmoid",
                                        "--max-length",
                                        "64",
                                        "--dtype",
                                        "float16",
                                        "--on-non-finite",
                                        "skip",
                                        "--seed",
                                        "6",
                                        "--resume-from-checkpoint",
                                        "o/check point",
                                        "--disable-progress",
                                        "--json",
                                        "-q",
                                        "--device",
                                        "cpu",
                                        "--plugin",
                                        "p.so",
                                        "--no-kernels",
                                        "--cudnn-attention",
                                        "--cache-folder",
                                        "c",
                                        "--no-cache",
                                        "--task",
                                        "text-classification"});
  EXPECT_THAT(a.validation, testing::ElementsAre("v1.csv", "v 2.csv"));
  const auto& o = a.model.options.of<TextClassificationRunOptions>();
  EXPECT_EQ(o.text_column + o.text_pair_column + o.label_column, "qay");
  EXPECT_EQ(o.head, Head::kSigmoid);
  EXPECT_EQ(o.max_length, 64);
  EXPECT_THAT((std::vector{a.batch_size, a.eval_batch_size, a.epochs, a.steps_per_epoch, a.max_steps}),
              testing::ElementsAre(8, 9, 2, 7, 5));
  EXPECT_EQ(a.training.learning_rate, 3e-5);
  EXPECT_EQ(a.training.lr_scheduler_type, "warmup_stable_decay");
  EXPECT_EQ(a.training.warmup_steps, 4);
  EXPECT_EQ(a.training.warmup_ratio, 0.1);
  const ScheduleOptions& schedule = a.training.schedule;
  EXPECT_THAT((std::vector{schedule.num_cycles, schedule.power, schedule.lr_end, schedule.min_lr_ratio}),
              testing::ElementsAre(1.5, 2, 1e-6, 0.2));
  EXPECT_EQ(schedule.timescale, 50);
  EXPECT_EQ(schedule.num_decay_steps, 20);
  EXPECT_EQ(schedule.decay_type, "1-sqrt");
  EXPECT_EQ(a.training.weight_decay, 0.01);
  EXPECT_EQ(a.training.optim, "sgd");
  EXPECT_EQ(a.training.momentum, 0.9);
  EXPECT_TRUE(a.training.nesterov);
  EXPECT_THAT(a.training.freeze, testing::ElementsAre("embeddings", "encoder.layer.0-5"));
  EXPECT_TRUE(a.adapter);
  EXPECT_EQ(a.lora, (Lora{.rank = 4,
                          .alpha = 3,
                          .use_rslora = true,
                          .dropout = 0.1,
                          .target_modules = {"query", "dense"},
                          .modules_to_save = {"pooler"}}));
  EXPECT_EQ(a.training.max_grad_norm, 0);
  EXPECT_EQ(a.training.max_grad_value, 0.5);
  EXPECT_EQ(a.training.gradient_accumulation_steps, 3);
  EXPECT_EQ(a.training.remat, Remat::kDots);
  EXPECT_EQ(a.training.dtype, DType::kFloat16);
  EXPECT_EQ(a.training.on_non_finite, OnNonFinite::kSkip);
  EXPECT_EQ(a.training.seed, 6u);
  EXPECT_EQ(a.resume_from_checkpoint, "o/check point");
  EXPECT_TRUE(a.reporting.disable_progress && a.reporting.json && a.reporting.quiet);
  EXPECT_EQ(a.device.plugin, "p.so");
  EXPECT_EQ(a.device.cache_folder, "c");
  EXPECT_FALSE(a.device.use_kernels || a.device.use_cache);
  EXPECT_TRUE(a.device.cudnn_attention);
}

TEST(CommandLine, NamesOfTransformersAreUnderstood) {
  const FitArguments a =
      std::get<FitArguments>(parse({"fit", "--model_name_or_path", "m", "--train_file", "t_1.csv", "--output_dir=o_1",
                                    "--per_device_train_batch_size", "4", "--per_device_eval_batch_size", "5",
                                    "--num_train_epochs", "6", "--max_seq_length", "7", "--learning_rate=1e-4"}));
  EXPECT_EQ(a.model.folder, "m");
  EXPECT_THAT(a.train, testing::ElementsAre("t_1.csv"));
  EXPECT_EQ(a.output, "o_1");
  EXPECT_THAT((std::vector{a.batch_size, a.eval_batch_size, a.epochs,
                           a.model.options.of<TextClassificationRunOptions>().max_length}),
              testing::ElementsAre(4, 5, 6, 7));
  EXPECT_EQ(a.training.learning_rate, 1e-4);
}

TEST(CommandLine, MistakesExitWith2AndOneMessage) {
  const Finished run = portatune({"fit", "--epcohs", "3"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(run.err, "portatune: fit\n  given     unknown option --epcohs\n  fix       did you mean --epochs?\n");
}

TEST(CommandLine, GivenOptionsSayWhetherTheyDecide) {
  const auto arguments = std::get<FitArguments>(parse({"fit", "--model", "m", "--train", "t.csv", "--output", "o", "-q",
                                                       "--device", "cpu", "--epochs", "2", "--task", "fill-mask"}));
  std::set<std::string> deciding;
  for (const run::GivenOption& option : arguments.model.given) {
    if (option.decides) deciding.insert(option.name);
  }
  EXPECT_THAT(deciding, testing::UnorderedElementsAre("--model", "--train", "--epochs", "--task"));
}

TEST(CommandLine, HelpGoesToStdout) {
  const Finished run = portatune({"--help"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.out, HasSubstr("Commands\n"));
  EXPECT_EQ(run.err, "");
}

}  // namespace
}  // namespace portatune::cli
