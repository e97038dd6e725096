/** Wide ones are scrolled, by keyboard too. */
const tableRegion = 'class="table" role="region" aria-label="Table" tabindex="0"';

/** Every cell says what its column is: on a phone a row is shown as a block. */
export const withTables = (html: string): string =>
  html
    .replaceAll(/<table>.*?<\/table>/gs, (table) => {
      const labels = [...table.matchAll(/<th>(.*?)<\/th>/gs)].map(([, label = '']) =>
        textOf(label),
      );
      return `<div ${tableRegion}>${withLabels(table, labels)}</div>`;
    })
    // A heading without a word tells a screen reader nothing.
    .replaceAll('<th></th>', '<td></td>');

const withLabels = (table: string, labels: readonly string[]): string =>
  table.replaceAll(/<tr>.*?<\/tr>/gs, (row) => {
    const [start = '', ...cells] = row.split('<td>');
    const labelled = cells.map((cell, index) => `<td data-label="${labels[index] ?? ''}">${cell}`);
    return [start, ...labelled].join('');
  });

const textOf = (html: string): string => html.replaceAll(/<[^>]+>/g, '').replaceAll('"', '&quot;');
