/** Ids, keys and ports: what differs between two runs of one build. */
const NAMES = [
  /pk_live_[0-9A-Za-z]{4,}/,
  /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/,
  /(?<![0-9A-Za-z])[0-7][0-9A-HJKMNP-TV-Z]{25}(?=\d{0,3}(?![0-9A-Za-z]))/,
  /(?<=127\.0\.0\.1:)\d+/,
];
const NAME = new RegExp(NAMES.map(({ source }) => source).join("|"), "g");

/** Replaces each id by its number in order of appearance: one object for one exchange, so that equal ids stay equal. */
export class Names {
  readonly #numbers = new Map<string, number>();

  replacedIn(text: string): string {
    return text.replaceAll(NAME, (name) => {
      const number = this.#numbers.get(name) ?? this.#numbers.size + 1;
      this.#numbers.set(name, number);
      return `<${number}>`;
    });
  }

  replaced(value: unknown): unknown {
    if (typeof value === "string") return this.replacedIn(value);
    // Sums of dollars differ in their last digits with the order of their terms.
    if (typeof value === "number") return Number(value.toPrecision(12));
    if (Array.isArray(value)) return value.map((item) => this.replaced(item));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [this.replacedIn(key), this.replaced(item)]),
    );
  }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** What measures the process, or counts what depends on its speed, such as how often this program asked for metrics. */
const UNSTEADY_METRIC = /^(?:# \w+ )?(?:process_|nodejs_|sextant_traces_total)|route="\/metrics"/;

/** A body as data: JSON, the events of a stream, metrics by name, or lines of text. */
export function bodyOf(text: string, contentType: string): unknown {
  const lines = () => text.split("\n").filter((line) => line !== "");
  if (contentType.includes("json") && !contentType.includes("jsonl")) return parsed(text);
  if (contentType.includes("event-stream")) {
    const events = text.split("\n\n").filter((event) => event !== "");
    return events.map((event) =>
      event.split("\n").map((line) => (line.startsWith("data: ") ? parsed(line.slice(6)) : line)),
    );
  }
  if (!text.startsWith("# HELP ")) return lines().map(parsed);
  const metrics = lines().filter((line) => !UNSTEADY_METRIC.test(line));
  return Object.fromEntries(metrics.sort().map((line) => [line.slice(0, line.lastIndexOf(" ")), line]));
}
