// SPDX-License-Identifier: GPL-3.0-or-later
// Draws the charts of a comparison by dygraphs and sorts its tables. A value is null where a line has none, NaN where it is not finite.
const find = id => document.getElementById(id), data = JSON.parse(find('data').textContent), tools = find('tools').elements;
const add = (parent, tag, fields) => Object.assign(parent.appendChild(document.createElement(tag)), fields);
const dark = matchMedia('(prefers-color-scheme: dark)');
let shown = data.lines.map(() => true), part = null; // part: of the axis; null: all of it
Dygraph.PLUGINS = Dygraph.PLUGINS.filter(plugin => plugin !== Dygraph.Plugins.Legend); // its styles break the policy
const cells = text => text?.split(',').map(cell => cell === '' ? null : +cell);
const longest = Math.max(...data.charts.map(chart => cells(chart.x).at(-1)));
const [unit, unitText] = !data.time ? [1, ''] : longest > 7200 ? [3600, ' h'] : longest > 120 ? [60, ' min'] : [1, ' s'];
const short = value => Number.isFinite(value) ? String(+value.toPrecision(5)) : 'not finite';
// Smooths as smoothed() in core/analysis/group_curve.cpp: the points, or means of `each` of them.
const smoothed = ({y, means, count}, i) => {
  const values = means ?? y, each = means ? count / means.filter(mean => mean !== null).length : 1;
  const weight = +tools.smoothing.value, isCentered = data.lines[i].centered;
  const decay = (isCentered ? weight / (2 - weight) : weight) ** each;
  const sums = (list, sum = 0, all = 0) => list.map(y => Number.isFinite(y) ? [sum = decay * sum + y, all = decay * all + 1] : null);
  const before = sums(values), after = isCentered ? sums([...values].reverse()).reverse() : values.map(y => [y, 1]);
  const found = values.map((y, at) => before[at] ? (before[at][0] + after[at][0] - y) / (before[at][1] + after[at][1] - 1) : y);
  return means ? found.flatMap(y => [null, y]) : found;
};
// Shows the values that the lines of a chart have at a row or had last.
const showValues = (chart, row, hovered) => {
  const x = chart && (data.time ? short(chart.x[row]) : Math.round(chart.x[row]).toLocaleString('en'));
  find('x').value = chart ? `${x}${unitText} ${data.axis}` : '';
  document.querySelectorAll('.run').forEach((label, i) => {
    const values = chart && shown[i] ? chart.drawn[i] : [], at = values.findLastIndex((y, index) => y !== null && index <= row);
    label.lastChild.value = at >= 0 && values.slice(row).some(y => y !== null) ? short(values[at]) : '';
    label.classList.toggle('hovered', hovered === String(i));
  });
};
const draw = (chart, colors, line) => {
  const raw = chart.smooths && tools.smoothing.value > 0 ? chart.lines : [], isLog = tools.log.checked;
  const isBanded = chart.lines.some(({low}) => low), edge = (value, y) => value === null || (isLog && value <= 0) ? y : value;
  const band = ({y, low, high}) => y.map((center, row) => center === null ? null : [edge(low[row], center), center, edge(high[row], center)]);
  chart.drawn = raw.length > 0 ? raw.map(smoothed) : chart.lines.map(({y}) => y);
  const columns = [...raw.map(({y}) => y), ...isBanded ? chart.lines.map(band) : chart.drawn];
  chart.graph?.destroy();
  chart.graph = new Dygraph(chart.div, chart.x.map((x, row) => [x, ...columns.map(column => column[row])]), {
    labels: ['x', ...raw.map((_, i) => `raw ${i}`), ...colors.map((_, i) => String(i))], logscale: isLog, dateWindow: part,
    colors: [...raw.map((_, i) => colors[i] + '40'), ...colors], visibility: [...raw.map((_, i) => shown[i]), ...shown],
    series: Object.fromEntries(data.lines.map(({dashed}, i) => [i, dashed ? {strokePattern: [6, 3]} : {}])),
    customBars: isBanded, fillAlpha: 0.18, connectSeparatedPoints: true, drawPoints: chart.x.length <= 60, strokeWidth: 1.75,
    gridLineColor: line, axisLineColor: line, highlightSeriesOpts: {strokeWidth: 2.5}, highlightSeriesBackgroundAlpha: 0.35,
    highlightSeriesBackgroundColor: getComputedStyle(document.body).backgroundColor, animateBackgroundFade: false,
    axes: {x: {drawGrid: false, labelsKMB: true}, y: {axisLabelFormatter: short, axisLabelWidth: 56}},
    highlightCallback: (event, x, points, row, name) => showValues(chart, row, name?.replace('raw ', '')),
    unhighlightCallback: () => showValues(),
    underlayCallback: (canvas, area, graph) => {
      canvas.fillStyle = line;
      if (chart.at !== undefined) canvas.fillRect(graph.toDomXCoord(chart.at / unit), area.y, 1, area.h); // where runs are compared
      canvas.fillStyle = '#D9433A';
      const mark = (y, row) => Number.isNaN(y) && canvas.fillRect(graph.toDomXCoord(chart.x[row]) - 2, area.y, 4, 6);
      chart.lines.forEach((each, i) => shown[i] && each.y.forEach(mark));
    },
    zoomCallback: (...range) => {
      part = chart.graph.isZoomed('x') ? range.slice(0, 2) : null;
      drawStale(data.charts.forEach(other => other.isStale = other !== chart));
    }
  });
};
const colorsOf = () => data.lines.map(line => line.colors[+dark.matches]);
const drawStale = (_, all = false) => {
  for (const chart of data.charts.filter(chart => chart.isStale && (all || chart.isInView))) {
    chart.isStale = false;
    draw(chart, colorsOf(), dark.matches ? '#3A3F48' : '#DADDE3');
  }
};
// Charts out of view are drawn when they come into it.
const drawAll = (_, isPrinted = false) => {
  const colors = colorsOf();
  find('weight').value = (+tools.smoothing.value).toFixed(2);
  document.querySelectorAll('.run').forEach((label, i) => {
    label.children[1].style.borderTop = `3px ${data.lines[i].dashed ? 'dashed' : 'solid'} ${colors[i]}`;
    label.firstChild.checked = shown[i];
  });
  drawStale(data.charts.forEach(chart => chart.isStale = true), isPrinted);
};
const observer = new IntersectionObserver(entries => {
  for (const {target, isIntersecting} of entries) data.charts.find(chart => chart.div === target).isInView = isIntersecting;
  drawStale();
}, {rootMargin: '200px'});
data.lines.forEach((line, i) => {
  const label = add(find('runs'), 'label', {className: 'run'});
  add(label, 'input', {type: 'checkbox', onchange: ({target}) => drawAll(shown[i] = target.checked)});
  for (const [tag, textContent] of [['i', ''], ['span', line.label], ['output', '']]) add(label, tag, {textContent});
});
for (const chart of data.charts) {
  chart.x = cells(chart.x).map(x => x / unit);
  for (const line of chart.lines) for (const key of ['y', 'low', 'high', 'means']) line[key] = cells(line[key]);
  const section = add(find('charts'), 'section');
  add(section, 'h3', {textContent: chart.title});
  chart.div = add(section, 'div', {className: 'chart'});
  observer.observe(chart.div);
  add(section, 'p', {className: 'axis', textContent: data.axis + (data.time ? ` (${unitText.trim()})` : '')});
}
Object.assign(tools.smoothing, {value: data.smoothing, disabled: !data.charts.some(chart => chart.smooths)});
tools.log.checked = data.log;
tools.log.onchange = tools.smoothing.oninput = dark.onchange = () => drawAll();
tools.whole.onclick = () => drawAll(part = null);
find('all').onchange = ({target}) => drawAll(shown = shown.map(() => target.checked));
for (const [event, width] of [['beforeprint', '680px'], ['afterprint', '']])
  addEventListener(event, () => drawAll(data.charts.forEach(chart => chart.div.style.width = width), width !== ''));
