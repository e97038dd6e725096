import { createHoldfast, type Holdfast } from '@holdfast/sdk';
import { type Connection, findConnection } from './auth/connection.ts';
import { CommandError } from './exit-codes.ts';
import type { Io } from './io.ts';
import { colourAttribute, textOf } from './option-values.ts';
import type { JqFilter } from './output/jq.ts';
import { type Output, openOutput } from './output/output.ts';
import { clean } from './output/style.ts';
import { ask } from './prompt.ts';

/** What a command works with. */
export type Context = {
  io: Io;
  output: Output;
  /** Whether somebody is there to answer. */
  isInteractive: boolean;
  /** The service and the key, whether there is one or not. */
  connection(): Promise<Connection>;
  /** The client, signed in. */
  holdfast(): Promise<Holdfast>;
  /** Asks before something is destroyed; the answer must be `word`, or yes if there is none. */
  confirm(question: string, word?: string): Promise<void>;
  /** A command to type next, at the same service and as the same profile. */
  lineFor(command: string): string;
};

export const createContext = (
  io: Io,
  options: Record<string, unknown>,
  filter?: JqFilter,
): Context => {
  const output = openOutput(io, {
    json: options.json === true || options.json === '' ? true : textOf(options.json),
    filter,
    isQuiet: options.quiet === true,
    isColoured: options[colourAttribute] !== false,
  });
  const isInteractive = io.stdin.isTTY === true && io.stderr.isTTY === true;
  const choice = { profile: textOf(options.profile), url: textOf(options.url) };
  const connection = () => findConnection(io.env, choice);
  return {
    ...{ io, output, isInteractive, connection },
    async holdfast() {
      const { url, key } = await connection();
      if (key === undefined) throw notSignedIn(url);
      return createHoldfast({ baseUrl: url, key });
    },
    async confirm(question, word) {
      if (options.yes === true) return;
      if (!isInteractive) {
        throw new CommandError('usage', `${question} Nobody is there to confirm it`, [
          'Add --yes if you mean it.',
        ]);
      }
      // As it is shown, since what is shown can be typed.
      const asked = clean(word ?? '').trim() || 'yes';
      const answer = await ask(io, `${question} Type ${asked}: `);
      if (answer.trim() !== asked) throw new CommandError('failure', 'Nothing was done');
    },
    lineFor: (command) => ['holdfast', command, ...connectionFlags(choice)].join(' '),
  };
};

const connectionFlags = ({ profile, url }: { profile?: string; url?: string }): string[] => [
  ...(profile === undefined ? [] : ['--profile', shellWord(profile)]),
  ...(url === undefined ? [] : ['--url', shellWord(url)]),
];

const shellWord = (word: string): string =>
  /^[\w.:/@-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

const notSignedIn = (url: string): CommandError =>
  new CommandError('notSignedIn', `You are not signed in at ${url}`, [
    'Sign in: holdfast login',
    'In scripts, set HOLDFAST_API_KEY and HOLDFAST_URL.',
  ]);
