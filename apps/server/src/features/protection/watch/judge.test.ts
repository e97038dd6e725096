import { describe, expect, test } from 'bun:test';
import { defaultThresholds, type ThresholdKind } from '@holdfast/contract';
import {
  beginningOf,
  type Guard,
  judgeAlone,
  judgeTogether,
  type Rule,
  type SeenAct,
} from './judge.ts';
import type { ActKind } from './kinds.ts';

const [mallory, eve, friend, owner] = ['1', '2', '3', '4'];
const guard: Guard = {
  thresholds: defaultThresholds,
  trusted: new Set([friend]),
  ownerId: owner,
};

/** Acts of one person, at these seconds. */
const acts = (executorId: string, kind: ActKind, ...seconds: number[]): SeenAct[] =>
  seconds.map((at) => ({ executorId, kind, atMs: at * 1000 }));
const every = (seconds: number, count: number) =>
  Array.from({ length: count }, (_, index) => index * seconds);
/** Edits of so many different things, one every so many seconds. */
const edits = (
  executorId: string,
  seconds: number,
  count: number,
  kind: ActKind = 'edits',
): SeenAct[] =>
  every(seconds, count).map((at) => ({
    ...{ executorId, kind, atMs: at * 1000, targetId: `${at}` },
  }));
/** Fifteen edits: of the thing of that number then, of the last one then, and of all others in between. */
const someEdits = (first: number, last: number): SeenAct[] =>
  [first, ...every(1, 13).map((at) => at + 10), last].flatMap((at) =>
    acts(mallory, 'edits', at).map((act) => ({ ...act, targetId: `${at}` })),
  );
const ruleOn = (executorId: string, ...seen: SeenAct[]) =>
  judgeAlone(seen, guard, executorId)?.rule;

describe('one person is judged', () => {
  test.each<[string, SeenAct[], Rule | undefined]>([
    ['by the threshold', acts(mallory, 'channelDeletes', 0, 10, 29), 'threshold'],
    ['not below it', acts(mallory, 'channelDeletes', 0, 10, 30), undefined],
    ['also where it lies back', acts(mallory, 'bans', 0, 1, 2, 3, 4, 500), 'threshold'],
    ['in whatever order acts arrive', acts(mallory, 'roleDeletes', 20, 0, 10), 'threshold'],
    ['by a burst', acts(mallory, 'channelDeletes', 0, 0.1), 'burst'],
    ['not by a hurry', acts(mallory, 'channelDeletes', 0, 0.2), undefined],
    ['not by a burst of bans, which one call can make', acts(mallory, 'bans', 0, 0, 0), undefined],
    [
      'by a mixture',
      [
        ...acts(mallory, 'bans', 0),
        ...acts(mallory, 'roleDeletes', 0.4),
        ...acts(mallory, 'kicks', 0.9),
      ],
      'mixed',
    ],
    [
      'not by a mixture that takes nothing away',
      [...acts(mallory, 'bans', 0, 0.1), ...acts(mallory, 'kicks', 0.2)],
      undefined,
    ],
    ['by an hour below the threshold', acts(mallory, 'channelDeletes', ...every(290, 12)), 'slow'],
    ['not by less in an hour', acts(mallory, 'channelDeletes', ...every(330, 12)), undefined],
    ['not by an hour of spam', acts(mallory, 'bans', ...every(75, 48)), undefined],
    ['at once for a grant', acts(mallory, 'dangerousGrants', 0), 'atOnce'],
    ['at once for a bot', acts(mallory, 'botAdds', 0), 'atOnce'],
    ['at once for a prune', acts(mallory, 'prunes', 0), 'atOnce'],
    ['by edits faster than by hand', edits(mallory, 2, 15), 'edits'],
    ['not by edits by hand', edits(mallory, 2.5, 15), undefined],
    ['by many edits in minutes', edits(mallory, 7, 40), 'edits'],
    ['not by an evening of edits', edits(mallory, 8, 400), undefined],
    [
      'not by edits of one thing',
      edits(mallory, 0.1, 100).map((act) => ({ ...act, targetId: '1' })),
      undefined,
    ],
    ['not by edits of which the first is 30 s ago', someEdits(0, 30), undefined],
    [
      'by the newer of two edits of one thing',
      [...acts(mallory, 'edits', 0).map((act) => ({ ...act, targetId: '9' })), ...someEdits(9, 31)],
      'edits',
    ],
    ['by roles taken from many', edits(mallory, 0.9, 30, 'roleTakes'), 'edits'],
    ['also slowly', edits(mallory, 2.9, 100, 'roleTakes'), 'edits'],
    ['not by roles of newcomers', edits(mallory, 3.1, 400, 'roleTakes'), undefined],
    ['sooner by demotions', edits(mallory, 1, 15, 'demotions'), 'edits'],
    [
      'not by many roles of a few people',
      edits(mallory, 0.1, 100, 'roleTakes').map((act, n) => ({ ...act, targetId: `${n % 5}` })),
      undefined,
    ],
    ['at once for weaker settings', acts(mallory, 'settingsChanges', 0), 'atOnce'],
    ['not for what is not watched', acts(mallory, 'other', ...every(0.01, 100)), undefined],
  ])('%s', (_, seen, rule) => expect(ruleOn(mallory, ...seen)).toBe(rule));

  test('by what they did themselves only', () => {
    const seen = [...acts(mallory, 'channelDeletes', 0, 1, 2), ...acts(eve, 'channelDeletes', 1)];
    expect(ruleOn(eve, ...seen)).toBeUndefined();
  });
});

