import type { Command } from './command.ts';

const call = 'npm run --silent admin --';

/** What `--help` prints, for people. */
export const helpOfAll = (commands: Record<string, Command>): string =>
  [
    `Usage: ${call} <command> [options]`,
    '',
    "Commands for the operator, run beside the service on the service's own database. The result is",
    'JSON on standard output; a refusal is one line on standard error and a non-zero exit.',
    '',
    ...inColumns(Object.entries(commands).map(([name, { summary }]) => [name, summary])),
    '',
    `${call} <command> --help lists the options of one.`,
  ].join('\n');

export const helpOfOne = (name: string, { summary, options }: Command): string =>
  [
    `Usage: ${[`${call} ${name}`, ...options.map(usageOf)].join(' ')}`,
    '',
    summary,
    ...(options.length > 0
      ? ['', ...inColumns(options.map((one) => [`--${one.name}`, one.description]))]
      : []),
  ].join('\n');

const usageOf = ({ name, isRequired, isFlag }: Command['options'][number]): string => {
  const option = isFlag ? `--${name}` : `--${name} …`;
  return isRequired ? option : `[${option}]`;
};

const inColumns = (rows: [string, string][]): string[] => {
  const width = Math.max(...rows.map(([left]) => left.length)) + 2;
  return rows.map(([left, right]) => `  ${left.padEnd(width)}${right}`);
};
