// The page: filters, and sections that follow them. Texts of the evidence become text nodes only.

const kChartsAtOnce = 6;
const kRowsAtOnce = 60;
let lastId = 0;

const make = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === 'class') {
      element.className = value;
    } else if (name in element && typeof value !== 'string') {
      element[name] = value;
    } else {
      element.setAttribute(name, value);
    }
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
};

const contentOf = (id) => document.querySelector(`#${id} .content`);
const empty = (text) => make('p', {class: 'empty'}, text);

const marker = (id) => {
  const {marker: index, color} = styleOf(id);
  return make('span', {class: `mark c${color}`, 'aria-hidden': 'true'}, kMarkers[index][1]);
};
const named = (variant, alternative) => alternative === null || alternative === undefined ? '–'
  : make('span', {}, marker(variant.alternatives[alternative][0]), ' ', nameOf(variant, alternative));

// ---------------------------------------------------------------------------------------------
// Tables: columns are {title, number, text, of(item)}; `of` gives a text or a node

const cellOf = (column, item) => {
  const value = column.of(item);
  const kind = column.number ? 'number' : column.text ? 'text' : '';
  return make(column.head ? 'th' : 'td', column.head ? {class: kind, scope: 'row'} : {class: kind},
    value === null || value === undefined ? '–' : value);
};

const table = (caption, columns, items) => {
  const body = make('tbody');
  let shown = 0;
  const more = make('button', {type: 'button'});
  const show = () => {
    const next = items.slice(shown, shown + (shown === 0 ? kRowsAtOnce : 10 * kRowsAtOnce));
    body.append(...next.map((item) => make('tr', {}, ...columns.map((column) => cellOf(column, item)))));
    shown += next.length;
    more.textContent = `Show more rows (${grouped(items.length - shown)} left)`;
    more.hidden = shown >= items.length;
  };
  more.addEventListener('click', show);
  show();
  const head = make('tr', {}, ...columns.map((column) =>
    make('th', {scope: 'col', class: column.number ? 'number' : ''}, column.title)));
  return make('div', {}, scrolling(caption, make('thead', {}, head), body), more);
};

// A table that scrolls in a frame of its own, below its caption.
const scrolling = (caption, ...parts) => {
  lastId += 1;
  const id = `caption-${lastId}`;
  return make('div', {}, make('p', {class: 'caption', id}, caption),
    make('div', {class: 'scroll', role: 'region', 'aria-labelledby': id, tabIndex: 0},
      make('table', {'aria-labelledby': id}, ...parts)));
};

const classColumn = {title: 'class', of: ({keys}) => keysText(keys)};
const variantColumn = {title: 'variant', head: true, of: ({variant}) => variant.name};

// ---------------------------------------------------------------------------------------------
// Sections

const regionsText = (series) => {
  const regions = series.class?.regions ?? [];
  if (regions.length === 0) {
    return 'No route follows from these cells.';
  }
  return 'Routes: ' + regions.map((region, i) => {
    const name = nameOf(series.variant, region.alternative);
    return i === 0 ? name : `from ${grouped(region.from)} elements on ${name}`;
  }).join(', ') + '.';
};

const figuresOf = (series, scale) => series.cells.flatMap((cell) => cell.rows.map((row) => ({series, cell, row, scale})));
const figureColumns = [
  {title: 'shape', head: true, of: ({cell}) => shapeText(cell.shape)},
  {title: 'candidate', of: ({series, row}) => named(series.variant, row.alternative)},
  {title: 'time', number: true, of: ({row}) => timeText(row.median)},
  {title: '95 % interval', number: true, of: ({row}) => intervalText(row.low, row.high, timeText)},
  {title: 'times the fastest', number: true, of: ({row}) => row.ratio === null ? null : `${digits(row.ratio)} ×`},
  {title: '95 % interval', number: true, of: ({row}) => intervalText(row.ratioLow, row.ratioHigh, (r) => `${digits(r)} ×`)},
  {title: 'race', of: ({row}) => row.dropped ? 'left early' : 'to the end'},
];

// A table that is made when it is asked for.
const lateTable = (title, build) => {
  const details = make('details', {}, make('summary', {}, title));
  details.addEventListener('toggle', () => {
    if (details.open && details.children.length === 1) {
      details.append(build());
    }
  });
  return details;
};

