import { expect, test } from 'bun:test';
import type { CommunityDocument } from '@holdfast/contract';
import fc from 'fast-check';
import {
  arbitraryGuild,
  BOT,
  snapshotOf,
  type TestGuild,
} from '../../../../test/harness/guilds/arbitrary-guild.ts';
import { arbitraryEdits, editGuild } from '../../../../test/harness/guilds/edits.ts';
import { loadBlank } from '../../../../test/harness/restores/run-on-model.ts';
import { tries } from '../../../../test/harness/tries.ts';
import { recordCreated } from '../../restores/plan/id-map.ts';
import { planRestore } from '../../restores/plan/plan-restore.ts';
import { runStep } from '../../restores/run/run-step.ts';
import { createModelGuild } from '../../restores/verify/model-guild.ts';
import type { SectionName, Snapshot } from '../snapshot/snapshot.ts';
import { readDocument } from './read-document.ts';
import { hasCore, writeDocument } from './write-document.ts';

const sections: SectionName[] = ['settings', 'roles', 'channels', 'emojis', 'stickers'];

const documentOf = (snapshot: Snapshot, withPeople = false): CommunityDocument => {
  if (!hasCore(snapshot)) throw new Error('The snapshot lacks a section');
  return writeDocument(snapshot, withPeople);
};

const read = (document: CommunityDocument, base: Snapshot): Snapshot => {
  const result = readDocument(document, base);
  if ('issues' in result) throw new Error(result.issues.join('\n'));
  return result.snapshot;
};

/** The plan of applying a document to a guild, which is read first. */
const planApply = (document: CommunityDocument, target: TestGuild, deleteExtra: boolean) =>
  planRestore({
    ...{ snapshot: read(document, snapshotOf(target)), current: structuredClone(target) },
    ...{ components: sections, bot: BOT, mode: 'REPAIR', deleteExtra },
  });

const run = async (plan: ReturnType<typeof planApply>, target: TestGuild) => {
  const guild = createModelGuild(structuredClone(target));
  let { idMap } = plan;
  for (const { action } of plan.steps) {
    const { createdId } = await runStep(guild, action, idMap, loadBlank);
    idMap = recordCreated(idMap, action, createdId);
  }
  return guild.state;
};

const small = { channels: 12, roles: 6 };

test('a document of a server, read over the same server, changes nothing', () => {
  fc.assert(
    fc.property(arbitraryGuild(small), (guild) => {
      const document = documentOf(snapshotOf(guild));
      expect(planApply(document, guild, true).steps).toEqual([]);
      expect(documentOf(read(document, snapshotOf(guild)))).toEqual(document);
    }),
    tries(15),
  );
});

test('it is the same document without a base', () => {
  fc.assert(
    fc.property(arbitraryGuild(small), (guild) => {
      const document = documentOf(snapshotOf(guild));
      const blank = { guildId: '900000000000000001' };
      expect(documentOf(read(document, blank))).toEqual(document);
    }),
    tries(15),
  );
});

const large = { channels: 40, roles: 10 };

/** What a restore refuses, and what an empty server cannot become. */
const isExcused = ({ losses, notes }: ReturnType<typeof planApply>): boolean =>
  losses.length > 0 || notes.some(({ code }) => code === 'managedRoleMissing');

/**
 * Of emojis with one name, and of channels with one name at one place, a document knows only the order: where
 * one of them was changed by hand or lost its roles, another can be meant.
 */
const areDistinct = (names: string[]): boolean => new Set(names).size === names.length;
const hasDistinctEmojis = ({ emojis }: TestGuild): boolean =>
  areDistinct(emojis.map(({ name }) => name));
const hasDistinctChannels = ({ channels }: TestGuild): boolean =>
  areDistinct(channels.map(({ parentId, name }) => `${parentId} ${name}`));

/** A role that only the other server's bot has takes part in the numbering of its name. */
const hasNamesakes = ({ roles }: TestGuild): boolean =>
  !areDistinct(roles.filter(({ isManaged }) => isManaged).map(({ name }) => name));

/** Roles of bots come and go with the bots. */
const withoutManaged = ({ roles, ...document }: CommunityDocument) => ({
  ...document,
  roles: roles.filter(({ managed }) => !managed),
});

test('applied to any other server it makes that one the same, and a second time makes no call', async () => {
  const other = arbitraryGuild(small, '910000000000000000');
  await fc.assert(
    fc.asyncProperty(arbitraryGuild(large), other, async (guild, target) => {
      fc.pre([guild, target].every(hasDistinctEmojis));
      const document = documentOf(snapshotOf(guild));
      const plan = planApply(document, target, true);
      expect(plan.blockers).toEqual([]);
      const state = await run(plan, target);
      expect(planApply(document, state, true).steps).toEqual([]);
      if (isExcused(plan) || hasNamesakes(state)) return;
      expect(withoutManaged(documentOf(snapshotOf(state)))).toEqual(withoutManaged(document));
    }),
    tries(15),
  );
});

test('edits by hand are undone, and nobody loses an overwrite', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryGuild(small), arbitraryEdits, async (guild, edits) => {
      const target = editGuild(guild, edits);
      fc.pre([guild, target].every((one) => hasDistinctEmojis(one) && hasDistinctChannels(one)));
      const document = documentOf(snapshotOf(guild));
      const state = await run(planApply(document, target, false), target);
      expect(planApply(document, state, false).steps).toEqual([]);
      for (const { id, overwrites } of target.channels) {
        const now = state.channels.find((channel) => channel.id === id)?.overwrites;
        for (const one of overwrites.filter(({ kind }) => kind === 'member')) {
          expect(now).toContainEqual(one);
        }
      }
    }),
    tries(15),
  );
});
