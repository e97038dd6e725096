import { isDeepStrictEqual } from 'node:util';
import type { Database } from '../../db/connect.ts';
import type { KeyRing } from '../../kernel/seal.ts';
import { readErased } from '../backups/people/erasures.ts';
import { type IsErased, nobodyErased } from '../backups/people/redact.ts';
import { idsInText } from '../backups/people/redact-text.ts';
import type { Action } from './action.ts';
import {
  listEndedRestores,
  listSteps,
  redactRestore,
  redactStep,
  type StepRow,
} from './queries.ts';
import { redactTexts } from './redact-action.ts';

const unnamed = 'somebody who erased themselves';
/** No id of the platform. */
const nobody = '0';

/**
 * Takes the erased out of what restores that have ended wrote down: their steps and their sentences.
 * A restore that is under way keeps its steps, of which it skips those that concern an erased person.
 */
export const redactJournals = async (
  { db, ring }: { db: Database; ring: KeyRing },
  accountId: string,
  signal: AbortSignal,
): Promise<void> => {
  for (const { id: restoreId, createdAt, warnings, groundwork } of await listEndedRestores(
    db,
    accountId,
  )) {
    signal.throwIfAborted();
    const isErased = await readErased(db, ring, { accountId, savedAt: createdAt });
    if (isErased === nobodyErased) continue;
    const owner = { accountId, restoreId };
    for (const step of await listSteps(db, owner)) {
      const redacted = redactedStep(step, isErased);
      if (redacted) await redactStep(db, owner, step.seq, redacted);
    }
    const sentence = (text: string) => (namesErased(text, isErased) ? unnamed : text);
    await redactRestore(db, owner, {
      warnings: warnings.map(sentence),
      groundwork: groundwork && {
        ...groundwork,
        warnings: groundwork.warnings.map(sentence),
        losses: groundwork.losses.map((loss) => ({ ...loss, name: sentence(loss.name) })),
      },
    });
  }
};

const namesErased = (text: string, isErased: IsErased): boolean => idsInText(text).some(isErased);

/** Undefined where the step names nobody who erased themselves. */
const redactedStep = (
  { action, name }: StepRow,
  isErased: IsErased,
): { action: Action; name: string } | undefined => {
  if ('userId' in action && isErased(action.userId)) {
    const kept = action.do === 'ban' ? { do: action.do, reason: null } : { do: action.do };
    return { action: { ...kept, userId: nobody }, name: unnamed };
  }
  const redacted = withoutOverwritesOf(redactTexts(action, isErased), isErased);
  return isDeepStrictEqual(redacted, action) ? undefined : { action: redacted, name };
};

/** The journal is no safety record: what a channel denied somebody goes from it as well. */
const withoutOverwritesOf = (action: Action, isErased: IsErased): Action => {
  const isKept = ({ id, kind }: { id: string; kind: string }) => kind === 'role' || !isErased(id);
  if (action.do === 'setOverwrites') {
    return { ...action, overwrites: action.overwrites.filter(isKept) };
  }
  if (action.do !== 'createChannel') return action;
  return {
    ...action,
    wish: { ...action.wish, overwrites: action.wish.overwrites.filter(isKept) },
  };
};
