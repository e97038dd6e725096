import { isDeepStrictEqual } from 'node:util';
import type { Database } from '../../../db/connect.ts';
import type { KeyRing } from '../../../kernel/seal.ts';
import { giveWay } from '../../../kernel/turns.ts';
import type { Overwrite } from '../../../platform/guild.ts';
import { readErased } from '../../backups/erasure/erasures.ts';
import { noneErased, redactOverwrites } from '../../backups/erasure/redact.ts';
import {
  type IsErased,
  idsInText,
  redactText,
  redactTextsIn,
} from '../../backups/erasure/redact-text.ts';
import { type Action, isPartAction } from '../plan/action.ts';
import { listSteps, redactStep, type StepRow } from '../queries/journal.ts';
import { listEndedRestores, redactRestore } from '../queries/restores.ts';
import { forgetErased } from '../undo/redact-scope.ts';

/**
 * A planned action without the people who were erased since the plan was made; undefined where nothing
 * of it is left to do. A ban stays: see `backups/erasure/redact.ts`.
 */
export const redactAction = (action: Action, isErased: IsErased): Action | undefined => {
  if (isErased === noneErased) return action;
  if (action.do === 'editMember') return isErased(action.userId) ? undefined : action;
  if (action.do === 'ban' && isErased(action.userId)) return { ...action, reason: null };
  return mapOverwrites(redactTexts(action, isErased), (all) => redactOverwrites(all, isErased));
};

const redactTexts = (action: Action, isErased: IsErased): Action => {
  const described = <Thing extends { description?: string | null }>(thing: Thing): Thing =>
    thing.description === undefined
      ? thing
      : { ...thing, description: redactText(thing.description, isErased) };
  if (isPartAction(action)) return redactTextsIn(action, isErased);
  switch (action.do) {
    case 'createChannel': {
      const topic = redactText(action.wish.topic, isErased);
      return { ...action, wish: { ...action.wish, topic } };
    }
    case 'editChannel': {
      const { topic } = action.changes;
      if (topic === undefined) return action;
      return { ...action, changes: { ...action.changes, topic: redactText(topic, isErased) } };
    }
    case 'editSettings':
      return { ...action, changes: described(action.changes) };
    case 'editSticker':
      return { ...action, changes: described(action.changes) };
    case 'createSticker':
      return { ...action, wish: described(action.wish) };
    case 'ban':
      return { ...action, reason: redactText(action.reason, isErased) };
    default:
      return action;
  }
};

const mapOverwrites = (action: Action, map: (overwrites: Overwrite[]) => Overwrite[]): Action => {
  if (action.do === 'setOverwrites') return { ...action, overwrites: map(action.overwrites) };
  if (action.do === 'editChannel' && action.changes.overwrites) {
    const overwrites = map(action.changes.overwrites);
    return { ...action, changes: { ...action.changes, overwrites } };
  }
  if (action.do !== 'createChannel') return action;
  return { ...action, wish: { ...action.wish, overwrites: map(action.wish.overwrites) } };
};

const erasedName = 'somebody who erased themselves';
/** Stored in place of an erased person's id; the platform gives this id to nobody. */
const erasedUserId = '0';

/**
 * Takes erased people out of what ended restores stored: their steps and their messages. A restore that
 * is under way keeps its steps, of which it skips those that concern an erased person.
 */
export const redactJournals = async (
  { db, ring }: { db: Database; ring: KeyRing },
  accountId: string,
  signal: AbortSignal,
): Promise<void> => {
  for (const restore of await listEndedRestores(db, accountId)) {
    signal.throwIfAborted();
    const { id: restoreId, createdAt, warnings, plan, undo } = restore;
    const isErased = await readErased(db, ring, { accountId, savedAt: createdAt });
    if (isErased === noneErased) continue;
    const owner = { accountId, restoreId };
    for (const step of await listSteps(db, owner)) {
      await giveWay();
      const redacted = redactedStep(step, isErased);
      if (redacted) await redactStep(db, owner, step.seq, redacted);
    }
    const redact = (text: string) => (idsInText(text).some(isErased) ? erasedName : text);
    await redactRestore(db, owner, {
      warnings: warnings.map((warning) =>
        idsInText(JSON.stringify(warning)).some(isErased) ? erasedName : warning,
      ),
      undo: undo && forgetErased(undo, isErased),
      plan: plan && {
        ...plan,
        warnings: plan.warnings.map(redact),
        losses: plan.losses.map((loss) => ({ ...loss, name: redact(loss.name) })),
      },
    });
  }
};

/** Undefined where the step names no erased person. */
const redactedStep = (
  { action, name }: StepRow,
  isErased: IsErased,
): { action: Action; name: string } | undefined => {
  if ('userId' in action && isErased(action.userId)) {
    const kept = action.do === 'ban' ? { do: action.do, reason: null } : { do: action.do };
    return { action: { ...kept, userId: erasedUserId }, name: erasedName };
  }
  // Unlike a backup, a journal need not keep what a channel denied to an erased person.
  const redacted = mapOverwrites(redactTexts(action, isErased), (all) =>
    all.filter(({ id, kind }) => kind === 'role' || !isErased(id)),
  );
  const redactedName = isPartAction(action) ? redactText(name, isErased) : name;
  return isDeepStrictEqual(redacted, action) ? undefined : { action: redacted, name: redactedName };
};