const legendOf = (series, hidden) => {
  const used = series.variant.alternatives.map((_, i) => i).filter((i) =>
    !hidden.has(series.variant.alternatives[i][0]) &&
    series.cells.some((cell) => cell.rows.some((row) => row.alternative === i)));
  return make('ul', {class: 'legend'}, ...used.map((i) => make('li', {}, named(series.variant, i))),
    series.cells.some((cell) => cell.twins.length > 0)
      ? make('li', {}, make('span', {class: 'mark', 'aria-hidden': 'true'}, '┈'), ' traffic twin') : null);
};

let charts = [];

const seriesFigure = (series, state) => {
  const scale = scales[state.scale];
  const title = `${series.variant.name}: ${keysText(series.keys)}`;
  const canvas = make('canvas', {
    role: 'img',
    'aria-label': `${scale.label} against size: ${title}. ${regionsText(series)} The table below has the figures.`,
  });
  const figure = make('figure', {},
    make('figcaption', {}, make('h3', {}, title), make('p', {}, regionsText(series))),
    make('div', {class: 'plot'}, canvas), legendOf(series, state.hidden),
    lateTable('Table of the figures', () => table(title, figureColumns, figuresOf(series))));
  return {figure, draw: () => charts.push(seriesChart(canvas, series, scale, state.hidden))};
};

const showTimes = (series, state) => {
  const content = contentOf('times');
  const lines = series.filter((each) => sizesOf(each).length > 1)
    .sort((a, b) => sizesOf(b).length - sizesOf(a).length);
  if (lines.length === 0) {
    content.replaceChildren(empty('No class of this selection was measured at more than one size; its cells are listed below.'));
    return;
  }
  const grid = make('div', {class: 'charts'});
  const more = make('button', {type: 'button'});
  let shown = 0;
  const show = () => {
    const next = lines.slice(shown, shown + kChartsAtOnce).map((each) => seriesFigure(each, state));
    grid.append(...next.map(({figure}) => figure));
    next.forEach(({draw}) => draw());
    shown += next.length;
    more.textContent = `Show more charts (${grouped(lines.length - shown)} left)`;
    more.hidden = shown >= lines.length;
  };
  more.addEventListener('click', show);
  content.replaceChildren(grid, make('p', {}, more));
  show();
};

const marginText = ({margin, low, high}) => `${slowerText(1 + margin)} (${low === null ? 'not proven' : `${slowerText(1 + low)} to ${slowerText(1 + high)}`})`;
const crossoverColumns = [
  variantColumn, classColumn,
  {title: 'at', number: true, of: ({at}) => grouped(at)},
  {title: 'below', of: ({variant, below}) => named(variant, below.alternative)},
  {title: 'above', of: ({variant, above}) => named(variant, above.alternative)},
  {title: 'measured on either side', number: true, of: ({last, first}) => `${grouped(last ?? '–')} and ${grouped(first ?? '–')}`},
  {title: 'margin below', number: true, of: ({below}) => marginText(below.after)},
  {title: 'margin above', number: true, of: ({above}) => marginText(above.before)},
];

const showCrossovers = (crossovers) => {
  contentOf('crossovers').replaceChildren(crossovers.length === 0
    ? empty('No class of this selection changes hands.')
    : table(count(crossovers.length, 'crossover'), crossoverColumns, crossovers));
};

const withKeys = (series, cell) => ({variant: series.variant, keys: series.keys, series, cell});

const limitColumns = [
  variantColumn, classColumn,
  {title: 'cells', number: true, of: ({distances}) => distances.length},
  {title: 'nearest', number: true, of: ({distances}) => `${digits(distances[0][0])} ×`},
  {title: 'median', number: true, of: ({distances}) => `${digits(median(distances.map(([ratio]) => ratio)))} ×`},
  {title: 'farthest', number: true, of: ({distances}) => `${digits(distances.at(-1)[0])} ×`},
  {title: '95 % interval of the farthest', number: true, of: ({distances}) => intervalText(distances.at(-1)[1], distances.at(-1)[2], (r) => `${digits(r)} ×`)},
];

