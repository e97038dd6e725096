import { expect } from 'bun:test';
import type { LogRow } from '@holdfast/simulator';
import { endWavesJob } from '../../src/features/protection/raid/tend-waves.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { createServer } from './bots-and-servers.ts';
import { newPageBrowser } from './browser/page-browser.ts';
import { openDashboard } from './dashboard/session.ts';
import { usualBaseUrl } from './erasure/people.ts';
import { eventually } from './eventually.ts';
import type { GatewayFixture } from './gateway.ts';
import { accountOfAge } from './raids.ts';
import { randomPlatformId } from './service.ts';
import { walkIn } from './verification/newcomer.ts';

type Person = { id: string; username: string; avatar: string | null; style: string };
export type RaidedGuild = Awaited<ReturnType<typeof newRaidedGuild>>;

const picture = () => crypto.randomUUID().replaceAll('-', '');
/** Eight letters that begin like no other name of the wave. */
const ownName = (at: number) =>
  `${'bcdfghklmn'[at % 10]}${'aeiou'[at % 5]}${'prstvwz'[at % 7]}${picture().replace(/\d/g, '')}`;
const scriptName = (at: number) => `crew_member${1000 + at}`;

const styleOf = (
  name: string,
  count: number,
  look: (at: number) => { days: number; username: string; hasPicture: boolean },
): Person[] =>
  Array.from({ length: count }, (_, at) => {
    const { days, username, hasPicture } = look(at);
    const avatar = hasPicture ? picture() : null;
    return { id: accountOfAge(days), username, avatar, style: name };
  });

export const honestStyle = 'honest';
export const boughtStyle = 'old accounts with pictures and names of their own';

/** 500 raiders of five styles, and 50 honest people evenly among them. Each tenth of these has no picture. */
export const fiveHundredAmongFifty = (): Person[] => {
  const raiders = [
    styleOf('new accounts, no picture, names of a script', 250, (at) => ({
      ...{ days: 0.5, username: scriptName(at), hasPicture: false },
    })),
    styleOf('new accounts with pictures and names of their own', 100, (at) => ({
      ...{ days: 2, username: ownName(at), hasPicture: true },
    })),
    styleOf('accounts of ten days, no picture, names of a script', 50, (at) => ({
      ...{ days: 10, username: scriptName(300 + at), hasPicture: false },
    })),
    styleOf('old accounts, no picture, names of a script', 50, (at) => ({
      ...{ days: 400, username: scriptName(400 + at), hasPicture: false },
    })),
    styleOf(boughtStyle, 50, (at) => ({
      ...{ days: 400, username: ownName(at), hasPicture: true },
    })),
  ].flat();
  const [first, ...others] = raiders;
  if (!first) throw new Error('Nobody');
  // Always in the same disorder.
  const mixed = others
    .map((raider, at) => ({ raider, order: (at * 7919) % 4999 }))
    .sort((one, other) => one.order - other.order)
    .map(({ raider }) => raider);
  const honest = styleOf(honestStyle, 50, (at) => ({
    ...{ days: 60 + 30 * at, username: ownName(at), hasPicture: at % 10 !== 0 },
  }));
  return [first, ...mixed].flatMap((raider, at) => [
    raider,
    ...(at % 10 === 9 ? honest.slice((at - 9) / 10, (at + 1) / 10) : []),
  ]);
};

