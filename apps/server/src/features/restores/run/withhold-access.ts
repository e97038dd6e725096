import type { Overwrite } from '../../../platform/guild.ts';
import { dangerous, without } from '../../../platform/permissions.ts';
import type { Action } from '../plan/action.ts';
import { overwritesOf, withOverwrites } from '../plan/action-overwrites.ts';
import { resolveRef } from '../plan/id-map.ts';
import type { JournalRun } from './journal-run.ts';
import type { StepFailure } from './step-failure.ts';

type Run = Pick<JournalRun['run'], 'findHeld'>;
type Kept = { action: Action; failure?: StepFailure };

/**
 * Somebody who was stopped gets no power by an overwrite of their own, as long as the incident is not over:
 * decided when the call is made, since they may have been stopped meanwhile. What they have in the channel stays.
 */
export const withholdAccess = async (journal: JournalRun, action: Action): Promise<Kept> => {
  const overwrites = overwritesOf(action);
  if (!overwrites) return { action };
  const id = 'channel' in action ? resolveRef(journal.idMap.channels, action.channel) : undefined;
  const kept = await withoutPowerOfStopped(journal.run, overwrites, async () => {
    const channels = id === undefined ? [] : await journal.readChannels();
    return channels.find((channel) => channel.id === id)?.overwrites ?? [];
  });
  const isSame = kept.every(({ allow }, index) => allow === overwrites[index]?.allow);
  if (isSame) return { action };
  return { action: withOverwrites(action, kept), failure: { code: 'powerTaken' } };
};

/** `readNow`: what they have and keep. */
export const withoutPowerOfStopped = async (
  run: Run,
  overwrites: Overwrite[],
  readNow: () => Promise<Overwrite[]> = async () => [],
): Promise<Overwrite[]> => {
  if (!overwrites.some(givesPower)) return overwrites;
  const stopped = new Set((await run.findHeld()).stopped);
  const isTheirs = (one: Overwrite) => givesPower(one) && stopped.has(one.id);
  if (!overwrites.some(isTheirs)) return overwrites;
  const now = await readNow();
  return overwrites.map((one) => {
    if (!isTheirs(one)) return one;
    const has = now.find(({ id, kind }) => id === one.id && kind === 'member');
    const gained = without(BigInt(one.allow), BigInt(has?.allow ?? 0)) & dangerous;
    return { ...one, allow: without(BigInt(one.allow), gained).toString() };
  });
};

const givesPower = ({ kind, allow }: Overwrite): boolean =>
  kind === 'member' && (BigInt(allow) & dangerous) !== 0n;
