import { expect, test } from 'bun:test';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type KeyScope, type PlanName, planNames } from '@holdfast/contract';
import { SQL } from 'bun';
import { closeDatabase, connectDatabase } from '../../src/db/connect.ts';
import { mintKeyFor } from '../../src/features/keys/mint.ts';
import { findOrCreateUser, setPlan } from '../../src/features/accounts/queries.ts';
import { type AnswerCheck, sharedAnswerCheck } from '../answer-check.ts';
import { type CallOptions, type Reply, randomPlatformId, type Tenant } from '../harness.ts';
import { runAdmin, type ServiceProcess, startProcess } from '../process.ts';

type Environment = Record<string, string>;

const processes: ServiceProcess[] = [];
const folders: string[] = [];
const connections: SQL[] = [];
/** By the address of a service, what its answers are held against. */
const answerChecks = new Map<string, AnswerCheck>();

/**
 * The real service, ended with the scene whatever the tests did. Its answers to `request` are held against
 * the document that the service serves.
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

/** Ends what the scene began: connections, processes, folders. */
export const endScene = async (): Promise<void> => {
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

/** A new folder that PostgreSQL's own user may pass through. */
export const makeFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-scene-'));
  await chmod(folder, 0o711);
  folders.push(folder);
  return folder;
};

/** A PLANS_FILE under which nobody is held up, but for the plans that `rates` names. */
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

export type Minted = { key: string; keyId: string; accountId: string; platformId: string };

type Wish = { plan?: PlanName; scopes?: KeyScope[]; platformId?: string };

/** A key as the operator mints one. */
export const mintKeyByCommand = async (env: Environment, wish: Wish = {}): Promise<Minted> => {
  const { plan = 'ENTERPRISE', scopes = ['*'], platformId = randomPlatformId() } = wish;
  const who = ['--platform-id', platformId, '--plan', plan, '--scopes', scopes.join(',')];
  const made = await runAdmin(env, 'create-key', ...who, '--name', 'scene');
  if (made.exitCode !== 0) throw new Error(`No key: ${made.stderr}`);
  return { ...JSON.parse(made.stdout), platformId };
};

/** The same without the cost of a process, where the command itself is not what is shown. */
export const mintKey = async (databaseUrl: string, wish: Wish = {}): Promise<Minted> => {
  const { plan = 'ENTERPRISE', scopes = ['*'], platformId = randomPlatformId() } = wish;
  const db = connectDatabase(databaseUrl, { name: 'holdfast-scene', poolSize: 1 });
  const minted = await db.transaction(async (tx) => {
    const { id: accountId } = await findOrCreateUser(tx, platformId);
    await setPlan(tx, accountId, plan);
    const key = { name: 'scene', scopes, expiresAt: null };
    const { key: text, id } = await mintKeyFor(tx, accountId, { type: 'SYSTEM', id: null }, key);
    return { key: text, keyId: id, accountId, platformId };
  });
  await closeDatabase(db);
  return minted;
};

/** The account as it talks to one process. */
export const tenantAt = (url: string, minted: Minted): Tenant => ({
  ...minted,
  call: (method, path, { headers, ...rest } = {}) =>
    request(url, method, path, {
      ...rest,
      headers: { authorization: `Bearer ${minted.key}`, ...headers },
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

/** How long `work` took, beside what it gave. */
export const timed = async <T>(work: () => Promise<T>): Promise<{ result: T; tookMs: number }> => {
  const startedAt = performance.now();
  const result = await work();
  return { result, tookMs: performance.now() - startedAt };
};

/** Whether that process runs; one that is dead but not yet buried does not. */
export const isAlive = (pid: number): boolean => {
  const { stdout } = Bun.spawnSync(['ps', '-o', 'stat=', '-p', String(pid)]);
  return /^[^ZX]/.test(stdout.toString().trim());
};

/** Skipped by name where the machine lacks `what`; where everything must be shown, it fails. */
export const testWith = (what: string, isThere: boolean) => {
  const mustRun = process.env.CI === 'true';
  if (isThere || !mustRun) return test.skipIf(!isThere);
  return (name: string, _run: () => unknown, timeoutMs?: number) =>
    test(name, () => expect(`${what} on this machine`).toBe('there'), timeoutMs);
};
