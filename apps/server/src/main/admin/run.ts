import { parseArgs } from 'node:util';
import { closeDatabase, connectDatabase } from '../../db/connect.ts';
import { isConnectionLost } from '../../db/failures.ts';
import { migrateDatabase } from '../../db/migrate.ts';
import { type Config, readConfig } from '../config.ts';
import { announceChanges } from '../live-pages.ts';
import { settleDataDir } from '../local-mode/data-dir.ts';
import { joinStorage } from '../storage.ts';
import type { DatabaseCommand, Given } from './command.ts';
import { commands } from './commands.ts';
import { helpOfAll, helpOfOne } from './help.ts';

/** Runs one of the operator's commands; gives what it prints, and throws what it refuses with. */
export const runAdminCommand = async (
  args: string[],
  env: Record<string, string | undefined>,
): Promise<string> => {
  const [name = '', ...rest] = args;
  if (isHelp(name)) return helpOfAll(commands);
  const chosen = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!chosen) {
    const known = Object.keys(commands).join(', ');
    throw new Error(`${name || 'Nothing'} is no command: ${known}. --help says what each does`);
  }
  if (rest.some(isHelp)) return helpOfOne(name, chosen);
  const options = Object.fromEntries(
    chosen.options.map(({ name, isFlag }) => [name, { type: typeOf(isFlag) }]),
  );
  const { values } = parseArgs({ args: rest, options, strict: true });
  if ('runAlone' in chosen) return chosen.runAlone(env, values);
  return JSON.stringify(await runOnDatabase(chosen, values, env));
};

const typeOf = (isFlag: boolean): 'boolean' | 'string' => (isFlag ? 'boolean' : 'string');

const lostWords =
  'The connection to the database was lost before its answer came: look whether the command was done, then run it again.';

const isHelp = (word: string): boolean => word === '--help' || word === '-h';

const runOnDatabase = async (
  chosen: DatabaseCommand,
  values: Given,
  env: Record<string, string | undefined>,
): Promise<object> => {
  const config = settleDataDir(readConfig(env));
  const storage = await joinStorage(config);
  try {
    return await runOn(storage.directUrl, config, chosen, values);
  } finally {
    await storage.close();
  }
};

const runOn = async (
  url: string,
  config: Config,
  chosen: DatabaseCommand,
  values: Given,
): Promise<object> => {
  const onWaiting = (message: string) => process.stderr.write(`${message}\n`);
  const applied = await migrateDatabase(url, { onWaiting });
  const announcer = announceChanges(() => db);
  const { announce: onChanged } = announcer;
  const session = { name: 'holdfast-admin', poolSize: 2, statementTimeoutMs: 0 };
  const db = connectDatabase(url, { ...session, onChanged });
  try {
    return await chosen.run({ db, url, config, applied }, values);
  } catch (error) {
    throw isConnectionLost(error) ? new Error(lostWords, { cause: error }) : error;
  } finally {
    await announcer.flush();
    await closeDatabase(db);
  }
};
