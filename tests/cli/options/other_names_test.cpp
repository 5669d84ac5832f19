#include "portatune/cli/options/names/other_names.h"

#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/options/fit_words.h"
#include "cli/program.h"
#include "cli/toy.h"
#include "portatune/cli/options/command_line.h"
#include "portatune/error.h"
#include "portatune/tasks/text_classification.h"
#include "portatune/train/schedule.h"

namespace portatune::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string complaint_of_fit(const Words& more) { return complaint(fit_words(more)); }

// The names of TrainingArguments, each with a value: tests/oracle/train/make_training_arguments.py.
std::map<std::string, std::string> training_arguments() {
  return nlohmann::json::parse(std::ifstream(PORTATUNE_TEST_DATA "/train/training_arguments.json"));
}

struct Argument {
  const char* name;
  const char* value;  // that is tried
};

// Other values, and names that version 5 of transformers no longer has.
const Argument kTrainingArguments[] = {{"gradient_accumulation_steps", "2"},
                                       {"num_train_epochs", "2"},
                                       {"max_steps", "10"},
                                       {"learning_rate", "1e-4"},
                                       {"lr_scheduler_kwargs", "{\"num_cycles\": 2}"},
                                       {"warmup_steps", "10"},
                                       {"optim", "sgd"},
                                       {"optim_args", "momentum=0.9"},
                                       {"weight_decay", "0.1"},
                                       {"adam_beta1", "0.8"},
                                       {"adam_beta2", "0.99"},
                                       {"adam_epsilon", "1e-6"},
                                       {"max_grad_norm", "0.5"},
                                       {"label_smoothing_factor", "0.1"},
                                       {"gradient_checkpointing", "True"},
                                       {"neftune_noise_alpha", "5"},
                                       {"logging_steps", "0.05"},
                                       {"report_to", "wandb"},
                                       {"run_name", "first"},
                                       {"project", "p"},
                                       {"eval_strategy", "steps"},
                                       {"eval_steps", "0.1"},
                                       {"eval_delay", "0.5"},
                                       {"save_strategy", "epoch"},
                                       {"save_steps", "0.1"},
                                       {"save_total_limit", "3"},
                                       {"metric_for_best_model", "f1"},
                                       {"greater_is_better", "True"},
                                       {"seed", "1"},
                                       {"data_seed", "1"},
                                       {"resume_from_checkpoint", "o/checkpoint-1"},
                                       {"dataloader_num_workers", "4"},
                                       {"dataloader_prefetch_factor", "2"},
                                       {"train_sampling_strategy", "group_by_length"},
                                       {"remove_unused_columns", "False"},
                                       {"warmup_ratio", "0.1"},
                                       {"evaluation_strategy", "steps"},
                                       {"group_by_length", "True"},
                                       {"logging_dir", "logs"},
                                       {"save_safetensors", "False"},
                                       {"no_cuda", "True"},
                                       {"fsdp", "full_shard"},
                                       {"deepspeed", "ds.json"},
                                       {"ddp_backend", "nccl"},
                                       {"torch_compile_backend", "inductor"},
                                       {"tf32", "True"}};

TEST(OtherNames, EveryTrainingArgumentWorksOrHasItsAnswer) {
  std::map<std::string, std::string> arguments = training_arguments();
  arguments.erase("output_dir");  // which every run has
  for (const auto& [name, value] : kTrainingArguments) arguments[name] = value;
  for (const auto& [name, value] : arguments) {
    const std::string text = complaint_of_fit({"--" + name, value});
    EXPECT_THAT(text, testing::Not(AnyOf(HasSubstr("did you mean"), HasSubstr("see portatune fit --help")))) << name;
    EXPECT_THAT(text, AnyOf("", HasSubstr("\n  fix       "))) << name;
  }
}

