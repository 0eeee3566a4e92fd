// The sections. Each is filled from what the filters leave.

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

const figuresOf = (series) =>
  series.cells.flatMap((cell) => cell.rows.map((row) => ({series, cell, row})));
const figureColumns = [
  {title: 'shape', head: true, of: ({cell}) => shapeText(cell.shape)},
  {title: 'candidate', of: ({series, row}) => named(series.variant, row.alternative)},
  {title: 'time', number: true, of: ({row}) => timeText(row.median)},
  {title: '95 % interval', number: true, of: ({row}) => intervalText(row.low, row.high, timeText)},
  {title: 'times the fastest', number: true, of: ({row}) => timesText(row.ratio)},
  {title: '95 % interval', number: true,
    of: ({row}) => intervalText(row.ratioLow, row.ratioHigh, timesText)},
  {title: 'race', of: ({row}) => row.dropped ? 'left early' : 'to the end'},
];

const legendOf = (series, hidden) => {
  const used = series.variant.alternatives.map((_, i) => i).filter((i) =>
    !hidden.has(series.variant.alternatives[i][0]) &&
    series.cells.some((cell) => cell.rows.some((row) => row.alternative === i)));
  return make('ul', {class: 'legend'}, ...used.map((i) => make('li', {}, named(series.variant, i))),
    series.cells.some((cell) => cell.twins.length > 0)
      ? make('li', {}, make('span', {class: 'mark', 'aria-hidden': 'true'}, '┈'), ' traffic twin') : null);
};

let charts = [];

const canvasOf = (text) =>
  make('canvas', {role: 'img', 'aria-label': `${text} The table below has the figures.`});

const seriesFigure = (series, state) => {
  const scale = scales[state.scale];
  const title = `${series.variant.name}: ${keysText(series.keys)}`;
  const canvas = canvasOf(`${scale.label} against size: ${title}. ${regionsText(series)}`);
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
    content.replaceChildren(empty('No class of this selection was measured at more than one size: '
      + 'its cells are listed below.'));
    return;
  }
  const {nodes, show} = gallery(lines, 'charts', (grid, next) => {
    const figures = next.map((each) => seriesFigure(each, state));
    grid.append(...figures.map(({figure}) => figure));
    figures.forEach(({draw}) => draw()); // Chart.js measures a canvas that is in the document
  });
  content.replaceChildren(...nodes);
  show();
};

const marginText = ({margin, low, high}) => {
  const interval = low === null ? 'not proven' : `${slowerText(1 + low)} to ${slowerText(1 + high)}`;
  return `${slowerText(1 + margin)} (${interval})`;
};
const crossoverColumns = [
  variantColumn, classColumn,
  {title: 'at', number: true, of: ({at}) => grouped(at)},
  {title: 'below', of: ({variant, below}) => named(variant, below.alternative)},
  {title: 'above', of: ({variant, above}) => named(variant, above.alternative)},
  {title: 'measured on either side', number: true,
    of: ({last, first}) => `${grouped(last ?? '–')} and ${grouped(first ?? '–')}`},
  {title: 'margin below', number: true, of: ({below}) => marginText(below.after)},
  {title: 'margin above', number: true, of: ({above}) => marginText(above.before)},
];

const showCrossovers = (crossovers) => {
  contentOf('crossovers').replaceChildren(crossovers.length === 0
    ? empty('No class of this selection changes hands.')
    : table(count(crossovers.length, 'crossover'), crossoverColumns, crossovers));
};

const cellsOf = (series) => series.flatMap((each) =>
  each.cells.map((cell) => ({variant: each.variant, keys: each.keys, series: each, cell})));

const limitColumns = [
  variantColumn, classColumn,
  {title: 'cells', number: true, of: ({distances}) => distances.length},
  {title: 'nearest', number: true, of: ({distances}) => timesText(distances[0][0])},
  {title: 'median', number: true,
    of: ({distances}) => timesText(median(distances.map(([ratio]) => ratio)))},
  {title: 'farthest', number: true, of: ({distances}) => timesText(distances.at(-1)[0])},
  {title: '95 % interval of the farthest', number: true,
    of: ({distances}) => intervalText(...distances.at(-1).slice(1), timesText)},
];

const showLimits = (series) => {
  const cells = cellsOf(series).filter(({cell}) => cell.distance !== null);
  if (cells.length === 0) {
    contentOf('limits').replaceChildren(empty('No cell of this selection has a traffic twin.'));
    return;
  }
  const rows = series.map((each) => ({
    variant: each.variant, keys: each.keys,
    distances: each.cells.map(({distance}) => distance).filter((distance) => distance !== null)
      .sort((a, b) => a[0] - b[0]),
  })).filter(({distances}) => distances.length > 0)
    .sort((a, b) => b.distances.at(-1)[0] - a.distances.at(-1)[0]);
  const middle = timesText(median(cells.map(({cell}) => cell.distance[0])));
  const text = `${count(cells.length, 'cell')}; the median is ${middle} the traffic twin.`;
  const winners = [...new Set(cells.map(({variant, cell}) => variant.alternatives[cell.best][0]))];
  const canvas = canvasOf(`Distance from the limit against size. ${text}`);
  contentOf('limits').replaceChildren(make('figure', {class: 'wide'},
    make('figcaption', {}, make('p', {}, text)), make('div', {class: 'plot'}, canvas),
    make('ul', {class: 'legend'}, ...winners.map((id) => make('li', {}, marker(id), ' ', id))),
    lateTable('Table of the distances, the farthest first',
      () => table('Best time ÷ traffic twin', limitColumns, rows))));
  charts.push(limitChart(canvas, cells));
};

