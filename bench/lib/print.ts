export const print = (line = ''): void => {
  process.stdout.write(`${line}\n`);
};

export const printTable = (head: readonly string[], rows: readonly (readonly string[])[]): void => {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    print(`  ${cells.map((cell, column) => pad(cell, widths[column] ?? 0, column)).join('  ')}`);
  line(head);
  line(widths.map((width) => '-'.repeat(width)));
  for (const row of rows) line(row);
};

/** The first column is words, all others are numbers. */
const pad = (cell: string, width: number, column: number): string =>
  column === 0 ? cell.padEnd(width) : cell.padStart(width);

export const milliseconds = (value: number): string => `${value.toFixed(2)} ms`;
export const seconds = (valueMs: number): string => `${(valueMs / 1000).toFixed(1)} s`;

export const verdict = (isReached: boolean): string => (isReached ? 'reached' : 'MISSED');
