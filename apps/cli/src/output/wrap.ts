import { textWidth } from './text-width.ts';

/**
 * Breaks a sentence between words; the lines after the first are indented. A command at its end gets a line of its
 * own and stays whole: broken in two it would be another one when it is copied.
 */
export const wrap = (text: string, columns: number, indent = 2): string => {
  const [, before, command] = /^(.*:) (holdfast .*)$/s.exec(text) ?? [];
  if (before === undefined || textWidth(text) <= columns) return wrapWords(text, columns, indent);
  return `${wrapWords(before, columns, indent)}\n${' '.repeat(indent)}${command}`;
};

const wrapWords = (text: string, columns: number, indent: number): string => {
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
