// The charts, by Chart.js.

const cssColor = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const colorOf = (id) => cssColor(`--c${styleOf(id).color}`);
const kBand = '38'; // alpha of intervals, in hexadecimal digits
const kRegion = '20'; // and of the regions of routes

const divided = (values, divisor) => values.map((value) => value === null ? null : value / divisor);

// What the vertical axis can show: the value and interval of a row in a cell, and of a twin.
const scales = {
  time: {
    label: 'time of a call',
    text: timeText,
    row: (row) => [row.median, row.low, row.high],
    twin: (twin) => [twin.median, twin.low, twin.high],
  },
  element: {
    label: 'time per element',
    text: (ns) => inUnits(ns * 1000, ['ps', 'ns', 'µs', 'ms']),
    row: (row, cell) => divided([row.median, row.low, row.high], cell.elements),
    twin: (twin, cell) => divided([twin.median, twin.low, twin.high], cell.elements),
  },
  fastest: {
    label: 'times the fastest',
    text: timesText,
    row: (row) => [row.ratio, row.ratioLow, row.ratioHigh],
    twin: () => [null, null, null],
  },
  limit: {
    label: 'times the traffic twin',
    text: timesText,
    row: (row, cell, threads) => {
      const twin = cell.twins.find((one) => one.threads === threads);
      return twin ? divided([row.median, row.low, row.high], twin.median) : [null, null, null];
    },
    twin: (twin) => divided([twin.median, twin.low, twin.high], twin.median),
  },
};

// Points along size of one alternative, or of a twin with some number of threads.
const pointsOf = (series, valueOf) => series.cells.flatMap((cell) => {
  const found = valueOf(cell);
  const [y, low, high] = found?.values ?? [null];
  return y === null ? [] : [{x: cell.elements, y, low, high, cell, dropped: found.dropped}];
});

const kHidden = {pointRadius: 0, pointHitRadius: 0, borderWidth: 0, note: true};

// The line of an alternative above the band of its intervals.
const lineDatasets = (label, color, points, style) => {
  const end = (name) => points.map((point) => ({x: point.x, y: point[name] ?? NaN}));
  return [
    {...kHidden, data: end('low'), fill: false, backgroundColor: 'transparent'},
    {...kHidden, data: end('high'), fill: '-1', backgroundColor: color + kBand},
    {
      label, data: points, borderColor: color, borderWidth: 2,
      pointRadius: points.map((point) => point.dropped ? 3.5 : 5), pointHoverRadius: 7,
      pointBorderColor: color, pointBorderWidth: 2,
      pointBackgroundColor: points.map((point) => point.dropped ? cssColor('--back') : color), ...style,
    },
  ];
};

const markerOf = (id) => {
  const [pointStyle, , pointRotation] = kMarkers[styleOf(id).marker];
  return {pointStyle, pointRotation};
};

const alternativeDatasets = (series, alternative, scale) => {
  const [id, threads] = series.variant.alternatives[alternative];
  const points = pointsOf(series, (cell) => {
    const row = cell.rows.find((each) => each.alternative === alternative);
    return row && {values: scale.row(row, cell, threads), dropped: row.dropped};
  });
  const style = {...markerOf(id), borderDash: threads > 1 ? [6, 4] : []};
  return lineDatasets(nameOf(series.variant, alternative), colorOf(id), points, style);
};

const twinDatasets = (series, scale) => {
  const threads = [...new Set(series.cells.flatMap((cell) => cell.twins.map((twin) => twin.threads)))];
  return threads.flatMap((each) => {
    const points = pointsOf(series, (cell) => {
      const twin = cell.twins.find((candidate) => candidate.threads === each);
      return twin && {values: scale.twin(twin, cell)};
    });
    const label = each === 1 ? 'traffic twin' : `traffic twin × ${each}`;
    return lineDatasets(label, cssColor('--twin'), points, {pointRadius: 0, borderDash: [2, 4]});
  });
};

