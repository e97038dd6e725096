import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { auditOf } from '../../../../test/harness/api-calls.ts';
import { eventually } from '../../../../test/harness/eventually.ts';
import {
  noResults,
  type PulledMember,
  type PullFixture,
  type PullServer,
  startPullFixture,
} from '../../../../test/harness/pulls/fixture.ts';
import { erasePerson } from '../../me/erase/erase-person.ts';
import { readPersonalData } from '../../me/page/personal-data.ts';
import { refreshRecalls } from './jobs.ts';

let fixture: PullFixture;
beforeAll(async () => {
  fixture = await startPullFixture();
});
afterAll(() => fixture.stop());

const verified = { id: '7001', name: 'Verified', permissions: '0' };
const deck = { id: '7101', name: 'deck' };
const guild = { roles: [verified], channels: [deck] };

type Invite = { code: string; channel_id: string; target_user_ids: string[]; role_ids: string[] };

const invitesIn = async ({ guildId }: PullServer): Promise<Invite[]> =>
  (await fixture.simulator.control('GET', `/guilds/${guildId}`)).invites;

const recall = ({ owner }: PullServer, pullId: string) =>
  owner.call('POST', `/api/v1/pulls/${pullId}/recall`);

const idsOf = (...people: PulledMember[]) => people.map(({ platformId }) => platformId).toSorted();

/** A pull in which some members, and only they, had an invalid token. */
const pullWithLost = async (changes: object = guild) => {
  const server = await fixture.newServer(changes);
  await server.owner.call('PUT', `/api/v1/servers/${server.serverId}`, {
    body: { verifiedRoleId: verified.id },
  });
  const people = await fixture.addNamed(server, 'first', 'second', 'third', 'joined');
  for (const lost of [people.first, people.second, people.third]) {
    await fixture.setPerson(lost, { tokenState: 'revoked' });
  }
  const pull = await fixture.pull(server);
  expect(pull.results).toEqual({ ...noResults, joined: 1, tokenInvalid: 3 });
  return { server, people, pullId: String(pull.id) };
};

const urlsOf = async ({ platformId }: PulledMember): Promise<string[]> => {
  const { db, ring } = fixture.service;
  const platform = { inviteUrl: (code: string) => code };
  const { servers } = await readPersonalData({ db, ring, platform }, platformId);
  return servers.flatMap(({ recalls }) => recalls.map(({ url }) => url));
};

describe('an invite for members whose token is invalid', () => {
  test('can be used by them alone, for a week, gives the verified role, and is shown to them', async () => {
    const { server, people, pullId } = await pullWithLost();
    const reply = await recall(server, pullId);
    expect(reply.status).toBe(201);
    const [invite] = await invitesIn(server);
    expect(reply.body.data).toEqual({
      url: expect.stringMatching(new RegExp(`/${invite?.code}$`)),
      members: 3,
      expiresAt: expect.any(String),
    });
    const days = (Date.parse(reply.body.data.expiresAt) - Date.now()) / (24 * 60 * 60 * 1000);
    expect(Math.round(days)).toBe(7);
    expect(invite?.target_user_ids.toSorted()).toEqual(
      idsOf(people.first, people.second, people.third),
    );
    expect(invite?.role_ids).toEqual([verified.id]);
    expect(await urlsOf(people.first)).toEqual([invite?.code ?? '']);
    expect(await urlsOf(people.joined)).toEqual([]);
    const messages = (await fixture.log()).filter(({ path }) => path.includes('/messages'));
    expect(messages).toEqual([]);
    const [entry] = (await auditOf(server.owner)).data;
    expect(entry).toMatchObject({ action: 'pull.recall', changes: { members: 3 } });
  });

  test('is the same for everyone who asks again, or at the same time, and is stored sealed', async () => {
    const { server, pullId } = await pullWithLost();
    const replies = await Promise.all(Array.from({ length: 5 }, () => recall(server, pullId)));
    expect(replies.map(({ status }) => status)).toEqual(Array(5).fill(201));
    const again = await recall(server, pullId);
    expect(new Set([...replies, again].map(({ body }) => body.data.url)).size).toBe(1);
    const [invite, ...others] = await invitesIn(server);
    expect(others).toEqual([]);
    const code = invite?.code ?? '';
    const { $client: sql } = fixture.db;
    const rows = await sql`select row::text from pull_recalls as row where pull_id = ${pullId}`;
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(code);
    expect(fixture.service.logLines.join('\n')).not.toContain(code);
    const repeated = { headers: { 'idempotency-key': 'recall' } };
    const path = `/api/v1/pulls/${pullId}/recall`;
    await server.owner.call('POST', path, repeated);
    const answers =
      await sql`select 1 from idempotent_answers as row where strpos(row::text, ${code}) > 0`;
    expect(answers).toHaveLength(0);
  });

  test('is created anew where the last one has expired', async () => {
    const { server, pullId } = await pullWithLost();
    const { url } = (await recall(server, pullId)).body.data;
    await fixture.db.$client`update pull_recalls set expires_at = now() - interval '1 second'
      where pull_id = ${pullId}`;
    expect((await recall(server, pullId)).body.data.url).not.toBe(url);
    expect(await invitesIn(server)).toHaveLength(2);
  });

  test('loses those who erase themselves at once, and those who are blacklisted at the next look', async () => {
    const { server, people, pullId } = await pullWithLost();
    await recall(server, pullId);
    const { db, ring, queue } = fixture.service;
    await erasePerson({ db, ring, queue }, people.first.platformId);
    await eventually(10_000, async () => {
      const [invite] = await invitesIn(server);
      expect(invite?.target_user_ids.toSorted()).toEqual(idsOf(people.second, people.third));
    });
    await fixture.blacklist(server, people.second);
    await eventually(10_000, async () => {
      const reply = await recall(server, pullId);
      expect(reply.body.data.members).toBe(1);
    });
    const [invite, ...others] = await invitesIn(server);
    expect([invite?.target_user_ids, others]).toEqual([idsOf(people.third), []]);
    await erasePerson({ db, ring, queue }, people.third.platformId);
    await eventually(10_000, async () => expect(await invitesIn(server)).toEqual([]));
    expect((await recall(server, pullId)).status).toBe(409);
  });
});

