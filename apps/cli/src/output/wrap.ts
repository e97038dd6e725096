import stringWidth from 'string-width';

/** Breaks a sentence between words; the lines after the first are indented. */
export const wrap = (text: string, columns: number, indent = 2): string => {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && stringWidth(longer) > columns) {
      lines.push(line);
      line = ' '.repeat(indent) + word;
    } else line = longer;
  }
  return [...lines, line].join('\n');
};