const regionDatasets = (series, from, to) => (series.class?.regions ?? []).flatMap((region) => {
  const left = Math.max(region.from, from);
  const right = Math.min(region.to, to);
  const [id] = series.variant.alternatives[region.alternative];
  return left >= right ? [] : [{
    ...kHidden, yAxisID: 'regions', data: [{x: left, y: 1}, {x: right, y: 1}], fill: 'start',
    backgroundColor: colorOf(id) + kRegion, order: 9,
  }];
});

const logAxis = (title, text, more = {}) => {
  const color = cssColor('--soft');
  const leading = (value) => Number((value / 10 ** Math.floor(Math.log10(value) + 1e-9)).toFixed(6));
  return {
    type: 'logarithmic', grid: {color: cssColor('--grid')}, title: {display: true, text: title, color},
    ticks: {
      color, maxRotation: 0, autoSkipPadding: 12,
      callback: (value) => [1, 2, 5].includes(leading(value)) ? text(value) : null,
    },
    ...more,
  };
};

const chartOptions = (scales_, tooltipLines) => ({
  responsive: true, maintainAspectRatio: false, animation: false, parsing: false, normalized: true,
  interaction: {mode: 'nearest', axis: 'xy', intersect: false},
  scales: scales_,
  plugins: {
    legend: {display: false},
    tooltip: {
      filter: (item) => !item.dataset.note,
      callbacks: {
        title: (items) => items.map((item) => shapeText(item.raw.cell.shape))[0], label: tooltipLines,
      },
    },
  },
});

const kMargin = 1.25; // of the size axis beyond the measured sizes

const seriesChart = (canvas, series, scale, hidden) => {
  const sizes = sizesOf(series);
  const from = sizes[0] / kMargin;
  const to = sizes.at(-1) * kMargin;
  const alternatives = series.variant.alternatives.map((_, i) => i).filter((i) =>
    !hidden.has(series.variant.alternatives[i][0]) &&
    series.cells.some((cell) => cell.rows.some((row) => row.alternative === i)));
  return new Chart(canvas, {
    type: 'line',
    data: {
      datasets: [
        ...alternatives.flatMap((i) => alternativeDatasets(series, i, scale)),
        ...twinDatasets(series, scale), ...regionDatasets(series, from, to),
      ],
    },
    options: chartOptions({
      x: logAxis('elements', sizeText, {min: from, max: to}),
      y: logAxis(scale.label, scale.text),
      regions: {type: 'linear', axis: 'y', display: false, min: 0, max: 1},
    }, ({dataset, raw}) =>
      `${dataset.label}: ${scale.text(raw.y)} (${intervalText(raw.low, raw.high, scale.text)})`),
  });
};

// Distance from the limit of all cells, a point for each.
const limitChart = (canvas, cells) => {
  const byWinner = new Map();
  for (const each of cells) {
    const [id] = each.series.variant.alternatives[each.cell.best];
    byWinner.set(id, [...(byWinner.get(id) ?? []), each]);
  }
  const datasets = [...byWinner].map(([id, list]) => ({
    label: id, ...markerOf(id), pointRadius: 4, pointHoverRadius: 7,
    borderColor: colorOf(id), backgroundColor: colorOf(id) + '90', borderWidth: 1.5,
    data: list.map(({series, cell}) => ({x: cell.elements, y: cell.distance[0], series, cell})),
  }));
  const range = (values, margin) => ({min: Math.min(...values) / margin, max: Math.max(...values) * margin});
  const x = range(cells.map(({cell}) => cell.elements), kMargin);
  const y = range([1, ...cells.map(({cell}) => cell.distance[0])], kMargin);
  const limit = {
    ...kHidden, type: 'line', data: [{x: x.min, y: 1}, {x: x.max, y: 1}],
    borderColor: cssColor('--twin'), borderWidth: 2, borderDash: [2, 4],
  };
  return new Chart(canvas, {
    type: 'scatter',
    data: {datasets: [...datasets, limit]},
    options: chartOptions(
      {x: logAxis('elements', sizeText, x), y: logAxis('times the traffic twin', timesText, y)},
      ({dataset, raw}) => [`${dataset.label}: ${timesText(raw.y)} the traffic twin`,
        `${raw.series.variant.name}: ${keysText(raw.series.keys)}`]),
  });
};
