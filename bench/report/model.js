// The document of data.hpp and what follows from it. Nothing here touches the page.

const data = JSON.parse(document.getElementById('data').textContent);
const channelsKey = data.keys.indexOf('channels');
const cacheKey = data.keys.indexOf('cache');

// ---------------------------------------------------------------------------------------------
// Texts

const grouped = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, '\u202f');
const digits = (value, places = 3) => String(Number(value.toPrecision(places)));
const inUnits = (value, units, step = 1000) => {
  let i = 0;
  while (Math.abs(value) >= step && i + 1 < units.length) {
    value /= step;
    i += 1;
  }
  return `${digits(value)} ${units[i]}`;
};
const timeText = (ns) => inUnits(ns, ['ns', 'µs', 'ms', 's']);
const bytesText = (bytes) => inUnits(bytes, ['B', 'KiB', 'MiB', 'GiB'], 1024);
const sizeText = (n) => inUnits(n, ['', 'k', 'M', 'G']).replace(/ (\D?)$/, '$1');
const shapeText = (shape) => shape.replaceAll('x', ' × ');
const timesText = (ratio) => ratio === null || ratio === undefined ? null : `${digits(ratio)} ×`;
// How much slower than 1: "+12 %", from twice on "2.3 ×".
const slowerText = (ratio) => {
  if (ratio === null || ratio === undefined) {
    return 'not comparable';
  }
  const percent = Math.abs((ratio - 1) * 100).toFixed(1);
  return ratio >= 2 ? timesText(ratio) : `${ratio < 1 ? '−' : '+'}${percent} %`;
};
const intervalText = (low, high, text) =>
  low === null || high === null ? 'too few rounds' : `${text(low)} to ${text(high)}`;
const count = (n, one, many = `${one}s`) => `${grouped(n)} ${n === 1 ? one : many}`;

// Numbers by value, words by the alphabet.
const byText = (a, b) => a.localeCompare(b, 'en', {numeric: true});

// ---------------------------------------------------------------------------------------------
// Candidates: a color for each backend, and markers that differ within it and among those that
// ever compete

const backends = [...new Set(Object.values(data.backends))];
const kMarkers = [ // as Chart.js calls them, as a character, and how far they are turned
  ['circle', '●', 0], ['triangle', '▲', 0], ['rect', '■', 0], ['rectRot', '◆', 0],
  ['triangle', '▼', 180], ['cross', '✚', 0], ['crossRot', '✖', 0], ['star', '✱', 0], ['dash', '━', 0],
];
const kColors = 8;

const candidatesOf = (variant) => [...new Set(variant.alternatives.map(([id]) => id))];

const styles = (() => {
  const rivals = new Map(Object.keys(data.backends).map((id) => [id, new Set()]));
  for (const variant of data.variants) {
    const ids = candidatesOf(variant);
    ids.forEach((id) => ids.forEach((other) => rivals.get(id)?.add(other)));
  }
  const result = new Map();
  const freeMarker = (others) => {
    const taken = new Set([...others].map((other) => result.get(other)?.marker));
    return kMarkers.findIndex((_, i) => !taken.has(i));
  };
  for (const [id, others] of rivals) {
    const family = [...rivals.keys()].filter((other) => data.backends[other] === data.backends[id]);
    const free = [freeMarker([...others, ...family]), freeMarker(others), 0].find((marker) => marker >= 0);
    result.set(id, {marker: free, color: backends.indexOf(data.backends[id]) % kColors});
  }
  return result;
})();
const styleOf = (id) => styles.get(id) ?? {marker: 0, color: 0};

const nameOf = (variant, alternative) => {
  const [id, threads] = variant.alternatives[alternative];
  return threads === 1 ? id : `${id} × ${threads}`;
};

// ---------------------------------------------------------------------------------------------
// Rows, cells, routes