test('an attack begins with the first act that it is judged by', () => {
  const before = [...acts(mallory, 'channelDeletes', 0), ...acts(mallory, 'other', 90)];
  const fast = [...before, ...acts(mallory, 'channelDeletes', 100, 101, 102)];
  expect(judgeAlone(fast, guard, mallory)).toMatchObject({ rule: 'threshold', fromMs: 100_000 });
  const grant = [...fast.slice(0, 2), ...acts(mallory, 'dangerousGrants', 100)];
  const verdict = judgeAlone(grant, guard, mallory);
  expect(verdict && beginningOf(verdict)).toEqual(new Date(100_000));
  const slow = acts(mallory, 'channelDeletes', ...every(290, 11), 2930);
  expect(judgeAlone(slow, guard, mallory)).toMatchObject({
    ...{ rule: 'slow', fromMs: 2_900_000, kindFromMs: 0 },
  });
});

describe('those who are trusted, and the owner,', () => {
  test.each([friend, owner])('have five times the threshold, never none', (trusted) => {
    expect(ruleOn(trusted, ...acts(trusted, 'channelDeletes', ...every(1.9, 14)))).toBeUndefined();
    expect(ruleOn(trusted, ...acts(trusted, 'channelDeletes', ...every(1.9, 15)))).toBe(
      'threshold',
    );
    expect(ruleOn(trusted, ...acts(trusted, 'channelDeletes', ...every(0.1, 14)))).toBeUndefined();
    expect(ruleOn(trusted, ...acts(trusted, 'dangerousGrants', 0, 5, 10, 20))).toBeUndefined();
    expect(ruleOn(trusted, ...acts(trusted, 'dangerousGrants', 0, 5, 10, 20, 25))).toBe('atOnce');
    expect(ruleOn(trusted, ...edits(trusted, 0.1, 74))).toBeUndefined();
    expect(ruleOn(trusted, ...edits(trusted, 0.1, 75))).toBe('edits');
    expect(ruleOn(trusted, ...acts(trusted, 'ownerChanges', 0))).toBe('atOnce');
  });
});

describe('several people together', () => {
  const guilty = (kind: ThresholdKind, ...seen: SeenAct[]) =>
    judgeTogether(seen, guard, kind).map(({ executorId }) => executorId);

  test('are stopped when they exceed the threshold between them', () => {
    const pair = [...acts(mallory, 'roleDeletes', 0, 12), ...acts(eve, 'roleDeletes', 6, 18)];
    expect(guilty('roleDeletes', ...pair)).toEqual([mallory, eve]);
    expect(guilty('roleDeletes', ...pair.slice(0, 3))).toEqual([]);
  });

  test('spare who did one thing beside them, who is trusted, and who is alone', () => {
    const pair = [...acts(mallory, 'roleDeletes', 0, 12), ...acts(eve, 'roleDeletes', 6, 18)];
    const honest = acts('9', 'roleDeletes', 15);
    expect(guilty('roleDeletes', ...pair, ...honest)).not.toContain('9');
    const withFriend = [
      ...acts(mallory, 'roleDeletes', 0, 12),
      ...acts(friend, 'roleDeletes', 6, 18),
    ];
    expect(guilty('roleDeletes', ...withFriend)).toEqual([]);
    expect(guilty('roleDeletes', ...acts(mallory, 'roleDeletes', 0, 0.5, 1, 1.5))).toEqual([]);
  });

  test('are all stopped where many delete one thing each', () => {
    const many = ['5', '6', '7', '8', '9', '10'];
    const each = many.flatMap((id, at) => acts(id, 'channelDeletes', at));
    expect(guilty('channelDeletes', ...each)).toEqual(many);
    expect(guilty('channelDeletes', ...each.slice(1))).toEqual([]);
    // One attacker, and a team that tidies up beside them.
    const alone = acts(mallory, 'channelDeletes', 0, 1, 2, 3);
    expect(guilty('channelDeletes', ...alone, ...each.slice(0, 2))).toEqual([mallory]);
  });

  test('may clear away a raid', () => {
    const mods = ['5', '6', '7'].flatMap((mod) => acts(mod, 'bans', 0, 6, 12, 18));
    expect(guilty('bans', ...mods)).toEqual([]);
    const four = [...mods, ...acts('8', 'bans', 0, 6, 12, 18)];
    expect(guilty('bans', ...four)).toEqual(['5', '6', '7', '8']);
  });
});