TEST(OtherNames, ThoseOfOptionsWork) {
  EXPECT_EQ(fit_arguments({"--bf16"}).training.dtype, DType::kBFloat16);
  EXPECT_EQ(fit_arguments({"--fp16", "True"}).training.dtype, DType::kFloat16);
  EXPECT_EQ(fit_arguments({"--bf16", "False"}).training.dtype, DType::kFloat32);
  EXPECT_EQ(fit_arguments({"--gradient_checkpointing"}).training.remat, Remat::kLayers);
  EXPECT_EQ(fit_arguments({"--group_by_length=true"}).model.padding->kind, run::Padding::Kind::kAuto);
  EXPECT_EQ(fit_arguments({"--block_size", "64"}).model.options.of<TextClassificationRunOptions>().max_length, 64);
  EXPECT_EQ(fit_arguments({"--text_column_name=sentence"}).model.options.of<TextClassificationRunOptions>().text_column,
            "sentence");
  EXPECT_EQ(fit_arguments({"--device", "cuda", "--lr", "1e-3"}).training.learning_rate, 1e-3);
  EXPECT_EQ(fit_arguments({"--warmup_ratio", "0.1"}).training.warmup_ratio, 0.1);
  EXPECT_EQ(fit_arguments({"--min_lr_rate", "0.1"}).training.schedule.min_lr_ratio, 0.1);
  EXPECT_EQ(fit_arguments({"--num_decay_steps", "5"}).training.schedule.num_decay_steps, 5);
  EXPECT_EQ(fit_arguments({"--adam_beta1", "0.8"}).training.adam_beta1, 0.8);
  EXPECT_EQ(fit_arguments({"--label_smoothing_factor", "0.1"})
                .model.options.of<TextClassificationRunOptions>()
                .loss.label_smoothing,
            0.1);
  EXPECT_EQ(fit_arguments({"--optim", "sgd", "--momentum", "0.9", "--nesterov"}).training.optim, "sgd");
  EXPECT_EQ(fit_arguments({"--optim", "lion_32bit"}).training.optim, "lion");
  EXPECT_EQ(fit_arguments({"--optim", "adafactor"}).training.optim, "adafactor");
  EXPECT_EQ(fit_arguments({"--optim", "adamw_torch_fused"}).training.optim, "adamw_torch");
  EXPECT_THAT(fit_arguments({"--dev", "a.csv", "b.csv"}).validation, testing::ElementsAre("a.csv", "b.csv"));
}

TEST(OtherNames, TrueIsTheNewestCheckpoint) {
  for (const Words& words : {Words{"--resume_from_checkpoint", "True"}, Words{"--resume_from_checkpoint=true"}}) {
    const FitArguments a = fit_arguments(words + Words{"--seed", "3"});
    EXPECT_TRUE(a.resume);
    EXPECT_EQ(a.resume_from_checkpoint, "");
    EXPECT_EQ(a.training.seed, 3u);
  }
  const FitArguments from_scratch = fit_arguments({"--resume_from_checkpoint", "False", "--overwrite_output_dir", "True"});
  EXPECT_FALSE(from_scratch.resume);
  EXPECT_TRUE(from_scratch.overwrite_output);
  EXPECT_EQ(from_scratch.resume_from_checkpoint, "");
}

TEST(OtherNames, ArgumentsOfTheTrainerHaveAnAnswer) {
  EXPECT_THAT(complaint_of_fit({"--train_dataset=x"}), HasSubstr("--train FILE"));
  EXPECT_THAT(complaint_of_fit({"--eval_dataset=x"}), HasSubstr("--validation FILE"));
  for (const char* name : {"--tokenizer", "--processing_class", "--data_collator", "--num_labels", "--model_init"}) {
    EXPECT_THAT(complaint_of_fit({name, "x"}), HasSubstr(": leave it out")) << name;
  }
  for (const char* name : {"--args", "--optimizers", "--compute_loss_func", "--preprocess_logits_for_metrics"}) {
    EXPECT_THAT(complaint_of_fit({name, "x"}), testing::Not(HasSubstr("see portatune fit --help"))) << name;
  }
}

