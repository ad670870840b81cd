/** The only script of the page: shows the anchor of the map that is pointed at, or reached by the arrow keys. */
export const SCRIPT = `
const data = JSON.parse(document.getElementById("map-data").textContent);
const map = document.getElementById("map");
const ring = document.getElementById("map-ring");
const details = document.getElementById("map-details");
let current = -1;
function line(tag, text, name) {
  const element = document.createElement(tag);
  element.textContent = text;
  if (name) element.className = name;
  return element;
}
function show(index) {
  if (index < 0 || index === current) return;
  current = index;
  const [x, y, topic, chosen, best, near] = data.points[index];
  ring.setAttribute("cx", x);
  ring.setAttribute("cy", y);
  ring.setAttribute("visibility", "visible");
  const table = document.createElement("table");
  const head = table.createTHead().insertRow();
  for (const title of ["model", "expected quality"]) head.append(line("th", title));
  const body = table.createTBody();
  for (const [model, quality, error] of best) {
    const row = body.insertRow();
    const name = row.insertCell();
    name.append(line(model === chosen ? "strong" : "span", data.models[model]));
    row.insertCell().textContent = quality.toFixed(3) + " ± " + error.toFixed(3);
  }
  const around = near.map(([other, share]) => data.topics[other] + " " + Math.round(100 * share) + " %").join(", ");
  details.replaceChildren(
    line("h3", data.topics[topic]),
    line("p", "Would answer: " + data.models[chosen]),
    table,
    line("p", "Nearest anchors: " + around, "muted"),
  );
}
function nearest(x, y, accepts) {
  let found = -1;
  let least = Infinity;
  data.points.forEach((point, index) => {
    const [dx, dy] = [point[0] - x, point[1] - y];
    if (accepts && !accepts(dx, dy)) return;
    const distance = dx * dx + dy * dy;
    if (distance < least) [found, least] = [index, distance];
  });
  return found;
}
const point = (event) => {
  const box = map.getBoundingClientRect();
  const view = map.viewBox.baseVal;
  show(nearest(((event.clientX - box.left) * view.width) / box.width, ((event.clientY - box.top) * view.height) / box.height));
};
map.addEventListener("pointermove", point);
map.addEventListener("pointerdown", point);
const directions = {
  ArrowRight: (dx, dy) => dx > Math.abs(dy),
  ArrowLeft: (dx, dy) => -dx > Math.abs(dy),
  ArrowDown: (dx, dy) => dy > Math.abs(dx),
  ArrowUp: (dx, dy) => -dy > Math.abs(dx),
};
map.addEventListener("keydown", (event) => {
  const accepts = directions[event.key];
  if (!accepts) return;
  event.preventDefault();
  const view = map.viewBox.baseVal;
  if (current < 0) show(nearest(view.width / 2, view.height / 2));
  else show(nearest(data.points[current][0], data.points[current][1], accepts));
});
map.addEventListener("focus", () => {
  if (current < 0) show(nearest(map.viewBox.baseVal.width / 2, map.viewBox.baseVal.height / 2));
});
`;
