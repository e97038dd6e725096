// Takes about 21 s: started before shorter ones.
import { describe, expect, test } from 'bun:test';
import { type OwnedGuild, startBackupFixture } from '../../../test/harness/backups/fixture.ts';

const { simulator, fixture } = await startBackupFixture({
  doesWork: ['backups.run', 'restores.run'],
});

type Thing = { id: string; name: string };

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the simulator shows
const guildOf = ({ guildId }: OwnedGuild): Promise<any> =>
  simulator.control('GET', `/guilds/${guildId}`);

const change = async (server: OwnedGuild, changes: (guild: never) => object) => {
  const guild = await guildOf(server);
  await simulator.control('PUT', `/guilds/${server.guildId}`, {
    ...guild,
    ...changes(guild as never),
  });
};

type Call = { seq: number; method: string; path: string; guildId: string | null; applied: boolean };

const lastCall = async (): Promise<number> => (await simulator.control('GET', '/log')).at(-1).seq;

/** The calls that changed the guild since the one with that number. */
const changesSince = async ({ guildId }: OwnedGuild, since: number): Promise<string[]> =>
  (await simulator.control('GET', `/log?since=${since}`))
    .filter((call: Call) => call.guildId === guildId && call.method !== 'GET' && call.applied)
    .map(({ method, path }: Call) => `${method} ${path}`);

const repair = { mode: 'REPAIR' };

const askPlan = async (server: OwnedGuild, backupId: string, body: object = repair) => {
  const path = `${fixture.backupsOf(server.serverId)}/${backupId}/plan`;
  const { status, body: answer } = await server.tenant.call('POST', path, { body });
  expect(status).toBe(200);
  return answer.data;
};

const restore = async (server: OwnedGuild, backupId: string, body: object = repair) => {
  const path = `${fixture.backupsOf(server.serverId)}/${backupId}/restore`;
  const reply = await server.tenant.call('POST', path, { body });
  expect(reply.status).toBe(202);
  return fixture.restored(server, reply.body.data.id);
};

const idsByName = (things: Thing[]) => new Map(things.map(({ id, name }) => [name, id]));

