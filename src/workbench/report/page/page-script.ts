import { pointDetails, selectOnMap } from "../map-selection.js";

/** The only script of the page: shows the details of the anchor that is selected on the map. */
export const SCRIPT = `
const data = JSON.parse(document.getElementById("map-data").textContent);
const details = document.getElementById("map-details");
function built({ tag, attributes, content }) {
  const found = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) found.setAttribute(name, value);
  found.append(...content.map((part) => (typeof part === "string" ? part : built(part))));
  return found;
}
const detailsOf = ${pointDetails};
(${selectOnMap})({
  svg: document.getElementById("map"),
  ring: document.getElementById("map-ring"),
  points: data.map,
  onSelect: (index) => details.replaceChildren(...detailsOf(data, index).map(built)),
});
`;
