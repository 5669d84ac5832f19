// The sections of the page, from the data of its runs.

const runs = JSON.parse(document.getElementById("data").textContent);
runs.forEach((run, i) => { run.colour = `var(--run-${i % 6})`; });
const isSingle = runs.length === 1;
const isGroup = runs.every(({group}) => group !== "" && group === runs[0].group);  // runs of one folder

const kCharts = {  // of training: title, and the text of a value
  learning_rate: ["Learning rate", number],
  grad_norm: ["Gradient norm before clipping", number],
  tokens_per_second: ["Throughput (tokens per second)", number],
  padding_share: ["Share of padding in the batches", percent],
  waiting_share: ["Share of time spent waiting for input", percent],
  memory_bytes: ["Memory of the process", bytes],
  device_memory_bytes: ["Memory of the device", bytes],
};
const kWithoutChart = ["epoch", "seconds", "loss", "eval_seconds"];

// "eval_dev_roc_auc" as "Dev ROC AUC".
function titleOf(name) {
  const words = name.replace(/^eval_/, "").split("_").join(" ").replace(/\b(roc|auc|f1|mcc|mse|mae)\b/g,
      (word) => word.toUpperCase());
  return words[0].toUpperCase() + words.slice(1);
}

const kLowerScores = new Set(runs.flatMap((run) => run.lower_is_better));

function lowerIsBetter(name) {
  return kLowerScores.has(name);
}

function namesIn(part) {
  return [...new Set(runs.flatMap((run) => Object.keys(run[part])))];
}

function last(list) {
  return list[list.length - 1];
}

// The epoch at a step by the nearest line of the log, or undefined where the log has no epochs.
function epochAt(run, step) {
  const curves = [run.training.epoch, run.evaluation.epoch].filter((curve) => curve);
  const points = curves.map((curve) => [nearest(curve.steps, step), curve]);
  const off = ([i, curve]) => Math.abs(curve.steps[i] - step);
  const [i, curve] = points.sort((a, b) => off(a) - off(b))[0] ?? [];
  return curve?.values[i];
}

function titleOfStep(step) {
  const epoch = isSingle ? epochAt(runs[0], step) : undefined;
  return `step ${number(step, 9)}${epoch === undefined ? "" : ` · epoch ${number(epoch, 3)}`}`;
}

// The point with the best value of a curve: {step, value}, or undefined where no value is finite.
function bestOf(name, curve) {
  const points = curve.steps.map((step, i) => ({step, value: curve.values[i]})).filter(({value}) => value !== null);
  const sign = lowerIsBetter(name) ? -1 : 1;
  return points.reduce((a, b) => a === undefined || sign * b.value > sign * a.value ? b : a, undefined);
}

function median(values) {
  const sorted = values.filter((value) => value !== null).sort((a, b) => a - b);
  return sorted[sorted.length >> 1];
}

function section(title, ...children) {
  return [element("h2", {}, title), ...children];
}

function table(classes, head, rows) {
  const cells = (row, tag) => row.map((cell, i) => {
    if (/^T[DH]$/.test(cell.tagName)) return cell;
    const [text, style] = Array.isArray(cell) ? cell : [cell, ""];
    return element(i === 0 ? "th" : tag, style ? {class: style} : {}, text);
  });
  const body = element("tbody", {}, ...rows.map((row) => element("tr", {}, ...cells(row, "td"))));
  const top = element("thead", {}, element("tr", {}, ...cells(head, "th")));
  return element("div", {class: "scroll"}, element("table", {class: classes}, top, body));
}

function card(...children) {
  return element("section", {class: "card"}, ...children);
}

// The name of a run after its colour.
function nameOf(run) {
  return element("span", {}, swatch(run.colour), run.name);
}

// The facts of a run in a few words: [name, text].
function factsOf(run) {
  const {seconds, tokens_per_second: speed, memory_bytes: memory, loss} = run.training;
  const lastSteps = [run.training, run.evaluation].flatMap(Object.values).map((curve) => last(curve.steps));
  const steps = Math.max(0, ...lastSteps), epoch = epochAt(run, steps);
  const facts = [["Steps", number(steps, 9)]], {saved_step: saved} = run.details;
  if (saved) facts.push(["Saved model", saved === steps ? "of the last step" : `of step ${number(saved, 9)}`]);
  if (epoch !== undefined) facts.push(["Epochs", number(epoch, 3)]);
  if (seconds) facts.push(["Training time", duration(last(seconds.values))]);
  if (speed) facts.push(["Tokens per second", number(median(speed.values), 4)]);
  if (memory) facts.push(["Peak memory", bytes(Math.max(...memory.values))]);
  if (loss) facts.push(["Last training loss", number(last((loss.means ?? loss).values))]);
  if (run.resumptions.length) facts.push(["Resumed", `${run.resumptions.length} ×`]);
  return facts;
}

