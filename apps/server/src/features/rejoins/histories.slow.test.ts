import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import fc from 'fast-check';
import { createServer } from '../../../test/harness/bots-and-servers.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import { type GatewayFixture, startGatewayFixture } from '../../../test/harness/gateway.ts';
import { insertMembers } from '../../../test/harness/members.ts';
import {
  allPeople,
  createModel,
  history,
  type Model,
  roleCount,
  type Step,
  trackedPeople,
} from '../../../test/harness/rejoins/history.ts';
import { randomPlatformId } from '../../../test/harness/service.ts';
import { withdrawFromServer } from '../me/consent/withdraw.ts';
import { erasePerson } from '../me/erase/erase-person.ts';

setDefaultTimeout(1_200_000);

let fixture: GatewayFixture;
beforeAll(async () => {
  fixture = await startGatewayFixture({ doesWork: ['rejoins.give-back', 'rejoins.call-roll'] });
  fixture.startHolding();
});
afterAll(() => fixture.stop());

type Member = { user: { id: string }; nick: string | null; roles: string[]; joined_at: string };
type Role = { id: string; position: number; permissions: string; managed: boolean };
type GuildState = { members: Member[]; roles: Role[] };

const roleIds = Array.from({ length: roleCount }, (_, at) => String(8001 + at));
const kick = String(1n << 1n);

const newWorld = async () => {
  const { service, simulator } = fixture;
  const bot = await fixture.newBot();
  const guildId = await fixture.joinGuild(bot);
  const path = `/guilds/${guildId}`;
  const ids = Array.from({ length: allPeople }, randomPlatformId);
  const read = (): Promise<GuildState> => simulator.control('GET', path);
  const change = async (edit: (state: GuildState) => GuildState) =>
    simulator.control('PUT', path, edit(await read()));
  await change(({ members, roles, ...rest }) => ({
    ...rest,
    // Below that of the bot.
    roles: [
      ...roles.map((role) => ({
        ...role,
        position: role.position > 0 ? role.position + roleCount : 0,
      })),
      ...roleIds.map((id, at) => ({
        id,
        name: `R${id}`,
        position: at + 1,
        permissions: '0',
        managed: false,
      })),
    ],
    members: [
      ...members,
      ...ids.map((id) => ({
        ...{ user: { id }, nick: 'Bosun', roles: roleIds.slice(0, 2) },
        joined_at: '2020-01-01T00:00:00.000Z',
      })),
    ],
  }));
  const { owner } = bot;
  const serverId = await createServer(owner, { platformGuildId: guildId, customBotId: bot.id });
  const rows = ids.slice(0, trackedPeople).map((platformId, at) => ({
    ...{ platformId, consentedAt: at === trackedPeople - 1 ? null : new Date() },
  }));
  await insertMembers(service.db, { owner, serverId }, ...rows);
  // Some messages come twice, and each session begins by a list.
  await simulator.control('PUT', '/gateway/faults', { botId: bot.platformId, duplicate: 30 });
  return { bot, owner, guildId, serverId, ids, read, change, path };
};
type World = Awaited<ReturnType<typeof newWorld>>;

const act = async (world: World, model: Model, step: Step): Promise<void> => {
  const { bot, owner, serverId, ids, change, guildId } = world;
  const { db, ring, queue } = fixture.service;
  const platformId = 'person' in step ? (ids[step.person] ?? '') : '';
  const isThere = 'person' in step && model.people[step.person]?.has !== undefined;
  switch (step.kind) {
    case 'leave':
    case 'join':
      if (isThere === (step.kind === 'join')) return;
      return fixture.simulator.control('PUT', `/users/${platformId}`, {
        guildIds: step.kind === 'join' ? [guildId] : [],
      });
    case 'change':
      if (!isThere) return;
      return change((state) => changeMember(state, platformId, step, model));
    case 'lose':
      await fixture.change(bot, { isActive: false });
      return eventually(10_000, async () => {
        expect((await fixture.atGateway(bot)).sessions).toEqual([]);
        const rows = await db.$client`
          select 1 from gateway_connections where bot_id = ${bot.id} and process_id is null`;
        expect(rows).toHaveLength(1);
      });
    case 'regain':
      await fixture.change(bot, { isActive: true });
      return;
    case 'resume':
      return fixture.act(bot, { action: 'cut' });
    case 'renew':
      return fixture.act(bot, { action: 'invalidate', isResumable: false });
    case 'role':
      if (model.roleStates[step.role] === 'gone') return;
      return change((state) => changeRole(state, roleIds[step.role] ?? '', step.becomes));
    case 'switch': {
      const body = { restoreRolesOnRejoin: step.isOn };
      await owner.call('PUT', `/api/v1/servers/${serverId}`, { body });
      return;
    }
    case 'withdraw':
      await withdrawFromServer({ db, ring, queue }, { platformId, serverId });
      return;
    case 'erase':
      await erasePerson({ db, ring, queue }, platformId);
  }
};

const changeMember = (
  state: GuildState,
  platformId: string,
  { roles, nick }: Extract<Step, { kind: 'change' }>,
  { roleStates }: Model,
): GuildState => {
  const held = roles.flatMap((at) => (roleStates[at] === 'gone' ? [] : (roleIds[at] ?? [])));
  const members = state.members.map((member) =>
    member.user.id === platformId ? { ...member, nick, roles: held } : member,
  );
  return { ...state, members };
};

