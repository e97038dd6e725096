type Paint = (text: string) => string;

export type Style = Record<'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan', Paint>;

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

export const createStyle = (isColoured: boolean): Style => {
  const paint =
    (code: number): Paint =>
    (text) =>
      isColoured ? `\u001b[${code}m${text}\u001b[0m` : text;
  return {
    bold: paint(codes.bold),
    dim: paint(codes.dim),
    red: paint(codes.red),
    green: paint(codes.green),
    yellow: paint(codes.yellow),
    cyan: paint(codes.cyan),
  };
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is removed
const harmful = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Names come from other people: an escape sequence in one must not move the cursor or hide text, and
 * a line break must not begin a line of its own.
 */
export const clean = (text: string): string =>
  text.replace(/[\r\n\t]+/g, ' ').replace(harmful, '\ufffd');