describe('a repair', () => {
  test('of an unchanged server makes no call that changes it, also after a restore gave new ids', async () => {
    const server = await fixture.newServer();
    // Of two channels of one name only their ids tell which is which.
    await change(server, ({ channels }: { channels: Thing[] }) => ({
      // No API brings an invite back.
      invites: [],
      channels: [
        ...channels,
        ...[1, 2].map((number) => ({
          ...{ id: `95000000000000000${number}`, type: 0, name: 'twin', position: 90 + number },
          topic: `number ${number}`,
        })),
      ],
    }));
    const backup = await fixture.takeBackup(server);
    const expectNothingDone = async () => {
      const plan = await askPlan(server, backup.id);
      const untouched = { create: [], update: [], delete: [], calls: 0, warnings: [], notes: [] };
      expect(plan).toMatchObject(untouched);
      const guild = await guildOf(server);
      const kept = ['channels', 'roles', 'emojis', 'stickers', 'bans', 'members', 'automod'];
      const lists = [...kept, 'events', 'soundboard', 'webhooks'].map((name) => guild[name]);
      expect(plan.keep).toBe(lists.flat().length);
      const since = await lastCall();
      const done = await restore(server, backup.id);
      expect(done).toMatchObject({
        ...{ status: 'completed', warnings: [], notes: [], steps: { total: 0 } },
        ...{ mode: 'REPAIR', deleteExtra: false },
      });
      expect(await changesSince(server, since)).toEqual([]);
    };
    await expectNothingDone();
    const before = idsByName((await guildOf(server)).channels);
    const replaced = await restore(server, backup.id, {});
    expect(replaced).toMatchObject({ status: 'completed', mode: 'REPLACE', deleteExtra: false });
    const after = idsByName((await guildOf(server)).channels);
    expect([...after.keys()].sort()).toEqual([...before.keys()].sort());
    expect([...after.values()].filter((id) => [...before.values()].includes(id))).toEqual([]);
    await expectNothingDone();
  });

  test('keeps channels with their messages, edits what differs, creates what is missing and leaves the rest', async () => {
    const server = await fixture.newServer();
    const isText = ({ type }: { type: number }) => type === 0;
    const texts = (await guildOf(server)).channels.filter(isText);
    const messages = Array.from({ length: 1000 }, (_, index) => ({
      channel_id: texts[index % 3].id,
      content: `message ${index}`,
      author: { id: '4001', username: 'ann' },
    }));
    await change(server, () => ({ messages }));
    const whole = await guildOf(server);
    const backup = await fixture.takeBackup(server);
    const [kept, renamed, opened] = whole.channels.filter(isText);
    const role = whole.roles.find(({ id, managed }: { id: string; managed: boolean }) => {
      return id !== server.guildId && !managed;
    });
    const gone = whole.channels.find(({ type }: { type: number }) => type === 2);
    const extra = { id: '950000000000000001', type: 0, name: 'extra' };
    await change(server, ({ channels, roles }: { channels: Thing[]; roles: Thing[] }) => ({
      channels: [
        ...channels
          .filter(({ id }) => id !== gone.id)
          .map((channel) => ({
            ...channel,
            ...(channel.id === renamed.id ? { name: 'owned' } : {}),
            ...(channel.id === opened.id ? { permission_overwrites: [], topic: 'owned' } : {}),
          })),
        extra,
      ],
      roles: roles.map((one) => (one.id === role.id ? { ...one, hoist: !role.hoist } : one)),
    }));
    const plan = await askPlan(server, backup.id);
    expect(plan.create).toEqual([{ type: 'channel', name: gone.name }]);
    expect(plan.delete).toEqual([]);
    expect(plan.update).toContainEqual({
      ...{ type: 'channel', name: renamed.name },
      changes: [{ field: 'name', from: 'owned', to: renamed.name }],
    });
    expect(plan.update).toContainEqual({
      ...{ type: 'role', name: role.name },
      changes: [{ field: 'hoist', from: !role.hoist, to: role.hoist }],
    });
    const since = await lastCall();
    const done = await restore(server, backup.id);
    expect(done).toMatchObject({ status: 'completed', warnings: [] });
    const calls = await changesSince(server, since);
    expect(calls).toHaveLength(plan.calls);
    expect(calls.filter((call) => call.startsWith('DELETE'))).toEqual([]);
    const after = await guildOf(server);
    expect(after.messages).toHaveLength(1000);
    expect(after.channels.map(({ id }: Thing) => id)).toEqual(
      expect.arrayContaining([kept.id, renamed.id, opened.id, extra.id]),
    );
    const names = ({ channels }: { channels: Thing[] }) => channels.map(({ name }) => name).sort();
    expect(names(after)).toEqual([...names(whole), 'extra'].sort());
    const isAsBefore = (id: string) => {
      const find = ({ channels }: { channels: Thing[] }) => channels.find((one) => one.id === id);
      expect(find(after)).toEqual(find(whole));
    };
    for (const { id } of [kept, renamed, opened]) isAsBefore(id);

    const cleaned = await restore(server, backup.id, { ...repair, deleteExtra: true });
    expect(cleaned).toMatchObject({ status: 'completed', deleteExtra: true });
    expect(names(await guildOf(server))).toEqual(names(whole));
    expect((await guildOf(server)).messages).toHaveLength(1000);
  });
});

test('a channel that is always refused does not make every further restore build everything again', async () => {
  const server = await fixture.newServer();
  const backup = await fixture.takeBackup(server);
  const { channels } = await guildOf(server);
  /** The nth channel that is created, which from the second round on is the only one. */
  const refuse = (nth: number) =>
    simulator.control('POST', '/faults', {
      match: { method: 'POST', route: '/guilds/:id/channels', guildId: server.guildId },
      ...{ nth, when: 'before', action: 'status', status: 400 },
      body: { message: 'Invalid Form Body', code: 50035 },
    });
  const created: number[] = [];
  for (const nth of [channels.length, 1, 1]) {
    await refuse(nth);
    const since = await lastCall();
    expect((await restore(server, backup.id, {})).status).toBe('partial');
    const calls = await changesSince(server, since);
    created.push(
      calls.filter((call) => call.endsWith('/channels') && call.startsWith('POST')).length,
    );
    expect((await guildOf(server)).channels).toHaveLength(2 * channels.length - 1);
  }
  expect(created).toEqual([channels.length - 1, 0, 0]);
  await simulator.control('DELETE', '/faults');
  const done = await restore(server, backup.id, {});
  expect(done).toMatchObject({ status: 'completed' });
  expect((await guildOf(server)).channels).toHaveLength(channels.length);
}, 240_000);