// The table of a sweep, if the page is that of one.
function configurations() {
  const given = JSON.parse(document.getElementById("table").textContent);
  return given ? section(given.title, card(table("", given.head, given.rows))) : [];
}

function overview() {
  if (isSingle) {
    const tiles = factsOf(runs[0]).map(([name, text]) =>
      element("div", {class: "tile"}, element("span", {}, name), element("b", {}, text)));
    return [element("div", {class: "tiles"}, ...tiles)];
  }
  const facts = runs.map((run) => new Map(factsOf(run)));
  const names = [...new Set(facts.flatMap((map) => [...map.keys()]))];
  const rows = names.map((name) => [name, ...facts.map((map) => [map.get(name) ?? "–", "number"])]);
  return section("Overview", card(table("", ["", ...runs.map((run) => [nameOf(run), "number"])], rows)));
}

// The scores of one run: before training, best and last.
function scoresOfRun(run, names) {
  const rows = names.filter((name) => run.evaluation[name]).map((name) => {
    const curve = run.evaluation[name], best = bestOf(name, curve);
    return [titleOf(name), [curve.steps[0] === 0 ? number(curve.values[0]) : "–", "number"],
      [best ? number(best.value) : "–", "number best"], [best ? number(best.step, 9) : "–", "number"],
      [number(last(curve.values)), "number"]];
  });
  const head = ["", ["before", "number"], ["best", "number"], ["at step", "number"], ["last", "number"]];
  return table("scores", head, rows);
}

// Mean and standard deviation (of a sample) of numbers.
function meanAndDeviation(values) {
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return [mean, Math.sqrt(squares / (values.length - 1))];
}

// The last scores of several runs, with the best of each row marked. Runs of one folder also have mean and spread.
function scoresOfRuns(names) {
  const spreadOf = (values) => !isGroup ? [] : values.length < 2 ? ["–", "–"]
    : meanAndDeviation(values).map((value) => [number(value), "number"]);
  const rows = names.map((name) => {
    const values = runs.map((run) => run.evaluation[name] && last(run.evaluation[name].values));
    const finite = values.filter((value) => typeof value === "number");
    const isTie = finite.every((value) => value === finite[0]);
    const best = isTie ? undefined : lowerIsBetter(name) ? Math.min(...finite) : Math.max(...finite);
    return [titleOf(name), ...spreadOf(finite), ...values.map((value) =>
      value === undefined ? ["–", "number"]
        : [`${number(value)}${value === best ? " ★" : ""}`, value === best ? "number best" : "number"])];
  });
  const spread = isGroup ? [["mean", "number"], ["std", "number"]] : [];
  return table("scores", ["", ...spread, ...runs.map((run) => [nameOf(run), "number"])], rows);
}

function scores() {
  const names = namesIn("evaluation").filter((name) => !name.endsWith("_seconds") && name !== "epoch");
  if (names.length === 0) return [];
  const title = isSingle ? "Scores on the validation rows" : "Last scores on the validation rows";
  return section(title, card(isSingle ? scoresOfRun(runs[0], names) : scoresOfRuns(names)));
}

const marks = runs.flatMap((run) => run.resumptions.map((step) => ({step, colour: run.colour, kind: "resumed"})));
if (isSingle) {
  const [{saves, best_step: best, colour}] = runs;
  marks.push(...saves.filter((step) => step !== best).map((step) => ({step, colour, kind: "saved"})));
  if (best) marks.push({step: best, colour, kind: "best"});
}

// The meaning of the marks at the bottom of a chart.
function noteOnMarks() {
  const kinds = new Set(marks.map(({kind}) => kind));
  const texts = [["saved", "▲ saved checkpoint"], ["best", "★ best evaluation"]].filter(([kind]) => kinds.has(kind));
  return texts.length ? [element("p", {class: "note"}, texts.map(([, text]) => text).join(", "))] : [];
}

