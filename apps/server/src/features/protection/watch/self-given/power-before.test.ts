import { expect, test } from 'bun:test';
import type { AuditAction, AuditLogEntry } from '../../../../platform/gateway/events.ts';
import { permission } from '../../../../platform/permissions.ts';
import { mayHaveGiven } from './power-before.ts';

const [guildId, ann, ben] = ['1', '10', '11'];
const [mod, guard, plain] = ['20', '21', '22'];
const power = `${permission.manageRoles}`;
const roles = new Map([
  [guildId, '0'],
  [plain, '0'],
  [mod, power],
  [guard, `${permission.banMembers}`],
]);

const entry = (action: AuditAction, targetId: string, changes: AuditLogEntry['changes']) => ({
  ...{ guildId, entryId: '2', executorId: ann, targetId, action },
  ...{ changes, options: {}, reason: null },
});
const edit = (targetId: string, { adds = [] as string[], takes = [] as string[] }) =>
  entry(
    'memberRolesChanged',
    targetId,
    [
      { key: '$add', ids: adds },
      { key: '$remove', ids: takes },
    ].map(({ key, ids }) => ({ key, before: null, after: ids.map((id) => ({ id })) })),
  );
const change = (action: AuditAction, id: string, before: string | null, after: string | null) =>
  entry(action, id, [{ key: 'permissions', before, after }]);

const took = edit(ann, { adds: [guard] });
test.each([
  ['nothing but what they took', [guard], [], false],
  ['a role that gives power', [mod, guard], [], true],
  ['a role that gives power, taken since', [], [edit(ann, { takes: [mod, guard] })], true],
  ['one that they were given only since', [mod, guard], [edit(ann, { adds: [mod] })], false],
  ['one of somebody else', [guard], [edit(ben, { takes: [mod] })], false],
  ['one that gave power then', [guard, plain], [change('roleChanged', plain, power, '0')], true],
  ['another that lost power since', [guard], [change('roleChanged', plain, power, '0')], false],
  ['perhaps one that was deleted', [guard], [change('roleDeleted', '23', power, null)], true],
  [
    'perhaps a harmless one that was deleted',
    [guard],
    [change('roleDeleted', '23', '0', null)],
    false,
  ],
  ['one of which nothing is known', [guard, '24'], [], true],
] as const)('somebody who had %s', (_, roleIds, later, may) => {
  const since = [took, ...later];
  expect(mayHaveGiven({ platformId: ann, roleIds, since, guild: { guildId, roles } })).toBe(may);
});