// The rates of transformers' get_scheduler with these arguments: tests/oracle/train/make_schedule_cases.py.
TEST(OtherNames, LrSchedulerKwargsGiveTheRatesOfTransformers) {
  const nlohmann::json golden = nlohmann::json::parse(std::ifstream(PORTATUNE_TEST_DATA "/train/schedules.json"));
  for (const nlohmann::json& expected : golden["cases"]) {
    if (expected["kwargs"].empty() || expected["warmup_steps"] != 3) continue;
    SCOPED_TRACE(expected.dump());
    const TrainingOptions options =
        fit_arguments({"--lr_scheduler_type", expected["name"], "--warmup_steps", expected["warmup_steps"].dump(),
                       "--learning_rate", golden["learning_rate"].dump(), "--lr_scheduler_kwargs",
                       expected["kwargs"].dump()})
            .training;
    train::check_schedule(options);
    for (int64_t step = 1; step <= golden["total_steps"]; ++step) {
      EXPECT_DOUBLE_EQ(train::learning_rate(options, {step, golden["total_steps"]}), expected["rates"][step - 1]);
    }
  }
}

TEST(OtherNames, LrSchedulerKwargsOfAPlateauAreOptions) {
  const ScheduleOptions o =
      fit_arguments({R"(--lr_scheduler_kwargs={"factor": 0.5, "patience": 2, "mode": "max", "min_lr": 1e-6, )"
                     R"("cooldown": 1, "threshold": 0.01, "threshold_mode": "abs", "num_cycles": null})"})
          .training.schedule;
  EXPECT_EQ(o.factor, 0.5);
  EXPECT_EQ(o.patience, 2);
  EXPECT_EQ(o.mode, "max");
  EXPECT_EQ(o.min_lr, 1e-6);
  EXPECT_EQ(o.cooldown, 1);
  EXPECT_EQ(o.threshold, 0.01);
  EXPECT_EQ(o.threshold_mode, "abs");
  EXPECT_FALSE(o.num_cycles);
}

TEST(OtherNames, OptimArgsAreOptions) {
  const TrainingOptions sgd =
      fit_arguments({"--optim", "sgd", "--optim_args", "momentum=0.9, nesterov=True,weight_decay=0.1"}).training;
  EXPECT_EQ(sgd.momentum, 0.9);
  EXPECT_TRUE(sgd.nesterov);
  EXPECT_EQ(sgd.weight_decay, 0.1);
  const TrainingOptions adam = fit_arguments({"--optim-args=betas=(0.8, 0.95),eps=1e-6"}).training;
  EXPECT_EQ(adam.adam_beta1, 0.8);
  EXPECT_EQ(adam.adam_beta2, 0.95);
  EXPECT_EQ(adam.adam_epsilon, 1e-6);
  EXPECT_EQ(fit_arguments({"--optim_args", ""}).training.momentum, 0);
}

TEST(OtherNames, FaultsInValuesThatHoldOptionsAreNamed) {
  EXPECT_THAT(complaint_of_fit({"--optim_args", "momentun=0.9"}),
              AllOf(HasSubstr("fit: --optim-args"), HasSubstr("unknown key \"momentun\""), HasSubstr("weight_decay"),
                    HasSubstr("did you mean momentum?")));
  EXPECT_THAT(complaint_of_fit({"--optim_args", "momentum"}), HasSubstr("KEY=VALUE"));
  EXPECT_THAT(complaint_of_fit({"--optim_args", "momentum=2"}), HasSubstr("--momentum 2"));
  EXPECT_THAT(complaint_of_fit({"--momentum", "0.5", "--optim_args", "momentum=0.9"}),
              HasSubstr("--momentum 2 times, as --momentum, --optim-args\n"));
  EXPECT_THAT(complaint_of_fit({"--lr_scheduler_kwargs", "num_cycles=2"}), HasSubstr("a JSON object"));
  EXPECT_THAT(complaint_of_fit({"--lr_scheduler_kwargs", R"({"num_cycles": [2]})"}), HasSubstr("a number or a text"));
  EXPECT_THAT(complaint_of_fit({"--lr_scheduler_kwargs", R"({"last_epoch": 2})"}),
              AllOf(HasSubstr("unknown key \"last_epoch\""), HasSubstr("num_cycles")));
}

