import { z } from 'zod';
import type { Database } from '../../db/connect.ts';
import type { Config } from '../config.ts';

/** The database of the running service, and its settings. */
export type CommandContext = {
  db: Database;
  url: string;
  config: Config;
  /** How many migrations the database got before the command ran. */
  applied: number;
};

type Environment = Record<string, string | undefined>;
/** As they were given, before the command's own shapes parse them. */
export type Given = Record<string, unknown>;

type Option = {
  name: string;
  description: string;
  isRequired: boolean;
  /** Given without a value. */
  isFlag: boolean;
};

type Described = { summary: string; options: Option[] };

/** Runs on the migrated database of the service; its result is printed as JSON. */
export type DatabaseCommand = Described & {
  run(context: CommandContext, given: Given): Promise<object>;
};

/** Runs also where there is no database, or another version's; its text is printed. */
export type StandaloneCommand = Described & {
  runAlone(env: Environment, given: Given): Promise<string>;
};

export type Command = DatabaseCommand | StandaloneCommand;

/** One of the operator's commands: its options are described in `shape`, for `--help`. */
export const command = <Shape extends z.ZodRawShape>(
  summary: string,
  shape: Shape,
  run: (context: CommandContext, given: z.output<z.ZodObject<Shape>>) => Promise<object>,
): DatabaseCommand => {
  const given = z.object(shape);
  const described = { summary, options: optionsOf(given.shape) };
  return { ...described, run: (context, values) => run(context, given.parse(values)) };
};

export const standaloneCommand = <Shape extends z.ZodRawShape>(
  summary: string,
  shape: Shape,
  run: (env: Environment, given: z.output<z.ZodObject<Shape>>) => Promise<string>,
): StandaloneCommand => {
  const given = z.object(shape);
  const described = { summary, options: optionsOf(given.shape) };
  return { ...described, runAlone: (env, values) => run(env, given.parse(values)) };
};

const optionsOf = (shape: z.ZodRawShape): Option[] =>
  Object.entries(shape).map(([name, option]) => ({
    name,
    description: z.globalRegistry.get(option)?.description ?? '',
    isRequired: !z.safeParse(option, undefined).success,
    isFlag: z.safeParse(option, true).success,
  }));

/** A command that did its work, with a bad result: what it says is its output, the exit code tells. */
export class CommandFailed extends Error {
  constructor(readonly output: string) {
    super('The command found a problem');
    this.name = 'CommandFailed';
  }
}

/** An option without a value. */
export const flag = z.boolean().default(false);

export const wholeNumber = z.string().regex(/^\d+$/, 'Must be a whole number').transform(Number);

export const pageOptions = {
  page: wholeNumber.pipe(z.int().min(1)).default(1).describe('which page, counted from 1'),
  limit: wholeNumber.pipe(z.int().min(1).max(1000)).default(100).describe('entries to a page'),
};

export const paginated = (asked: { page: number; limit: number }, total: number) => ({
  pagination: { ...asked, total, totalPages: Math.ceil(total / asked.limit) },
});
