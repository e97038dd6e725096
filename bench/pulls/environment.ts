import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { closeDatabase, connectDatabase } from '../../apps/server/src/db/connect.ts';
import {
  generateSeedMembers,
  storeSeedMembers,
} from '../../apps/server/src/features/members/seed/seed-members.ts';
import { systemClock } from '../../apps/server/src/kernel/clock.ts';
import { parseKeyRing } from '../../apps/server/src/kernel/seal.ts';
import { askSimulatorForTokens } from '../../apps/server/src/main/local-mode/simulator-client.ts';
import { createBot, createServer } from '../lib/contents.ts';
import { type Bench, startBench, type Tenant } from '../lib/environment.ts';
import { newSnowflake } from '../lib/guilds.ts';
import { type Listener, startListener } from '../lib/processes.ts';
import { writeEverythingOut } from '../lib/queries.ts';
import { type PullRun, readPulls } from './queries.ts';

/** A server with a bot of its own, and so with a bucket of its own. */
export type PulledServer = { serverId: string; guildId: string; tenant: Tenant };

/** One process serves, another one works: the memory of a worker is told apart. */
export type PullBench = Bench & {
  worker: Listener;
  /** All of whose members agreed, and gave tokens that the platform knows. */
  addServer(tenant: Tenant, members: number): Promise<PulledServer>;
  begin(server: PulledServer): Promise<string>;
  cancel(server: PulledServer, pullId: string): Promise<void>;
  untilEnded(pullIds: readonly string[]): Promise<EndedPull[]>;
};

export type EndedPull = PullRun & { completedAt: Date };

/** From the request to the end, and so with the wait for a worker. */
export const wallMs = ({ createdAt, completedAt }: EndedPull): number =>
  completedAt.getTime() - createdAt.getTime();

export const startPullBench = async (): Promise<PullBench> => {
  const bench = await startBench({ ROLE: 'api' });
  const { env, databaseUrl, sql } = bench;
  try {
    const worker = await startListener('service', {
      ...{ ...env, ROLE: 'worker', DATABASE_URL: databaseUrl },
    });
    const stop = async () => {
      await worker.stop();
      await bench.stop();
    };
    return {
      ...{ ...bench, worker, stop, addServer: serverMaker(bench) },
      begin: async ({ serverId, tenant }) =>
        (await post(bench, tenant, `/servers/${serverId}/pull`)).id,
      async cancel({ tenant }, pullId) {
        await post(bench, tenant, `/pulls/${pullId}/cancel`);
      },
      async untilEnded(pullIds) {
        for (;;) {
          const ended = (await readPulls(sql, pullIds)).filter(isEnded);
          if (ended.length === pullIds.length) return ended;
          await Bun.sleep(500);
        }
      },
    };
  } catch (error) {
    await bench.stop();
    throw error;
  }
};

const isEnded = (run: PullRun): run is EndedPull => run.completedAt !== null;

let lastClientId = 0;

const serverMaker = (bench: Bench) => async (tenant: Tenant, members: number) => {
  lastClientId += 1;
  const botId = await createBot(bench, tenant, lastClientId);
  const guildId = newSnowflake();
  const serverId = await createServer(bench, tenant, botId, guildId);
  const place = {
    id: serverId,
    accountId: tenant.accountId,
    botId,
    clientId: String(lastClientId),
  };
  await fill(bench, place, members);
  return { serverId, guildId, tenant };
};

type OwnedServer = { id: string; accountId: string; botId: string; clientId: string };

const membersAtATime = 10_000;

const fill = async ({ databaseUrl, env, sql }: Bench, place: OwnedServer, count: number) => {
  const keys = await readFile(join(env.DATA_DIR ?? '', 'master.keys'), 'utf8');
  const ring = parseKeyRing(keys.trim());
  const askForTokens = askSimulatorForTokens(new URL(env.PLATFORM_API_URL ?? '').origin, ring);
  const options = { name: 'holdfast-bench', poolSize: 1, statementTimeoutMs: 0 };
  const db = connectDatabase(databaseUrl, options);
  for (let first = 0; first < count; first += membersAtATime) {
    const last = Math.min(first + membersAtATime, count) - 1;
    const crowd = { first, last, count, pullable: count };
    const madeUp = await generateSeedMembers(systemClock, crowd, place.clientId, askForTokens);
    await db.transaction((tx) => storeSeedMembers(tx, place, madeUp));
  }
  await closeDatabase(db);
  if (count >= membersAtATime) await writeEverythingOut(sql);
};

const answered = z.object({ data: z.object({ id: z.string() }) });

/** Changes of one account are serialized: retries when it is told to. */
const post = async (bench: Bench, tenant: Tenant, path: string): Promise<{ id: string }> => {
  const answer = await fetch(`${bench.service.url}/api/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tenant.key}` },
  });
  if (answer.status === 429) {
    await Bun.sleep(Number(answer.headers.get('retry-after')) * 1000);
    return post(bench, tenant, path);
  }
  if (!answer.ok) throw new Error(`POST ${path}: ${await answer.text()}`);
  return answered.parse(await answer.json()).data;
};