drawAll();
// Sorts by the number that cells begin with, such as 41.2k, −1.7 % or 3 h 12 min; else by text.
const scales = {k: 1e3, M: 1e6, G: 1e9, T: 1e12, d: 86400, h: 3600, min: 60};
const numberOf = text => [...text.replaceAll(',', '').replace('−', '-').matchAll(/ ?([-+]?\d[\d.]*(?:e[-+]?\d+)?) ?([kMGTdhs]|min)?(?!\w)/gy)]
  .reduce((sum, [, digits, scale]) => (sum || 0) + digits * (scales[scale] ?? 1), NaN);
for (const title of document.querySelectorAll('th')) {
  const text = row => row.cells[title.cellIndex].textContent, key = row => title.className ? numberOf(text(row)) : NaN;
  const sort = () => {
    const body = title.closest('table').tBodies[0], sign = title.ariaSort === 'ascending' ? -1 : 1;
    for (const other of title.parentNode.cells) other.ariaSort = other !== title ? null : sign > 0 ? 'ascending' : 'descending';
    body.append(...[...body.rows].sort((a, b) => isNaN(key(a)) - isNaN(key(b)) ||
      sign * (key(a) - key(b) || text(a).localeCompare(text(b), 'en', {numeric: true}))));
  };
  Object.assign(title, {tabIndex: 0, onclick: sort, onkeydown: event => event.key === 'Enter' && sort()});
}
