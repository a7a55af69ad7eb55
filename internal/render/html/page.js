
'use strict';
(function () {
  const all = (selector, from) => Array.from((from || document).querySelectorAll(selector));
  const said = document.getElementById('said');
  const root = document.documentElement;
  const sorted = new Map(); // table → [column, direction]

  // What the page shows stands in its address, so that a view can be kept and passed on.
  const keep = () => {
    const state = new URLSearchParams();
    for (const [table, [column, direction]] of sorted) state.append('sort', table + ',' + column + ',' + direction);
    for (const box of all('.filters input')) {
      if (!box.checked) state.append('hide-' + box.closest('fieldset').dataset.filter, box.value);
    }
    if (root.dataset.theme) state.append('theme', root.dataset.theme);
    const text = state.toString();
    try { history.replaceState(null, '', text ? '#' + text : location.pathname + location.search); } catch (e) { /* no address to change */ }
  };

  // Rows are sorted within their group, numbers by value; what has no number comes last.
  const key = (row, column) => {
    const cell = row.cells[column];
    const number = cell.dataset.sort === undefined ? NaN : Number(cell.dataset.sort);
    return { number, none: cell.textContent === 'n/a' || cell.textContent === '', text: cell.textContent };
  };
  const compare = (a, b, sign) => {
    if (a.none !== b.none) return a.none ? 1 : -1;
    const na = Number.isNaN(a.number), nb = Number.isNaN(b.number);
    if (na !== nb) return na ? 1 : -1;
    if (!na && a.number !== b.number) return sign * (a.number - b.number);
    return na ? sign * a.text.localeCompare(b.text, 'en', { numeric: true }) : 0;
  };
  const order = (table, column, direction) => {
    const heads = all('thead th', table);
    const sign = direction === 'descending' ? -1 : 1;
    heads.forEach((th, i) => {
      if (i === column && direction) th.setAttribute('aria-sort', direction);
      else th.removeAttribute('aria-sort');
    });
    for (const body of table.tBodies) {
      const rows = Array.from(body.rows);
      rows.sort((a, b) => (direction && compare(key(a, column), key(b, column), sign)) || a.dataset.at - b.dataset.at);
      body.append(...rows);
    }
    if (direction) sorted.set(table.dataset.table, [column, direction]);
    else sorted.delete(table.dataset.table);
    said.textContent = direction ? 'Sorted by ' + heads[column].textContent.trim() + ', ' + direction : 'In the original order';
  };

  for (const table of all('table[data-table]')) {
    all('tbody tr', table).forEach((row, i) => { row.dataset.at = i; });
    all('thead th', table).forEach((th, column) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = th.textContent;
      button.title = 'Sort';
      button.addEventListener('click', () => {
        const now = th.getAttribute('aria-sort');
        order(table, column, now === 'ascending' ? 'descending' : now === 'descending' ? '' : 'ascending');
        keep();
      });
      th.replaceChildren(button);
    });
  }

  // Filters hide rows of detectors, and rows or columns of axes.
  const find = document.getElementById('find');
  const filter = () => {
    const hidden = { detector: new Set(), axis: new Set() };
    for (const box of all('.filters input')) {
      if (!box.checked) hidden[box.closest('fieldset').dataset.filter].add(box.value);
    }
    const wanted = find ? find.value.toLowerCase() : '';
    for (const cell of all('table [data-axis]:not(tr)')) cell.hidden = hidden.axis.has(cell.dataset.axis);
    for (const row of all('table[data-table] tbody tr')) {
      const lacks = wanted !== '' && row.closest('#errors') && !row.textContent.toLowerCase().includes(wanted);
      row.hidden = lacks || hidden.detector.has(row.dataset.detector) || hidden.axis.has(row.dataset.axis);
    }
    const count = hidden.detector.size + hidden.axis.size;
    said.textContent = count ? count + ' hidden' : 'All shown';
  };
  for (const form of all('.filters')) {
    form.hidden = !form.querySelector('input');
    form.addEventListener('change', () => { filter(); keep(); });
    form.addEventListener('submit', (event) => event.preventDefault());
    form.addEventListener('reset', () => setTimeout(() => { filter(); keep(); }, 0));
  }
  if (find) {
    find.closest('.find').hidden = false;
    find.addEventListener('input', filter);
  }

  // The theme follows the system until the reader chooses one.
  const theme = document.getElementById('theme');
  const system = window.matchMedia('(prefers-color-scheme: dark)');
  const dark = () => root.dataset.theme ? root.dataset.theme === 'dark' : system.matches;
  const name = () => { theme.textContent = dark() ? 'Light' : 'Dark'; theme.setAttribute('aria-label', 'Switch to ' + (dark() ? 'light' : 'dark') + ' colours'); };
  theme.hidden = false;
  theme.addEventListener('click', () => { root.dataset.theme = dark() ? 'light' : 'dark'; name(); keep(); });
  system.addEventListener('change', name);

  const state = new URLSearchParams(location.hash.slice(1));
  for (const want of state.getAll('sort')) {
    const [id, column, direction] = want.split(',');
    const table = all('table[data-table]').find((t) => t.dataset.table === id);
    const known = direction === 'ascending' || direction === 'descending';
    if (table && known && table.tHead.rows[0].cells[Number(column)]) order(table, Number(column), direction);
  }
  for (const box of all('.filters input')) {
    if (state.getAll('hide-' + box.closest('fieldset').dataset.filter).includes(box.value)) box.checked = false;
  }
  if (['light', 'dark'].includes(state.get('theme'))) root.dataset.theme = state.get('theme');
  filter();
  name();
  said.textContent = '';
})();
