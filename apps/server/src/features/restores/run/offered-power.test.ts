import { expect, test } from 'bun:test';
import { createAttacks } from '../../../../test/harness/attacks/attacked-server.ts';
import { startBackupFixture } from '../../../../test/harness/backups/fixture.ts';
import { permission } from '../../../platform/permissions.ts';

const { simulator, fixture, service } = await startBackupFixture({
  doesWork: ['backups.run', 'restores.run'],
});
const { newPerson, guildOf } = createAttacks(simulator, service);

type Named = { id: string; name: string };
type Prompt = { title: string; options: { title: string; role_ids: string[] }[] };

const power = String(permission.manageMessages);

/** A community whose newcomers may choose a role, and lately may not. */
const newCommunity = async (permissions: string) => {
  const server = await fixture.newServer();
  const owner = newPerson();
  const path = `/guilds/${server.guildId}`;
  const add = (what: string, body: object): Promise<Named> =>
    owner.call('POST', `${path}/${what}`, body);
  const helper = await add('roles', { name: 'Helper', permissions });
  const reader = await add('roles', { name: 'Reader', permissions: '0' });
  const desk = await add('channels', { name: 'desk', type: 0 });
  const { onboarding } = await guildOf(server);
  const offer = (roleIds: string[]) => {
    const option = { id: '2', title: 'Any', channel_ids: [desk.id], role_ids: roleIds };
    return owner.call('PUT', `${path}/onboarding`, {
      ...{ enabled: true, mode: 0, default_channel_ids: onboarding.default_channel_ids },
      prompts: [
        {
          ...{ id: '1', type: 0, title: 'Who are you?', options: [option] },
          ...{ single_select: false, required: false, in_onboarding: true },
        },
      ],
    });
  };
  await offer([helper.id, reader.id]);
  const backup = await fixture.takeBackup(server);
  const offered = async (): Promise<string[]> => {
    const { onboarding: now, roles } = await guildOf(server);
    const nameOf = (id: string) => roles.find((one: Named) => one.id === id)?.name;
    return now.prompts.flatMap(({ options }: Prompt) =>
      options.flatMap(({ role_ids }) => role_ids.map(nameOf)),
    );
  };
  const restore = async () => {
    const url = `${fixture.backupsOf(server.serverId)}/${backup.id}/restore`;
    const body = { mode: 'REPAIR', components: ['onboarding'] };
    const { data } = (await server.tenant.call('POST', url, { body })).body;
    return fixture.restored(server, data.id);
  };
  return { ...{ server, owner, path, helper, reader, desk }, offer, offered, restore };
};

type Community = Awaited<ReturnType<typeof newCommunity>>;

test.each<[string, string, (community: Community) => Promise<unknown>]>([
  ['had power', power, async () => {}],
  [
    'got power since',
    '0',
    ({ owner, path, helper }) =>
      owner.call('PATCH', `${path}/roles/${helper.id}`, { permissions: power }),
  ],
  [
    'got power by an overwrite since',
    '0',
    ({ owner, desk, helper }) =>
      owner.call('PUT', `/channels/${desk.id}/permissions/${helper.id}`, { type: 0, allow: power }),
  ],
])(
  'newcomers get no role by a restored onboarding that %s, and the owner reads which',
  async (_, had, change) => {
    const community = await newCommunity(had);
    await community.offer([]);
    await change(community);
    const { status, warnings } = await community.restore();
    expect(await community.offered()).toEqual(['Reader']);
    expect([status, warnings]).toEqual(['partial', [expect.stringContaining('Helper')]]);
  },
);

test('a role that newcomers may choose now stays one, whatever it may do', async () => {
  const community = await newCommunity(power);
  await community.offer([community.helper.id]);
  const { status, warnings } = await community.restore();
  expect([status, warnings]).toEqual(['completed', []]);
  expect((await community.offered()).toSorted()).toEqual(['Helper', 'Reader']);
});