/** The bot's own role stands above all that are not `high`. */
const changeRole = (
  state: GuildState,
  id: string,
  becomes: Extract<Step, { kind: 'role' }>['becomes'],
): GuildState => {
  if (becomes === 'gone') {
    const members = state.members.map((member) => ({
      ...{ ...member, roles: member.roles.filter((one) => one !== id) },
    }));
    return { ...state, members, roles: state.roles.filter((role) => role.id !== id) };
  }
  const permissions = becomes === 'dangerous' ? kick : '0';
  const others = state.roles
    .filter((role) => role.id !== id)
    .toSorted((one, other) => one.position - other.position);
  const own = state.roles
    .filter((role) => role.id === id)
    .map((role) => ({ ...role, permissions }));
  const [everyone = [], rest] = [others.slice(0, 1), others.slice(1)];
  const ordered =
    becomes === 'high' ? [...everyone, ...rest, ...own] : [...everyone, ...own, ...rest];
  return { ...state, roles: ordered.map((role, position) => ({ ...role, position })) };
};

/** Everything that the platform told has taken effect, and nobody waits. */
const settled = async ({ bot, serverId, path }: World, rollCalls: number): Promise<number> => {
  const { db } = fixture.service;
  let calm = 0;
  return eventually(30_000, async () => {
    const { sessions } = await fixture.atGateway(bot);
    const [row] = await db.$client`
      select session_id, sequence::int from gateway_connections where bot_id = ${bot.id}`;
    const [call] = await db.$client`
      select number, ended_number from roll_calls where server_id = ${serverId}`;
    const waiting = await db.$client`
      select 1 from seen_members where server_id = ${serverId} and returned_at is not null`;
    const isCalm =
      sessions.length === 1 &&
      sessions[0].isConnected &&
      sessions[0].sessionId === row.session_id &&
      sessions[0].seq === row.sequence &&
      call?.number === call?.ended_number &&
      call?.number >= rollCalls &&
      waiting.length === 0;
    calm = isCalm ? calm + 1 : 0;
    const seen = JSON.stringify({ path, rollCalls, sessions, row, call, waiting });
    if (calm < 2) throw new Error(`not settled: ${seen}`);
    return call.number;
  });
};

const heldIn = ({ members }: GuildState, platformId: string) => {
  const found = members.find(({ user }) => user.id === platformId);
  return found && { nick: found.nick, roles: found.roles.toSorted() };
};

type Call = { method: string; path: string; body: { roles?: string[] }; applied: boolean };

const editsSince = async ({ guildId }: World, since: number) => {
  const log: (Call & { seq: number })[] = await fixture.simulator.control(
    'GET',
    `/log?since=${since}`,
  );
  const prefix = `/guilds/${guildId}/members/`;
  return {
    last: log.at(-1)?.seq ?? since,
    edits: log.flatMap(({ method, path, body }) =>
      method !== 'GET' && path.includes(prefix)
        ? [{ method, platformId: path.split(prefix)[1] ?? '', roles: body.roles ?? [] }]
        : [],
    ),
  };
};

const checkState = async (world: World, model: Model): Promise<void> => {
  const state = await world.read();
  const listed = await world.owner.call('GET', `/api/v1/servers/${world.serverId}/members`);
  for (const [at, { has, isTracked }] of model.people.entries()) {
    const platformId = world.ids[at] ?? '';
    const expected = has && {
      nick: has.nick,
      roles: [...has.roles].map((role) => roleIds[role] ?? '').toSorted(),
    };
    expect([at, heldIn(state, platformId)]).toEqual([at, expected]);
    if (!isTracked) continue;
    const record = listed.body.data.find(
      (one: { platformId: string }) => one.platformId === platformId,
    );
    expect([at, record.leftAt === null]).toEqual([at, has !== undefined]);
  }
};

const live = async (steps: Step[], told: Step[]): Promise<void> => {
  const world = await newWorld();
  const model = createModel();
  await fixture.act(world.bot, { action: 'invalidate', isResumable: false });
  let rollCalls = await settled(world, 1);
  let since = (await editsSince(world, 0)).last;
  const settle = async () => {
    rollCalls = await settled(world, rollCalls);
    const before = await editsSince(world, since);
    since = before.last;
    const mayBeGiven = model.mayBeGiven();
    const had = model.people.map(({ has }) => has);
    const givable = [...model.givableRoles()].map((at) => roleIds[at] ?? '');
    for (const { method, platformId, roles } of before.edits) {
      const at = world.ids.indexOf(platformId);
      expect([method, mayBeGiven[at]]).toEqual(['PATCH', true]);
      const own = [...(had[at]?.roles ?? [])].map((role) => roleIds[role] ?? '');
      expect(roles.filter((id) => !own.includes(id) && !givable.includes(id))).toEqual([]);
    }
    expect(new Set(before.edits.map(({ platformId }) => platformId)).size).toBe(
      before.edits.length,
    );
    model.settle();
    await checkState(world, model);
  };
  for (const step of [...steps, { kind: 'regain' } as const]) {
    told.push(step);
    if (step.kind === 'lose' && !model.isConnected()) continue;
    const isNewSession = step.kind === 'renew' || (step.kind === 'regain' && !model.isConnected());
    if (!model.isConnected() && (step.kind === 'resume' || step.kind === 'renew')) continue;
    await act(world, model, step);
    model.apply(step);
    if (isNewSession) rollCalls += 1;
    if (model.isConnected()) await settle();
  }
};

const [runs, atOnce] = [6, 8];

test('whatever happens in whatever order, who comes back has what they had, and nobody gets anything else', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(history, { minLength: atOnce, maxLength: atOnce }),
      async (histories) => {
        await Promise.all(
          histories.map(async (steps) => {
            const told: Step[] = [];
            await live(steps, told).catch((error) => {
              throw new Error(`${JSON.stringify(told)}: ${error.message}`);
            });
          }),
        );
      },
    ),
    { numRuns: runs, endOnFailure: true },
  );
});
