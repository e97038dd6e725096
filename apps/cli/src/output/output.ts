import { filterByJq, pickFields } from './json.ts';
import { formatRecord } from './record.ts';
import { createStyle, type Style } from './style.ts';

/** A stream of the process, as far as it is used. */
export type Stream = {
  isTTY?: boolean;
  columns?: number;
  write(text: string, done?: () => void): unknown;
};

type OutputOptions = {
  /** `true`: all fields. */
  json?: string | true;
  jq?: string;
  isQuiet: boolean;
  isColoured: boolean;
};

export type Output = {
  /** Programs read it: JSON on standard output, and nothing else there. */
  isJson: boolean;
  isQuiet: boolean;
  /** Of the terminal; 80 where there is none. */
  columns: number;
  style: Style;
  /** Style for standard error, which may be a terminal where standard output is none. */
  noteStyle: Style;
  /** The result of the command. `view` is how people see it; by default as lines of name and value. */
  show(value: unknown, view?: () => string): Promise<void>;
  /** One line of JSON about work under way, for programs; nothing for people. */
  emit(event: object): void;
  /** For people, on standard error, unless they want quiet. */
  note(text: string): void;
  /** Rewrites the last line of a terminal; nothing elsewhere. */
  status(text: string): void;
  /** Ends with a line break whatever `status` left. */
  endStatus(): void;
};

type Streams = { stdout: Stream; stderr: Stream; env: Record<string, string | undefined> };

export const openOutput = ({ stdout, stderr, env }: Streams, options: OutputOptions): Output => {
  const { json, jq, isQuiet } = options;
  const isJson = json !== undefined || jq !== undefined || !stdout.isTTY;
  const mayColour = options.isColoured && !env.NO_COLOR && env.TERM !== 'dumb';
  const style = createStyle(mayColour && stdout.isTTY === true);
  const columns = stdout.columns ?? stderr.columns ?? 80;
  const isLive = stderr.isTTY === true && !isQuiet && !(isJson && stdout.isTTY);
  let hasStatus = false;
  const endStatus = () => {
    if (hasStatus) stderr.write('\n');
    hasStatus = false;
  };
  return {
    ...{ isJson, isQuiet, columns, style, endStatus },
    noteStyle: createStyle(mayColour && stderr.isTTY === true),
    async show(value, view) {
      if (jq !== undefined) stdout.write(withBreak(await filterByJq(chosen(value, json), jq)));
      else if (isJson) stdout.write(`${toJson(chosen(value, json), stdout)}\n`);
      else stdout.write(withBreak((view ?? (() => formatRecord(value, { style, columns })))()));
    },
    emit(event) {
      // Who filters the result wants nothing else.
      if (isJson && !isQuiet && jq === undefined && typeof json !== 'string') {
        stdout.write(`${JSON.stringify(event)}\n`);
      }
    },
    note(text) {
      if (!isQuiet && (stderr.isTTY || !isJson)) stderr.write(`${text}\n`);
    },
    status(text) {
      if (!isLive) return;
      stderr.write(`\r\u001b[2K${text}`);
      hasStatus = true;
    },
  };
};

const chosen = (value: unknown, json: string | true | undefined): unknown =>
  typeof json === 'string' ? pickFields(value, json.split(',')) : value;

/** Indented where a person looks at it, on one line where a program reads it. */
const toJson = (value: unknown, { isTTY }: Stream): string =>
  JSON.stringify(value, undefined, isTTY ? 2 : undefined);

const withBreak = (text: string): string =>
  text === '' || text.endsWith('\n') ? text : `${text}\n`;
