// Elements, numbers and charts. Texts from files become text nodes, never markup.

function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

function shape(tag, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

function swatch(colour) {
  return element("span", {class: "swatch", style: `background:${colour}`});
}

// A number with this many significant digits: "0.4213", "12,345", "4.94e-5".
function number(value, digits = 4) {
  if (value === null || value === undefined) return "not finite";
  const size = Math.abs(value);
  if (size !== 0 && size < 1e-3) return Number(value.toPrecision(digits)).toExponential();
  if (size >= 10 ** digits) return Math.round(value).toLocaleString("en");
  return Number(value.toPrecision(digits)).toLocaleString("en", {maximumFractionDigits: 12});
}

function percent(value, digits = 3) {
  return value === null ? number(value) : `${number(100 * value, digits)} %`;
}

function bytes(value, digits = 3) {
  if (value === null) return number(value);
  // 1,001 MiB would be too long for the axis of a chart: 0.978 GiB.
  const power = Math.max(0, Math.min(4, Math.floor(Math.log2((value || 1) * 1.024) / 10)));
  return `${number(value / 1024 ** power, digits)} ${["B", "KiB", "MiB", "GiB", "TiB"][power]}`;
}

// Floating-point operations: "277.9 GFLOP".
function operations(value) {
  const power = Math.max(0, Math.min(5, Math.floor(Math.log10(value || 1) / 3)));
  return `${number(value / 1000 ** power)} ${["", "k", "M", "G", "T", "P"][power]}FLOP`;
}

function duration(seconds) {
  if (seconds < 1) return `${number(1000 * seconds, 3)} ms`;
  if (seconds < 60) return `${number(seconds, 3)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

// Round numbers between two bounds, about `count` of them.
function ticks(low, high, count) {
  const raw = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= raw * 0.999);
  const first = Math.ceil(low / step - 1e-9), last = Math.floor(high / step + 1e-9);
  return Array.from({length: last - first + 1}, (_, i) => (first + i) * step);
}

// The lowest and the highest number, with room around them; 0 is included where it is near.
function bounds(values) {
  const finite = values.filter((value) => value !== null);
  let low = Math.min(...finite), high = Math.max(...finite);
  const room = (high - low) * 0.06 || Math.abs(high) * 0.1 || 1;
  if (low >= 0 && low - 4 * room <= 0) low = 0;
  else low -= room;
  return [low, high + room];
}

// The index of the step that is nearest to `step`; steps ascend.
function nearest(steps, step) {
  let low = 0, high = steps.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (steps[middle] < step) low = middle;
    else high = middle;
  }
  return step - steps[low] <= steps[high] - step ? low : high;
}

// The path of a curve, with a gap at each number that is not finite.
function pathOf(curve, x, y) {
  let path = "", isDown = false;
  curve.steps.forEach((step, i) => {
    const value = curve.values[i];
    if (value !== null) path += `${isDown ? "L" : "M"}${x(step).toFixed(1)} ${y(value).toFixed(1)}`;
    isDown = value !== null;
  });
  return path;
}

// Calls draw(width) with the width inside the card, and again whenever it changes.
function drawInWidthOf(card, draw) {
  let drawn = 0;
  const update = () => {
    const style = getComputedStyle(card);
    const width = Math.floor(card.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight));
    if (width > 0 && width !== drawn) draw(drawn = width);
  };
  queueMicrotask(update);  // The card is then on the page.
  new ResizeObserver(update).observe(card);
}

const kHeight = 230;  // of a chart
const kMargin = {left: 58, right: 22, top: 10, bottom: 36};

// Draws the frame of a chart, grid and labels of both axes, and returns its scales from numbers to pixels.
function frame(svg, width, xBounds, yBounds, xLabel, format) {
  const inner = {width: width - kMargin.left - kMargin.right, height: kHeight - kMargin.top - kMargin.bottom};
  const x = (value) => kMargin.left + inner.width * (value - xBounds[0]) / (xBounds[1] - xBounds[0] || 1);
  const y = (value) => kMargin.top + inner.height * (1 - (value - yBounds[0]) / (yBounds[1] - yBounds[0]));
  svg.setAttribute("viewBox", `0 0 ${width} ${kHeight}`);
  for (const tick of ticks(...yBounds, 5)) {
    svg.append(shape("line", {class: "grid", x1: kMargin.left, x2: width - kMargin.right, y1: y(tick), y2: y(tick)}),
        shape("text", {x: kMargin.left - 8, y: y(tick) + 4, "text-anchor": "end"}, format(tick, 3)));
  }
  const bottom = kHeight - kMargin.bottom;
  for (const tick of ticks(...xBounds, Math.max(3, Math.floor(width / 110))).filter(Number.isInteger)) {
    svg.append(shape("text", {x: x(tick), y: bottom + 17, "text-anchor": "middle"}, number(tick, 6)));
  }
  svg.append(shape("text", {x: width - kMargin.right, y: kHeight - 4, "text-anchor": "end"}, xLabel));
  const stepAt = (place) => xBounds[0] + (place - kMargin.left) / inner.width * (xBounds[1] - xBounds[0]);
  return {x, y, stepAt, bottom, width};
}

function legendOf(entries) {
  const shown = entries.map(({name, colour}) =>
    element("span", {}, swatch(colour), name));
  return element("div", {class: "legend"}, ...shown);
}

const kGlyphs = {saved: "▲", best: "★"};

// Vertical lines where a run was resumed, and glyphs at the bottom for saved steps.
function drawMarks(svg, marks, {x, bottom}) {
  for (const {step, colour, kind} of marks) {
    if (kGlyphs[kind]) {
      svg.append(shape("text", {x: x(step), y: bottom - 3, "text-anchor": "middle"}, kGlyphs[kind],
          shape("title", {}, `${kind} step ${number(step, 9)}`)));
      continue;
    }
    svg.append(shape("line", {class: "mark", stroke: colour, x1: x(step), x2: x(step), y1: kMargin.top, y2: bottom}),
        shape("text", {x: x(step) + 5, y: kMargin.top + 9}, "resumed"));
  }
}

// A curve, its points if the style asks for them, and a cross at the top for each value that is not finite.
function drawCurve(svg, {style, colour, steps, values, means}, {x, y}) {
  if (means) svg.append(shape("path", {class: "curve", stroke: colour, d: pathOf(means, x, y)}));
  const d = pathOf({steps, values}, x, y);
  svg.append(shape("path", {class: `curve ${means ? "faint" : style}`, stroke: colour, d}));
  steps.forEach((step, i) => {
    if (values[i] === null) {
      const cross = `M${x(step) - 4} ${kMargin.top}l8 8m0 -8l-8 8`;
      svg.append(shape("path", {class: "non-finite", stroke: colour, d: cross},
          shape("title", {}, `not finite at step ${step}`)));
    } else if (style.includes("dots") || steps.length === 1) {
      svg.append(shape("circle", {cx: x(step), cy: y(values[i]), r: 3.2, fill: colour}));
    }
  });
}

// The lines of a tooltip: the step, and the value of each curve at its nearest step.
function tipLines(curves, step, titleOfStep, format) {
  const lines = curves.map((curve) => {
    const i = nearest(curve.steps, step);
    const where = curve.steps[i] === step ? "" : ` at step ${number(curve.steps[i], 9)}`;
    return element("p", {}, swatch(curve.colour), `${curve.name} `,
        element("b", {}, format(curve.values[i], 5)), where);
  });
  return [element("p", {}, titleOfStep(step)), ...lines];
}

// A chart of curves over the steps. Pointing at it shows the values of a step.
//   curves       [{name, colour, style, steps, values, means}]; the style has classes of the path, and "dots"
//   marks        [{step, colour, kind}] of steps at which a run was "resumed" or "saved", or that are the "best"
//   format       function(value, digits) that returns the text of a value
//   titleOfStep  function(step) that returns the first line of the tooltip
function lineChart(title, {curves, marks, format = number, titleOfStep}) {
  const svg = shape("svg", {height: kHeight, role: "img", "aria-label": title});
  const tip = element("div", {class: "tip", hidden: ""});
  const card = element("section", {class: "card"}, element("h3", {}, title));
  if (curves.length > 1) card.append(legendOf(curves));
  card.append(svg, tip);
  const longest = curves.reduce((a, b) => a.steps.length >= b.steps.length ? a : b);
  const lastStep = Math.max(...curves.map((curve) => curve.steps[curve.steps.length - 1]));
  const yBounds = bounds(curves.flatMap((curve) => curve.values));
  const guide = shape("line", {class: "guide", y1: kMargin.top, y2: kHeight - kMargin.bottom});
  let scale;

  const hide = () => {
    tip.hidden = true;
    guide.remove();
  };
  const show = (event) => {
    const place = event.clientX - svg.getBoundingClientRect().left;
    const step = longest.steps[nearest(longest.steps, scale.stepAt(place))], left = scale.x(step);
    guide.setAttribute("x1", left);
    guide.setAttribute("x2", left);
    svg.append(guide);
    tip.replaceChildren(...tipLines(curves, step, titleOfStep, format));
    tip.hidden = false;
    const isLeft = left < scale.width / 2;  // the tooltip is on the other side
    const inCard = svg.getBoundingClientRect().left - card.getBoundingClientRect().left;
    tip.style.left = isLeft ? `${inCard + left + 10}px` : "auto";
    tip.style.right = isLeft ? "auto" : `${card.clientWidth - inCard - left + 10}px`;
  };
  svg.addEventListener("pointermove", show);
  svg.addEventListener("pointerdown", show);
  svg.addEventListener("pointerleave", hide);
  drawInWidthOf(card, (width) => {
    hide();
    svg.replaceChildren();
    scale = frame(svg, width, [0, lastStep], yBounds, "step", format);
    drawMarks(svg, marks, scale);
    for (const curve of curves) drawCurve(svg, curve, scale);
  });
  return card;
}

// A histogram.
//   counts  [[number, count], ...], ascending
//   marks   numbers that get a labelled line
function histogram(title, note, {counts, marks, xLabel}) {
  const svg = shape("svg", {height: kHeight, role: "img", "aria-label": title});
  const card = element("section", {class: "card"}, element("h3", {}, title), element("p", {class: "note"}, note), svg);
  const highest = Math.max(...marks, ...counts.map(([value]) => value));
  const step = Math.max(1, Math.ceil(highest / 64)), bars = new Map();
  for (const [value, count] of counts) {
    const first = Math.floor(value / step) * step;
    bars.set(first, (bars.get(first) ?? 0) + count);
  }
  drawInWidthOf(card, (width) => {
    svg.replaceChildren();
    const {x, y, bottom} = frame(svg, width, [0, highest + step], bounds([0, ...bars.values()]), xLabel, number);
    for (const [first, count] of bars) {
      const range = step === 1 ? first : `${first} to ${first + step - 1}`;
      svg.append(shape("rect", {class: "bar", x: x(first) + 0.5, y: y(count), height: bottom - y(count),
        width: Math.max(1, x(first + step) - x(first) - 1)}, shape("title", {}, `${range}: ${number(count, 9)}`)));
    }
    for (const mark of marks) {
      const left = x(mark + 0.5);
      svg.append(shape("line", {class: "guide dashed", x1: left, x2: left, y1: kMargin.top, y2: bottom}),
          shape("text", {x: left - 4, y: kMargin.top + 9, "text-anchor": "end"}, number(mark, 9)));
    }
  });
  return card;
}
