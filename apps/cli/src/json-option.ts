import type { CommandSpec } from './command.ts';
import { CommandError } from './exit-codes.ts';

/**
 * The word after `--json` is taken for fields if it names at least one: in `servers get --json Harbour`
 * it is the server.
 */
export const separateJson = (spec: CommandSpec | undefined, argv: string[]): string[] =>
  argv.map((word, index) => {
    if (word !== '--json') return word;
    const names = fieldNames(argv[index + 1] ?? '');
    const namesSome = names.some((name) => spec?.outputFields?.includes(name));
    return namesSome ? word : '--json=';
  });

export const wordAfterJson = (argv: string[]): string | undefined => {
  const index = argv.indexOf('--json');
  return index === -1 ? undefined : argv[index + 1];
};

/** Refuses fields that the result cannot have, and names those that it has. */
export const checkFields = (spec: CommandSpec | undefined, given: string | undefined): void => {
  const known = spec?.outputFields ?? [];
  if (!given || given.startsWith('-') || known.length === 0) return;
  const unknown = fieldNames(given).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  throw new CommandError('usage', `--json: there is no field ${unknown.join(', ')}`, [
    `There are: ${known.join(', ')}`,
  ]);
};

/** `name,_count.members` → `name` and `_count`. */
const fieldNames = (list: string): string[] =>
  list.split(',').map((field) => field.split('.')[0] ?? '');