function lossCurves(run) {
  const curves = [], prefix = isSingle ? "" : `${run.name}: `;
  const {loss} = run.training;
  if (loss) curves.push({...loss, name: `${prefix}training`, colour: run.colour, style: ""});
  Object.keys(run.evaluation).filter((name) => name.endsWith("loss")).forEach((name, i) => {
    const set = name.slice(0, -"loss".length).replace(/^eval_/, "").replaceAll("_", " ").trim();
    const colour = isSingle ? `var(--run-${1 + i % 5})` : run.colour;
    curves.push({...run.evaluation[name], name: `${prefix}${set || "validation"}`, colour, style: "dots dashed"});
  });
  return curves;
}

// A chart of one number of all runs that have it.
function chartOf(part, name, title, format, style) {
  const curves = runs.filter((run) => run[part][name]).map((run) =>
    ({...run[part][name], name: isSingle ? title : run.name, colour: run.colour, style}));
  return lineChart(title, {curves, marks, format, titleOfStep});
}

function curvesSection() {
  const charts = [], losses = runs.flatMap(lossCurves);
  if (losses.length) {
    const chart = lineChart("Loss", {curves: losses, marks, titleOfStep});
    chart.classList.add("wide");
    chart.append(...noteOnMarks());
    charts.push(chart);
  }
  for (const name of namesIn("evaluation").filter((name) => !/(loss|_seconds)$|^epoch$/.test(name))) {
    charts.push(chartOf("evaluation", name, titleOf(name), number, "dots"));
  }
  return charts.length ? section("Loss and metrics", element("div", {class: "cards"}, ...charts)) : [];
}

// The median time of a step, without evaluations and checkpoints between the lines of the log.
function secondsOfStep({steps, values}) {
  return median(steps.slice(1).map((step, i) => (values[i + 1] - values[i]) / (step - steps[i])));
}

// Memory and work of a step as the graph says, beside what was measured. Only for a single run.
function costCard() {
  const {details: {step}, training} = runs[0];
  if (!isSingle || !step) return [];
  const {seconds, waiting_share: waiting, memory_bytes: memory, device_memory_bytes: deviceMemory} = training;
  const isOne = step.shapes === 1, time = seconds && secondsOfStep(seconds);
  const rows = [["Memory of the parameters", bytes(step.parameters)], ["Memory of the optimizer", bytes(step.optimizer)],
    ["Memory of a batch", bytes(step.batch)]];
  if (memory) rows.push(["Peak memory of the process, measured", bytes(Math.max(...memory.values))]);
  if (deviceMemory) rows.push(["Peak memory of the device, measured", bytes(Math.max(...deviceMemory.values))]);
  rows.push([isOne ? "Matrix products of a step" : "Matrix products of the largest step", operations(step.flops)]);
  if (time) rows.push(["Time of a step, median", duration(time)]);
  if (time && isOne) rows.push(["Speed", `${operations(step.flops / time)}/s`]);
  if (time && isOne && step.peak) {
    rows.push([`Share of the peak of ${step.peak.device}`, percent(step.flops / time / step.peak.flops)]);
  }
  if (waiting) rows.push(["Waiting for input, median", percent(median(waiting.values))]);
  const shown = rows.map(([name, text]) => [name, [text, "number"]]);
  const note = element("p", {class: "note"}, "Of each device. Temporary values and programs need memory, too.");
  return [card(element("h3", {}, "Memory and work of a step"), note, table("", ["", ""], shown))];
}

function stepsSection() {
  const names = namesIn("training").filter((name) => !kWithoutChart.includes(name));
  const known = Object.keys(kCharts).filter((name) => names.includes(name));
  const charts = [...known, ...names.filter((name) => !known.includes(name))].map((name) => {
    const [title, format] = kCharts[name] ?? [titleOf(name), number];
    return chartOf("training", name, title, format, "");
  });
  charts.push(...costCard());
  return charts.length ? section("The training steps", element("div", {class: "cards"}, ...charts)) : [];
}

const kMaxMatrix = 30;  // classes of a confusion matrix

// The class names with the number of rows for each pair of label and prediction, on a tint by its share of the label.
function confusionMatrix({classes, confusions}) {
  const counts = new Map(confusions.map(([label, prediction, count]) => [JSON.stringify([label, prediction]), count]));
  const rows = classes.map((label) => [label.name, ...classes.map((prediction) => {
    const isRight = prediction === label;
    const count = isRight ? label.right : counts.get(JSON.stringify([label.name, prediction.name])) ?? 0;
    const tint = Math.round(60 * count / (label.support || 1));
    const style = `background:color-mix(in srgb, var(${isRight ? "--accent" : "--run-4"}) ${tint}%, transparent)`;
    return element("td", {class: count ? "number" : "number zero", style}, number(count, 9));
  })]);
  const head = ["", ...classes.map(({name}) => element("th", {}, element("span", {}, name)))];
  return table(classes.length > 4 ? "matrix tall" : "matrix", head, rows);
}

