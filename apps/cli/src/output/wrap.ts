import { textWidth } from './text-width.ts';

/** Breaks a sentence between words; the lines after the first are indented. */
export const wrap = (text: string, columns: number, indent = 2): string => {
  const lead = text.length - text.trimStart().length;
  const [first = '', ...words] = text.trimStart().split(' ');
  const lines: string[] = [];
  let line = ' '.repeat(lead) + first;
  for (const word of words) {
    if (textWidth(`${line} ${word}`) > columns) {
      lines.push(line);
      line = ' '.repeat(lead + indent) + word;
    } else line = `${line} ${word}`;
  }
  return [...lines, line].join('\n');
};
