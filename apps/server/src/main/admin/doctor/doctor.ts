/**
 * `admin doctor`: looks at everything the service depends on, from the machine and with the settings that
 * it is run with, and changes nothing. Each file beside this one holds the checks of one subject;
 * `finding.ts` runs them all at once, each within its own time.
 */
import { closeDatabase, connectDatabase, type Database } from '../../../db/connect.ts';
import { redactedMessage } from '../../../kernel/describe-error.ts';
import { type Config, readConfig } from '../../config.ts';
import { settleDataDir } from '../../local-mode/data-dir.ts';
import { planProcesses } from '../../processes/plan-processes.ts';
import { joinStorage } from '../../storage.ts';
import { CommandFailed, flag, type StandaloneCommand, standaloneCommand } from '../command.ts';
import { addressChecks } from './address.ts';
import { billingCheck } from './billing.ts';
import { databaseChecks, judgeServer, type OpenDatabase } from './database.ts';
import { type Check, type Finding, NotChecked, ok, problem, runChecks } from './finding.ts';
import { platformChecks } from './platform.ts';
import { processChecks } from './processes.ts';
import { describeServer } from './queries.ts';
import { replicaChecks } from './replica.ts';
import { serviceChecks } from './services.ts';
import { storageChecks } from './storage.ts';

export const doctor: StandaloneCommand = standaloneCommand(
  'Check everything the service depends on, and say what to do about what is not in order. Changes nothing; exits with 1 where there is a problem.',
  { json: flag.describe('print the findings as JSON') },
  async (env, { json }) => {
    const findings = await examine(env);
    const isWell = findings.every(({ state }) => state !== 'problem');
    const text = json ? JSON.stringify({ isWell, findings }) : format(findings);
    if (isWell) return text;
    throw new CommandFailed(text);
  },
);

type Environment = Record<string, string | undefined>;

const examine = async (env: Environment): Promise<Finding[]> => {
  let config: Config;
  try {
    config = settleDataDir(readConfig(env));
  } catch (error) {
    // The message names settings and what is expected of them, never their values.
    const message = error instanceof Error ? error.message : String(error);
    const advice = 'Correct them first: nothing else was checked. .env.example explains each.';
    return [{ check: 'settings', ...problem(message.replace(/\s*\n\s*/g, ' '), advice) }];
  }
  const database = openOnce(config);
  try {
    return await runChecks(listChecks(config, database));
  } finally {
    await database.close();
  }
};

const listChecks = (config: Config, { open, check }: ReturnType<typeof openOnce>): Check[] => [
  { name: 'settings', run: async () => [ok('all can be read')] },
  check,
  ...databaseChecks(open, { url: config.databaseUrl, dbPool: poolOfOne(config) }),
  ...replicaChecks(open, config.databaseReplicaUrl),
  ...storageChecks(open, config),
  ...serviceChecks(open, config),
  ...platformChecks(open, config),
  billingCheck(config),
  ...addressChecks(config),
  ...processChecks(open),
];

/** Processes at one port divide it. */
const poolOfOne = (config: Config): number =>
  Math.ceil(config.dbPool / planProcesses(config).count);

const connectWithinMs = 8000;

/** The first check finds out whether the database answers; the others use what it opened. */
const openOnce = (config: Config) => {
  let close = async () => undefined as unknown;
  const connect = async (): Promise<Database> => {
    const storage = await joinStorage(config);
    const db = connectDatabase(storage.directUrl, { name: 'holdfast-admin', poolSize: 2 });
    close = async () => {
      await Promise.race([closeDatabase(db), Bun.sleep(1000)]);
      await storage.close();
    };
    return db;
  };
  const connected = connect();
  const described = connected.then(describeServer);
  // Both are awaited by several checks, or by none where the first is late.
  described.catch(() => undefined);
  const late = Bun.sleep(connectWithinMs).then(() =>
    Promise.reject(new Error('no answer in time')),
  );
  late.catch(() => undefined);
  const open: OpenDatabase = async () => {
    await Promise.race([described, late]).catch(() => {
      throw new NotChecked('The database does not answer: see the finding about it.');
    });
    return connected;
  };
  const check: Check = {
    name: 'database',
    run: async () => [await Promise.race([described, late]).then(judgeServer, unreachable)],
  };
  return { open, check, close: () => close() };
};

const unreachable = (error: unknown) =>
  problem(
    `it does not answer: ${error instanceof Error ? redactedMessage(error) : 'no reason given'}`,
    'Check DATABASE_URL, whether PostgreSQL runs, and whether this machine reaches it.',
  );

const width = 'warning'.length;

const format = (findings: Finding[]): string => {
  const lines = findings.map(({ state, check, detail, advice }) => {
    const line = `${state.padEnd(width)}  ${check}: ${detail}`;
    return advice === null ? line : `${line}\n${' '.repeat(width + 2)}${advice}`;
  });
  const count = (state: Finding['state']) => findings.filter((one) => one.state === state).length;
  const summary = `ok: ${count('ok')}, warnings: ${count('warning')}, problems: ${count('problem')}`;
  return [...lines, '', summary].join('\n');
};
