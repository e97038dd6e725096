// Takes about 45 s: started before shorter ones.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { takeBackupNow } from '../../../test/harness/backups/run-backup.ts';
import { createServer } from '../../../test/harness/bots-and-servers.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import { type GatewayFixture, startGatewayFixture } from '../../../test/harness/gateway.ts';
import { insertMembers } from '../../../test/harness/members.ts';
import { memberOf } from '../../../test/harness/pulls/roles.ts';
import { randomPlatformId } from '../../../test/harness/service.ts';

setDefaultTimeout(240_000);

let fixture: GatewayFixture;
beforeAll(async () => {
  fixture = await startGatewayFixture({ doesWork: ['rejoins.give-back'] });
  fixture.startHolding();
});
afterAll(() => fixture.stop());

type Member = { user: { id: string }; nick: string | null; roles: string[] };

/** A connected server with so many verified members who have a role and a nickname each. */
const newServer = async (count: number) => {
  const { service, simulator } = fixture;
  const bot = await fixture.newBot();
  const { owner } = bot;
  const guildId = await fixture.joinGuild(bot);
  const serverId = await createServer(owner, { platformGuildId: guildId, customBotId: bot.id });
  const path = `/guilds/${guildId}`;
  const empty = await simulator.control('GET', path);
  const { id: roleId } = empty.roles.find(({ name }: { name: string }) => name === 'Member');
  const people = Array.from({ length: count }, () => ({ id: '', platformId: randomPlatformId() }));
  const crowd = people.map((one, at) => memberOf(one, { nick: `Sailor ${at}`, roles: [roleId] }));
  const setCrowd = (members: object[]) =>
    simulator.control('PUT', path, { ...empty, members: [...empty.members, ...members] });
  await setCrowd(crowd);
  const consentedAt = new Date();
  const rows = people.map(({ platformId }) => ({ platformId, consentedAt }));
  await insertMembers(service.db, { owner, serverId }, ...rows);
  await takeBackupNow(fixture, { owner, serverId });
  await eventually(20_000, async () =>
    expect(await fixture.heard(bot, 'guildAvailable')).toContain(guildId),
  );
  const ids = new Set(people.map(({ platformId }) => platformId));
  return {
    guildId,
    crowd: new Map(crowd.map(({ user, nick, roles }) => [user.id, { nick, roles }])),
    leave: () => setCrowd([]),
    comeBack: () => setCrowd(people.map((one) => memberOf(one))),
    async countLeft(): Promise<number> {
      const [row] = await service.db.$client`
        select count(*)::int as total from seen_members
        where server_id = ${serverId} and left_at is not null and returned_at is null`;
      return row.total;
    },
    async held() {
      const { members }: { members: Member[] } = await simulator.control('GET', path);
      const theirs = members.filter(({ user }) => ids.has(user.id));
      return new Map(theirs.map(({ user, nick, roles }) => [user.id, { nick, roles }]));
    },
  };
};

const editRoute = '/guilds/:id/members/:id';

test('a thousand members who leave and come back have what they had, within the bucket, and no other bot waits for them', async () => {
  const { simulator } = fixture;
  const storm = await newServer(1000);
  const other = await newServer(1);
  const wide = await simulator.control('GET', '/limits');
  const routes = { [`PATCH ${editRoute}`]: { limit: 40, perMs: 1000 } };
  await simulator.control('PUT', '/limits', { ...wide, routes });
  await storm.leave();
  await eventually(60_000, async () => expect(await storm.countLeft()).toBe(1000));
  await storm.comeBack();
  await eventually(60_000, async () =>
    expect([...(await storm.held()).values()].some(({ nick }) => nick !== null)).toBe(true),
  );

  await other.leave();
  await eventually(60_000, async () => expect(await other.countLeft()).toBe(1));
  await other.comeBack();
  await eventually(60_000, async () => expect(await other.held()).toEqual(other.crowd));
  // The others still wait for their bucket.
  expect([...(await storm.held()).values()].some(({ nick }) => nick === null)).toBe(true);

  await eventually(180_000, async () => expect(await storm.held()).toEqual(storm.crowd));
  const calls: { method: string; route: string; status: number; path: string }[] =
    await simulator.control('GET', '/log');
  const edits = calls.filter(
    ({ method, route, path }) =>
      method === 'PATCH' && route === editRoute && path.includes(`/${storm.guildId}/`),
  );
  expect(edits.filter(({ status }) => status === 429)).toEqual([]);
  expect(edits.filter(({ status }) => status === 200)).toHaveLength(1000);
});
