// The filters, and showing what they leave. The address keeps them, so that a selection can be
// passed on.

let state = freshState();

const option = (value, text) => make('option', {value}, text);
const fill = (select, options, chosen) => {
  select.replaceChildren(...options);
  select.value = chosen;
};
const selectOf = (title, name) => {
  const select = make('select', {name});
  document.getElementById('selects').append(make('label', {}, title, select));
  return select;
};

const opSelect = selectOf('op', 'op');
const variantSelect = selectOf('variant', 'variant');
const keySelects = data.keys.map((key) => selectOf(key, key));
const scaleSelect = selectOf('charts show', 'charts');
fill(scaleSelect, Object.entries(scales).map(([value, {label}]) => option(value, label)), state.scale);

const fillSelects = () => {
  const ops = [...new Set(data.variants.map(({op}) => op))];
  fill(opSelect, [option(any, 'all'), ...ops.map((op) => option(op, op))], state.op);
  const variants = data.variants.filter(({op}) => state.op === any || op === state.op);
  if (!variants.some(({name}) => name === state.variant)) {
    state.variant = any;
  }
  fill(variantSelect, [option(any, 'all'), ...variants.map(({name}) => option(name, name))], state.variant);
  keySelects.forEach((select, i) => {
    const values = valuesOf(state, i);
    if (!values.includes(state.keys[i])) {
      state.keys[i] = any;
    }
    fill(select, [option(any, 'any'), ...values.map((value) => option(value, value))], state.keys[i]);
  });
  scaleSelect.value = state.scale;
};

const fillCandidates = () => {
  const ids = [...new Set(variantsOf(state).flatMap(candidatesOf))].sort(byText);
  document.getElementById('candidates').replaceChildren(...ids.map((id) => {
    const box = make('input', {type: 'checkbox', name: `candidate-${id}`, checked: !state.hidden.has(id)});
    box.addEventListener('change', () => {
      box.checked ? state.hidden.delete(id) : state.hidden.add(id);
      drawCharts();
    });
    return make('label', {}, box, marker(id), id);
  }));
};

const addressOf = ({op, variant, keys, scale}) => {
  const words = new URLSearchParams();
  const entries = [['op', op], ['variant', variant], ...data.keys.map((key, i) => [key, keys[i]]),
    ['charts', scale === freshState().scale ? any : scale]];
  entries.filter(([, value]) => value !== any).forEach(([name, value]) => words.set(name, value));
  return words.toString();
};
const stateOf = (address) => {
  const words = new URLSearchParams(address);
  const read = freshState();
  const known = data.variants.find(({name}) => name === words.get('variant'));
  read.variant = known?.name ?? any;
  read.op = data.variants.find(({op}) => op === words.get('op'))?.op ?? any;
  read.keys = data.keys.map((key) => words.get(key) ?? any);
  read.scale = Object.hasOwn(scales, words.get('charts') ?? '') ? words.get('charts') : read.scale;
  return read;
};

const drawCharts = () => {
  charts.forEach((chart) => chart.destroy());
  charts = [];
  const series = seriesOf(state);
  showTimes(series, state);
  showLimits(series);
};

const show = () => {
  fillSelects();
  fillCandidates();
  const series = seriesOf(state);
  const crossovers = crossoversOf(classesOf(state));
  const disagreements = disagreementsOf(state);
  const refused = refusedOf(state);
  drawCharts();
  showOverview(state, choose);
  showCrossovers(crossovers);
  showWinners(series);
  showCells(series);
  showCaches(disagreements);
  showAllocations(series);
  showRefused(refused);
  document.getElementById('summary').textContent = `${[
    count(new Set(series.map(({variant}) => variant)).size, 'variant'),
    count(series.length, 'class', 'classes'), count(cellsOf(series).length, 'cell'),
    count(crossovers.length, 'crossover'), count(disagreements.length, 'cache-state disagreement'),
    count(refused.length, 'rejected or impossible row')].join(', ')}.`;
};

const change = (changes) => {
  Object.assign(state, changes);
  show();
  history.replaceState(null, '', `#${addressOf(state)}`);
};
const choose = (variant) => {
  change({op: variant.op, variant: variant.name});
  document.getElementById('filters').focus();
};

opSelect.addEventListener('change', () => change({op: opSelect.value, variant: any}));
variantSelect.addEventListener('change', () => change({variant: variantSelect.value}));
keySelects.forEach((select, i) => select.addEventListener('change', () =>
  change({keys: state.keys.map((value, k) => k === i ? select.value : value)})));
scaleSelect.addEventListener('change', () => change({scale: scaleSelect.value}));
document.getElementById('filter-form').addEventListener('reset', (event) => {
  event.preventDefault();
  change(freshState());
});
document.getElementById('filter-form').addEventListener('submit', (event) => event.preventDefault());

window.addEventListener('error', ({message}) => {
  const failure = document.getElementById('failure');
  failure.textContent = `A part of this page could not be shown: ${message}`;
  failure.hidden = false;
});
window.addEventListener('hashchange', () => {
  if (location.hash.includes('=')) { // else a link to a section
    state = stateOf(location.hash.slice(1));
    show();
  }
});
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawCharts);

if (location.hash.includes('=')) {
  state = stateOf(location.hash.slice(1));
}
showMachine();
show();
