import { expect, test } from 'bun:test';
import { newRole } from '../../../../test/harness/guilds/parts.ts';
import { botPermissionsIn, permission } from '../../../platform/permissions.ts';
import { planStop } from './plan-stop.ts';

const [guildId, botId, ownerId, person] = ['1', '2', '3', '4'];
const everyoneMay = permission.sendMessages | permission.mentionEveryone;

const roles = (changes: { everyone?: bigint; bot?: bigint } = {}) => [
  newRole({ id: guildId, name: '@everyone', permissions: `${changes.everyone ?? everyoneMay}` }),
  newRole({ id: '10', name: 'Pink', position: 1 }),
  newRole({ id: '11', name: 'Mod', position: 2, permissions: `${permission.banMembers}` }),
  newRole({ id: '12', name: 'Admin', position: 3, permissions: `${permission.administrator}` }),
  newRole({
    ...{ id: '13', name: 'Linked', position: 4, isManaged: true },
    permissions: `${permission.manageChannels}`,
  }),
  newRole({
    ...{ id: '20', name: 'Holdfast', position: 5, isManaged: true, botId },
    permissions: `${changes.bot ?? permission.administrator}`,
  }),
  newRole({ id: '30', name: 'Chief', position: 6, permissions: `${permission.administrator}` }),
];

const plan = (
  member: { userId?: string; roleIds: string[]; isBot?: boolean },
  changes: Parameters<typeof roles>[0] = {},
) => {
  const guild = { guildId, ownerId, roles: roles(changes) };
  const bot = botPermissionsIn({ userId: botId, roleIds: ['20'] }, guild);
  return planStop({ userId: person, isBot: false, ...member }, { guild, bot });
};

test.each([
  ['roles that give power go, others stay', { roleIds: ['10', '11', '12'] }, ['11', '12'], null],
  ['who has no power keeps all', { roleIds: ['10'] }, [], null],
  ['a role above the bot cannot be taken', { roleIds: ['11', '30'] }, ['11'], 'ROLE_TOO_HIGH'],
  ['nor one that is managed', { roleIds: ['13'] }, [], 'MANAGED_ROLE'],
  ['nor anything from the owner', { userId: ownerId, roleIds: ['12'] }, [], 'OWNER'],
  ['nor from the bot itself', { userId: botId, roleIds: ['20'] }, [], 'OWN_TOKEN'],
  [
    'a bot above ours loses what it can',
    { roleIds: ['11', '30'], isBot: true },
    ['11'],
    'ROLE_TOO_HIGH',
  ],
] as const)('%s', (_, member, take, code) => {
  const held = [...member.roleIds];
  const found = plan({ ...member, roleIds: held });
  expect(found).toEqual({ held, take: [...take], isKicked: false, code });
});

test('a bot below ours is removed', () => {
  expect(plan({ roleIds: ['13'], isBot: true })).toMatchObject({
    take: [],
    isKicked: true,
    code: null,
  });
});

test('power of everyone, and a bot without permissions, are told', () => {
  const open = { everyone: permission.manageChannels };
  expect(plan({ roleIds: ['11'] }, open)).toMatchObject({ take: ['11'], code: 'EVERYONE' });
  const weak = { bot: permission.sendMessages };
  expect(plan({ roleIds: ['11'] }, weak)).toMatchObject({ take: [], code: 'MISSING_PERMISSION' });
});
