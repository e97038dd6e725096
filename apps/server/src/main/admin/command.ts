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

type Option = { name: string; description: string; isRequired: boolean };

export type Command = {
  summary: string;
  options: Option[];
  run(context: CommandContext, given: Record<string, string | undefined>): Promise<object>;
};

/** One of the operator's commands: its options are described in `shape`, for `--help`. */
export const command = <Shape extends z.ZodRawShape>(
  summary: string,
  shape: Shape,
  run: (context: CommandContext, given: z.output<z.ZodObject<Shape>>) => Promise<object>,
): Command => {
  const given = z.object(shape);
  return {
    summary,
    options: Object.entries(given.shape).map(([name, option]) => ({
      name,
      description: z.globalRegistry.get(option)?.description ?? '',
      isRequired: !z.safeParse(option, undefined).success,
    })),
    run: (context, values) => run(context, given.parse(values)),
  };
};

export const wholeNumber = z.string().regex(/^\d+$/, 'Must be a whole number').transform(Number);

export const pageOptions = {
  page: wholeNumber.pipe(z.int().min(1)).default(1).describe('which page, counted from 1'),
  limit: wholeNumber.pipe(z.int().min(1).max(1000)).default(100).describe('entries to a page'),
};

export const paginated = (asked: { page: number; limit: number }, total: number) => ({
  pagination: { ...asked, total, totalPages: Math.ceil(total / asked.limit) },
});
