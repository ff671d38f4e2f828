// Draws the stacks as boxes: the wider, the more bytes. A click zooms in.
(function () {
  'use strict';
  var HEIGHT = 19, NARROW = 0.06, LETTER = 7.3; // pixels, percent, pixels
  function node(name, parent) {
    return {name: name, parent: parent, bytes: 0, count: 0, children: new Map(), hit: false};
  }
  var root = node('all', null), zoomed = root, word = '';
  var graph = document.getElementById('graph'), detail = document.getElementById('detail');
  var find = document.getElementById('find'), found = document.getElementById('found');
  JSON.parse(document.getElementById('stacks').textContent).forEach(function (stack) {
    if (!stack) return;
    var at = root, last = stack.length - 1;
    root.bytes += stack[0];
    root.count += stack[1];
    for (var i = 2; i <= last; i++) {
      var key = (i === last ? 'c' : 'm') + stack[i], next = at.children.get(key);
      if (!next) {
        next = node(stack[i], at);
        next.leaf = i === last;
        at.children.set(key, next);
      }
      next.bytes += stack[0];
      next.count += stack[1];
      at = next;
    }
  });
  function number(n) { return n.toLocaleString('en'); }
  function share(n) { return root.bytes ? (100 * n / root.bytes).toFixed(2) + ' %' : '0 %'; }
  function text(n) {
    return n.name + ': ' + number(n.bytes) + ' bytes (' + share(n.bytes) + '), ' +
        number(n.count) + ' objects';
  }
  // Without the package where the whole name does not fit.
  function label(n, width) {
    var fits = n.name.length * LETTER <= graph.clientWidth * width / 100;
    return fits ? n.name : n.name.replace(/^(?:[a-z_][^.]*\.)+(?=[A-Z])/, '');
  }
  function color(n) {
    var hash = 0;
    for (var i = 0; i < n.name.length; i++) hash = (hash * 31 + n.name.charCodeAt(i)) >>> 0;
    return n.leaf ? 'hsl(' + (195 + hash % 30) + ' 70% ' + (66 + hash % 12) + '%)'
        : 'hsl(' + (18 + hash % 36) + ' 85% ' + (62 + hash % 14) + '%)';
  }
  var order = [];
  function box(n, depth, left, width, above) {
    if (width < NARROW) return depth;
    var element = document.createElement('div');
    element.textContent = width > 1 ? label(n, width) : '';
    element.title = text(n);
    element.tabIndex = 0;
    element.style.left = left + '%';
    element.style.width = width + '%';
    element.style.top = depth * HEIGHT + 'px';
    element.style.background = color(n);
    if (above) element.classList.add('above');
    if (n.hit) element.classList.add('hit');
    element.dataset.index = order.length;
    order.push(n);
    graph.appendChild(element);
    return depth + 1;
  }
  function draw() {
    var path = [], deepest = 0, todo = [];
    order = [];
    graph.textContent = '';
    for (var n = zoomed.parent; n; n = n.parent) path.unshift(n);
    path.forEach(function (n, depth) { box(n, depth, 0, 100, true); });
    todo.push([zoomed, path.length, 0]);
    while (todo.length) {
      var item = todo.pop(), at = item[0], left = item[2];
      var width = zoomed.bytes ? 100 * at.bytes / zoomed.bytes : at === zoomed ? 100 : 0;
      var depth = box(at, item[1], left, width, false);
      if (depth === item[1]) continue;
      if (depth > deepest) deepest = depth;
      Array.from(at.children.values()).sort(function (a, b) {
        return b.bytes - a.bytes;
      }).forEach(function (child) {
        todo.push([child, depth, left]);
        left += zoomed.bytes ? 100 * child.bytes / zoomed.bytes : 0;
      });
    }
    graph.style.height = deepest * HEIGHT + 'px';
    detail.textContent = text(zoomed);
  }
  function search() {
    var bytes = 0, todo = [[root, false]];
    word = find.value.trim().toLowerCase();
    while (todo.length) {
      var item = todo.pop(), n = item[0];
      n.hit = word !== '' && n !== root && n.name.toLowerCase().indexOf(word) >= 0;
      if (n.hit && !item[1]) bytes += n.bytes;
      n.children.forEach(function (child) { todo.push([child, item[1] || n.hit]); });
    }
    found.textContent = word === '' ? ''
        : number(bytes) + ' bytes (' + share(bytes) + ') match';
    draw();
  }
  function node_of(event) {
    var index = event.target.dataset ? event.target.dataset.index : undefined;
    return index === undefined ? null : order[index];
  }
  function zoom(event) {
    var n = node_of(event);
    if (!n) return;
    zoomed = n;
    draw();
  }
  graph.addEventListener('click', zoom);
  graph.addEventListener('keydown', function (event) {
    if (event.key === 'Enter') zoom(event);
  });
  graph.addEventListener('mouseover', function (event) {
    var n = node_of(event);
    if (n) detail.textContent = text(n);
  });
  document.getElementById('reset').addEventListener('click', function () {
    zoomed = root;
    find.value = '';
    search();
  });
  find.addEventListener('input', search);
  draw();
})();