TEST(OtherNames, WhatHappensAnywayIsAccepted) {
  const FitArguments a = fit_arguments({"--do_train", "--do_eval", "True", "--optim=adamw_torch", "--eval_strategy",
                                        "epoch", "--dataloader_num_workers", "4", "--report_to", "none", "--lr", "2"});
  EXPECT_EQ(a.training.learning_rate, 2);
}

TEST(OtherNames, FlagsOfOursMayHaveATruth) {
  EXPECT_TRUE(fit_arguments({"--disable_tqdm", "True"}).reporting.disable_progress);
  EXPECT_FALSE(fit_arguments({"--disable_tqdm", "False"}).reporting.disable_progress);
}

TEST(OtherNames, EvaluationBeforeTrainingCanBeTurnedOff) {
  EXPECT_TRUE(fit_arguments({}).eval_on_start);
  EXPECT_TRUE(fit_arguments({"--eval_on_start"}).eval_on_start);
  EXPECT_FALSE(fit_arguments({"--eval-on-start", "False"}).eval_on_start);
  EXPECT_FALSE(fit_arguments({"--eval-on-start=false"}).eval_on_start);
  EXPECT_FALSE(fit_arguments({"--no-eval-on-start"}).eval_on_start);
}

TEST(OtherNames, AllThatAreRefusedAreToldAtOnce) {
  EXPECT_THAT(complaint_of_fit({"--fsdp", "full_shard", "--tf32", "True"}),
              AllOf(HasSubstr("unknown option --fsdp, --tf32"), HasSubstr("--fsdp: --mesh fsdp=N"),
                    HasSubstr("--tf32: --dtype bfloat16")));
}

TEST(OtherNames, OptionsOfOtherCommandsAreNamed) {
  EXPECT_THAT(complaint({"evaluate", "--model", "m", "--data", "d", "--epochs", "3"}),
              HasSubstr("--epochs is an option of portatune fit"));
  EXPECT_THAT(complaint({"predict", "--model", "m", "--data", "d", "--lr", "3"}),
              HasSubstr("--learning-rate is an option of portatune fit"));
}

TEST(OtherNames, OptionsOfOtherCommandsThatACommandHasUnderItsOwnName) {
  struct Typed {
    Words words;
    std::string fix;
  };
  for (const auto& [words, fix] : {Typed{{"tokenize", "--model", "m", "--input", "a.csv"}, "--tokenizer FOLDER"},
                                   {{"tokenize", "--text", "a"}, "--input FILE"},
                                   {{"generate", "--model", "m", "--text", "a"}, "--prompt TEXT"},
                                   {{"fit", "--model", "m", "--data", "a.csv"}, "--train FILE"},
                                   {{"fit", "--model", "m", "--format", "csv"}, "rename the files"},
                                   {{"fit", "--model", "m", "--out", "o"}, "--output FOLDER"},
                                   {{"evaluate", "--model", "m", "--validation", "a.csv"}, "--data FILE"},
                                   {{"evaluate", "--model", "m", "--train", "a.csv"}, "--data FILE"},
                                   {{"predict", "--model", "m", "--input", "a.csv"}, "--data FILE"}}) {
    EXPECT_THAT(complaint(words), HasSubstr("\n  fix       " + fix));
  }
}

TEST(OtherNames, TheTypeOfEvaluationAloneIsNoTypeOfTraining) {
  EXPECT_THAT(complaint_of_fit({"--fp16_full_eval"}), HasSubstr("portatune evaluate in --dtype float16"));
  EXPECT_EQ(fit_arguments({"--bf16_full_eval", "False"}).training.dtype, DType::kFloat32);
}

TEST(OtherNames, Commands) {
  for (const auto& [name, ours] : {std::pair{"train", "portatune fit"},
                                   {"finetune", "portatune fit"},
                                   {"eval", "portatune evaluate"},
                                   {"infer", "portatune predict"},
                                   {"env", "portatune doctor"},
                                   {"recipe", "portatune recipes"}}) {
    EXPECT_THAT(complaint({name}), HasSubstr("unknown command " + std::string(name) + "\n  fix       " + ours));
  }
}

