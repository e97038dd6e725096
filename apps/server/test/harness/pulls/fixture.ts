import { expect } from 'bun:test';
import { eq } from 'drizzle-orm';
import { withdrawFromServer } from '../../../src/features/me/consent/withdraw.ts';
import type { PullPauses } from '../../../src/features/pulls/run/pull-run.ts';
import { memberTokens } from '../../../src/features/vault/table.ts';
import { storeTokens } from '../../../src/features/vault/tokens/store.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { Secret } from '../../../src/kernel/secret.ts';
import { createBot, createServer } from '../bots-and-servers.ts';
import { eventually } from '../eventually.ts';
import { insertMembers, type OwnedServer } from '../members.ts';
import { type OwnTenant, randomPlatformId, startTestService } from '../service.ts';
import { startTestSimulator } from '../simulator/start.ts';

type FixtureOptions = {
  doesWork?: boolean | string[];
  databaseUrl?: string;
  pullPauses?: PullPauses;
};

/** A server with its bot and its guild. */
export type PullServer = OwnedServer & {
  owner: OwnTenant;
  guildId: string;
  botId: string;
  /** The bot's id on the platform. */
  clientId: string;
};

export type PulledMember = { id: string; platformId: string };

type Logged = {
  method: string;
  path: string;
  route: string | null;
  status: number | null;
  applied: boolean;
  botId: string | null;
};

type MemberChanges = NonNullable<Parameters<typeof insertMembers>[2]>;

const memberRoute = '/guilds/:id/members/:id';

