import { keyRules } from '../auth/connection.ts';
import { type CommandSpec, commonOptions } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
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

const environment: [string, string][] = [
  ['HOLDFAST_API_KEY', 'the key, for the service at HOLDFAST_URL'],
  ['HOLDFAST_URL', 'where the service is'],
  ['HOLDFAST_PROFILE', 'the profile, unless --profile names one'],
  ['HOLDFAST_ALLOW_HTTP', '1 to send HOLDFAST_API_KEY to another machine without encryption'],
  ['HOLDFAST_TIMEOUT', 'seconds to wait for an answer; 15 by default'],
  ['XDG_CONFIG_HOME', 'profiles are kept in its folder holdfast; ~/.config by default'],
  ['NO_COLOR', 'no colours'],
];

/** Dashes are minus signs, which can be copied; a dot or quote at the start would be a request. */
const text = (words: string): string =>
  words
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/, '\\&$1');