const showLimits = (series) => {
  const cells = series.flatMap((each) => each.cells.filter((cell) => cell.distance !== null).map((cell) => ({series: each, cell})));
  const rows = series.map((each) => ({
    variant: each.variant, keys: each.keys,
    distances: each.cells.map((cell) => cell.distance).filter((distance) => distance !== null).sort((a, b) => a[0] - b[0]),
  })).filter(({distances}) => distances.length > 0)
    .sort((a, b) => b.distances.at(-1)[0] - a.distances.at(-1)[0]);
  if (cells.length === 0) {
    contentOf('limits').replaceChildren(empty('No cell of this selection has a traffic twin.'));
    return;
  }
  const text = `${count(cells.length, 'cell')}; the median is ${digits(median(cells.map(({cell}) => cell.distance[0])))} × the traffic twin.`;
  const winners = [...new Set(cells.map((each) => each.series.variant.alternatives[each.cell.best][0]))];
  const canvas = make('canvas', {role: 'img', 'aria-label': `Distance from the limit against size. ${text} The table below has the figures.`});
  contentOf('limits').replaceChildren(
    make('figure', {class: 'wide'}, make('figcaption', {}, make('p', {}, text)), make('div', {class: 'plot'}, canvas),
      make('ul', {class: 'legend'}, ...winners.map((id) => make('li', {}, marker(id), ' ', id))),
      lateTable('Table of the distances, the farthest first', () => table('Best time ÷ traffic twin', limitColumns, rows))));
  charts.push(limitChart(canvas, cells));
};

// The strength of a winner's color: faint in a tie, full from three times on. Full still leaves
// enough contrast to the text.
const shareOf = (ratio) => Math.round(8 + 30 * Math.min(1, Math.log(Math.max(ratio ?? 1, 1)) / Math.log(3)));

const planeOf = ({cell}) => cell.shape.slice(0, cell.shape.lastIndexOf('x'));

const heatMap = ({variant, keys, cells}) => {
  const channels = [...new Set(cells.map(({series}) => series.keys[channelsKey]))].sort(byText);
  const area = (plane) => plane.split('x').reduce((product, extent) => product * Number(extent), 1);
  const planes = [...new Set(cells.map(planeOf))].sort((a, b) => area(a) - area(b));
  const at = (plane, channel) => cells.find((each) => planeOf(each) === plane && each.series.keys[channelsKey] === channel);
  const field = (found) => {
    if (!found || !found.cell.winner) {
      return make('td', {class: 'empty'}, '·');
    }
    const {cell} = found;
    const td = make('td', {class: `c${styleOf(variant.alternatives[cell.best][0]).color}`}, named(variant, cell.best),
      ' ', make('small', {}, cell.second ? slowerText(cell.second.ratio) : 'alone'));
    td.style.setProperty('--share', `${shareOf(cell.second?.ratio)}%`);
    return td;
  };
  const caption = `${variant.name}: ${keysText(keys, channelsKey)}`;
  const head = make('tr', {}, make('th', {scope: 'col'}, 'shape'),
    ...channels.map((channel) => make('th', {scope: 'col'}, count(Number(channel), 'channel'))));
  const rows = planes.map((plane) => make('tr', {}, make('th', {scope: 'row'}, shapeText(plane)),
    ...channels.map((channel) => field(at(plane, channel)))));
  const map = scrolling(caption, make('thead', {}, head), make('tbody', {}, ...rows));
  map.classList.add('heat');
  return map;
};

const showWinners = (series) => {
  const groups = new Map();
  for (const each of series) {
    const place = [each.variant.name, ...each.keys.filter((_, i) => i !== channelsKey)].join(' ');
    const group = groups.get(place) ?? {variant: each.variant, keys: each.keys, channels: new Set(), cells: []};
    group.channels.add(each.keys[channelsKey]);
    group.cells.push(...each.cells.map((cell) => withKeys(each, cell)));
    groups.set(place, group);
  }
  // First those that say most about channels: with most cells that have a neighbour of equal shape.
  const crossing = ({cells}) => {
    const rows = cells.map(planeOf);
    return rows.filter((plane) => rows.indexOf(plane) !== rows.lastIndexOf(plane)).length;
  };
  const maps = [...groups.values()].filter(({cells}) => cells.length > 1)
    .sort((a, b) => crossing(b) - crossing(a) || b.cells.length - a.cells.length);
  if (maps.length === 0) {
    contentOf('winners').replaceChildren(empty('No two cells of this selection differ in shape or channels alone.'));
    return;
  }
  const grid = make('div', {class: 'charts'});
  const more = make('button', {type: 'button'});
  let shown = 0;
  const show = () => {
    grid.append(...maps.slice(shown, shown + kChartsAtOnce).map(heatMap));
    shown = Math.min(maps.length, shown + kChartsAtOnce);
    more.textContent = `Show more maps (${grouped(maps.length - shown)} left)`;
    more.hidden = shown >= maps.length;
  };
  more.addEventListener('click', show);
  contentOf('winners').replaceChildren(grid, make('p', {}, more));
  show();
};

