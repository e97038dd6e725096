type Cell = string | number | boolean | null;

/**
 * A spreadsheet takes what begins with one of these for a formula, which could run commands or send data
 * away. Names are chosen by strangers, so such a text gets an apostrophe before it, which shows it as text.
 */
const formulaStart = /^[=+\-@\t\r\n＝＋－＠]/u;

const cellOf = (value: Cell): string => {
  if (value === null) return '';
  const text = String(value);
  const isText = typeof value === 'string';
  const safe = isText && formulaStart.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
};

/** By RFC 4180; the mark at its beginning tells spreadsheets that it is UTF-8. */
export const toCsv = (header: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  `\uFEFF${[header, ...rows].map((row) => `${row.map(cellOf).join(',')}\r\n`).join('')}`;
