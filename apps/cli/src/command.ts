import type { Context } from './context.ts';
import { colourAttribute } from './option-values.ts';

export type ArgumentSpec = {
  name: string;
  description: string;
  isOptional?: boolean;
  /** For completion. */
  values?: string[];
};

export type OptionSpec = {
  /** As commander reads it, such as `-y, --yes` or `--name <text>`. */
  flags: string;
  description: string;
  /** For completion; the service decides what it accepts. */
  values?: string[];
  /** May be given several times; the values are collected. */
  isRepeatable?: boolean;
  /** The name it has in `Invocation.options`, where it is not made of its flag. */
  attribute?: string;
};

export type Example = { does: string; line: string };

/** One command as data. */
export type CommandSpec = {
  /** `['login']`, or group and verb: `['backups', 'create']`. */
  words: string[];
  summary: string;
  description?: string;
  arguments?: ArgumentSpec[];
  options?: OptionSpec[];
  examples?: Example[];
  /** The fields that `--json` can choose; without them its next word is never taken for fields. */
  outputFields?: string[];
  /** The flag or argument by which a field of the API is given, to print its mistakes there. */
  placeOf?(field: string): string;
  run(invocation: Invocation): Promise<void>;
};

/** What was typed after the command's words. */
export type Invocation = {
  context: Context;
  args: string[];
  /** By the option's name in camel case. */
  options: Record<string, unknown>;
};

/** Every command has these. */
export const commonOptions: OptionSpec[] = [
  { flags: '--json [fields]', description: 'print JSON, of all fields or of these' },
  {
    flags: '--jq <filter>',
    description:
      'print what this filter makes of the JSON, strings as they are; jq 1.8 is built in, without modules and variables of the environment',
  },
  { flags: '-q, --quiet', description: 'print the result only: no notes, no progress' },
  {
    flags: '--no-color',
    description: 'no colours; so does NO_COLOR',
    attribute: colourAttribute,
  },
  { flags: '--profile <name>', description: 'sign in as this profile' },
  { flags: '--url <url>', description: 'where the service is; so does HOLDFAST_URL' },
];

export const yesOption: OptionSpec = { flags: '-y, --yes', description: 'do not ask' };
export const dryRunOption: OptionSpec = {
  flags: '--dry-run',
  description: 'show what would be done, and change nothing',
};
export const noWaitOption: OptionSpec = {
  flags: '--no-wait',
  description: 'begin it and return at once',
};

export const serverArgument: ArgumentSpec = {
  name: 'server',
  description: 'name or id of the server',
};
