/** US dollars with two to four significant digits: whole ones from a hundred on, cents from one on, below without an exponent. */
export function usd(value: number): string {
  if (value <= 0) return value === 0 ? "$0" : `−${usd(-value)}`;
  if (value >= 99.995) return `$${Math.round(value).toLocaleString("en")}`;
  const digits = Math.min(12, Math.max(2, 2 - Math.floor(Math.log10(value))));
  return `$${value.toFixed(digits).replace(/(\.\d\d\d*?)0+$/, "$1")}`;
}
