import { keyRules } from '../auth/connection.ts';
import { type CommandSpec, commonOptions } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { environment } from './environment.ts';
import { usageOf } from './reference.ts';

/** The man page, as troff. */
export const manPage = (specs: CommandSpec[], version: string): string => {
  const lines = [
    `.TH HOLDFAST 1 "" "holdfast ${version}" "User Commands"`,
    '.SH NAME',
    'holdfast \\- back up, protect and recover communities from the terminal',
    '.SH SYNOPSIS',
    '.B holdfast',
    '.I command',
    '[\\fIarguments\\fR] [\\fIoptions\\fR]',
    '.SH DESCRIPTION',
    text('People get tables, a pipe gets JSON. A server is given by its name or its id.'),
    text('holdfast <command> --help shows the options and examples of each command.'),
    '.SH COMMANDS',
    ...specs.flatMap((spec) => ['.TP', `.B ${text(usageOf(spec))}`, text(spec.summary)]),
    '.SH OPTIONS',
    ...commonOptions.flatMap(({ flags, description }) => [
      '.TP',
      `.B ${text(flags)}`,
      text(description),
    ]),
    '.SH ENVIRONMENT',
    ...environment.flatMap(([name, meaning]) => ['.TP', `.B ${name}`, text(meaning)]),
    '.PP',
    text(keyRules),
    '.SH EXIT STATUS',
    ...Object.values(exitCodes).flatMap(({ code, meaning }) => [
      '.TP',
      `.B ${code}`,
      text(meaning),
    ]),
  ];
  return `${lines.join('\n')}\n`;
};

/** Dashes are minus signs, which can be copied; a dot or quote at the start would be a request. */
const text = (words: string): string =>
  words
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/, '\\&$1');
