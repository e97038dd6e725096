import { expect, test } from 'bun:test';
import { createAttacks } from '../../../../../test/harness/attacks/attacked-server.ts';
import {
  type OwnedGuild,
  startBackupFixture,
} from '../../../../../test/harness/backups/fixture.ts';

const { simulator, fixture, service } = await startBackupFixture({
  doesWork: ['backups.run', 'restores.run', 'restores.repair'],
});
const { newPerson, guildOf, storeAttack } = createAttacks(simulator, service);

const member = (id: string, roles: string[] = []) => ({ user: { id, username: id }, roles });

/** Repairs what the attacker did, wholly. */
const repairAll = async (server: OwnedGuild, reader: Person, attacker: Person) => {
  const { repair } = await storeAttack(server, reader, attacker.id);
  const { body } = await server.tenant.call('POST', repair);
  const restore = await fixture.restored(server, body.data.id);
  expect(restore).toMatchObject({ status: 'completed', warnings: [], error: null });
  return guildOf(server);
};
type Person = ReturnType<typeof newPerson>;

test('roles that were taken from members and time-outs are taken back, unless others have set them since', async () => {
  const [quiet, muted, eased, helped] = ['8001', '8002', '8003', '8004'];
  const server = await fixture.newServer({
    roles: [{ id: '7001', name: 'Crew', permissions: '0' }],
    members: [quiet, muted, eased, helped].map((id) => member(id, ['7001'])),
  });
  const path = (id: string) => `/guilds/${server.guildId}/members/${id}`;
  const [attacker, honest] = [newPerson(), newPerson()];
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  const until = (time: string | null) => ({ communication_disabled_until: time });
  const earned = inHours(20);
  await honest.call('PATCH', path(muted), until(earned));
  await fixture.takeBackup(server);
  for (const id of [quiet, muted, eased, helped]) {
    await attacker.call('DELETE', `${path(id)}/roles/7001`);
  }
  for (const id of [quiet, eased]) await attacker.call('PATCH', path(id), until(inHours(48)));
  await attacker.call('PATCH', path(muted), until(null));
  const agreed = inHours(1);
  await honest.call('PATCH', path(eased), until(agreed));
  await honest.call('PUT', `${path(helped)}/roles/7001`);
  await simulator.control('DELETE', '/log');
  const { members } = await repairAll(server, honest, attacker);
  const calls: { method: string; path: string; body: unknown }[] = await simulator.control(
    ...(['GET', '/log'] as const),
  );
  // Each by a call of its own, the roles first.
  const edits = calls.filter(
    (call) => call.method === 'PATCH' && call.path.endsWith(`/members/${muted}`),
  );
  expect(edits.map(({ body }) => body)).toEqual([{ roles: ['7001'] }, until(earned)]);
  const found = (id: string) => {
    const one = members.find(({ user }: { user: { id: string } }) => user.id === id);
    return [one.roles, one.communication_disabled_until];
  };
  expect([quiet, muted, eased, helped].map(found)).toEqual([
    [['7001'], null],
    [['7001'], earned],
    [['7001'], agreed],
    [['7001'], null],
  ]);
});

test('a time-out that the platform refuses costs the time-out alone, and is told', async () => {
  const server = await fixture.newServer({
    roles: [
      { id: '7011', name: 'Crew', permissions: '0' },
      { id: '7012', name: 'Chief', permissions: '8' },
    ],
    members: [member('8011', ['7011'])],
  });
  const path = `/guilds/${server.guildId}/members/8011`;
  const [attacker, honest] = [newPerson(), newPerson()];
  const until = new Date(Date.now() + 3_600_000).toISOString();
  await honest.call('PATCH', path, { communication_disabled_until: until });
  await fixture.takeBackup(server);
  await attacker.call('DELETE', `${path}/roles/7011`);
  await attacker.call('PATCH', path, { communication_disabled_until: null });
  // Nobody can time out an administrator.
  await honest.call('PUT', `${path}/roles/7012`);
  const { repair } = await storeAttack(server, honest, attacker.id);
  const { body } = await server.tenant.call('POST', repair);
  const restore = await fixture.restored(server, body.data.id);
  expect(restore).toMatchObject({ status: 'partial', steps: { failed: 0 } });
  expect(restore.warnings).toEqual([expect.stringMatching(/^member .*time-out stays as it is/)]);
  const { members } = await guildOf(server);
  const found = members.find(({ user }: { user: { id: string } }) => user.id === '8011');
  expect(found.roles.toSorted()).toEqual(['7011', '7012']);
  expect(found.communication_disabled_until).toBeNull();
});

type Named = { id: string; name: string };

test('onboarding, widget and welcome screen are as they were, and invites of the attacker are gone', async () => {
  const server = await fixture.newServer();
  const { guildId } = server;
  const before = await guildOf(server);
  await fixture.takeBackup(server);
  const [attacker, honest] = [newPerson(), newPerson()];
  const { onboarding, welcomeScreen } = before;
  const [line] = welcomeScreen.welcome_channels.filter(
    ({ channel_id }: { channel_id: string }) =>
      !JSON.stringify(before.guild).includes(`_channel_id":"${channel_id}"`),
  );
  const invite = { max_age: 0, unique: true };
  const room = before.channels.find(({ type }: { type: number }) => type === 0);
  const kept = await honest.call('POST', `/channels/${room.id}/invites`, invite);
  await attacker.call('PUT', `/guilds/${guildId}/onboarding`, {
    ...{ prompts: [], default_channel_ids: [], enabled: false, mode: onboarding.mode },
  });
  await attacker.call('PATCH', `/guilds/${guildId}/widget`, {
    enabled: !before.guild.widget_enabled,
  });
  const spam = await attacker.call('POST', `/channels/${room.id}/invites`, invite);
  await attacker.call('DELETE', `/channels/${line.channel_id}`);
  const after = await repairAll(server, honest, attacker);

  const described = (guild: typeof after) => {
    const nameOf = (id: string) =>
      [...guild.channels, ...guild.roles].find((one: Named) => one.id === id)?.name;
    type Option = { title: string; role_ids: string[]; channel_ids: string[] };
    return {
      enabled: guild.onboarding.enabled,
      prompts: guild.onboarding.prompts.map((prompt: { title: string; options: Option[] }) => [
        prompt.title,
        prompt.options.map(({ title, role_ids, channel_ids }) => [
          ...[title, role_ids.map(nameOf).sort(), channel_ids.map(nameOf).sort()],
        ]),
      ]),
      defaults: guild.onboarding.default_channel_ids.map(nameOf).sort(),
      screen: guild.welcomeScreen.welcome_channels.map(
        ({ channel_id, description }: { channel_id: string; description: string }) => [
          ...[nameOf(channel_id), description],
        ],
      ),
      widget: [guild.guild.widget_enabled, guild.guild.widget_channel_id],
    };
  };
  expect(described(before).prompts.length).toBeGreaterThan(0);
  expect(described(after)).toEqual(described(before));
  const codes = after.invites.map(({ code }: { code: string }) => code);
  expect(codes).toContain(kept.code);
  expect(codes).not.toContain(spam.code);
});
