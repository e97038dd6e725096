import { expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  BOT,
  snapshotOf,
  type TestGuild,
} from '../../../../test/harness/guilds/arbitrary-guild.ts';
import {
  arbitraryActs,
  attackers,
  createActedGuild,
  type Deed,
} from '../../../../test/harness/restores/attacked-guild.ts';
import { auditOfModel } from '../../../../test/harness/restores/audit-of-model.ts';
import { createGivenIds } from '../../../../test/harness/restores/given-ids.ts';
import { peacefulBackup } from '../../../../test/harness/restores/peaceful-guild.ts';
import { findGiven, powersOf } from '../../../../test/harness/restores/powers.ts';
import { runOnModel } from '../../../../test/harness/restores/run-on-model.ts';
import { tries } from '../../../../test/harness/tries.ts';
import type { Onboarding } from '../../../platform/guild-parts.ts';
import type { Snapshot } from '../../backups/snapshot/snapshot.ts';
import type { Act } from './atoms.ts';
import { findLiveIds } from './live-ids.ts';
import { liveUndo } from './live-undo.ts';
import { planSteps } from './plan-undo.ts';
import { scopeOf } from './scope.ts';
import { undoComponents } from './wanted-guild.ts';

type Logged = Act & { by: string };
const honest = '88';

/** The platform leaves out of an entry what is too large: here who may do what. */
const untold = (entries: readonly Logged[]): Logged[] =>
  entries.map((entry) => ({
    ...entry,
    changes: /^(channel|role)Deleted$/.test(entry.action)
      ? entry.changes.filter(({ key }) => !/^permission/.test(key))
      : entry.changes,
  }));

const backupOf = (guild: TestGuild): Snapshot => ({
  ...peacefulBackup(),
  ...snapshotOf(structuredClone(guild)),
});

type Known = { log: Logged[]; isWhole: boolean };

/** Repairs as the service does, by what is known since the backup; what it did is in the log afterwards. */
const createRepairs = (backup: Snapshot) => {
  const given = createGivenIds();
  let repairs = 1n;
  return async (before: TestGuild, log: Logged[], { log: known, isWhole }: Known) => {
    const state = { ...before, ownerId: String(10n ** 18n * ++repairs) };
    const scope = {
      ...(await scopeOf(known, attackers)),
      ...(!isWhole && { unknown: { from: '2026-01-01', until: '2026-01-02' } }),
    };
    const input = { scope, backup, current: structuredClone(state) };
    const components = undoComponents(scope);
    const plan = planSteps(liveUndo(await findLiveIds(given, input)), { bot: BOT, components });
    const ran = await runOnModel(plan, state, state);
    given.record(plan.steps, ran.idMap);
    const own = auditOfModel(state, ran.state).map((entry) => ({
      ...entry,
      isAttack: false,
      isOwn: true,
      by: BOT.userId,
    }));
    log.push(...own);
    return ran.state;
  };
};

/** By honest people alone. A denial that was made unseen, for a role that is deleted, nobody can know of. */
const honestly = (deeds: readonly Deed[]): Deed[] =>
  deeds
    .filter(({ op }) => !(op.do === 'overwrite' && op.side === 'deny'))
    .map(({ op }) => ({ op, by: honest }));

type Overwriting = Extract<Deed['op'], { do: 'overwrite' }>;
const overwrite = (op: Pick<Overwriting, 'slot' | 'role' | 'side'>): Deed => ({
  op: { ...op, do: 'overwrite', bit: 10, isSet: true },
  by: honest,
});

const isSet = fc.boolean();
const role = fc.constantFrom('211', '212');
const slot = fc.constantFrom('312', '313');
/** Who holds a role that attackers will delete, what it may do, and where it lets people in. */
const powers = fc.oneof(
  fc.record({
    do: fc.constant('giveRole' as const),
    slot: role,
    isSet,
    user: fc.constantFrom('91', '92'),
  }),
  fc.record({ do: fc.constant('grant' as const), slot: role, bit: fc.constantFrom(3, 28), isSet }),
  fc.record({
    do: fc.constant('overwrite' as const),
    slot,
    role,
    bit: fc.constantFrom(10, 11, 28),
    side: fc.constant('allow' as const),
    isSet,
  }),
);
const by = (...people: string[]) => fc.constantFrom(...people);
/** What our own bot does for the owner, such as a restore, is what there is afterwards. */
const changes = fc.array(fc.record({ op: powers, by: by(honest, BOT.userId) }), { maxLength: 8 });
const deletions = fc.array(
  fc.record({
    op: fc.oneof(
      fc.record({ do: fc.constant('deleteRole' as const), slot: role }),
      fc.record({ do: fc.constant('deleteChannel' as const), slot }),
    ),
    by: by(...attackers),
  }),
  { minLength: 1, maxLength: 4 },
);
const mixed = (...some: fc.Arbitrary<Deed[]>[]) => fc.tuple(...some).map((parts) => parts.flat());
const honestActs = arbitraryActs.map(honestly);

const history = fc.record({
  before: mixed(changes, honestActs),
  between: mixed(changes, honestActs),
  attack: mixed(deletions, arbitraryActs),
  again: deletions,
  isWhole: fc.boolean(),
  isTold: fc.boolean(),
});

/** Both channels are for those alone whom a role lets in. */
const hidden = ['312', '313'].flatMap((channel) => [
  overwrite({ slot: channel, role: '100', side: 'deny' }),
  overwrite({ slot: channel, role: '211', side: 'allow' }),
  overwrite({ slot: channel, role: '212', side: 'allow' }),
]);

