import { setTimeout as sleep } from 'node:timers/promises';
import type { BackupComponent } from '@holdfast/contract';
import { type FailureKind, PlatformFailure } from '../../../platform/failures.ts';
import type { Action, ActionOf } from '../plan/action.ts';
import type { GuildState } from '../plan/step.ts';
import type { StepRow } from '../queries/journal.ts';
import { findCreated } from './find-created.ts';
import { componentCreatedBy } from './find-created-part.ts';
import { hasEnded, isCreate, type JournalRun } from './journal-run.ts';
import { keepApart } from './keep-apart.ts';
import { keepOwnRoles } from './own-roles.ts';
import { readGuild } from './read-guild.ts';
import { redactAction } from './redact.ts';
import { runStep, type StepResult } from './run-step.ts';
import type { StepFailure } from './step-failure.ts';
import { withholdAccess } from './withhold-access.ts';
import { withholdGains } from './withhold-gains.ts';
import { withholdOffers } from './withhold-offers.ts';
import { withholdRoles } from './withhold-roles.ts';

const attemptsPerStep = 8;
const longestPauseMs = 30_000;
/** A longer wait than this is a quota. The client itself waits for shorter ones. */
const shortestQuotaMs = 60_000;
/** What asks for more is not waited for. */
const longestQuotaMs = 7 * 24 * 60 * 60 * 1000;

/** The platform takes no more of these for a long time: the step had no effect, and is tried then. */
export class QuotaUsedUp extends Error {
  constructor(readonly retryAfterMs: number) {
    super('The platform demands a long wait');
    this.name = 'QuotaUsedUp';
  }
}

const unclearKinds: FailureKind[] = ['unreachable', 'rateLimited', 'badAnswer'];

/** Tries until the outcome is clear. A create is repeated only when its result is seen not to exist. */
export const attemptStep = async (journal: JournalRun, step: StepRow): Promise<StepResult> => {
  const { guildId, guild, loadImage, signal } = journal.run;
  let gains: StepFailure | undefined;
  for (let attempt = 1; ; attempt++) {
    // Read at every attempt: a person may have been erased since the plan was made.
    const isErased = await journal.run.readErased();
    let action = redactAction(step.action, isErased);
    if (!action) return {};
    try {
      gains = (await withholdGains(journal, step)) ?? gains;
      action = redactAction(step.action, isErased) ?? action;
      const offer = await withholdOffers(journal, action);
      const access = await withholdAccess(journal, offer.action);
      const member = withholdRoles(journal, access.action);
      const done = await runStep(guild, access.action, journal.idMap, loadImage, member.keep);
      if (done.createdId !== undefined) journal.claimedIds.add(done.createdId);
      await keepApart(journal, action);
      const failure = done.failure ?? gains ?? offer.failure ?? access.failure ?? member.failure;
      return failure ? { ...done, failure } : done;
    } catch (error) {
      if (!(error instanceof PlatformFailure) || !unclearKinds.includes(error.kind)) throw error;
      requireShortWait(error);
      if (attempt === attemptsPerStep) throw error;
      await sleep(Math.min(longestPauseMs, 500 * 2 ** attempt), undefined, { signal });
      if (!isCreate(step)) continue;
      const current = await readGuild(guildId, guild, componentsCreatedBy([step]));
      const createdId = await claimCreated(journal, { ...step, action }, current);
      if (createdId !== undefined) return { createdId };
    }
  }
};

/** What must be read to find out whether these steps had their effect. */
export const componentsCreatedBy = (steps: StepRow[]): BackupComponent[] =>
  steps.flatMap(({ action }) => componentCreatedBy(action) ?? []);

const requireShortWait = ({ kind, retryAfterMs = 0 }: PlatformFailure): void => {
  if (kind !== 'rateLimited') return;
  if (retryAfterMs >= shortestQuotaMs && retryAfterMs <= longestQuotaMs) {
    throw new QuotaUsedUp(retryAfterMs);
  }
};

/**
 * The id of what the step created where its outcome is unknown. It is claimed at once: another step that
 * creates the same kind of thing must not claim it.
 */
export const claimCreated = async (
  journal: JournalRun,
  step: StepRow,
  current: GuildState,
): Promise<string | undefined> => {
  const { plan, idMap, claimedIds } = journal;
  const idsBefore = new Set(plan.idsBefore);
  const alike = findCreated(step.action, { current, idsBefore, claimedIds, idMap });
  const isRole = step.action.do === 'createRole';
  const candidates = isRole ? await keepOwnRoles(journal.run, alike) : alike;
  const found = await chooseCreated(journal, step, current, candidates);
  if (found !== undefined) claimedIds.add(found);
  return found;
};

/**
 * Emojis and stickers of one name may be several: then the picture decides. The platform may have
 * changed a picture that it took, so a name that no other open step creates is enough.
 */
const chooseCreated = async (
  { run, steps }: JournalRun,
  { seq, action }: StepRow,
  current: GuildState,
  candidates: string[],
): Promise<string | undefined> => {
  if (!isPicture(action) || candidates.length === 0) return candidates[0];
  const name = nameOf(action);
  const hasRivals = steps.some(
    (other) =>
      other.seq !== seq &&
      !hasEnded(other) &&
      isPicture(other.action) &&
      nameOf(other.action) === name,
  );
  if (!hasRivals && candidates.length === 1) return candidates[0];
  for (const id of candidates) {
    if ((await run.hashImage(imageOf(action, id, current))) === action.image.hash) return id;
  }
  return hasRivals ? undefined : candidates[0];
};

type Pictured = ActionOf<'createEmoji' | 'createSticker'>;

const isPicture = (action: Action): action is Pictured =>
  action.do === 'createEmoji' || action.do === 'createSticker';

const nameOf = (action: Pictured): string =>
  action.do === 'createSticker' ? `sticker ${action.wish.name}` : `emoji ${action.name}`;

const imageOf = (action: Pictured, id: string, { stickers }: GuildState) => {
  if (action.do === 'createEmoji') {
    return { kind: 'emoji' as const, emojiId: id, isAnimated: action.isAnimated };
  }
  const format = stickers.find((sticker) => sticker.id === id)?.format ?? 'png';
  return { kind: 'sticker' as const, stickerId: id, format };
};
