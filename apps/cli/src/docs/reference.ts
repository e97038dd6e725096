import { type CommandSpec, commonOptions, type OptionSpec } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { environment } from './environment.ts';
import { recipes } from './recipes.ts';

/** docs/cli.md as the commands would have it now. */
export const cliReference = (specs: CommandSpec[]): string => {
  const tasks = specs.filter(({ words }) => words.length === 1);
  const operations = specs.filter(({ words }) => words.length > 1);
  const groups = [...new Set(operations.map(({ words }) => words[0] ?? ''))];
  return `${[
    '# The command line',
    'Written by `npm run docs` from the commands themselves; `holdfast <command> --help` shows the same.',
    recipes,
    '## Exit codes',
    table(
      ['Code', 'Meaning'],
      Object.values(exitCodes).map(({ code, meaning }) => [`${code}`, meaning]),
    ),
    '## Options of every command',
    optionTable(commonOptions),
    '## Variables of the environment',
    table(
      ['Variable', 'Meaning'],
      environment.map(([name, meaning]) => [`\`${name}\``, meaning]),
    ),
    'Which of them win, and which key is sent where: see [login](#login).',
    '## Tasks',
    ...tasks.map((spec) => section(spec, 3)),
    '## Everything the API offers',
    ...groups.flatMap((group) => [
      `### ${group}`,
      ...operations.filter(({ words }) => words[0] === group).map((spec) => section(spec, 4)),
    ]),
  ].join('\n\n')}\n`;
};

/** `holdfast backups get <server> <backup>`. */
export const usageOf = ({ words, arguments: args = [] }: CommandSpec): string =>
  [
    'holdfast',
    ...words,
    ...args.map(({ name, isOptional }) => (isOptional ? `[${name}]` : `<${name}>`)),
  ].join(' ');

const section = (spec: CommandSpec, level: number): string => {
  const { words, summary, description, arguments: args = [], options = [], examples = [] } = spec;
  return [
    `${'#'.repeat(level)} ${words.join(' ')}`,
    `\`${usageOf(spec)}\``,
    escaped(description === undefined ? `${summary}.` : `${summary}. ${description}`),
    args.length === 0
      ? ''
      : table(
          ['Argument', ''],
          args.map(({ name, description }) => [name, description]),
        ),
    options.length === 0 ? '' : optionTable(options),
    examples.length === 0
      ? ''
      : `\`\`\`sh\n${examples.map(({ does, line }) => `# ${does}\n${line}`).join('\n')}\n\`\`\``,
  ]
    .filter(Boolean)
    .join('\n\n');
};

const optionTable = (options: OptionSpec[]): string =>
  table(
    ['Option', ''],
    options.map(({ flags, description }) => [`\`${flags}\``, description]),
  );

const table = (headings: string[], rows: string[][]): string =>
  [headings, headings.map(() => '---'), ...rows.map((cells) => cells.map(escaped))]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');

/** Outside of code, `<` would begin HTML and `|` end a cell. */
const escaped = (text: string): string =>
  text
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll('<', '&lt;')))
    .join('')
    .replaceAll('|', '\\|');
