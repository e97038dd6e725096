/**
 * Code as a reader has to type it: commands and settings break only between their words, and of a block every
 * line is an element of its own, so that a line that wraps can be told from the next.
 */
export const withCode = (html: string): string =>
  html
    .replaceAll(
      /<code>([^<]*)<\/code>/g,
      (_, text: string) => `<code>${withWholeWords(text)}</code>`,
    )
    .replaceAll(/(<pre><code[^>]*>)(.*?)(<\/code><\/pre>)/gs, (_, start, text: string, end) => {
      const lines = text.replace(/\n$/, '').split('\n');
      return `${start}${lines.map((line) => `<span class="line">${line}</span>`).join('')}${end}`;
    });

/** So many characters fit into a line of a phone, and into a column of a table where there is more room. */
const most = { phone: 28, column: 44 };

const withWholeWords = (text: string): string =>
  text
    .split(/(\s+)/)
    .map((word) => {
      if (/^\s*$/.test(word)) return word;
      if (word.length <= most.phone) return `<span class="whole">${word}</span>`;
      const breakable = word.includes('/') ? word : word.replaceAll('_', '_<wbr>');
      return word.length <= most.column ? `<span class="long">${breakable}</span>` : breakable;
    })
    .join('');
