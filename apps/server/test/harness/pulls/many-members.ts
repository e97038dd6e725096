import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../../../src/db/connect.ts';
import { storeFirstTokens } from '../../../src/features/vault/tokens/store.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { type KeyRing, parseKeyRing } from '../../../src/kernel/seal.ts';
import { Secret } from '../../../src/kernel/secret.ts';
import { createBot, createServer } from '../bots-and-servers.ts';
import { insertMembers } from '../members.ts';
import { randomPlatformId, type Tenant } from '../service.ts';
import type { TestSimulator } from '../simulator/start.ts';

/** A server and the bot that its members gave their tokens to. */
export type PullServer = {
  owner: Tenant;
  serverId: string;
  guildId: string;
  botId: string;
  /** The bot's id on the platform. */
  clientId: string;
};

export type MemberWithToken = { id: string; platformId: string; refreshToken: string };

/** By what a service process seals, and the platform that it speaks to. */
type MemberDependencies = {
  db: Database;
  ring: KeyRing;
  simulator: Pick<TestSimulator, 'control'>;
};

/** The ring that a service made in its data folder. */
export const readRing = async (dataDir: string): Promise<KeyRing> =>
  parseKeyRing((await readFile(join(dataDir, 'master.keys'), 'utf8')).trim());

export const newPullServer = async (owner: Tenant): Promise<PullServer> => {
  const clientId = randomPlatformId();
  const botToken = `${btoa(clientId)}.token-value`;
  const botId = await createBot(owner, { clientId, botToken });
  const guildId = randomPlatformId();
  const serverId = await createServer(owner, { platformGuildId: guildId, customBotId: botId });
  return { owner, serverId, guildId, botId, clientId };
};

const scopes = ['identify', 'guilds.join'];
type Pair = { access_token: string; refresh_token: string; expires_in: number };

const atOnce = 2000;

/**
 * Members whose tokens the platform knows. Each was verified a minute before the one before, so that they
 * are called in this order.
 */
export const addManyMembers = async (
  dependencies: MemberDependencies,
  server: PullServer,
  count: number,
): Promise<MemberWithToken[]> => {
  const added: MemberWithToken[] = [];
  while (added.length < count) {
    const some = Math.min(atOnce, count - added.length);
    added.push(...(await addMembersAfter(added.length, dependencies, server, some)));
  }
  return added;
};

const addMembersAfter = async (
  earlier: number,
  { db, ring, simulator }: MemberDependencies,
  server: PullServer,
  count: number,
): Promise<MemberWithToken[]> => {
  const { owner, botId, clientId } = server;
  const platformIds = Array.from({ length: count }, randomPlatformId);
  const request = { clientId, userIds: platformIds, scopes };
  const pairs: Pair[] = await simulator.control('POST', '/tokens', request);
  const people = pairs.map((pair, at) => ({ ...pair, platformId: platformIds[at] ?? '' }));
  const given = people.map(({ platformId, ...pair }) => ({
    ...{ platformId, scopes, accessToken: new Secret(pair.access_token) },
    refreshToken: new Secret(pair.refresh_token),
    expiresAt: new Date(Date.now() + pair.expires_in * 1000),
  }));
  const tokenOwner = { accountId: owner.accountId, botId };
  await db.transaction((tx) =>
    storeFirstTokens(tx, { ring, clock: systemClock }, tokenOwner, given),
  );
  const now = Date.now();
  const rows = platformIds.map((platformId, at) => {
    const verifiedAt = new Date(now - (earlier + at + 1) * 60_000);
    return {
      platformId,
      botId,
      tokenStatus: 'VALID' as const,
      consentedAt: verifiedAt,
      verifiedAt,
    };
  });
  const members = await insertMembers(db, server, ...rows);
  return members.map(({ id, platformId }, at) => ({
    ...{ id, platformId },
    refreshToken: people[at]?.refresh_token ?? '',
  }));
};
