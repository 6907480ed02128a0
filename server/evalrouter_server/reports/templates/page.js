"use strict";
const search = document.getElementById("search"), selects = document.querySelectorAll("select[data-field]");
if (search) {
  const rows = Array.from(document.querySelectorAll("[data-row]"));
  const texts = new Map();
  const textOf = (row) => {
    if (!texts.has(row)) texts.set(row, row.textContent.toLowerCase());
    return texts.get(row);
  };
  for (const select of selects) {
    const values = new Set(rows.map((row) => row.dataset[select.dataset.field]));
    values.delete("");
    for (const value of [...values].sort()) select.add(new Option(value, value));
    select.hidden = values.size < 2;
  }
  const filter = () => {
    const words = search.value.toLowerCase();
    let shown = 0;
    for (const row of rows) {
      const fits = Array.from(selects).every((select) => !select.value || row.dataset[select.dataset.field] === select.value);
      row.hidden = !(fits && (!words || textOf(row).includes(words)));
      shown += !row.hidden;
    }
    document.getElementById("shown").textContent = shown + " of " + rows.length + " shown";
  };
  let waiting;
  search.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(filter, 150); });
  for (const select of selects) select.addEventListener("change", filter);
  filter();
}