const rowOf = ([alternative, dropped, median, low, high, ratio, ratioLow, ratioHigh, ...heap]) => {
  const [allocations, bytes, peak] = heap; // none where it wasn't counted
  return {
    alternative, dropped: dropped === 1, median, low, high, ratio, ratioLow, ratioHigh,
    allocations, bytes, peak,
  };
};
const twinOf = ([id, threads, median, low, high]) => ({id, threads, median, low, high});
const routeOf = ([from, to, alternative, runnerUp, margin, low, high]) =>
  ({from, to: to ?? Infinity, alternative, runnerUp, margin, low, high});

for (const variant of data.variants) {
  for (const each of variant.classes) {
    each.routes = each.routes.map(routeOf);
    // Neighbours of one winner differ behind it: to those who look at the winner they are one.
    each.regions = each.routes.reduce((regions, route) => {
      const last = regions.at(-1);
      if (last?.alternative === route.alternative) {
        last.to = route.to;
        last.after = route;
      } else {
        const {from, to, alternative} = route;
        regions.push({from, to, alternative, before: route, after: route});
      }
      return regions;
    }, []);
  }
  for (const series of variant.series) {
    series.variant = variant;
    series.class = variant.classes.find((each) =>
      each.keys.every((value, i) => value === null || value === series.keys[i]));
    for (const cell of series.cells) {
      cell.rows = cell.rows.map(rowOf);
      cell.twins = cell.twins.map(twinOf);
      cell.winner = cell.rows.find((row) => row.alternative === cell.best);
      cell.second = cell.rows.filter((row) => row !== cell.winner && row.ratio !== null)
        .sort((a, b) => a.ratio - b.ratio)[0];
      const region = series.class?.regions.find(({from, to}) => from <= cell.elements && cell.elements < to);
      cell.routed = region?.alternative;
      cell.regret = cell.rows.find((row) => row.alternative === cell.routed)?.ratio;
    }
  }
}

// "u8, 3 channels, contiguous, into, hot, 1 thread, tone": a bare number takes its key's name.
const keyText = (value, i) =>
  /^\d+$/.test(value) ? count(Number(value), data.keys[i].replace(/s$/, '')) : value;
const keysText = (keys, except = -1) => keys
  .map((value, i) => value === null || i === except ? null : keyText(value, i))
  .filter((text) => text !== null).join(', ');

// ---------------------------------------------------------------------------------------------
// What the filters leave

const any = '';
const freshState = () => ({
  op: any, variant: any, keys: data.keys.map(() => any), scale: 'time', hidden: new Set(),
});

const variantsOf = (state) => data.variants.filter((variant) =>
  (state.op === any || variant.op === state.op) && (state.variant === any || variant.name === state.variant));
const fits = (state, keys) => keys.every((value, i) =>
  value === null || state.keys[i] === any || state.keys[i] === value);
const seriesOf = (state) => variantsOf(state).flatMap((variant) =>
  variant.series.filter((series) => fits(state, series.keys)));
const classesOf = (state) => variantsOf(state).flatMap((variant) =>
  variant.classes.filter((each) => fits(state, each.keys)).map((each) => ({variant, ...each})));
// Values of a key among the variants that are shown, whatever the other keys are.
const valuesOf = (state, key) => [...new Set(variantsOf(state).flatMap((variant) =>
  variant.series.map((series) => series.keys[key])))].sort(byText);

const sizesOf = (series) => [...new Set(series.cells.map((cell) => cell.elements))].sort((a, b) => a - b);

// Sizes at which the routes of the classes change hands.
const crossoversOf = (classes) => classes.flatMap(({variant, keys, regions}) => {
  const sizes = [...new Set(variant.series
    .filter((series) => keys.every((value, i) => value === null || value === series.keys[i]))
    .flatMap(sizesOf))].sort((a, b) => a - b);
  return regions.slice(1).map((region, i) => ({
    variant, keys, at: region.from, below: regions[i], above: region,
    last: sizes.filter((size) => size < region.from).at(-1), first: sizes.find((size) => size >= region.from),
  }));
});

const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length === 0 ? null
    : sorted.length % 2 ? sorted[Math.floor(middle)] : (sorted[middle - 1] + sorted[middle]) / 2;
};
