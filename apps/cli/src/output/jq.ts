import { CommandError } from '../exit-codes.ts';
import { cleanLines, escapeControls } from './style.ts';

/** What a filter made of a value. */
type Filtered = {
  /** As `jq -r` prints it. */
  text: string;
  /** What stopped the filter, after that text. */
  failure?: CommandError;
};

/** Applies a filter; a terminal gets nothing that it would act on. */
export type JqFilter = (value: unknown, isForTerminal: boolean) => Filtered;

/** Refuses a mistyped filter at once, so that it never is found only after something was changed. */
export const compileJq = async (filter: string): Promise<JqFilter> => {
  const { loadJq } = await import('./jq-engine.ts');
  const jq = await loadJq();
  // Without any input jq compiles the filter, and runs it for nothing.
  const compiled = jq.raw('', filter);
  if (compiled.exitCode !== 0) {
    throw new CommandError('usage', `--jq: ${reasonOf(compiled.stderr)}`);
  }
  return (value, isForTerminal) => {
    const { stdout, stderr, exitCode } = jq.raw(JSON.stringify(value), filter, ['-c']);
    const lines = stdout === '' ? [] : stdout.split('\n');
    return {
      text: lines.map((line) => `${outputText(line, isForTerminal)}\n`).join(''),
      ...(exitCode !== 0 && { failure: stopped(stderr) }),
    };
  };
};

const stopped = (stderr: string): CommandError =>
  new CommandError('failure', `--jq: ${reasonOf(stderr)}`, [
    'The command itself was carried out; only its output could not be filtered.',
  ]);

/** `jq: error (at /dev/stdin:0): Cannot index number` → `Cannot index number`. */
const reasonOf = (stderr: string): string =>
  stderr
    .replace(/^jq: error( \(at [^)]*\))?: /gm, '')
    .replace(/\n?jq: \d+ compile errors?$/, '')
    .trim();

/** Without `-r` each output is one line of JSON, so that strings can be told from the rest. */
const outputText = (line: string, isForTerminal: boolean): string => {
  const isString = line.startsWith('"');
  const text = isString ? String(JSON.parse(line)) : line;
  if (!isForTerminal) return text;
  return isString ? cleanLines(text) : escapeControls(text);
};
