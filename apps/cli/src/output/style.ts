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

/** What moves the cursor, hides text or turns its order round: C0, DEL, C1 and the controls of direction. */
const controls = '[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069]';
const harmful = new RegExp(controls, 'g');

/** For text of several lines: only what does harm is taken out. */
export const cleanLines = (text: string): string => text.replace(harmful, '\ufffd');

/**
 * Names come from other people: an escape sequence in one must not reach the terminal, and a line
 * break must not begin a line of its own. For one value: a cell, a name, a sentence.
 */
export const clean = (text: string): string =>
  cleanLines(text.replace(/[\r\n\t\u2028\u2029]+/g, ' '));

const ownPaint = Object.values(codes).join('|');
const harmfulOrPaint = new RegExp(`\\u001b\\[(?:0|${ownPaint})m|${controls}`, 'g');

/** The last door before a terminal: lines and colours of our own pass, in case a name was not cleaned. */
export const cleanPainted = (text: string): string =>
  text.replace(harmfulOrPaint, (found) => (found.length > 1 ? found : '\ufffd'));

/** The same JSON, with escapes for what a terminal would act on. */
export const escapeControls = (json: string): string =>
  json.replace(
    harmful,
    (control) => `\\u${(control.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