TEST(OtherNames, UnknownTopicsOfHelp) {
  EXPECT_THAT(complaint({"help", "ftt"}), AllOf(HasSubstr("unknown command ftt"), HasSubstr("did you mean fit?")));
  EXPECT_THAT(complaint({"help", "train"}), HasSubstr("portatune fit"));
  EXPECT_THAT(complaint({"man", "tfrecord", "wrte"}),
              AllOf(HasSubstr("tfrecord\n"), HasSubstr("unknown command wrte"), HasSubstr("did you mean write?")));
  EXPECT_THAT(complaint({"help", "fit", "bert"}), HasSubstr("unknown command bert"));
}

TEST(OtherNames, MissingValues) {
  EXPECT_THAT(complaint_of_fit({"--batch-size"}), HasSubstr("--batch-size: a value is missing"));
  EXPECT_THAT(complaint({"evaluate", "--model", "m", "--data"}), HasSubstr("--data: a value is missing"));
}

TEST(OtherNames, ValuesOfTask) {
  EXPECT_THAT(complaint_of_fit({"--task", "ner"}),
              AllOf(HasSubstr("given     --task ner\n"), HasSubstr("did you mean token-classification?")));
  EXPECT_THAT(complaint_of_fit({"--task", "sentiment"}), HasSubstr("did you mean text-classification?"));
  EXPECT_THAT(complaint_of_fit({"--task", "text-classifcation"}), HasSubstr("did you mean text-classification?"));
}

TEST(OtherNames, ValuesOfDtypeAndDevice) {
  EXPECT_EQ(fit_arguments({"--dtype", "bf16"}).training.dtype, DType::kBFloat16);
  EXPECT_EQ(fit_arguments({"--dtype", "fp32"}).training.dtype, DType::kFloat32);
  EXPECT_EQ(fit_arguments({"--device", "gpu"}).device.device, "cuda");
  EXPECT_EQ(fit_arguments({"--device", "gpu:0,1"}).device.device, "cuda:0,1");
  EXPECT_EQ(fit_arguments({"--device", "gpuu"}).device.device, "gpuu");  // an error names what was typed
  EXPECT_EQ(fit_arguments({"--no_cuda"}).device.device, "cpu");
}

TEST(OtherNames, OfTheDelimiter) {
  EXPECT_EQ(fit_arguments({"--delimiter", ";"}).model.table.delimiter, ';');
  EXPECT_EQ(fit_arguments({"--sep=\\t"}).model.table.delimiter, '\t');
  EXPECT_THAT(complaint_of_fit({"--delimiter", "::"}), HasSubstr("one character"));
}

TEST(OtherNames, WorkInRecipes) {
  const TemporaryFolder folder;
  const std::string recipe = (folder / "r.yaml").string();
  write(recipe, "bf16: true\nlr: 1e-3\ndo_train: true\n");
  const FitArguments a = fit_arguments({"--recipe", recipe});
  EXPECT_EQ(a.training.dtype, DType::kBFloat16);
  EXPECT_EQ(a.training.learning_rate, 1e-3);
  write(recipe, "lr_scheduler_kwargs: {num_cycles: 2, decay_type: linear}\noptim-args: momentum=0.9,nesterov=True\n");
  const TrainingOptions training = fit_arguments({"--recipe", recipe, "--momentum", "0.5"}).training;
  EXPECT_EQ(training.schedule.num_cycles, 2);
  EXPECT_EQ(training.schedule.decay_type, "linear");
  EXPECT_EQ(training.momentum, 0.5);
  EXPECT_TRUE(training.nesterov);
  write(recipe, "seed: 1\nlr_scheduler_kwargs: {cycles: 2}\n");
  EXPECT_THAT(complaint_of_fit({"--recipe", recipe}), AllOf(HasSubstr("r.yaml:2"), HasSubstr("\"cycles\"")));
  write(recipe, "seed: 1\nfsdp: full_shard\n");
  EXPECT_THAT(complaint_of_fit({"--recipe", recipe}), AllOf(HasSubstr("r.yaml:2"), HasSubstr("--mesh fsdp=N")));
}

}  // namespace
}  // namespace portatune::cli