/** Servers whose members have tokens of the fixture's own simulator, and a worker that pulls them. */
export const startPullFixture = async ({ doesWork = true, ...options }: FixtureOptions = {}) => {
  const simulator = await startTestSimulator();
  const platformApiUrl = simulator.apiUrl;
  const service = await startTestService({ platformApiUrl, doesWork, ...options });
  const { db, ring, queue } = service;
  let lastMinute = 0;

  const newBot = async (owner: OwnTenant) => {
    const clientId = randomPlatformId();
    const botToken = `${btoa(clientId)}.token-value`;
    return { clientId, botId: await createBot(owner, { clientId, botToken }) };
  };

  const newServer = async (guild: object = {}, tenant?: OwnTenant): Promise<PullServer> => {
    const owner = tenant ?? (await service.newTenant());
    const guildId = randomPlatformId();
    await simulator.control('PUT', `/guilds/${guildId}`, guild);
    const bot = await newBot(owner);
    const changes = { platformGuildId: guildId, customBotId: bot.botId };
    return { owner, guildId, ...bot, serverId: await createServer(owner, changes) };
  };

  /** Tokens that the person gave to a bot, just now as far as anybody knows. */
  const giveTokens = async (
    { owner, botId, clientId }: Pick<PullServer, 'owner' | 'botId' | 'clientId'>,
    platformId: string,
  ) => {
    const scopes = ['identify', 'guilds.join'];
    const request = { clientId, userId: platformId, scopes };
    const pair = await simulator.control('POST', '/tokens', request);
    const given = {
      accessToken: new Secret(pair.access_token),
      refreshToken: new Secret(pair.refresh_token),
      scopes,
      expiresAt: new Date(Date.now() + pair.expires_in * 1000),
    };
    const tokenOwner = { accountId: owner.accountId, botId, platformId };
    await db.transaction((tx) => storeTokens(tx, { ring, clock: systemClock }, tokenOwner, given));
  };

  /** Each was verified a minute before the last: they are called in the order in which they are added. */
  const addMember = async (
    server: PullServer,
    changes: MemberChanges = {},
  ): Promise<PulledMember> => {
    const platformId = randomPlatformId();
    await giveTokens(server, platformId);
    const verifiedAt = new Date(Date.now() - ++lastMinute * 60_000);
    const consent = { tokenStatus: 'VALID' as const, consentedAt: verifiedAt, verifiedAt };
    const row = { platformId, botId: server.botId, ...consent, ...changes };
    const [member] = await insertMembers(db, server, row);
    if (!member) throw new Error('No member');
    return { id: member.id, platformId };
  };

  const read = async ({ owner }: Pick<PullServer, 'owner'>, pullId: string) =>
    (await owner.call('GET', `/api/v1/pulls/${pullId}`)).body.data;

  const log = (since = 0): Promise<Logged[]> => simulator.control('GET', `/log?since=${since}`);

  return {
    ...{ simulator, service, db, newBot, newServer, giveTokens, addMember, read, log },

    async addMembers(server: PullServer, count: number): Promise<PulledMember[]> {
      const members: PulledMember[] = [];
      for (let added = 0; added < count; added++) members.push(await addMember(server));
      return members;
    },

    /** One for each name, by which a test speaks of them. */
    async addNamed<Name extends string>(
      server: PullServer,
      ...names: Name[]
    ): Promise<Record<Name, PulledMember>> {
      const members: [string, PulledMember][] = [];
      for (const name of names) members.push([name, await addMember(server)]);
      // Its keys are the names.
      return Object.fromEntries(members) as Record<Name, PulledMember>;
    },

    /** So many calls that bring somebody in, in so long; all others are as free as always. */
    async slowDown(limit: number, perMs: number) {
      const wide = await simulator.control('GET', '/limits');
      const routes = { [`PUT ${memberRoute}`]: { limit, perMs } };
      await simulator.control('PUT', '/limits', { ...wide, routes });
      return { end: () => simulator.control('PUT', '/limits', wide) };
    },

    /** What happens to calls that bring somebody into this guild. */
    disturb: ({ guildId }: PullServer, fault: object) =>
      simulator.control('POST', '/faults', {
        match: { method: 'PUT', route: memberRoute, guildId },
        ...fault,
      }),

    untilProcessed: (server: PullServer, pullId: string, least: number) =>
      eventually(20_000, async () => {
        const pull = await read(server, pullId);
        expect(pull.processed).toBeGreaterThanOrEqual(least);
        return pull;
      }),

    /** What only the platform knows of a person: `{ tokenState, atGuildCap, unknown }`. */
    setPerson: ({ platformId }: PulledMember, state: object) =>
      simulator.control('PUT', `/users/${platformId}`, state),

    /** The access token is over, as we know. */
    expire: async ({ platformId }: PulledMember) => {
      await db
        .update(memberTokens)
        .set({ expiresAt: new Date(Date.now() - 1000) })
        .where(eq(memberTokens.platformId, platformId));
    },

    withdraw: ({ serverId }: PullServer, { platformId }: PulledMember) =>
      withdrawFromServer({ db, ring, queue }, { platformId, serverId }),

    blacklist: async ({ owner, serverId }: PullServer, { platformId }: PulledMember) => {
      const path = `/api/v1/servers/${serverId}/blacklist`;
      expect((await owner.call('POST', path, { body: { platformId } })).status).toBe(201);
    },

    ask: ({ owner, serverId }: PullServer, body: object = {}) =>
      owner.call('POST', `/api/v1/servers/${serverId}/pull`, { body }),

    async begin(server: PullServer, body: object = {}): Promise<string> {
      const reply = await this.ask(server, body);
      expect(reply.status).toBe(202);
      return reply.body.data.id;
    },

    ended: (server: PullServer, pullId: string, withinMs = 30_000) =>
      eventually(withinMs, async () => {
        const pull = await read(server, pullId);
        expect(pull.status).toBeOneOf(['completed', 'failed', 'cancelled']);
        return pull;
      }),

    async pull(server: PullServer, body: object = {}) {
      return this.ended(server, await this.begin(server, body));
    },

    /** The calls that bring somebody into the guild, as the platform saw them. */
    async additions({ guildId }: Pick<PullServer, 'guildId'>): Promise<Logged[]> {
      return (await log()).filter(
        ({ method, route, path }) =>
          method === 'PUT' && route === memberRoute && path.includes(`/${guildId}/`),
      );
    },

    /** Who ended how, by the person's id. */
    async results(pullId: string): Promise<Record<string, string | null>> {
      const rows: { platform_id: string; result: string | null }[] = await db.$client`
        select platform_id, result from pull_members join members on id = member_id
        where pull_id = ${pullId}`;
      return Object.fromEntries(rows.map(({ platform_id, result }) => [platform_id, result]));
    },

    async hasCooldown({ serverId }: PullServer): Promise<boolean> {
      const rows = await db.$client`select 1 from pull_cooldowns where server_id = ${serverId}`;
      return rows.length > 0;
    },

    async stop() {
      await service.stop();
      await simulator.stop();
    },
  };
};

export type PullFixture = Awaited<ReturnType<typeof startPullFixture>>;

/** How often a call was answered so, by the person it was about. */
export const countByPerson = (calls: Logged[], status: number): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const call of calls) {
    if (call.status !== status) continue;
    const platformId = call.path.split('/').at(-1) ?? '';
    counts.set(platformId, (counts.get(platformId) ?? 0) + 1);
  }
  return counts;
};

export const noResults = {
  joined: 0,
  alreadyMember: 0,
  banned: 0,
  guildLimit: 0,
  tokenInvalid: 0,
  blacklisted: 0,
  withdrawn: 0,
  failed: 0,
};
