import { Command, CommanderError, Option, type OutputConfiguration } from 'commander';
import { type CommandSpec, commonOptions, type OptionSpec } from './command.ts';
import { CommandError } from './exit-codes.ts';
import type { Io } from './io.ts';
import { checkFields, separateJson, wordAfterJson } from './json-option.ts';
import { textOf } from './option-values.ts';

type Parsed = { spec: CommandSpec; args: string[]; options: Record<string, unknown> };

const intro = [
  'Holdfast in the terminal.',
  'Sign in with "holdfast login", then try "holdfast servers list". Into a pipe every command prints JSON. A server is given by its name or its id.',
].join('\n\n');

/** What was typed, or undefined if help was asked for and has been printed. */
export const parseArguments = async (
  specs: CommandSpec[],
  argv: string[],
  { stdout, stderr }: Pick<Io, 'stdout' | 'stderr'>,
): Promise<Parsed | undefined> => {
  let parsed: Parsed | undefined;
  const program = buildProgram(specs, argv, (found) => {
    parsed = found;
  });
  const spec = specOf(specs, argv);
  const mistakes: string[] = [];
  configure(program, {
    writeOut: (text) => stdout.write(text),
    writeErr: (text) => mistakes.push(text),
    getOutHelpWidth: () => stdout.columns || 80,
    getErrHelpWidth: () => stderr.columns || 80,
  });
  try {
    await program.parseAsync(separateJson(spec, argv), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.excessArguments') checkFields(spec, wordAfterJson(argv));
    // Without a verb the help of the group is printed, as what went wrong.
    if (error.code === 'commander.help') stdout.write(mistakes.join(''));
    else if (error.exitCode !== 0) throw usageError(mistakes, argv);
  }
  // A dry run shows the request, whose fields are others.
  if (parsed && parsed.options.dryRun !== true) {
    checkFields(parsed.spec, textOf(parsed.options.json));
  }
  return parsed;
};

/** Subcommands made by `addCommand` do not inherit it. */
const configure = (command: Command, output: OutputConfiguration): void => {
  command.exitOverride().configureOutput(output);
  for (const inner of command.commands) configure(inner, output);
};

const usageError = (mistakes: string[], argv: string[]): CommandError => {
  const text = mistakes
    .join('')
    .replace(/^error: /, '')
    .trim();
  const [mistake = 'Wrong usage', ...hints] = text.split('\n');
  const words = argv.filter((word) => /^[a-z]/.test(word)).slice(0, 1);
  return new CommandError('usage', mistake, [
    ...hints,
    `See: holdfast ${[...words, '--help'].join(' ')}`,
  ]);
};

const headings = { tasks: 'Tasks:', resources: 'Everything the API offers:' };

const buildProgram = (
  specs: CommandSpec[],
  argv: string[],
  onParsed: (parsed: Parsed) => void,
): Command => {
  const program = new Command('holdfast')
    .description(intro)
    .helpCommand(false)
    .option('-V, --version', 'print the version')
    .addHelpText('after', '\nExit codes and recipes: docs/cli.md, or man holdfast.');
  for (const name of new Set(specs.map(({ words }) => words[0] ?? ''))) {
    const commands = specs.filter(({ words }) => words[0] === name);
    const [only] = commands;
    if (only?.words.length === 1) {
      program.addCommand(buildCommand(only, onParsed).helpGroup(headings.tasks));
      continue;
    }
    const group = new Command(name).helpCommand(false).helpGroup(headings.resources);
    group.description(commands.map(({ words }) => words[1]).join(', '));
    // Options of other groups are of no use now.
    if (argv.includes(name)) {
      for (const spec of commands) group.addCommand(buildCommand(spec, onParsed));
    } else group.action(() => undefined);
    program.addCommand(group);
  }
  return program;
};

const buildCommand = (spec: CommandSpec, onParsed: (parsed: Parsed) => void): Command => {
  const { words, summary, description, arguments: args = [], options = [], examples = [] } = spec;
  const command = new Command(words.at(-1) ?? '')
    .summary(summary)
    .description(description === undefined ? `${summary}.` : `${summary}. ${description}`);
  for (const { name, description, isOptional } of args) {
    command.argument(isOptional ? `[${name}]` : `<${name}>`, description);
  }
  for (const option of options) command.addOption(buildOption(option));
  command.optionsGroup('Common options:');
  for (const option of commonOptions) command.addOption(buildOption(option));
  if (examples.length > 0) {
    const lines = examples.map(({ does, line }) => `  # ${does}\n  ${line}`);
    command.addHelpText('after', `\nExamples:\n${lines.join('\n')}`);
  }
  return command.allowExcessArguments(false).action(() => {
    onParsed({ spec, args: command.args, options: command.opts() });
  });
};

/** The name under which the parser returns an option. */
export const attributeOf = ({ flags, attribute }: OptionSpec): string =>
  attribute ?? new Option(flags).attributeName();

const buildOption = (spec: OptionSpec): Option => {
  const { flags, description, isRepeatable } = spec;
  const option = new Option(flags, description);
  option.attributeName = () => attributeOf(spec);
  return isRepeatable
    ? option.argParser((value: string, previous: string[] | undefined) => [
        ...(previous ?? []),
        value,
      ])
    : option;
};

/** The command whose words come first among what is not an option. */
export const specOf = (specs: CommandSpec[], argv: string[]): CommandSpec | undefined => {
  const words = argv.filter((word) => !word.startsWith('-'));
  return specs.find((spec) => spec.words.every((word, index) => words[index] === word));
};
