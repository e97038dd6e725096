import { expect, test } from 'bun:test';
import { timeOfEntry } from '../../../platform/audit-log.ts';
import type { AuditAction, AuditChange, AuditLogEntry } from '../../../platform/gateway/events.ts';
import { permission } from '../../../platform/permissions.ts';
import { kindOf } from './classify.ts';

const [bot, adminRole, plainRole, newRole, botRole] = ['100', '200', '201', '202', '203'];
const known = {
  botUserId: bot,
  isBotRole: (id: string) => id === botRole,
  everyoneMay: permission.mentionEveryone,
  permissionsOf: (id: string) =>
    ({
      [adminRole]: permission.administrator,
      [plainRole]: permission.sendMessages | permission.mentionEveryone,
    })[id],
};
const entry = (
  action: AuditAction,
  changes: AuditChange[] = [],
  targetId = '9',
): AuditLogEntry => ({
  ...{ guildId: '1', entryId: '2', executorId: '3', targetId },
  ...{ action, changes, options: {}, reason: null },
});
const change = (key: string, before: unknown, after: unknown) => [{ key, before, after }];
const gives = (...ids: string[]) =>
  change(
    '$add',
    null,
    ids.map((id) => ({ id })),
  );
const takes = (...ids: string[]) =>
  change(
    '$remove',
    null,
    ids.map((id) => ({ id })),
  );
const offers = (...ids: string[]) => [
  { title: 'Sailors', role_ids: ids, channel_ids: [adminRole] },
];
const prompts = (...ids: string[]) => [{ title: 'Who are you?', options: offers(...ids) }];
const bits = (...all: bigint[]) => String(all.reduce((sum, bit) => sum | bit, 0n));

test.each([
  ['channelDeletes', entry('channelDeleted')],
  ['roleDeletes', entry('roleDeleted')],
  ['bans', entry('memberBanned')],
  ['kicks', entry('memberKicked')],
  ['webhookCreates', entry('webhookCreated')],
  ['emojiDeletes', entry('emojiDeleted')],
  ['emojiDeletes', entry('stickerDeleted')],
  ['botAdds', entry('botAdded')],
  ['prunes', entry('membersPruned')],
  ['edits', entry('channelCreated')],
  ['edits', entry('channelChanged')],
  ['edits', entry('memberChanged', change('nick', null, 'x'))],
  ['edits', entry('memberChanged', change('communication_disabled_until', null, '2026'))],
  ['other', entry('memberChanged', change('nick', null, 'their own'), '3')],
  ['other', entry('memberChanged', change('mute', false, true))],
  ['other', entry('emojiCreated')],
  ['other', entry('threadCreated')],
  ['other', entry('other')],
  [
    'dangerousGrants',
    entry('roleChanged', change('permissions', '0', bits(permission.banMembers))),
  ],
  ['dangerousGrants', entry('roleCreated', change('permissions', null, '8'))],
  ['edits', entry('roleChanged', change('permissions', '8', '8'))],
  // A new role has what everybody has, unless it is told otherwise.
  ['edits', entry('roleCreated', change('permissions', null, bits(permission.mentionEveryone)))],
  ['edits', entry('overwriteCreated', change('allow', null, bits(permission.mentionEveryone)))],
  [
    'dangerousGrants',
    entry('roleChanged', change('permissions', '0', bits(permission.mentionEveryone)), '1'),
  ],
  ['edits', entry('roleChanged', change('permissions', '8', '0'))],
  ['edits', entry('roleChanged', change('permissions', '0', bits(permission.sendMessages)))],
  ['edits', entry('roleChanged', change('permissions', '0', 'x'))],
  [
    'dangerousGrants',
    entry('overwriteCreated', change('allow', null, bits(permission.manageRoles))),
  ],
  [
    'dangerousGrants',
    entry('overwriteChanged', change('allow', '0', bits(permission.manageChannels))),
  ],
  ['edits', entry('overwriteChanged', change('deny', '0', bits(permission.manageChannels)))],
  ['dangerousGrants', entry('memberRolesChanged', gives(plainRole, adminRole))],
  ['other', entry('memberRolesChanged', gives(plainRole))],
  ['rolesGiven', entry('memberRolesChanged', gives(plainRole, newRole))],
  ['dangerousGrants', entry('inviteCreated', change('role_ids', null, [plainRole, adminRole]))],
  ['dangerousGrants', entry('inviteChanged', change('role_ids', [plainRole], [adminRole]))],
  ['rolesGiven', entry('inviteCreated', change('role_ids', null, [newRole]))],
  ['other', entry('inviteCreated', change('role_ids', null, [plainRole]))],
  ['other', entry('inviteCreated', change('channel_id', null, adminRole))],
  ['dangerousGrants', entry('onboardingPromptCreated', change('options', null, offers(adminRole)))],
  ['dangerousGrants', entry('onboardingChanged', change('prompts', [], prompts(adminRole)))],
  // It was offered before, and somebody changed something else.
  ['other', entry('onboardingChanged', change('prompts', prompts(adminRole), prompts(adminRole)))],
  ['other', entry('onboardingPromptChanged', change('options', null, offers(plainRole)))],
  ['demotions', entry('memberRolesChanged', takes(adminRole))],
  ['roleTakes', entry('memberRolesChanged', takes(plainRole))],
  ['other', entry('memberRolesChanged', takes(adminRole), '3')],
  ['settingsChanges', entry('memberRolesChanged', takes(plainRole), bot)],
  [
    'settingsChanges',
    entry('memberChanged', change('communication_disabled_until', null, '2026'), bot),
  ],
  ['edits', entry('memberChanged', change('communication_disabled_until', '2026', null), bot)],
  ['settingsChanges', entry('roleChanged', change('permissions', '8', '0'), botRole)],
  [
    'settingsChanges',
    entry('roleChanged', change('permissions', bits(permission.viewAuditLog), '0'), botRole),
  ],
  ['edits', entry('roleChanged', change('permissions', '2048', '0'), botRole)],
  ['edits', entry('roleChanged', change('name', 'Bot', 'Robot'), botRole)],
  ['settingsChanges', entry('guildChanged', change('vanity_url_code', 'ours', 'theirs'))],
  ['edits', entry('guildChanged', change('vanity_url_code', null, 'ours'))],
  ['settingsChanges', entry('guildChanged', change('verification_level', 3, 0))],
  ['edits', entry('guildChanged', change('verification_level', 0, 3))],
  ['settingsChanges', entry('guildChanged', change('mfa_level', 1, 0))],
  ['ownerChanges', entry('guildChanged', change('owner_id', '1', '2'))],
  ['edits', entry('guildChanged', change('name', 'Ours', 'Theirs'))],
] as const)('%s: an entry of the audit log', (kind, given) => {
  expect(kindOf(given, known)).toBe(kind);
});

test('the time of an entry is that of its id', () => {
  expect(new Date(timeOfEntry('175928847299117063')).toISOString()).toBe(
    '2016-04-30T11:18:25.796Z',
  );
});
