import { expect, test } from 'bun:test';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type KeyScope, type PlanName, planNames } from '@holdfast/contract';
import { SQL } from 'bun';
import { closeDatabase, connectDatabase } from '../../src/db/connect.ts';
import { findOrCreateAccount, setPlan } from '../../src/features/accounts/queries.ts';
import { createApiKey } from '../../src/features/keys/queries.ts';
import { type AnswerCheck, sharedAnswerCheck } from './answer-check.ts';
import { type CallOptions, type Reply, randomPlatformId, type Tenant } from './service.ts';
import { runAdmin, type ServiceProcess, startProcess } from './service-process.ts';

type Environment = Record<string, string>;

const processes: ServiceProcess[] = [];
const folders: string[] = [];
const connections: SQL[] = [];
/** The check of answers for each service, by its URL. */
const answerChecks = new Map<string, AnswerCheck>();

/**
 * The real service, stopped by `stopServices`. Its answers to `request` are checked against the OpenAPI
 * document that it serves.
 */
export const startService = async (env: Environment): Promise<ServiceProcess> => {
  const service = await startProcess(env);
  processes.push(service);
  // A worker serves none.
  if (env.ROLE === 'worker') return service;
  const readServed = async () =>
    (await fetch(`${service.url}/openapi.json`, { keepalive: false })).text();
  answerChecks.set(service.url, await sharedAnswerCheck(readServed));
  return service;
};

/** Closes the connections, stops the processes and deletes the folders of this file. */
export const stopServices = async (): Promise<void> => {
  answerChecks.clear();
  for (const sql of connections.splice(0)) await sql.close({ timeout: 0 });
  const left = processes.splice(0);
  for (const service of left) service.kill('SIGTERM');
  await Promise.all(left.map((service) => endWithin(8000, service)));
  const made = folders.splice(0);
  await Promise.all(made.map((folder) => rm(folder, { recursive: true, force: true })));
};

const endWithin = async (patienceMs: number, service: ServiceProcess): Promise<void> => {
  const late = setTimeout(() => service.kill('SIGKILL'), patienceMs);
  await service.exited;
  clearTimeout(late);
};

/** A new folder that PostgreSQL's user may enter. */
export const makeFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-fixture-'));
  await chmod(folder, 0o711);
  folders.push(folder);
  return folder;
};

/** A PLANS_FILE without rate limits, except for the plans in `rates`. */
export const makePlansFile = async (rates: Partial<Record<PlanName, number>> = {}) => {
  const file = join(await makeFolder(), 'plans.json');
  const cells = planNames.map((plan) => [plan, { apiRatePerTenSeconds: rates[plan] ?? 1_000_000 }]);
  await writeFile(file, JSON.stringify(Object.fromEntries(cells)));
  return file;
};

/** A connection of the test's own to the service's database. */
export const connectSql = (url: string): SQL => {
  const sql = new SQL(url, { max: 2 });
  connections.push(sql);
  return sql;
};

export type CreatedKey = { key: string; keyId: string; accountId: string; platformId: string };

type KeyInput = { plan?: PlanName; scopes?: KeyScope[]; platformId?: string };

/** Creates a key by the operator's command. */
export const createKeyByCommand = async (
  env: Environment,
  input: KeyInput = {},
): Promise<CreatedKey> => {
  const { plan = 'ENTERPRISE', scopes = ['*'], platformId = randomPlatformId() } = input;
  const who = ['--platform-id', platformId, '--plan', plan, '--scopes', scopes.join(',')];
  const made = await runAdmin(env, 'create-key', ...who, '--name', 'fixture');
  if (made.exitCode !== 0) throw new Error(`No key: ${made.stderr}`);
  const { userId: accountId, ...key } = JSON.parse(made.stdout);
  return { ...key, accountId, platformId };
};

/** Creates a key without the cost of a process. */
export const createKey = async (databaseUrl: string, input: KeyInput = {}): Promise<CreatedKey> => {
  const { plan = 'ENTERPRISE', scopes = ['*'], platformId = randomPlatformId() } = input;
  const db = connectDatabase(databaseUrl, { name: 'holdfast-fixture', poolSize: 1 });
  const created = await db.transaction(async (tx) => {
    const { id: accountId } = await findOrCreateAccount(tx, platformId);
    await setPlan(tx, accountId, plan);
    const key = { name: 'fixture', scopes, expiresAt: null };
    const { key: text, id } = await createApiKey(tx, accountId, { type: 'SYSTEM', id: null }, key);
    return { key: text, keyId: id, accountId, platformId };
  });
  await closeDatabase(db);
  return created;
};

/** The account as it talks to one process. */
export const tenantAt = (url: string, created: CreatedKey): Tenant => ({
  ...created,
  call: (method, path, { headers, ...rest } = {}) =>
    request(url, method, path, {
      ...rest,
      headers: { authorization: `Bearer ${created.key}`, ...headers },
    }),
});

/** One request over a connection of its own. */
export const request = async (
  url: string,
  method: string,
  path: string,
  { body, raw, headers }: CallOptions = {},
): Promise<Reply> => {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    body: raw ?? (body === undefined ? undefined : JSON.stringify(body)),
    keepalive: false,
    redirect: 'manual',
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  const { status, headers: sent } = response;
  const reply = { status, headers: sent, text, body: isJson && text ? JSON.parse(text) : {} };
  answerChecks.get(url)?.(method, path, reply);
  return reply;
};

/** The result of `work` and how long it took. */
export const timed = async <T>(work: () => Promise<T>): Promise<{ result: T; tookMs: number }> => {
  const startedAt = performance.now();
  const result = await work();
  return { result, tookMs: performance.now() - startedAt };
};

/** Whether that process runs; a zombie does not. */
export const isAlive = (pid: number): boolean => {
  const { stdout } = Bun.spawnSync(['ps', '-o', 'stat=', '-p', String(pid)]);
  return /^[^ZX]/.test(stdout.toString().trim());
};

/** Skips the test where the machine lacks `what`; in CI it fails instead. */
export const testWith = (what: string, isThere: boolean) => {
  const mustRun = process.env.CI === 'true';
  if (isThere || !mustRun) return test.skipIf(!isThere);
  return (name: string, _run: () => unknown, timeoutMs?: number) =>
    test(name, () => expect(`${what} on this machine`).toBe('there'), timeoutMs);
};
