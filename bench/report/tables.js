// What sections are made of. Texts of the evidence become text nodes only.

const kFiguresAtOnce = 6;
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

// A grid of what `build` makes of the first items, and a button for more of them.
const gallery = (items, what, build) => {
  const grid = make('div', {class: 'charts'});
  const more = make('button', {type: 'button'});
  let shown = 0;
  const show = () => {
    const next = items.slice(shown, shown + kFiguresAtOnce);
    shown += next.length;
    more.textContent = `Show more ${what} (${grouped(items.length - shown)} left)`;
    more.hidden = shown >= items.length;
    build(grid, next);
  };
  more.addEventListener('click', show);
  return {nodes: [grid, make('p', {}, more)], show};
};
