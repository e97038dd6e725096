import { expect, test } from 'bun:test';
import type { Act } from './atoms.ts';
import { forgetErased, withoutErased } from './redact-scope.ts';
import { scopeOf } from './scope.ts';

const [attacker, person, honest] = ['860000000000000001', '860000000000000002', '88'];
const change = (key: string, before: unknown, after: unknown) => ({ key, before, after });

const act = (by: string, fields: Omit<Act, 'isAttack'>): Act => ({
  ...{ ...fields, isAttack: by === attacker },
});

test('an undo keeps nothing of somebody who erased themselves, but a ban until it has ended', async () => {
  const overwrites = [{ id: person, type: 1, allow: '0', deny: '1024' }];
  const scope = await scopeOf(
    [
      act(attacker, { action: 'memberKicked', targetId: person, changes: [] }),
      act(attacker, { action: 'memberUnbanned', targetId: person, changes: [] }),
      act(attacker, {
        ...{ action: 'memberChanged', targetId: person },
        changes: [change('nick', 'Bo', 'pwned')],
      }),
      act(attacker, {
        ...{ action: 'overwriteDeleted', targetId: '301', subject: { id: person, kind: 'member' } },
        changes: [change('allow', '1024', null)],
      }),
      act(attacker, {
        ...{ action: 'channelDeleted', targetId: '302' },
        changes: [
          change('topic', `Ask <@${person}>`, null),
          change('permission_overwrites', overwrites, null),
        ],
      }),
      act(attacker, { action: 'roleDeleted', targetId: '201', changes: [] }),
      act(honest, {
        ...{ action: 'memberRolesChanged', targetId: person },
        changes: [change('$add', null, [{ id: '201' }])],
      }),
    ],
    [attacker],
  );
  const isErased = (id: string) => id === person;
  expect(JSON.stringify(scope).split(person)).toHaveLength(8);
  const running = withoutErased(scope, isErased);
  expect(running.deleted).toContainEqual(expect.objectContaining({ type: 'ban', id: person }));
  expect(JSON.stringify(running).split(person)).toHaveLength(2);
  expect(JSON.stringify(forgetErased(scope, isErased))).not.toContain(person);
});