// The confusions of one validation set: a matrix, or the largest ones of many classes.
function confusionCard(title, evaluation) {
  if (evaluation.confusions.length === 0) return [];
  const isMatrix = evaluation.classes.length <= kMaxMatrix;
  const note = isMatrix ? "A row for each label, a column for each prediction." : "The most frequent ones.";
  const rows = evaluation.confusions.slice(0, kMaxMatrix).map(([label, prediction, count]) =>
    [label, prediction, [number(count, 9), "number"]]);
  const shown = card(element("h3", {}, `Confusions${title}`), element("p", {class: "note"}, note),
      isMatrix ? confusionMatrix(evaluation) : table("", ["label", "predicted as", ["rows", "number"]], rows));
  if (isMatrix && evaluation.classes.length > 6) shown.classList.add("wide");
  return [shown];
}

function classCard(title, {classes, more_classes: more}) {
  if (classes.length === 0) return [];
  const score = (value) => [value === null ? "–" : number(value), "number"];
  const rows = classes.map(({name, precision, recall, f1, support}) =>
    [name, score(precision), score(recall), score(f1), [number(support, 9), "number"]]);
  const head = ["", ...["precision", "recall", "F1", "support"].map((text) => [text, "number"])];
  const note = more ? [element("p", {class: "note"}, `${more} rarer classes are not shown.`)] : [];
  return [card(element("h3", {}, `Scores by class${title}`), table("", head, rows), ...note)];
}

// A wrongly predicted row: its texts if the report has them, and what is wrong.
function mistakeItem({file, row, label, prediction, probability, loss}, texts) {
  const found = texts.find(([of, at]) => of === file && at === row);
  const sure = probability === null ? "" : ` (${percent(probability)})`;
  const place = file === "" ? `example ${row}` : `${file}:${row}`;
  const facts = element("p", {}, "Label ", element("b", {}, label || "none"), ", predicted ",
      element("b", {}, prediction || "none"), sure, element("span", {class: "place"}, ` ${place}`));
  facts.title = `loss ${number(loss)}`;
  return element("li", {}, ...(found?.[2] ?? []).map((text) => element("p", {class: "text"}, text)), facts);
}

function mistakesCard(title, {mistakes}, texts) {
  if (mistakes.length === 0) return [];
  const note = "Rows with a wrong prediction and the highest loss.";
  const list = element("ol", {class: "mistakes"}, ...mistakes.map((mistake) => mistakeItem(mistake, texts)));
  const shown = card(element("h3", {}, `Worst mistakes${title}`), element("p", {class: "note"}, note), list);
  shown.classList.add("wide");
  return [shown];
}

// The errors of an evaluation in all validation sets.
function errorCards(evaluations, texts) {
  const cards = evaluations.flatMap((evaluation) => {
    const title = evaluation.set ? ` – ${evaluation.set}` : "";
    return [...classCard(title, evaluation), ...confusionCard(title, evaluation),
      ...mistakesCard(title, evaluation, texts)];
  });
  return element("div", {class: "cards"}, ...cards);
}

// The errors of a single run in its last evaluation, and in the best one if that is another.
function errorsSection() {
  const {evaluations, details} = runs[0];
  if (!isSingle || evaluations.length === 0) return [];
  const texts = details.texts ?? [], {step: lastStep} = last(evaluations);
  const cardsOf = (step) => errorCards(evaluations.filter((evaluation) => evaluation.step === step), texts);
  const best = evaluations[0].step;
  const other = best === lastStep ? [] : [element("details", {class: "best-evaluation"},
      element("summary", {}, `Errors in the best evaluation, of step ${number(best, 9)}`), cardsOf(best))];
  return section(`Errors in the last evaluation, of step ${number(lastStep, 9)}`, cardsOf(lastStep), ...other);
}

const kMaxClasses = 30;  // of the table of data