test('a repair gives nobody more than there was when the attack began, whatever changed between the backup and it, and whatever the log tells', async () => {
  await fc.assert(
    fc.asyncProperty(history, async ({ before, between, attack, again, isWhole, isTold }) => {
      const [attacked, peaceful] = [createActedGuild(), createActedGuild()];
      let serial = 0;
      const act = async (deeds: readonly Deed[]) => {
        for (const deed of deeds) {
          const hadEffect = await attacked.act(deed, ++serial);
          if (hadEffect && !attackers.includes(deed.by)) await peaceful.act(deed, serial);
        }
      };
      await act([...hidden, ...before]);
      const backup = backupOf(attacked.state);
      const sinceBackup = attacked.log.length;
      await act(between);
      const sinceGap = isWhole ? sinceBackup : attacked.log.length;
      await act(attack);
      const repair = createRepairs(backup);
      const known = (sinceAttack: number) => {
        const log = attacked.log.map((entry, index) => ({
          ...entry,
          isAttack: entry.isAttack && index >= sinceAttack,
          isOtherAttack: entry.isAttack && index < sinceAttack,
          isOwn: entry.by === BOT.userId,
        }));
        const since = log.slice(sinceGap);
        return { log: isTold ? since : untold(since), isWhole };
      };
      const after = await repair(attacked.state, attacked.log, known(0));
      expect(findGiven(after, peaceful.state, attacked.state)).toEqual([]);
      // Where all is known, nobody has less either.
      if (isWhole) expect(powersOf(after)).toEqual(powersOf(peaceful.state));
      // Another attack, on what the repair left: things have other ids by now.
      const sinceAgain = attacked.log.length;
      const second = createActedGuild(after, attacked.log);
      for (const deed of again) await second.act(deed, ++serial);
      const repaired = await repair(second.state, attacked.log, known(sinceAgain));
      expect(findGiven(repaired, peaceful.state, attacked.state, second.state)).toEqual([]);
      if (isWhole) expect(powersOf(repaired)).toEqual(powersOf(peaceful.state));
    }),
    tries(25),
  );
});

test('what somebody was given after a repair counts more than what was taken from them before it', async () => {
  const guild = createActedGuild();
  const backup = backupOf(guild.state);
  const repair = createRepairs(backup);
  const give = (slot: string, isGiven: boolean): Deed['op'] => ({
    do: 'giveRole',
    slot,
    user: '92',
    isSet: isGiven,
  });
  await guild.act({ by: honest, op: give('212', false) }, 1);
  await guild.act({ by: '666', op: { do: 'deleteRole', slot: '212' } }, 2);
  const state = await repair(guild.state, guild.log, { log: guild.log, isWhole: true });
  const second = createActedGuild(state, guild.log);
  const captain = second.state.roles.find(({ name }) => name === 'Captain')?.id ?? '';
  expect(holdersOf(second.state, 'Captain')).toEqual([]);
  await second.act({ by: honest, op: give(captain, true) }, 3);
  await second.act({ by: '666', op: give(captain, false) }, 4);
  await second.act({ by: '666', op: { do: 'deleteRole', slot: captain } }, 5);
  const after = await repair(second.state, guild.log, { log: guild.log, isWhole: true });
  expect(holdersOf(after, 'Captain')).toEqual(['92']);
});

const plainOption = {
  ...{ description: null, channelIds: [], emojiId: null, emojiName: null, isEmojiAnimated: false },
};
const plainPrompt = { type: 0, isSingleSelect: false, isRequired: false, isInOnboarding: true };
const asking = (roleIds: string[]): Onboarding => ({
  ...{ isEnabled: true, mode: 0, defaultChannelIds: [] },
  prompts: [
    {
      ...{ ...plainPrompt, id: '1', title: 'Who are you?' },
      options: [{ ...plainOption, id: '2', title: 'Sailor', roleIds }],
    },
  ],
});

test('whatever the backup has and nobody is given is listed, by what it is', async () => {
  const guild = createActedGuild();
  const { state, log } = guild;
  const crew = state.roles.find(({ id }) => id === '211');
  Object.assign(crew ?? {}, { permissions: '64' });
  const backup = { ...backupOf(state), onboarding: [asking(['211'])] };
  // It went with the role.
  Object.assign(state.parts ?? {}, { onboarding: asking([]) });
  const deletions: Deed['op'][] = [
    { do: 'deleteRole', slot: '211' },
    { do: 'deleteRole', slot: '212' },
    { do: 'deleteChannel', slot: '312' },
  ];
  for (const [serial, op] of deletions.entries()) await guild.act({ by: '666', op }, serial);
  // Of one role alone the log tells what it might do.
  const known = log.flatMap((entry) => (entry.targetId === '211' ? entry : untold([entry])));
  const unknown = { from: '2026-01-01', until: '2026-01-02' };
  const scope = { ...(await scopeOf(known, attackers)), unknown };
  const input = { scope, backup, current: state };
  const { withheld } = liveUndo(await findLiveIds(createGivenIds(), input));
  const withholding = { code: 'withheld', count: undefined } as const;
  expect(withheld).toEqual([
    { code: 'historyUnknown', ...unknown },
    { ...withholding, what: 'permissions', name: 'Captain' },
    { ...withholding, what: 'access', name: 'stern' },
    { ...withholding, what: 'holders', name: 'Crew', count: 1 },
    { ...withholding, what: 'options', name: 'Sailor' },
    { ...withholding, what: 'exemptions', name: 'words' },
  ]);
});

const holdersOf = ({ roles, members }: TestGuild, named: string): string[] => {
  const id = roles.find(({ name }) => name === named)?.id ?? '';
  return members.filter(({ roleIds }) => roleIds.includes(id)).map(({ userId }) => userId);
};
