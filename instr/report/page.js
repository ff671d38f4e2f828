// Sorts the table by the column whose head is clicked, and shows the rows whose names match.
(function () {
  'use strict';
  var table = document.getElementById('rows');
  if (!table) return;
  var body = table.tBodies[0], heads = table.tHead.rows[0].cells;
  var rows = Array.prototype.map.call(body.rows, function (row) {
    var keys = Array.prototype.map.call(row.cells, function (cell) {
      return cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v);
    });
    return {row: row, keys: keys, name: keys[0].toLowerCase()};
  });
  function sort(column) {
    var head = heads[column], now = head.getAttribute('aria-sort');
    var down = now ? now === 'ascending' : column > 0;
    for (var i = 0; i < heads.length; i++) heads[i].removeAttribute('aria-sort');
    head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
    rows.sort(function (a, b) {
      var x = a.keys[column], y = b.keys[column];
      var order = x < y ? -1 : x > y ? 1 : 0;
      return down ? -order : order;
    });
    var all = document.createDocumentFragment();
    rows.forEach(function (r) { all.appendChild(r.row); });
    body.appendChild(all);
  }
  Array.prototype.forEach.call(heads, function (head, column) {
    head.firstElementChild.addEventListener('click', function () { sort(column); });
  });
  var find = document.getElementById('find'), shown = document.getElementById('shown');
  function filter() {
    var words = find.value.toLowerCase().split(/\s+/), count = 0;
    rows.forEach(function (r) {
      var hit = words.every(function (w) { return r.name.indexOf(w) >= 0; });
      r.row.hidden = !hit;
      if (hit) count++;
    });
    shown.textContent = count.toLocaleString('en') + ' of ' +
        rows.length.toLocaleString('en') + ' ' + table.dataset.of;
  }
  find.addEventListener('input', filter);
  document.getElementById('search').hidden = false;
  filter();
})();
