// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/config/config_file.h"
#include "core/config/schema.h"

namespace batchwise {
namespace {

using testing::HasSubstr;

struct BadCase {
  std::string yaml;
  std::string field;
  std::string says;
};

/// A value that the field must refuse, and what the message has to mention.
struct BadValue {
  std::string text;
  std::string says;
};

std::vector<BadValue> badTimes(const Field& field) {
  std::vector<BadValue> values = {{"5", "'5'"},       {"10 ba", "'10 ba'"}, {"tenba", "'tenba'"},
                                  {"-3ba", "'-3ba'"}, {"3iter", "'3iter'"}, {"{a: 1}", "a section"}};
  const auto allows = [&](TimeUnit unit) {
    return std::find(field.units.begin(), field.units.end(), unit) != field.units.end();
  };
  if (!allows(TimeUnit::Second)) values.push_back({"90m", "'sec' has no meaning here"});
  if (!allows(TimeUnit::Duration)) values.push_back({"0.5dur", "'dur' has no meaning here"});
  if (field.minimumOpen) values.push_back({"0ba", "above 0"});
  return values;
}

std::vector<BadValue> badNumbers(const Field& field) {
  std::vector<BadValue> values = {{".nan", "finite"},  {".inf", "finite"}, {"-.inf", "finite"}, {"nan", "finite"},
                                  {"1e999", "double"}, {"fast", "'fast'"}, {"1.0x", "'1.0x'"}};
  if (field.minimum) values.push_back({std::to_string(*field.minimum - 1), field.minimumOpen ? "above" : "at least"});
  if (field.minimum && field.minimumOpen) values.push_back({std::to_string(*field.minimum), "above"});
  if (field.maximum) values.push_back({std::to_string(*field.maximum + 1), field.maximumOpen ? "below" : "at most"});
  if (field.maximum && field.maximumOpen) values.push_back({std::to_string(*field.maximum), "below"});
  return values;
}

std::vector<BadValue> badIntegers(const Field& field) {
  std::vector<BadValue> values = {{"1.5", "'1.5'"}, {"many", "'many'"},   {"99999999999999999999", "64 bits"},
                                  {"1e3", "'1e3'"}, {"[1, 2]", "a list"}, {"0x10", "'0x10'"}};
  if (field.minimum) values.push_back({std::to_string(static_cast<std::int64_t>(*field.minimum) - 1), "at least"});
  if (field.maximum) values.push_back({std::to_string(static_cast<std::int64_t>(*field.maximum) + 1), "at most"});
  return values;
}

std::vector<BadValue> badValues(const Field& field) {
  switch (field.kind) {
    case FieldKind::Integer: return badIntegers(field);
    case FieldKind::Number: return badNumbers(field);
    case FieldKind::NumberList: return badNumbers(field);
    case FieldKind::Boolean: return {{"maybe", "true or false"}, {"1", "true or false"}, {"[true]", "true or false"}};
    case FieldKind::Text: return {{"{a: 1}", "a section"}, {"[a, b]", "a list"}};
    case FieldKind::Choice:
      return {
          {"no_such_choice", field.choices.front()}, {"[a]", "a list"}, {field.choices.front() + "x", "did you mean"}};
    case FieldKind::Time: return badTimes(field);
    case FieldKind::TimeList: return badTimes(field);
    case FieldKind::TextList: return {{"{a: 1}", "a section"}, {"[[a]]", "a list"}};
    case FieldKind::Bytes:
      return {{"-1", "512MiB"},
              {"12 apples", "'12 apples'"},
              {"1e300GiB", "512MiB"},
              {"0", "at least"},
              {"0.3B", "512MiB"}};
    case FieldKind::Stages:
      return {{"3", "a list of stages"}, {"[3]", "'3'"}, {"[{at: 0ba}]", "global_train_batch_size"}};
    case FieldKind::Schedule: return {{"linear", "a list of parts"}, {"[linear]", "'linear'"}};
    case FieldKind::EvalSets:
      return {{"own", "names with their texts"},
              {"[own.txt]", "names with their texts"},
              {"{a b: [a.txt]}", "is not a valid name of a set"},
              {"{own: []}", "names no text"},
              {"{own: {weight: 2}}", "names no text"},
              {"{own: {text: [a.txt], weight: 0}}", "above 0"},
              {"{own: {texts: [a.txt]}}", "text, weight"}};
    case FieldKind::Tasks:
      return {{"movie.yaml", "a list of tasks"},
              {"[movie.yaml]", "is not a section"},
              {"[{path: a.yaml, label: b}]", "belongs into that file"},
              {"[{name: a, train: a.tsv, text: b}]", "without label"},
              {"[{name: a b, train: a.tsv, text: b, label: c}]", "letters, digits"},
              {"[{name: a, kind: pair, train: a.tsv, text: b, label: c}]", "two columns"},
              {"[{name: a, train: a.tsv, text: b, label: c, metric: pearson}]", "does not fit"},
              {"[{name: a, kind: retrieval, train: a.tsv}]", "without queries"},
              {"[{name: a, kinds: pair}]", "did you mean 'kind'"}};
    case FieldKind::RunStages:
      return {{"3", "a list of stages"},
              {"[3]", "'3'"},
              {"[{data.max_seq_len: 64}]", "give the end of the stage"},
              {"[{until: 1dur, name: b}]", "fixed for the whole run"}};
  }
  return {};
}

/// The dotted path as nested sections around `value`, one per line.
std::string nested(const std::string& path, const std::string& value) {
  std::string yaml;
  std::size_t from = 0;
  std::string indent;
  for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', from)) {
    yaml += indent + path.substr(from, dot - from) + ":\n";
    indent += "  ";
    from = dot + 1;
  }
  return yaml + indent + path.substr(from) + ": " + value + "\n";
}

void expectRefused(const BadCase& bad) {
  const LoadedConfig loaded = parseConfig(bad.yaml, "bad.yaml", "");
  ASSERT_FALSE(loaded.ok()) << bad.yaml;
  const auto found = std::find_if(loaded.errors.begin(), loaded.errors.end(),
                                  [&](const ConfigIssue& issue) { return issue.field == bad.field; });
  ASSERT_NE(found, loaded.errors.end()) << bad.yaml << loaded.errorText();
  EXPECT_THAT(found->message, HasSubstr(bad.says)) << bad.yaml;
  EXPECT_EQ(found->source, "bad.yaml");
  EXPECT_GT(found->line, 0) << bad.yaml;
}

TEST(BadConfigTest, EveryFieldRefusesWhatItsDeclarationDoesNotAllow) {
  std::size_t cases = 0;
  for (const Field& field : configSchema()) {
    for (const BadValue& value : badValues(field)) {
      const LoadedConfig loaded = parseConfig(nested(field.path, value.text), "bad.yaml", "");
      ASSERT_EQ(loaded.errors.size(), 1U) << field.path << ": " << value.text << "\n" << loaded.errorText();
      EXPECT_EQ(loaded.errors[0].field.rfind(field.path, 0), 0U) << loaded.errorText();
      EXPECT_THAT(loaded.errors[0].text(), HasSubstr(value.says)) << field.path;
      EXPECT_EQ(loaded.errors[0].line, 1 + std::count(field.path.begin(), field.path.end(), '.')) << loaded.errorText();
      TrainConfig untouched;
      EXPECT_FALSE(field.set(untouched, value.text).empty()) << field.path << ": " << value.text;
      EXPECT_EQ(untouched, TrainConfig{}) << field.path;
      ++cases;
    }
  }
  EXPECT_GE(cases, 150U);
}

TEST(BadConfigTest, EveryMisspeltNameIsAnsweredWithTheRightOne) {
  for (const Field& field : configSchema()) {
    std::string path = field.path;
    const std::size_t place = path.rfind('.') == std::string::npos ? 0 : path.rfind('.') + 1;
    if (path.size() - place < 5) continue;  // of a very short name nothing is left to guess from
    path.insert(place + 2, "x");
    const LoadedConfig loaded = parseConfig(nested(path, "1"), "bad.yaml", "");
    ASSERT_EQ(loaded.errors.size(), 1U) << loaded.errorText();
    EXPECT_EQ(loaded.errors[0].field, path);
    EXPECT_THAT(loaded.errors[0].message, HasSubstr("did you mean '" + field.path + "'?"));
    EXPECT_THAT(loaded.errors[0].message, HasSubstr("Known"));
  }
}

TEST(BadConfigTest, EveryFieldGivenTwiceIsRefused) {
  for (const Field& field : configSchema()) {
    if (field.path.find('.') == std::string::npos) continue;
    const std::string key = field.path.substr(field.path.rfind('.') + 1);
    const TrainConfig defaults;
    const std::string value = field.get(defaults).empty() ? "null" : field.get(defaults);
    const std::string section = nested(field.path, value);
    const std::string indent(2 * std::count(field.path.begin(), field.path.end(), '.'), ' ');
    expectRefused({section + indent + key + ": " + value + "\n", field.path, "twice"});
  }
}

TEST(BadConfigTest, ValuesThatAreWrongTogether) {
  const std::vector<BadCase> cases = {
      {"optimizer: {betas: [0.9]}", "optimizer.betas", "two numbers"},
      {"optimizer: {betas: [0.9, 0.98, 0.99]}", "optimizer.betas", "two numbers, such as [0.9, 0.98], not 3"},
      {"optimizer: {betas: [0.9, 1.0]}", "optimizer.betas[1]", "below 1"},
      {"model: {hidden_size: 100, num_attention_heads: 7}", "model.num_attention_heads", "do not divide"},
      {"model: {max_position_embeddings: 64}", "model.max_position_embeddings", "less than data.max_seq_len 128"},
      {"scheduler: step", "scheduler.step_size", "required"},
      {"scheduler: exponential", "scheduler.gamma", "required"},
      {"scheduler: polynomial", "scheduler.power", "required"},
      {"scheduler: cosine_annealing_warm_restarts", "scheduler.t_0", "required"},
      {"scheduler: inverse_sqrt", "scheduler.t_warmup", "required"},
      {"scheduler: cosine_inverse_sqrt", "scheduler.t_cooldown", "required"},
      {"scheduler: expression", "scheduler.expression", "required"},
      {"scheduler: chain", "scheduler.parts", "required"},
      {"scheduler: {name: chain, parts: [{name: constant, duration: 5ba}]}", "scheduler.parts", "exactly one part"},
      {"guard: {loss_spike: {action: roll_back}}\ncheckpoint: {interval: []}", "guard.loss_spike.action",
       "give an interval, or use skip or stop"},
      {"guard: {grad_norm: {action: roll_back}}\ncheckpoint: {interval: []}", "guard.grad_norm.action",
       "checkpoint.interval is empty"},
      {"guard: {non_finite: roll_back}\ncheckpoint: {interval: []}", "guard.non_finite",
       "checkpoint.interval is empty"},
      {"guard: {update_ratio: {action: skip}}", "guard.update_ratio.action", "roll_back"},
      {"guard: {plateau: {action: skip}}", "guard.plateau.action", "stop"},
      {"guard: {early_stop: {action: stop}}\neval: {interval: []}", "guard.early_stop.action",
       "eval.interval is empty; give an interval"},
      {"guard: {early_stop: {action: note}}\neval: {interval: 5ba}\ndata: {train: [a.txt], holdout: 0}",
       "guard.early_stop.action", "give data.eval, or a data.holdout above 0"},
      {"scheduler: {name: chain, parts: [{name: constant, duration: rest}, {name: linear, duration: rest}]}",
       "scheduler.parts", "but 2 have it"},
      {"scheduler: {name: chain, parts: [{name: chain, duration: rest}]}", "scheduler.parts[0].name",
       "cannot be a part"},
      {"scheduler: {name: chain, parts: [{name: step, duration: rest}]}", "scheduler.parts[0].step_size", "required"},
      {"batch: {rampup: {duration: 1ep, initial_global_train_batch_size: 512}}",
       "batch.rampup.initial_global_train_batch_size", "above"},
      {"batch: {rampup: {duration: 1ep, stages: [{at: 0ba, global_train_batch_size: 8}]}}", "batch.rampup.stages",
       "together"},
      {"batch: {rampup: {stages: [{at: 5ba, global_train_batch_size: 8}, {at: 5ba, global_train_batch_size: 9}]}}",
       "batch.rampup.stages[1].at", "does not come after"},
      {"batch: {rampup: {from_schedule: {factor: 1.41}, duration: 1ep}}", "batch.rampup.from_schedule.factor",
       "leave the other fields"},
      {"batch: {rampup: {from_schedule: {factor: 1.41, cap: 256}}}", "batch.rampup.from_schedule.cap",
       "is not above batch.global_train_batch_size 256"},
      {"batch: {rampup: {from_schedule: {factor: 1.41}}}\nlr_scaling: {method: sqrt}",
       "batch.rampup.from_schedule.factor", "leave lr_scaling out"},
      {"batch: {rampup: {from_schedule: {factor: 1.41}}, use_maximum_batch_size: true}",
       "batch.rampup.from_schedule.factor", "give batch.global_train_batch_size"},
      {"batch: {rampup: {from_schedule: {factor: 1.41}}, tokens: {max_tokens: 100}}",
       "batch.rampup.from_schedule.factor", "counts packs"},
      {"batch: {growth: {increase_function: '1', batch_increase_function: '2'}}",
       "batch.growth.batch_increase_function", "together"},
      {"batch: {tokens: {max_tokens: 100, min_batch_size: 9, max_batch_size: 3}}", "batch.tokens.min_batch_size",
       "above max_batch_size 3"},
      {"batch: {tokens: {max_tokens: 100}}\nlr_scaling: {method: sqrt}", "lr_scaling.reference_batch_size", "required"},
      {"lr_scaling: {method: linear, by: tokens}", "lr_scaling.reference_batch_size", "in tokens"},
  };
  for (BadCase bad : cases) {
    if (bad.yaml.find("scheduler") == std::string::npos) bad.yaml += "\nscheduler: constant\n";
    SCOPED_TRACE(bad.yaml);
    const LoadedConfig loaded = parseConfig(bad.yaml, "bad.yaml", "");
    ASSERT_FALSE(loaded.ok());
    EXPECT_EQ(loaded.errors[0].field, bad.field) << loaded.errorText();
    EXPECT_THAT(loaded.errors[0].message, HasSubstr(bad.says));
  }
}

TEST(BadConfigTest, FaultsOfFormAndPlace) {
  const std::vector<BadCase> cases = {
      {"version: 2", "version", "at most 1"},
      {"global_train_batch_size: 8\nbatch: {global_train_batch_size: 8}", "batch.global_train_batch_size",
       "twice, first in line 1"},
      {"seed: 1\nseed: 2", "seed", "twice"},
      {"batch: 5", "batch", "is not a section"},
      {"batch: [1]", "batch", "is not a section"},
      {"devices: [cpu]", "devices", "is not a section"},
      {"devices: gpu", "devices.use", "cuda:0,1"},
      {"devices: tpu", "devices.use", "'tpu' is not a device; use auto, cpu, cpu:4"},
      {"devices: cpu:0", "devices.use",
       "'cpu:0' asks for 0 devices; cpu:N is N devices on the processor, 1 to 64, and cpu is one"},
      {"launch: {time_limit: 5ba}", "launch.time_limit", "a time with a unit (sec, s, m, h), such as 90m, above 0"},
      {"launch: {time_limit: soon}", "launch.time_limit", "(sec, s, m, h), such as 90m, above 0"},
      {"devices: cpu:1,2", "devices.use", "has several numbers; cpu:N takes one"},
      {"devices: cuda:1,1", "devices.use", "twice"},
      {"devices: 'cuda:'", "devices.use", "is not a device; use auto"},
      {"devices: cuda:99999", "devices.use", "is not a device; use auto"},
      {"optimizer: {lr: {a: 1}}", "optimizer.lr", "a section"},
      {"optimizer: {lr: }", "optimizer.lr", "has no value; give a number per step"},
      {"seed: {a: 1}", "seed", "a section"},
      {"nosuch: {a: 1}", "nosuch", "unknown field"},
      {"batch: {nosuch: {a: 1}}", "batch.nosuch", "unknown field; known in 'batch'"},
      {"? [a, b]\n: 3", "", "a plain name"},
      {"lr_scaling: {applies_to: [tokens, grwth]}", "lr_scaling.applies_to[1]", "did you mean 'growth'"},
      {"scheduler: {name: chain, parts: [{name: constant}]}", "scheduler.parts[0].duration", "missing"},
      {"scheduler: {name: chain, parts: [{duration: rest}]}", "scheduler.parts[0].name", "missing"},
      {"scheduler: {name: chain, parts: [{name: constant, duration: rest, alhpa: 1}]}", "scheduler.parts[0].alhpa",
       "did you mean 'alpha'"},
      {"scheduler: {name: chain, parts: [{name: constant, duration: 5}]}", "scheduler.parts[0].duration", "'5'"},
      {"scheduler: {name: chain, parts: [{name: constant, duration: rest, alpha: x}]}", "scheduler.parts[0].alpha",
       "'x'"},
      {"scheduler: {name: chain, parts: [{name: constant, name: linear, duration: rest}]}", "scheduler.parts[0].name",
       "twice"},
      {"batch: {rampup: {from_schedule: {factor: 1.41, cap: 4 times}}}", "batch.rampup.from_schedule.cap",
       "is neither a size such as 256 nor a multiple"},
      {"batch: {rampup: {from_schedule: {factor: 1}}}", "batch.rampup.from_schedule.factor", "at least 1.01"},
      {"batch: {rampup: {stages: [{at: 0ba, global_train_batch_size: 0}]}}",
       "batch.rampup.stages[0].global_train_batch_size", "at least 1"},
      {"batch: {rampup: {stages: [{at: 90m, global_train_batch_size: 4}]}}", "batch.rampup.stages[0].at", "'sec'"},
      {"dynamic_batching: {enabled: true}", "dynamic_batching.max_tokens", "required"},
      {"dynamic_batching: {enabled: true, max_tokens: 9, max_tokns: 3}", "dynamic_batching.max_tokns",
       "did you mean 'max_tokens'"},
      {"dynamic_batching: 5", "dynamic_batching", "is not a section"},
      {"- a\n- b", "", "a list"},
      {"just text", "", "'just text'"},
      {"a: [1", "", "not valid YAML"},
      {",", "", "a document cannot begin with this"},
      {"version: 1\n---\n, 1]", "", "a document cannot begin with this"},
      {"a: b: c", "", "not valid YAML"},
      {"\tseed: 1", "", "indented with a tab"},
      {"optimizer:\n\tlr: 1e-3\n", "", "indented with a tab"},
      {"optimizer:\n  lr: 1e-3\n  \teps: 1e-8\n", "", "indented with a tab"},
      {"data:\n  train:\n\t- a.txt\n", "", "indented with a tab"},
      {"{\n\t\"seed\": [1,\n\t", "", "not valid YAML"},
      {"a: *nowhere", "", "not valid YAML"},
      {"data: {train: [*.txt]}", "", "a pattern that begins with * needs quotes"},
      {"data:\n  train: *.txt", "", "write \"*.txt\""},
      {"data:\n  train:\n    - a.txt\n    - **/*.md # all", "", "write \"**/*.md\""},
      {"data: {train: */x.txt}", "", "write \"*/x.txt\""},
      {"data: {train: *}", "", "write \"*\""},
      {"optimizer:\n  lr:", "optimizer.lr", "has no value; give a number"},
      {"max_duration:", "max_duration", "has no value; give a time with a unit"},
  };
  for (const BadCase& bad : cases) {
    SCOPED_TRACE(bad.yaml);
    expectRefused(bad);
  }
}

TEST(BadConfigTest, AnEmptyFileIsRefused) {
  for (const char* yaml : {"", "\n", "# only a comment\n", "---\n"}) {
    const LoadedConfig loaded = parseConfig(yaml, "bad.yaml", "");
    ASSERT_EQ(loaded.errors.size(), 1U);
    EXPECT_THAT(loaded.errors[0].message, HasSubstr("is empty"));
  }
}

TEST(BadConfigTest, BytesThatAreNoTextDoNotThrow) {
  for (const std::string& yaml :
       {std::string("seed: \xff\xfe\n"), std::string("\0\0\0", 3), std::string(100000, '['), std::string(3000, '{')})
    EXPECT_FALSE(parseConfig(yaml, "bad.yaml", "").ok());
}

}  // namespace
}  // namespace batchwise