// The strength of a winner's color: faint in a tie, full from three times on. Full still leaves
// enough contrast to the text.
const shareOf = (ratio) => Math.round(8 + 30 * Math.min(1, Math.log(Math.max(ratio ?? 1, 1)) / Math.log(3)));

const planeOf = ({cell}) => cell.shape.slice(0, cell.shape.lastIndexOf('x'));

const heatMap = ({variant, keys, cells}) => {
  const channels = [...new Set(cells.map((each) => each.keys[channelsKey]))].sort(byText);
  const area = (plane) => plane.split('x').reduce((product, extent) => product * Number(extent), 1);
  const planes = [...new Set(cells.map(planeOf))].sort((a, b) => area(a) - area(b));
  const at = (plane, channel) => cells.find((each) =>
    planeOf(each) === plane && each.keys[channelsKey] === channel);
  const field = (found) => {
    if (!found || !found.cell.winner) {
      return make('td', {class: 'empty'}, '·');
    }
    const {cell} = found;
    const {color} = styleOf(variant.alternatives[cell.best][0]);
    const td = make('td', {class: `c${color}`}, named(variant, cell.best), ' ',
      make('small', {}, cell.second ? slowerText(cell.second.ratio) : 'alone'));
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
    const group = groups.get(place) ?? {variant: each.variant, keys: each.keys, cells: []};
    group.cells.push(...cellsOf([each]));
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
    contentOf('winners').replaceChildren(empty('No two cells of this selection differ in shape or '
      + 'channels alone.'));
    return;
  }
  const {nodes, show} = gallery(maps, 'maps', (grid, next) => grid.append(...next.map(heatMap)));
  contentOf('winners').replaceChildren(...nodes);
  show();
};

const cellColumns = [
  variantColumn, classColumn, {title: 'shape', of: ({cell}) => shapeText(cell.shape)},
  {title: 'fastest', of: ({variant, cell}) => named(variant, cell.best)},
  {title: 'time', number: true, of: ({cell}) => cell.winner ? timeText(cell.winner.median) : null},
  {title: 'next', of: ({variant, cell}) => cell.second ? named(variant, cell.second.alternative) : null},
  {title: 'slower by', number: true, of: ({cell}) => cell.second ? slowerText(cell.second.ratio) : null},
  {title: '95 % interval', number: true,
    of: ({cell: {second}}) => second ? intervalText(second.ratioLow, second.ratioHigh, slowerText) : null},
  {title: 'routed', of: ({variant, cell}) => named(variant, cell.routed)},
  {title: 'regret', number: true,
    of: ({cell: {regret}}) => regret === undefined || regret === null ? null : slowerText(regret)},
  {title: 'of the limit', number: true, of: ({cell}) => timesText(cell.distance?.[0])},
];

const showCells = (series) => {
  const cells = cellsOf(series);
  contentOf('cells').replaceChildren(cells.length === 0 ? empty('No cell of this selection was measured.')
    : table(count(cells.length, 'cell'), cellColumns, cells));
};

const lossText = (variant, item, i) => make('span', {},
  `${item.states[i]}: `, named(variant, item.winners[i]),
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
    .filter((item) => fits(free, item.keys))
    .filter((item) => [any, ...item.states].includes(state.keys[cacheKey]))
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
  const {variant, keys} = each;
  return [...most].map(([alternative, use]) => ({variant, keys, alternative, ...use}));
});

const showAllocations = (series) => {
  const all = allocationsOf(series);
  const some = all.filter(({allocations}) => allocations > 0).sort((a, b) => b.peak - a.peak);
  const routed = some.filter((each) => each.routed).length;
  if (all.length === 0) {
    contentOf('allocations').replaceChildren(empty('Nothing was counted in this selection.'));
    return;
  }
  const none = `${grouped(all.length - some.length)} of ${grouped(all.length)} allocate nothing; `
    + `of the rest, ${grouped(routed)} are routed.`;
  contentOf('allocations').replaceChildren(make('p', {class: 'note'}, none), ...some.length > 0
    ? [table('Heap use of one call, the highest peak first', allocationColumns, some)] : []);
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
    const distances = cellsOf(series).filter(({cell}) => cell.distance !== null);
    return timesText(median(distances.map(({cell}) => cell.distance[0])));
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

const factList = (group, entries) => {
  const words = (text) => text.replaceAll('_', ' ');
  const pairs = Object.entries(entries).flatMap(([name, value]) =>
    [make('dt', {}, words(name)), make('dd', {}, value)]);
  return make('div', {}, make('h3', {}, words(group)), make('dl', {}, ...pairs));
};

const showMachine = () => {
  const facts = Object.entries(data.machine).map(([group, entries]) => factList(group, entries));
  const warnings = make('details', {},
    make('summary', {}, `${count(data.warnings.length, 'warning')} of the route policy`),
    make('ul', {}, ...data.warnings.map((line) => make('li', {}, line))));
  contentOf('machine').replaceChildren(make('div', {class: 'facts'}, ...facts),
    ...data.warnings.length > 0 ? [warnings] : []);
  const {cpu = {}, compiler = {}} = data.machine;
  document.getElementById('machine-line').textContent = [
    data.profile, cpu.model_name, cpu.microarchitecture, cpu.cores && count(Number(cpu.cores), 'core'),
    compiler.name && `${compiler.name} ${compiler.version ?? ''}`].filter(Boolean).join(' · ');
};
