import {
  createHoldfast,
  type Holdfast,
  type HoldfastOptions,
  type RawRequest,
  sendRawRequest,
} from '@holdfast/sdk';
import { clientOptions } from './auth/client-options.ts';
import { type Connection, findConnection } from './auth/connection.ts';
import { CommandError } from './exit-codes.ts';
import type { Io } from './io.ts';
import { colourAttribute, textOf } from './option-values.ts';
import type { JqFilter } from './output/jq.ts';
import { type Output, openOutput } from './output/output.ts';
import { clean } from './output/style.ts';
import { ask } from './prompt.ts';
import { waitNotices } from './wait-notice.ts';

/** What a command works with. */
export type Context = {
  io: Io;
  output: Output;
  /** Whether somebody is there to answer. */
  isInteractive: boolean;
  /** On standard error, for people and logs, unless they want quiet. */
  warn(text: string): void;
  /** The service and the key, whether there is one or not. */
  connection(): Promise<Connection>;
  /** The client, signed in. */
  holdfast(): Promise<Holdfast>;
  /** Any request, signed in. */
  request(request: RawRequest): Promise<unknown>;
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
  const warn = (text: string): void => {
    if (!output.isQuiet) io.stderr.write(`${clean(text)}\n`);
  };
  // Found once: it may warn, and a keychain may ask for a password.
  let found: Promise<Connection> | undefined;
  const connection = () => {
    found ??= findConnection(io.env, choice, warn);
    return found;
  };
  const signedIn = async (): Promise<HoldfastOptions> => {
    const { url, key } = await connection();
    if (key === undefined) throw notSignedIn(await connection());
    return { ...clientOptions(io.env, { url, key }), ...waitNotices(io, output) };
  };
  return {
    ...{ io, output, isInteractive, warn, connection },
    holdfast: async () => createHoldfast(await signedIn()),
    request: async (request) => sendRawRequest(await signedIn(), request),
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

const notSignedIn = ({ url, keyFrom }: Connection): CommandError =>
  new CommandError('notSignedIn', `You are not signed in at ${url}: ${keyFrom} has no key for it`, [
    'Sign in: holdfast login',
    'In scripts, set HOLDFAST_API_KEY and HOLDFAST_URL.',
  ]);
