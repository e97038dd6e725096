import { allCommands } from './commands/all.ts';
import { createContext } from './context.ts';
import { candidatesFor } from './docs/completion.ts';
import { exitCodes } from './exit-codes.ts';
import type { Io } from './io.ts';
import { failureJson, failureOf, failureText } from './output/failure.ts';
import { createStyle } from './output/style.ts';
import { parseArguments, specOf } from './parse.ts';

/** Runs what was typed and returns the exit code. */
export const run = async (argv: string[], io: Io): Promise<number> => {
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
    await spec.run({ args, options, context: createContext(io, options) });
    await flush(io);
    return exitCodes.ok.code;
  } catch (error) {
    const placeOf = specOf(specs, argv)?.placeOf ?? ((field) => field);
    const failure = failureOf(error, placeOf);
    io.stderr.write(
      `${wantsJson(argv) ? failureJson(failure) : failureText(failure, styleOf(io, argv), io.stderr.columns ?? 1000)}\n`,
    );
    await flush(io);
    return exitCodes[failure.exit].code;
  }
};

/** Also where the arguments could not be parsed. */
const wantsJson = (argv: string[]): boolean => argv.some((word) => /^--(json|jq)(=|$)/.test(word));

const styleOf = ({ stderr, env }: Io, argv: string[]) =>
  createStyle(stderr.isTTY === true && !env.NO_COLOR && !argv.includes('--no-color'));

/** A pipe may take the rest later than the process would end. */
const flush = async ({ stdout, stderr }: Io): Promise<void> => {
  for (const stream of [stdout, stderr]) {
    await new Promise<void>((resolve) => stream.write('', () => resolve()));
  }
};
