import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { closeDatabase, connectDatabase } from '../apps/server/src/db/connect.ts';
import { makeUpMembers, storeMadeUpMembers } from '../apps/server/src/features/members/seed.ts';
import { parseKeyRing } from '../apps/server/src/kernel/seal.ts';
import { askSimulatorForTokens } from '../apps/server/src/main/simulator-tokens.ts';
import { newSnowflake } from './backups-guilds.ts';
import { createBot, createServer } from './contents.ts';
import { type Listener, startListener } from './processes.ts';
import { type PullRun, readPulls } from './pulls-queries.ts';
import { writeEverythingOut } from './queries.ts';
import { createWorld, type Tenant, type World } from './world.ts';

/** A server with a bot of its own, and so with a bucket of its own. */
export type PulledServer = { serverId: string; guildId: string; tenant: Tenant };

/** One process serves, another one works: the memory of a worker is told apart. */
export type PullsWorld = World & {
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

export const createPullsWorld = async (): Promise<PullsWorld> => {
  const world = await createWorld({ ROLE: 'api' });
  const { env, databaseUrl, sql } = world;
  try {
    const worker = await startListener('service', {
      ...{ ...env, ROLE: 'worker', DATABASE_URL: databaseUrl },
    });
    const stop = async () => {
      await worker.stop();
      await world.stop();
    };
    return {
      ...{ ...world, worker, stop, addServer: serverMaker(world) },
      begin: async ({ serverId, tenant }) =>
        (await post(world, tenant, `/servers/${serverId}/pull`)).id,
      async cancel({ tenant }, pullId) {
        await post(world, tenant, `/pulls/${pullId}/cancel`);
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
    await world.stop();
    throw error;
  }
};

const isEnded = (run: PullRun): run is EndedPull => run.completedAt !== null;

let lastClientId = 0;

const serverMaker = (world: World) => async (tenant: Tenant, members: number) => {
  lastClientId += 1;
  const botId = await createBot(world, tenant, lastClientId);
  const guildId = newSnowflake();
  const serverId = await createServer(world, tenant, botId, guildId);
  const place = { id: serverId, accountId: tenant.accountId, botId, clientId: String(lastClientId) };
  await fill(world, place, members);
  return { serverId, guildId, tenant };
};

type Place = { id: string; accountId: string; botId: string; clientId: string };

const membersAtATime = 10_000;

const fill = async ({ databaseUrl, env, sql }: World, place: Place, count: number) => {
  const keys = await readFile(join(env.DATA_DIR ?? '', 'master.keys'), 'utf8');
  const ring = parseKeyRing(keys.trim());
  const askForTokens = askSimulatorForTokens(new URL(env.PLATFORM_API_URL ?? '').origin, ring);
  const options = { name: 'holdfast-bench', poolSize: 1, statementTimeoutMs: 0 };
  const db = connectDatabase(databaseUrl, options);
  for (let first = 0; first < count; first += membersAtATime) {
    const last = Math.min(first + membersAtATime, count) - 1;
    const crowd = { first, last, count, pullable: count };
    const madeUp = await makeUpMembers(crowd, place.clientId, askForTokens);
    await db.transaction((tx) => storeMadeUpMembers(tx, place, madeUp));
  }
  await closeDatabase(db);
  if (count >= membersAtATime) await writeEverythingOut(sql);
};

const answered = z.object({ data: z.object({ id: z.string() }) });

/** Changes of one account take turns: who is asked to come back later does so. */
const post = async (world: World, tenant: Tenant, path: string): Promise<{ id: string }> => {
  const answer = await fetch(`${world.service.url}/api/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tenant.key}` },
  });
  if (answer.status === 429) {
    await Bun.sleep(Number(answer.headers.get('retry-after')) * 1000);
    return post(world, tenant, path);
  }
  if (!answer.ok) throw new Error(`POST ${path}: ${await answer.text()}`);
  return answered.parse(await answer.json()).data;
};