const cellColumns = [
  variantColumn, classColumn, {title: 'shape', of: ({cell}) => shapeText(cell.shape)},
  {title: 'fastest', of: ({variant, cell}) => named(variant, cell.best)},
  {title: 'time', number: true, of: ({cell}) => cell.winner ? timeText(cell.winner.median) : null},
  {title: 'next', of: ({variant, cell}) => cell.second ? named(variant, cell.second.alternative) : null},
  {title: 'slower by', number: true, of: ({cell}) => cell.second ? slowerText(cell.second.ratio) : null},
  {title: '95 % interval', number: true, of: ({cell}) => cell.second ? intervalText(cell.second.ratioLow, cell.second.ratioHigh, slowerText) : null},
  {title: 'routed', of: ({variant, cell}) => named(variant, cell.routed)},
  {title: 'regret', number: true, of: ({cell}) => cell.regret === undefined || cell.regret === null ? null : slowerText(cell.regret)},
  {title: 'of the limit', number: true, of: ({cell}) => cell.distance ? `${digits(cell.distance[0])} ×` : null},
];

const showCells = (series) => {
  const cells = series.flatMap((each) => each.cells.map((cell) => withKeys(each, cell)));
  contentOf('cells').replaceChildren(cells.length === 0 ? empty('No cell of this selection was measured.')
    : table(count(cells.length, 'cell'), cellColumns, cells));
};

const lossText = (variant, item, i) => make('span', {}, `${item.states[i]}: `, named(variant, item.winners[i]),
  ` (${nameOf(variant, item.winners[1 - i])} ${slowerText(item.losses[i])})`);
const cacheColumns = [
  variantColumn, {title: 'class', of: ({keys}) => keysText(keys, cacheKey)},
  {title: 'shape', of: ({item}) => shapeText(item.shape)},
  {title: 'one state', of: ({variant, item}) => lossText(variant, item, 0)},
  {title: 'the other', of: ({variant, item}) => lossText(variant, item, 1)},
];

const disagreementsOf = (state) => {
  const free = {...state, keys: state.keys.map((value, i) => i === cacheKey ? any : value)};
  return variantsOf(state).flatMap((variant) => variant.disagreements
    .filter((item) => fits(free, item.keys) && (state.keys[cacheKey] === any || item.states.includes(state.keys[cacheKey])))
    .map((item) => ({variant, keys: item.keys, item})));
};

const showCaches = (items) => {
  contentOf('caches').replaceChildren(items.length === 0 ? empty('None in this selection.')
    : table(count(items.length, 'disagreement'), cacheColumns, items));
};

const allocationColumns = [
  variantColumn, classColumn,
  {title: 'candidate', of: ({variant, alternative}) => named(variant, alternative)},
  {title: 'routed', of: ({routed}) => routed ? 'yes' : 'no'},
  {title: 'allocations', number: true, of: ({allocations}) => grouped(allocations)},
  {title: 'bytes', number: true, of: ({bytes}) => bytesText(bytes)},
  {title: 'peak', number: true, of: ({peak}) => bytesText(peak)},
];

const allocationsOf = (series) => series.flatMap((each) => {
  const most = new Map();
  for (const cell of each.cells) {
    for (const row of cell.rows.filter(({allocations}) => allocations !== undefined)) {
      const before = most.get(row.alternative) ?? {allocations: 0, bytes: 0, peak: 0, routed: false};
      most.set(row.alternative, {
        allocations: Math.max(before.allocations, row.allocations), bytes: Math.max(before.bytes, row.bytes),
        peak: Math.max(before.peak, row.peak), routed: before.routed || cell.routed === row.alternative,
      });
    }
  }
  return [...most].map(([alternative, use]) => ({variant: each.variant, keys: each.keys, alternative, ...use}));
});

const showAllocations = (series) => {
  const all = allocationsOf(series);
  const some = all.filter(({allocations}) => allocations > 0).sort((a, b) => b.peak - a.peak);
  const routed = some.filter((each) => each.routed).length;
  const note = make('p', {class: 'note'}, `${grouped(all.length - some.length)} of ${grouped(all.length)} allocate nothing; `
    + `of the rest, ${grouped(routed)} are routed.`);
  contentOf('allocations').replaceChildren(all.length === 0 ? empty('Nothing was counted in this selection.') : note,
    ...some.length > 0 ? [table('Heap use of one call, the highest peak first', allocationColumns, some)] : []);
};

const refusedColumns = [
  variantColumn, classColumn, {title: 'shape', of: ({item}) => shapeText(item.shape)},
  {title: 'candidate', of: ({variant, item}) => named(variant, item.alternative)},
  {title: 'status', of: ({item}) => item.status}, {title: 'reason', text: true, of: ({item}) => item.reason},
];

