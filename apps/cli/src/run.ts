import { allCommands } from './commands/all.ts';
import { createContext } from './context.ts';
import { candidatesFor } from './docs/completion.ts';
import { exitCodes } from './exit-codes.ts';
import type { Io } from './io.ts';
import { textOf } from './option-values.ts';
import { type Failure, failureJson, failureOf, failureText } from './output/failure.ts';
import { compileJq } from './output/jq.ts';
import { hasColours, jsonFor } from './output/output.ts';
import { createStyle } from './output/style.ts';
import { loadTextWidth } from './output/text-width.ts';
import { parseArguments, specOf } from './parse.ts';

/** Runs what was typed and returns the exit code. */
export const run = async (argv: string[], io: Io): Promise<number> => {
  if (io.stdout.isTTY || io.stderr.isTTY) await loadTextWidth();
  const specs = allCommands();
  if (argv[0] === '__complete') {
    const candidates = candidatesFor(specs, argv.slice(1));
    io.stdout.write(
      candidates.map(({ word, description }) => `${word}\t${description}\n`).join(''),
    );
    await flush(io);
    return exitCodes.ok.code;
  }
  try {
    const parsed = await parseArguments(specs, argv, io);
    if (!parsed) return exitCodes.ok.code;
    const { spec, args, options } = parsed;
    const jq = textOf(options.jq);
    const filter = jq === undefined ? undefined : await compileJq(jq);
    await spec.run({ args, options, context: createContext(io, options, filter) });
    await flush(io);
    return exitCodes.ok.code;
  } catch (error) {
    const placeOf = specOf(specs, argv)?.placeOf ?? ((field) => field);
    const failure = failureOf(error, placeOf);
    printFailure(failure, io, argv);
    await flush(io);
    return exitCodes[failure.exit].code;
  }
};

const printFailure = (failure: Failure, io: Io, argv: string[]): void => {
  const { stdout, stderr } = io;
  // Who looks at the differences needs no line that says there are some.
  if (failure.exit === 'drift' && stdout.isTTY) return;
  const text = wantsJson(argv)
    ? jsonFor(stderr, failureJson(failure))
    : failureText(failure, styleOf(io, argv), stderr.columns || 1000);
  stderr.write(`${text}\n`);
};

/** Also where the arguments could not be parsed. */
const wantsJson = (argv: string[]): boolean => argv.some((word) => /^--(json|jq)(=|$)/.test(word));

const styleOf = ({ stderr, env }: Io, argv: string[]) =>
  createStyle(stderr.isTTY === true && hasColours(env) && !argv.includes('--no-color'));

/** A pipe may take the rest later than the process would end. */
const flush = async ({ stdout, stderr }: Io): Promise<void> => {
  for (const stream of [stdout, stderr]) {
    await new Promise<void>((resolve) => stream.write('', () => resolve()));
  }
};