// The rows of each set with their classes.
function dataTable(sets) {
  const classes = sets[0].classes.slice(0, kMaxClasses);
  const rowOf = (title, numberIn) => [title, ...sets.map((set) => [number(numberIn(set) ?? 0, 9), "number"])];
  const rows = [rowOf("Rows", (set) => set.rows), rowOf("Examples", (set) => set.examples)];
  const facts = [["Tokens", "tokens"], ["Longest example, in tokens", "longest"], ["Truncated texts", "truncated"],
    ["Rows without text", "empty"]];
  for (const [title, key] of facts) {
    const shown = (set) => set[key] === undefined ? "–" : number(set[key], 9);
    if (sets.some((set) => set[key] !== undefined)) rows.push([title, ...sets.map((set) => [shown(set), "number"])]);
  }
  for (const [title, key] of [["Labels", "labels"], ["Weights", "weights"]]) {
    const range = (set) => set[key] ? `${number(set[key][0])} to ${number(set[key][1])}` : "–";
    if (sets.some((set) => set[key])) rows.push([title, ...sets.map((set) => [range(set), "number"])]);
  }
  for (const [name] of classes) {
    rows.push(rowOf(`Class ${name}`, (set) => set.classes.find(([other]) => other === name)?.[1]));
  }
  const more = sets[0].classes.length - classes.length;
  const note = more > 0 ? [element("p", {class: "note"}, `${more} more classes are not shown.`)] : [];
  return card(table("", ["", ...sets.map((set) => [set.name, "number"])], rows), ...note);
}

// The rows of each file, if a set has several.
function filesTable(sets) {
  if (sets.every(({files = []}) => files.length < 2)) return [];
  const rows = sets.flatMap(({name, files = []}) =>
    files.map(([file, count]) => [file, name, [number(count, 9), "number"]]));
  return [card(element("h3", {}, "Rows of each file"), table("files", ["", "set", ["rows", "number"]], rows))];
}

// The share of positions without a token if each example is padded to the next of these lengths.
function paddingShare(counts, lengths) {
  let tokens = 0, positions = 0;
  for (const [length, count] of counts) {
    tokens += count * length;
    positions += count * (lengths.find((other) => other >= length) ?? length);
  }
  return 1 - tokens / positions;
}

function lengthsChart({counts, batches, packed}) {
  const note = packed ? `Texts are packed in rows of ${batches[0]} tokens.`
    : `Batches are padded to one of the dashed lines: ${batches.join(", ")} tokens. ` +
      `${percent(paddingShare(counts, batches))} of the positions are padding.`;
  return histogram("Training examples by length", note, {counts, marks: batches, xLabel: "tokens"});
}

// The data of a single run.
function dataSection() {
  const {data, lengths} = runs[0].details;
  if (!isSingle || !data) return [];
  const parts = [dataTable(data), ...filesTable(data), ...(lengths ? [lengthsChart(lengths)] : [])];
  return section("Data", element("div", {class: "cards"}, ...parts));
}

function settings() {
  const maps = runs.map((run) => new Map(run.settings));
  const names = [...new Set(maps.flatMap((map) => [...map.keys()]))];
  if (names.length === 0) return [];
  const rowOf = (name) => [name, ...maps.map((map) => map.get(name) ?? "–")];
  const differs = (name) => new Set(maps.map((map) => map.get(name))).size > 1;
  const head = ["", ...runs.map(nameOf)];
  const different = names.filter(differs), equal = names.filter((name) => !differs(name));
  const parts = [];
  if (!isSingle) {
    parts.push(element("p", {class: "note"}, different.length ? "These settings differ." : "All settings are equal."));
    if (different.length) parts.push(table("settings", head, different.map(rowOf)));
  }
  const ofOne = (name) => [name, maps[0].get(name)];
  const summary = isSingle ? `${names.length} settings` : `${equal.length} equal settings`;
  const rest = element("details", {}, element("summary", {}, summary), table("settings", ["", ""], equal.map(ofOne)));
  return section("Settings", card(...parts, ...(equal.length ? [rest] : [])));
}

function header() {
  const names = runs.map((run) => run.name).join(", ");
  document.title = `${names} – training report`;
  const title = isGroup ? runs[0].group : `${runs.length} runs`;
  return element("header", {}, element("h1", {}, isSingle ? names : title),
      element("p", {}, isSingle ? "Training report" : names));
}

document.getElementById("report").replaceChildren(header(), ...configurations(), ...overview(), ...scores(),
    ...curvesSection(), ...errorsSection(), ...stepsSection(), ...dataSection(), ...settings(),
    element("footer", {}, `Made by Portatune from the records of the ${isSingle ? "run" : "runs"}.`));