const refusedOf = (state) => variantsOf(state).flatMap((variant) => variant.refused
  .filter((item) => fits(state, item.keys)).map((item) => ({variant, keys: item.keys, item})));

const showRefused = (items) => {
  contentOf('refused').replaceChildren(items.length === 0 ? empty('None in this selection.')
    : table(count(items.length, 'row'), refusedColumns, items));
};

const winnersText = (variant, series) => {
  const wins = new Map();
  let cells = 0;
  for (const cell of series.flatMap((each) => each.cells).filter(({winner}) => winner)) {
    const [id] = variant.alternatives[cell.best];
    wins.set(id, (wins.get(id) ?? 0) + 1);
    cells += 1;
  }
  return make('span', {}, ...[...wins].sort((a, b) => b[1] - a[1]).slice(0, 3).flatMap(([id, n], i) =>
    [i > 0 ? ', ' : '', marker(id), ` ${id} ${Math.round(100 * n / cells)} %`]));
};

const overviewColumns = (choose) => [
  {title: 'variant', head: true, of: ({variant}) => {
    const button = make('button', {type: 'button', class: 'plain'}, variant.name);
    button.addEventListener('click', () => choose(variant));
    return button;
  }},
  {title: 'classes', number: true, of: ({series}) => series.length},
  {title: 'cells', number: true, of: ({series}) => series.reduce((sum, each) => sum + each.cells.length, 0)},
  {title: 'crossovers', number: true, of: ({crossovers}) => crossovers.length},
  {title: 'fastest most often', of: ({variant, series}) => winnersText(variant, series)},
  {title: 'of the limit', number: true, of: ({series}) => {
    const middle = median(series.flatMap((each) => each.cells).filter(({distance}) => distance).map(({distance}) => distance[0]));
    return middle === null ? null : `${digits(middle)} ×`;
  }},
  {title: 'disagreements', number: true, of: ({disagreements}) => disagreements},
  {title: 'refused', number: true, of: ({refused}) => refused},
];

const showOverview = (state, choose) => {
  const items = variantsOf(state).map((variant) => {
    const own = {...state, op: any, variant: variant.name};
    return {
      variant, series: seriesOf(own), crossovers: crossoversOf(classesOf(own)),
      disagreements: disagreementsOf(own).length, refused: refusedOf(own).length,
    };
  }).filter(({series}) => series.length > 0);
  contentOf('overview').replaceChildren(items.length === 0 ? empty('No variant fits this selection.')
    : table(count(items.length, 'variant'), overviewColumns(choose), items));
};

const showMachine = () => {
  const facts = make('div', {class: 'facts'}, ...Object.entries(data.machine).map(([group, entries]) =>
    make('div', {}, make('h3', {}, group.replaceAll('_', ' ')),
      make('dl', {}, ...Object.entries(entries).flatMap(([name, value]) => [make('dt', {}, name.replaceAll('_', ' ')), make('dd', {}, value)])))));
  const warnings = make('details', {}, make('summary', {}, count(data.warnings.length, 'warning of the route policy', 'warnings of the route policy')),
    make('ul', {}, ...data.warnings.map((line) => make('li', {}, line))));
  contentOf('machine').replaceChildren(facts, ...data.warnings.length > 0 ? [warnings] : []);
  const {cpu = {}, compiler = {}} = data.machine;
  document.getElementById('machine-line').textContent = [data.profile, cpu.model_name, cpu.microarchitecture,
    cpu.cores && count(Number(cpu.cores), 'core'), compiler.name && `${compiler.name} ${compiler.version ?? ''}`].filter(Boolean).join(' · ');
};

// ---------------------------------------------------------------------------------------------
// Filters; the address keeps them, so that a selection can be passed on

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
  fill(opSelect, [option(any, 'all'), ...[...new Set(data.variants.map(({op}) => op))].map((op) => option(op, op))], state.op);
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
  const entries = [['op', op], ['variant', variant], ...data.keys.map((key, i) => [key, keys[i]]), ['charts', scale === 'time' ? '' : scale]];
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
  read.scale = Object.hasOwn(scales, words.get('charts') ?? '') ? words.get('charts') : 'time';
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
  const cells = series.reduce((sum, each) => sum + each.cells.length, 0);
  document.getElementById('summary').textContent = `${[
    count(new Set(series.map(({variant}) => variant)).size, 'variant'), count(series.length, 'class', 'classes'), count(cells, 'cell'),
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