/** A server with anti-raid on, whose newcomers verify without a captcha. */
export const newRaidedGuild = async (fixture: GatewayFixture) => {
  const { simulator, service } = fixture;
  const { db, queue } = service;
  const bot = await fixture.newBot();
  const { owner } = bot;
  const guildId = await fixture.joinGuild(bot);
  const path = `/guilds/${guildId}`;
  const { roles, guild } = await simulator.control('GET', path);
  const verifiedRoleId = randomPlatformId();
  await simulator.control('PUT', path, {
    ...(await simulator.control('GET', path)),
    ...{ guild, roles: [...roles, { id: verifiedRoleId, name: 'Verified', position: 1 }] },
  });
  const serverId = await createServer(owner, { platformGuildId: guildId, customBotId: bot.id });
  const serverPath = `/api/v1/servers/${serverId}`;
  // Everybody here has the same address.
  const body = {
    ...{ captchaType: 'NONE', verifiedRoleId, antiRaidEnabled: true },
    ...{ altDetectEnabled: false, vpnBlockEnabled: false },
  };
  const changed = await owner.call('PUT', serverPath, { body });
  if (changed.status !== 200)
    throw new Error(`No settings: ${changed.text} ${service.logLines.slice(-5).join('\n')}`);
  const dashboard = await openDashboard(service, owner);
  const now = () => simulator.control('GET', path);
  const stepsOf = (id: string): Promise<{ kind: string; status: string }[]> =>
    db.$client`select kind, status from incident_steps where incident_id = ${id} order by seq`;

  return {
    ...{ bot, owner, guildId, serverId, now, stepsOf },

    /** All that a wave must leave as it was. */
    async settings() {
      const { data } = (await owner.call('GET', serverPath)).body;
      const { captchaType, minAccountAgeDays, altDetectEnabled, vpnBlockEnabled } = data;
      const protection = (await owner.call('GET', `${serverPath}/protection`)).body.data;
      const { cannotStop: _, ...chosen } = protection;
      return { captchaType, minAccountAgeDays, altDetectEnabled, vpnBlockEnabled, ...chosen };
    },
    async connected() {
      await eventually(60_000, async () => {
        const { sessions } = await fixture.atGateway(bot);
        expect(sessions.some((one: { isConnected: boolean }) => one.isConnected)).toBe(true);
      });
    },
    /** Answered when everybody has tried to join. */
    join: (people: readonly Person[], overMs: number): Promise<{ joined: string[] }> =>
      simulator.control('POST', `${path}/joins`, {
        ...{ overMs, users: people.map(({ style: _, ...user }) => user) },
      }),

    /** Asked of the database, since the API allows only so many calls a minute. */
    async reached(status: string): Promise<{ id: string }> {
      const read = (): Promise<{ id: string; status: string }[]> =>
        db.$client`select id, status from incidents where server_id = ${serverId}`;
      return eventually(120_000, async () => {
        const [incident, ...others] = await read();
        expect([incident?.status, others]).toEqual([status, []]);
        return { id: incident?.id ?? '' };
      });
    },
    waveOf: async (id: string) => (await dashboard.call('GET', `/incidents/${id}/wave`)).body.data,
    /** How many were looked at, and how many of them count as young. */
    async counts(id: string): Promise<{ newcomers: number; joins: number }> {
      const [counts] = await db.$client`
        select newcomers, joins from raid_waves where incident_id = ${id}`;
      return { ...counts };
    },
    /** How each person of the wave stands, by id. */
    async statuses(id: string): Promise<Map<string, string>> {
      const rows: { platform_id: string; status: string }[] = await db.$client`
        select platform_id, status from raid_newcomers where incident_id = ${id}`;
      return new Map(rows.map((row) => [row.platform_id, row.status]));
    },
    areRaised: async (): Promise<boolean> =>
      (await db.$client`select 1 from raised_checks where server_id = ${serverId}`).length > 0,
    async pausedUntil(): Promise<string | null> {
      return (await now()).guild.incidents_data?.invites_disabled_until ?? null;
    },
    /** When invites were paused (true) and resumed (false). */
    async pauses(): Promise<{ at: number; isPause: boolean }[]> {
      const rows: LogRow[] = await simulator.control('GET', '/log?since=0');
      return rows
        .filter(
          ({ path: called, applied }) => applied && called.endsWith(`${guildId}/incident-actions`),
        )
        .map(({ at, body: sent }) => ({
          at: Number(new Date(at)),
          isPause: JSON.stringify(sent).includes('"invites_disabled_until":"'),
        }));
    },
    /** In the middle of a transaction that adds newcomers to the wave. */
    async whileStoring(id: string, act: () => Promise<void>) {
      await db.$client.begin(async (tx) => {
        await tx`select 1 from raid_waves where incident_id = ${id} for update`;
        await eventually(20_000, async () => {
          expect(
            await db.$client`select 1 from pg_stat_activity where wait_event_type = 'Lock'
              and datname = current_database() and query like '%update "raid_waves"%'`,
          ).toHaveLength(1);
        });
        await act();
      });
    },
    /** As if nobody had joined for six minutes; found by two processes at once. */
    async end(id: string) {
      await db.$client`update raid_waves set last_join_at = now() - interval '6 minutes'
        where incident_id = ${id}`;
      const endWaves = endWavesJob({ db, queue, clock: systemClock });
      await Promise.all([endWaves.run(), endWaves.run()]);
    },
    async decide(id: string, decision: string) {
      return dashboard.call('POST', `/incidents/${id}/wave/decision`, { decision });
    },
    /** Whether somebody comes through the verification. */
    async verifies(platformId: string): Promise<boolean> {
      const browse = async (request: Request): Promise<Response> => {
        const { pathname, search } = new URL(request.url);
        const headers = Object.fromEntries(request.headers);
        const raw = request.method === 'GET' ? undefined : await request.text();
        const reply = await service.call(request.method, pathname + search, { headers, raw });
        return new Response(reply.text === '' ? null : reply.text, reply);
      };
      await walkIn(newPageBrowser(browse, usualBaseUrl), { id: serverId }, platformId);
      const rows = await db.$client`
        select 1 from members where server_id = ${serverId} and platform_id = ${platformId}`;
      return rows.length > 0;
    },
  };
};