describe('where the platform is not heard, as after the death of the process that asked,', () => {
  type Cut = { method: string; route: string; times?: number };
  const cut = (server: PullServer, { times = 1, ...call }: Cut) =>
    fixture.simulator.control('POST', '/faults', {
      match: { ...call, guildId: server.guildId },
      ...{ when: 'afterApply', action: 'reset', times },
    });
  /** The invites that each of them can use. */
  const countUsable = async (server: PullServer, ...people: PulledMember[]) => {
    const invites = await invitesIn(server);
    return people.map(
      ({ platformId }) =>
        invites.filter(({ target_user_ids }) => target_user_ids.includes(platformId)).length,
    );
  };

  test('an invite whose code nobody knows lets nobody in, and the next one is the only one', async () => {
    const { server, people, pullId } = await pullWithLost();
    const lost = [people.first, people.second, people.third];
    await cut(server, { method: 'POST', route: '/channels/:id/invites' });
    expect((await recall(server, pullId)).status).toBe(409);
    const [unknown] = await invitesIn(server);
    expect(unknown?.target_user_ids).toEqual([server.clientId]);
    expect(await urlsOf(people.first)).toEqual([]);

    expect((await recall(server, pullId)).status).toBe(201);
    expect(await countUsable(server, ...lost)).toEqual([1, 1, 1]);
    const urls = await urlsOf(people.first);
    expect(urls).toHaveLength(1);
    expect(urls).not.toEqual([unknown?.code ?? '']);
  });

  test('an invite that may have let people in is finished, and erasure reaches it before that', async () => {
    const { server, people, pullId } = await pullWithLost();
    await cut(server, { method: 'PUT', route: '/invites/:code/target-users', times: 100 });
    expect((await recall(server, pullId)).status).toBe(409);
    await fixture.simulator.control('DELETE', '/faults');
    const [invite] = await invitesIn(server);
    expect(invite?.target_user_ids).toHaveLength(3);
    const { db, ring, queue } = fixture.service;
    await erasePerson({ db, ring, queue }, people.first.platformId);
    await eventually(10_000, async () =>
      expect(await countUsable(server, people.first, people.second)).toEqual([0, 1]),
    );
    await eventually(10_000, async () => {
      const [entry] = (await auditOf(server.owner)).data;
      expect(entry).toMatchObject({ action: 'pull.recall', changes: { members: 2 } });
    });
    const reply = await recall(server, pullId);
    expect(reply.body.data.url).toEndWith(`/${invite?.code}`);
    expect(await invitesIn(server)).toHaveLength(1);
  });
});

describe('it is refused', () => {
  test('while the pull runs, and where there is nobody to invite', async () => {
    const server = await fixture.newServer(guild);
    await fixture.addMembers(server, 3);
    const slowness = await fixture.slowDown(1, 300);
    const pullId = await fixture.begin(server);
    expect((await recall(server, pullId)).status).toBe(409);
    await slowness.end();
    await fixture.ended(server, pullId);
    expect((await recall(server, pullId)).status).toBe(409);
    expect(await invitesIn(server)).toEqual([]);
  });

  test('where no channel takes an invite, with a sentence that says so', async () => {
    const { server, pullId } = await pullWithLost({ roles: [verified], channels: [] });
    const reply = await recall(server, pullId);
    expect(reply.status).toBe(409);
    expect(reply.body.error).toMatch(/no channel/);
  });
});

