import { expect, test } from 'bun:test';
import type { Act } from './atoms.ts';
import { scopeOf } from './scope.ts';

const everyPermission = String(2n ** 50n - 1n);

/** Each of another role in one of 500 channels. */
const overwriteOf = (at: number): Act => ({
  isAttack: at % 2 === 0,
  action: 'overwriteChanged',
  targetId: String(500 + (at % 500)),
  subject: { id: String(10_000 + at), kind: 'role' },
  changes: [
    { key: 'allow', before: everyPermission, after: '0' },
    { key: 'deny', before: '0', after: everyPermission },
  ],
});

test('what an attack of thousands of acts did is worked out while others are answered', async () => {
  let [answered, isDone] = [0, false];
  const answer = () => {
    answered += 1;
    if (!isDone) setImmediate(answer);
  };
  setImmediate(answer);
  const scope = await scopeOf(
    Array.from({ length: 5000 }, (_, at) => overwriteOf(at)),
    ['1'],
  );
  isDone = true;
  expect(scope.changed).toHaveLength(250);
  expect(answered).toBeGreaterThan(3);
});

test('each channel that honest people made again stands for one of its name, and for no other', async () => {
  const named = (action: Act['action'], id: string, name: string, isAttack: boolean): Act => {
    const [before, after] = action === 'channelDeleted' ? [name, null] : [null, name];
    return { isAttack, action, targetId: id, changes: [{ key: 'name', before, after }] };
  };
  const { deleted } = await scopeOf(
    [
      named('channelCreated', '1', 'hall', false),
      named('channelDeleted', '2', 'hall', true),
      named('channelDeleted', '3', 'hall', true),
      named('channelDeleted', '4', 'hall', true),
      named('channelDeleted', '5', 'yard', true),
      named('channelCreated', '6', 'hall', false),
      named('channelCreated', '7', 'hall', false),
      named('channelCreated', '8', 'quay', false),
    ],
    ['9'],
  );
  expect(deleted.map(({ id, byHand }) => [id, byHand])).toEqual([
    ['2', '6'],
    ['3', '7'],
    ['4', undefined],
    ['5', undefined],
  ]);
});
