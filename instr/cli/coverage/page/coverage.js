// The pages of instr coverage report --html: the theme, the tree of packages and classes, and source files.
(function () {
  'use strict';
  var root = document.documentElement, theme = null;
  try { theme = localStorage.getItem('instr-theme'); } catch (e) { /* no storage */ }
  if (theme === 'dark' || theme === 'light') root.dataset.theme = theme;

  function make(tag, parent, text, className) {
    var element = document.createElement(tag);
    if (text !== undefined && text !== null) element.textContent = text;
    if (className) element.className = className;
    if (parent) parent.appendChild(element);
    return element;
  }
  function number(n) { return n.toLocaleString('en'); }
  function say(text) { document.getElementById('say').textContent = text || ''; }

  // --- the theme ---

  function isDark() {
    if (root.dataset.theme) return root.dataset.theme === 'dark';
    return matchMedia('(prefers-color-scheme:dark)').matches;
  }
  function startTheme() {
    var button = document.getElementById('theme');
    function show() { button.textContent = isDark() ? 'Light' : 'Dark'; }
    button.hidden = false;
    button.addEventListener('click', function () {
      root.dataset.theme = isDark() ? 'light' : 'dark';
      try { localStorage.setItem('instr-theme', root.dataset.theme); } catch (e) { /* no storage */ }
      show();
    });
    show();
  }

  // --- the tree ---

  // Places in the list of numbers of a node; missed, then covered.
  var INSTRUCTIONS = 0, BRANCHES = 2, LINES = 4, COMPLEXITY = 6, METHODS = 8, CLASSES = 10;
  var columns = [
    {head: 'Name'},
    {head: 'Instructions', at: INSTRUCTIONS, share: true},
    {head: 'Missed', at: INSTRUCTIONS, title: 'Instructions of the bytecode that were not executed', hide: 'some'},
    {head: 'Branches', at: BRANCHES, share: true, hide: 'some'},
    {head: 'Missed', at: BRANCHES, title: 'Branches that were not taken', hide: 'more'},
    {head: 'Missed lines', at: LINES, of: true},
    {head: 'Methods', at: METHODS, of: true, title: 'Methods that were missed', hide: 'more'},
    {head: 'Classes', at: CLASSES, of: true, title: 'Classes that were missed', hide: 'more'},
    {head: 'Complexity', at: COMPLEXITY, title: 'Ways through methods (McCabe) that were missed', hide: 'more'}
  ];
  var single = false, top = [], classes = [], places = new Map();
  var list = [], shown = 0, here = -1, sorted = 2, down = true, body, sentinel;

  function total(node, at) { return node.n[at] + node.n[at + 1]; }
  function share(node, at) {
    var all = total(node, at);
    return all ? node.n[at + 1] / all : 1;
  }
  function percent(node, at) {
    var all = total(node, at);
    if (!all) return '-';
    // 100.0 only if all is covered.
    var value = 100 * node.n[at + 1] / all;
    return (node.n[at] ? Math.min(value, 99.9) : value).toFixed(1) + ' %';
  }

  function addPackage(parent, data, depth) {
    // [folder, name, numbers, [file, [class, line, matches, numbers...]...]...]
    var node = {name: data[1] || '(no package)', place: data[0], n: data[2], kids: [], open: false, depth: depth, parent: parent};
    var prefix = data[1] ? data[1] + '.' : '';
    for (var f = 3; f < data.length; f++) {
      var file = data[f];
      for (var c = 1; c < file.length; c++) {
        var item = file[c];
        var leaf = {name: item[0], full: prefix + item[0], n: item.slice(3), depth: depth + 1, parent: node, other: !item[2],
                    href: single ? '#' + data[0] + '/' + file[0] + (item[1] ? '/L' + item[1] : '')
                                 : data[0] + '/' + file[0] + (item[1] ? '#L' + item[1] : '')};
        node.kids.push(leaf);
        classes.push(leaf);
      }
    }
    places.set(node.place, node);
    return node;
  }
  function build() {
    COVER.bundles.forEach(function (bundle) {
      // [name, numbers, packages]
      var groups = COVER.bundles.length > 1;
      var node = groups ? {name: bundle[0], n: bundle[1], kids: [], open: true, depth: 0} : null;
      bundle[2].forEach(function (data) {
        (node ? node.kids : top).push(addPackage(node, data, groups ? 1 : 0));
      });
      if (node) top.push(node);
    });
    if (top.length === 1) top[0].open = true;
  }

  function compare(a, b) {
    var column = columns[sorted], order = 0;
    if (column.share) {
      order = share(a, column.at) - share(b, column.at);
    } else if (sorted > 0) {
      order = a.n[column.at] - b.n[column.at];
    }
    if (order === 0 && sorted > 0) return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
    if (sorted === 0) order = a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
    return down ? -order : order;
  }
  function flatten(nodes, missed) {
    nodes.slice().sort(compare).forEach(function (node) {
      if (missed && node.n[INSTRUCTIONS] === 0) return;
      list.push(node);
      if (node.kids && node.open) flatten(node.kids, missed);
    });
  }

  function share_cell(row, node, column) {
    var cell = make('td', row, null, column.hide);
    if (total(node, column.at)) {
      var bar = make('span', cell, null, 'bar');
      bar.style.setProperty('--p', share(node, column.at) * 100 + '%');
    }
    make('span', cell, percent(node, column.at), 'share');
  }
  function rowOf(node, index, flat) {
    var row = document.createElement('tr'), cell = make('td', row);
    if (!flat) cell.style.setProperty('--depth', node.depth);
    if (node.kids) {
      var twist = make('button', cell, node.name, 'twist');
      twist.type = 'button';
      twist.setAttribute('aria-expanded', node.open);
    } else {
      var link = make('a', make('span', cell, null, flat ? '' : 'leaf'));
      link.href = node.href;
      (flat ? node.full : node.name).split(/([.$])/).forEach(function (part, place) {
        if (place % 2) make('wbr', link);
        link.appendChild(document.createTextNode(part));
      });
      if (node.other) {
        make('span', cell, 'other class file', 'other').title =
            'A class of this name ran, but from another class file. Compile and run again, or report with the class files that ran.';
      }
    }
    for (var i = 1; i < columns.length; i++) {
      var column = columns[i];
      if (column.share) {
        share_cell(row, node, column);
        continue;
      }
      cell = make('td', row, number(node.n[column.at]), column.hide);
      if (!node.n[column.at]) cell.className = ((column.hide || '') + ' zero').trim();
      if (column.of) make('small', cell, ' of ' + number(total(node, column.at)));
    }
    row.node = node;
    row.index = index;
    if (index === here) row.className = 'here';
    return row;
  }
  function fill(more, flat) {
    var rows = document.createDocumentFragment(), end = Math.min(list.length, shown + more);
    for (; shown < end; shown++) rows.appendChild(rowOf(list[shown], shown, flat));
    body.appendChild(rows);
    sentinel.hidden = shown >= list.length;
  }
  function words() {
    return document.getElementById('find').value.toLowerCase().split(/\s+/).filter(Boolean);
  }
  function show(keep) {
    var asked = words(), missed = document.getElementById('missed').checked, count = keep ? Math.max(shown, 200) : 200;
    list = [];
    if (asked.length) {
      list = classes.filter(function (node) {
        if (node.lower === undefined) node.lower = node.full.toLowerCase();
        return (!missed || node.n[INSTRUCTIONS] > 0) && asked.every(function (word) { return node.lower.indexOf(word) >= 0; });
      }).sort(compare);
    } else {
      flatten(top, missed);
    }
    body.textContent = '';
    shown = 0;
    if (here >= list.length) here = -1;
    fill(count, asked.length > 0);
    document.getElementById('shown').textContent = asked.length
        ? number(list.length) + ' of ' + number(classes.length) + ' classes'
        : number(places.size) + (places.size === 1 ? ' package, ' : ' packages, ') + number(classes.length) +
          (classes.length === 1 ? ' class' : ' classes');
  }
  function remember() {
    var state = new URLSearchParams(), open = [];
    var text = document.getElementById('find').value;
    if (text) state.set('q', text);
    if (document.getElementById('missed').checked) state.set('m', '1');
    if (sorted !== 2 || !down) state.set('s', sorted + (down ? 'd' : 'a'));
    places.forEach(function (node) { if (node.open && open.length < 50) open.push(node.place); });
    if (open.length && top.length > 1) state.set('o', open.join(','));
    try {
      history.replaceState(null, '', '#' + (state.toString() ? '?' + state.toString() : ''));
    } catch (e) { /* not allowed here */ }
  }
  function recall(hash) {
    if (hash[0] === '?') {
      var state = new URLSearchParams(hash.slice(1)), by = /^(\d)([ad])$/.exec(state.get('s') || '');
      document.getElementById('find').value = state.get('q') || '';
      document.getElementById('missed').checked = state.get('m') === '1';
      if (by && columns[by[1]]) {
        sorted = Number(by[1]);
        down = by[2] === 'd';
      }
      (state.get('o') || '').split(',').forEach(function (place) { if (places.has(place)) places.get(place).open = true; });
      if (state.get('find') !== null) document.getElementById('find').focus();
    } else if (places.has(hash)) {
      var node = places.get(hash);
      node.open = true;
      if (node.parent) node.parent.open = true;
      return node;
    }
    return null;
  }
  function markSorted(heads) {
    for (var i = 0; i < heads.length; i++) heads[i].removeAttribute('aria-sort');
    heads[sorted].setAttribute('aria-sort', down ? 'descending' : 'ascending');
  }
  function toggle(node) {
    node.open = !node.open;
    if (node.open) shown += node.kids.length;
    show(true);
    remember();
  }
  function point(index) {
    if (index < 0 || index >= list.length) return;
    here = index;
    if (here >= shown) fill(here - shown + 100, words().length > 0);
    Array.prototype.forEach.call(body.rows, function (row) {
      row.className = row.index === here ? 'here' : '';
      if (row.index === here) row.scrollIntoView({block: 'nearest'});
    });
  }
  function startTree() {
    var table = document.getElementById('tree'), head = table.tHead.rows[0];
    build();
    body = table.tBodies[0];
    sentinel = document.getElementById('sentinel');
    columns.forEach(function (column, index) {
      var th = make('th', head, null, column.hide), button = make('button', th, column.head);
      th.scope = 'col';
      button.type = 'button';
      if (column.title) th.title = column.title;
      button.addEventListener('click', function () {
        // The worst first: most missed, the smallest share, names from A.
        down = sorted === index ? !down : index > 0 && !column.share;
        sorted = index;
        here = -1;
        markSorted(head.cells);
        show(false);
        remember();
      });
    });
    body.addEventListener('click', function (event) {
      var twist = event.target.closest('.twist');
      if (twist) toggle(twist.closest('tr').node);
    });
    document.getElementById('find').addEventListener('input', function () {
      here = -1;
      show(false);
      remember();
    });
    document.getElementById('missed').addEventListener('change', function () {
      show(false);
      remember();
    });
    new IntersectionObserver(function (seen) {
      if (seen.some(function (s) { return s.isIntersecting; })) fill(300, words().length > 0);
    }, {rootMargin: '800px'}).observe(sentinel);
    document.getElementById('search').hidden = false;
    return head.cells;
  }
  function openTree(heads, hash) {
    var node = recall(hash);
    markSorted(heads);
    show(false);
    if (node) {
      var index = list.indexOf(node);
      point(index);
      if (body.rows[index]) body.rows[index].scrollIntoView({block: 'start'});
    }
  }
  function treeKey(key) {
    if (key === 'j') point(here + 1);
    else if (key === 'k') point(here - 1);
    else if (key === 'Enter' && list[here]) {
      if (list[here].kids) toggle(list[here]);
      else location.href = list[here].href;
    } else return false;
    return true;
  }

  // --- a source file ---

  var KEYWORDS = new Set(('abstract assert boolean break byte case catch char class const continue def default do double else ' +
    'enum extends false final finally float for fun if implements import instanceof int interface long native new null object ' +
    'override package private protected public return short static strictfp super suspend switch synchronized this throw ' +
    'throws trait transient true try val var void volatile when while').split(' '));
  var TOKEN = /\/\/.*|\/\*|"""|"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?|[A-Za-z_$][\w$]*/g;
  var rows = [], at = -1, view = null, base = '';

  // Colours a line; `state` is what ends the comment or text that a line before it began. The new state.
  function colour(cell, state) {
    var text = cell.textContent, from = 0, parts = document.createDocumentFragment(), found;
    function put(end, tag) {
      if (end > from) parts.appendChild(tag ? make(tag, null, text.slice(from, end)) : document.createTextNode(text.slice(from, end)));
      from = end;
    }
    function close() {
      var end = text.indexOf(state, from);
      var tag = state === '*/' ? 'i' : 'q';
      put(end < 0 ? text.length : end + state.length, tag);
      if (end >= 0) state = '';
      return end >= 0;
    }
    if (state && !close()) {
      cell.replaceChildren(parts);
      return state;
    }
    TOKEN.lastIndex = from;
    while ((found = TOKEN.exec(text))) {
      var word = found[0];
      var tag = word.startsWith('//') ? 'i' : /^["']/.test(word) ? 'q' : KEYWORDS.has(word) ? 'b' : null;
      if (word === '/*' || word === '"""') {
        put(found.index, null);
        state = word === '/*' ? '*/' : '"""';
        var begin = from, end = text.indexOf(state, begin + word.length);
        from = begin;
        put(end < 0 ? text.length : end + state.length, word === '/*' ? 'i' : 'q');
        if (end < 0) break;
        state = '';
        TOKEN.lastIndex = from;
      } else if (tag) {
        put(found.index, null);
        put(found.index + word.length, tag);
      }
    }
    put(text.length, null);
    cell.replaceChildren(parts);
    return state;
  }
  function colourAll(table) {
    if (rows.length > 20000 || !table.dataset.source) return;
    var state = '';
    rows.forEach(function (row) {
      var cell = row.cells[row.cells.length - 1];
      if (cell.textContent.length < 4000) state = colour(cell, state);
    });
  }

  function isMissed(row) { return row.className === 'n' || row.className === 'p' || row.className === 't'; }
  function plain(row) { return row.className.replace(/ ?here/, ''); }
  function tell(row) {
    var what = {n: 'not executed', p: 'executed in part', t: 'left by an exception', f: 'executed'}[plain(row)];
    var tips = Array.prototype.map.call(row.cells, function (cell) { return cell.title; }).filter(Boolean);
    say(row.id.slice(1) + ': ' + (tips.length ? tips.join('; ') : what || 'no code'));
  }
  function go(index) {
    if (rows[at]) rows[at].classList.remove('here');
    at = index;
    rows[at].scrollIntoView({block: 'center'});
    tell(rows[at]);
    rows[at].classList.add('here');
    try {
      history.replaceState(null, '', '#' + base + rows[at].id);
    } catch (e) { /* not allowed here */ }
  }
  function next(step) {
    for (var i = at + step; i >= 0 && i < rows.length; i += step) {
      if (isMissed(rows[i])) {
        go(i);
        return;
      }
    }
    say(step > 0 ? 'No missed line below.' : 'No missed line above.');
  }
  function drawMap() {
    var old = document.getElementById('map'), map = make('div', null, null, '');
    if (old) old.remove();
    map.id = 'map';
    map.setAttribute('aria-hidden', 'true');
    for (var i = 0, marks = 0; i < rows.length && marks < 3000; i++) {
      if (!isMissed(rows[i])) continue;
      var first = i;
      while (i + 1 < rows.length && rows[i + 1].className === rows[first].className) i++;
      var mark = make('span', map, null, rows[first].className);
      mark.style.top = first / rows.length * 100 + '%';
      mark.style.height = (i - first + 1) / rows.length * 100 + '%';
      marks++;
    }
    map.addEventListener('click', function (event) {
      var row = rows[Math.floor(event.clientY / innerHeight * rows.length)];
      if (row) row.scrollIntoView({block: 'center'});
    });
    document.body.appendChild(map);
  }
  function startSource(element, prefix, line) {
    var table = element.querySelector('.code');
    view = element;
    base = prefix;
    at = -1;
    rows = table ? Array.prototype.slice.call(table.rows) : [];
    say('');
    if (!table) return;
    drawMap();
    colourAll(table);
    table.addEventListener('click', function (event) {
      var cell = event.target.closest('td');
      if (!cell) return;
      if (cell.cellIndex === 0) go(rows.indexOf(cell.parentNode));
      else if (cell.title) tell(cell.parentNode);
    });
    if (line) {
      var index = rows.findIndex(function (row) { return row.id === line; });
      if (index >= 0) go(index);
    }
  }
  function sourceKey(key) {
    if (key === 'j') next(1);
    else if (key === 'k') next(-1);
    else if (key === 'u') location.href = single ? '#' : view.dataset.up;
    else if (key === '/') location.href = (single ? '' : view.dataset.up.split('#')[0]) + '#?find=';
    else return false;
    return true;
  }

  // --- both ---

  function hashNow() {
    var hash = location.hash.slice(1);
    if (hash[0] === '?') return hash;
    try { return decodeURIComponent(hash); } catch (e) { return ''; }
  }
  // One file has all pages, as templates that are shown by the part of the address after #.
  function startSingle(heads) {
    var index = document.getElementById('index'), page = document.getElementById('page'), pages = new Map(), title = document.title;
    Array.prototype.forEach.call(document.querySelectorAll('template[data-page]'), function (t) { pages.set(t.dataset.page, t); });
    function route() {
      var hash = hashNow(), line = /^(.*)\/(L\d+)$/.exec(hash), name = line ? line[1] : hash, template = pages.get(name);
      var map = document.getElementById('map');
      if (map) map.remove();
      index.hidden = !!template;
      page.hidden = !template;
      page.textContent = '';
      view = null;
      say('');
      document.title = template ? template.content.querySelector('h1').textContent + ' - ' + title : title;
      if (template) {
        page.appendChild(template.content.cloneNode(true));
        scrollTo(0, 0);
        startSource(page, name + '/', line && line[2]);
      } else {
        openTree(heads, hash);
      }
    }
    addEventListener('hashchange', route);
    route();
  }
  function start() {
    var tree = document.getElementById('tree'), source = document.querySelector('main.source');
    single = !!document.getElementById('page');
    startTheme();
    if (tree) {
      var heads = startTree();
      if (single) {
        startSingle(heads);
      } else {
        openTree(heads, hashNow());
        addEventListener('hashchange', function () { openTree(heads, hashNow()); });
      }
    } else if (source) {
      startSource(source, '', hashNow());
      addEventListener('hashchange', function () {
        var index = rows.findIndex(function (row) { return row.id === hashNow(); });
        if (index >= 0 && index !== at) go(index);
      });
    }
    document.addEventListener('keydown', function (event) {
      var find = document.getElementById('find'), key = event.key;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target === find) {
        if (key === 'Escape') find.blur();
        if (key === 'Enter' && list.length) {
          find.blur();
          point(0);
        }
        return;
      }
      if (/^(BUTTON|A|SUMMARY)$/.test(event.target.tagName) && key === 'Enter') return;
      var done = false;
      if (key === 't') {
        document.getElementById('theme').click();
        done = true;
      } else if (view) {
        done = sourceKey(key);
      } else if (tree && key === '/') {
        find.focus();
        find.select();
        done = true;
      } else if (tree) {
        done = treeKey(key);
      }
      if (done) event.preventDefault();
    });
  }
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', start);
  else start();
})();