describe('the channel', () => {
  const hidden = [{ id: 'everyone', type: 0, allow: '0', deny: '1024' }];
  const channelOf = async (channels: object[], settings: object = {}) => {
    const { server, pullId } = await pullWithLost();
    const named = channels.map((channel) => ({
      ...channel,
      ...('permission_overwrites' in channel && {
        permission_overwrites: [{ ...hidden[0], id: server.guildId }],
      }),
    }));
    const live = await fixture.simulator.control('GET', `/guilds/${server.guildId}`);
    const state = { ...live, channels: named, guild: { ...live.guild, ...settings } };
    await fixture.simulator.control('PUT', `/guilds/${server.guildId}`, state);
    expect((await recall(server, pullId)).status).toBe(201);
    return (await invitesIn(server))[0]?.channel_id;
  };
  const staff = { id: '7102', name: 'staff', permission_overwrites: hidden };
  const rules = { id: '7103', name: 'rules' };

  test('is that of the rules, if there is one', async () => {
    const chosen = await channelOf([staff, deck, rules], { rules_channel_id: rules.id });
    expect(chosen).toBe(rules.id);
  });

  test('is else the first text channel that the invited can see', async () => {
    const chosen = await channelOf([{ id: '7104', name: 'talk', type: 2 }, staff, deck, rules]);
    expect(chosen).toBe(deck.id);
  });
});

test.each<[string, object]>([
  ['by itself', { roles: [{ ...verified, permissions: '8' }] }],
  [
    'by an overwrite',
    {
      channels: [
        {
          ...deck,
          permission_overwrites: [{ id: verified.id, type: 0, allow: '8192', deny: '0' }],
        },
      ],
    },
  ],
])('a verified role that has become dangerous %s is not given by the invite', async (_, change) => {
  const { server, pullId } = await pullWithLost();
  // It is read here, and harmless still.
  const body = { verifiedRoleId: verified.id, confirmRoleName: verified.name };
  await server.owner.call('PUT', `/api/v1/servers/${server.serverId}`, { body });
  await fixture.simulator.control('PUT', `/guilds/${server.guildId}`, { ...guild, ...change });
  expect((await recall(server, pullId)).status).toBe(201);
  expect((await invitesIn(server))[0]?.role_ids).toEqual([]);
});

describe('an invite whose role has become dangerous since', () => {
  const makePowerful = async ({ guildId }: PullServer) => {
    const state = await fixture.simulator.control('GET', `/guilds/${guildId}`);
    const roles = state.roles.map((role: typeof verified) =>
      role.id === verified.id ? { ...role, permissions: '8' } : role,
    );
    await fixture.simulator.control('PUT', `/guilds/${guildId}`, { ...state, roles });
  };
  /** As every five minutes. */
  const look = () => {
    const { db, queue } = fixture.service;
    return db.transaction((tx) => queue.enqueue(tx, refreshRecalls, {}));
  };
  const expectOneWithout = async (server: PullServer, lost: PulledMember[]) => {
    const [invite, ...others] = await invitesIn(server);
    expect([invite?.role_ids, others]).toEqual([[], []]);
    expect(invite?.target_user_ids.toSorted()).toEqual(idsOf(...lost));
    expect(await urlsOf(lost[0] ?? { id: '', platformId: '' })).toEqual([invite?.code ?? '']);
  };

  test.each<[string, boolean]>([
    ['', false],
    [', also where others are to be invited', true],
  ])('is replaced by one without it for who asks again%s', async (_, isOther) => {
    const { server, people, pullId } = await pullWithLost();
    const { url } = (await recall(server, pullId)).body.data;
    await makePowerful(server);
    if (isOther) await fixture.blacklist(server, people.third);
    const again = await recall(server, pullId);
    expect(again.status).toBe(201);
    expect(again.body.data.url).not.toBe(url);
    const { first, second, third } = people;
    await expectOneWithout(server, isOther ? [first, second] : [first, second, third]);
  });

  test('is replaced by itself, which is told once', async () => {
    const { server, people, pullId } = await pullWithLost();
    await recall(server, pullId);
    await makePowerful(server);
    await look();
    await eventually(10_000, () =>
      expectOneWithout(server, [people.first, people.second, people.third]),
    );
    await look();
    const { data } = (await server.owner.call('GET', '/api/v1/alerts')).body;
    const told = data.filter(({ title }: { title: string }) => title.includes('given to nobody'));
    expect(told).toHaveLength(1);
  });

  test('is replaced at the next look where no other could be made at first', async () => {
    const { server, people, pullId } = await pullWithLost();
    await recall(server, pullId);
    await makePowerful(server);
    await fixture.simulator.control('POST', '/faults', {
      match: { method: 'POST', route: '/channels/:id/invites', guildId: server.guildId },
      ...{ when: 'before', action: 'status', status: 403, body: { code: 50013 } },
    });
    await look();
    await eventually(10_000, async () => expect(await invitesIn(server)).toEqual([]));
    expect(await urlsOf(people.first)).toEqual([]);
    await eventually(20_000, async () => {
      await look();
      await expectOneWithout(server, [people.first, people.second, people.third]);
    });
  });
});
