import type { JqFilter } from './jq.ts';
import { pickFields } from './json.ts';
import { formatRecord } from './record.ts';
import { cleanPainted, createStyle, escapeControls, type Style } from './style.ts';
import { wrap } from './wrap.ts';

/** A stream of the process, as far as it is used. */
export type Stream = {
  isTTY?: boolean;
  columns?: number;
  write(text: string, done?: () => void): unknown;
};

type OutputOptions = {
  /** `true`: all fields. */
  json?: string | true;
  filter?: JqFilter;
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
  /** What must not go unseen, such as a plan or a warning: on standard error, unless quiet is wanted. */
  note(text: string): void;
  /** How to go on, for people only. */
  hint(text: string): void;
  /** Rewrites the last line of a terminal; nothing elsewhere. */
  status(text: string): void;
  /** Ends with a line break whatever `status` left. */
  endStatus(): void;
};

type Streams = { stdout: Stream; stderr: Stream; env: Record<string, string | undefined> };

export const openOutput = ({ stdout, stderr, env }: Streams, options: OutputOptions): Output => {
  const { json, filter, isQuiet } = options;
  const isJson = json !== undefined || filter !== undefined || !stdout.isTTY;
  const mayColour = options.isColoured && hasColours(env);
  const style = createStyle(mayColour && stdout.isTTY === true);
  // A terminal that does not know its width says 0.
  const columns = stdout.columns || stderr.columns || 80;
  const isLive = stderr.isTTY === true && !isQuiet && !(isJson && stdout.isTTY);
  let hasStatus = false;
  const endStatus = () => {
    if (hasStatus) stderr.write('\n');
    hasStatus = false;
  };
  const note = (text: string) => {
    if (isQuiet) return;
    const lines = cleanPainted(text).split('\n');
    const fitted = stderr.isTTY ? lines.map((line) => wrap(line, columns)) : lines;
    stderr.write(`${fitted.join('\n')}\n`);
  };
  return {
    ...{ isJson, isQuiet, columns, style, endStatus, note },
    noteStyle: createStyle(mayColour && stderr.isTTY === true),
    async show(value, view) {
      const picked = typeof json === 'string' ? pickFields(value, json.split(',')) : value;
      if (filter) return showFiltered(filter, picked, stdout);
      if (isJson) stdout.write(`${toJson(picked, stdout)}\n`);
      else {
        const text = (view ?? (() => formatRecord(value, { style, columns })))();
        stdout.write(withBreak(cleanPainted(text)));
      }
    },
    emit(event) {
      // Who filters the result wants nothing else.
      if (isJson && !isQuiet && !filter && typeof json !== 'string') {
        stdout.write(`${jsonFor(stdout, JSON.stringify(event))}\n`);
      }
    },
    hint(text) {
      if (stderr.isTTY || !isJson) note(text);
    },
    status(text) {
      if (!isLive) return;
      stderr.write(`\r\u001b[2K${cleanPainted(text)}`);
      hasStatus = true;
    },
  };
};

/** Whether the environment lets terminals have colours. */
export const hasColours = (env: Streams['env']): boolean => !env.NO_COLOR && env.TERM !== 'dumb';

const showFiltered = (filter: JqFilter, value: unknown, stdout: Stream): void => {
  const { text, failure } = filter(value, stdout.isTTY === true);
  stdout.write(text);
  if (failure) throw failure;
};

/** Indented where a person looks at it, on one line where a program reads it. */
const toJson = (value: unknown, stdout: Stream): string =>
  jsonFor(stdout, JSON.stringify(value, undefined, stdout.isTTY ? 2 : undefined));

/** Exact for programs; nothing that acts for a terminal. */
export const jsonFor = ({ isTTY }: Stream, json: string): string =>
  isTTY ? escapeControls(json) : json;

const withBreak = (text: string): string =>
  text === '' || text.endsWith('\n') ? text : `${text}\n`;
