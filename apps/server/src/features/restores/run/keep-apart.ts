import type { Overwrite } from '../../../platform/guild.ts';
import { sameOverwrites } from '../../../platform/permissions.ts';
import type { Action } from '../plan/action.ts';
import { type IdMap, resolveOverwrites, resolveRef } from '../plan/id-map.ts';
import type { JournalRun } from './journal-run.ts';
import { redactAction } from './redact.ts';
import { withoutPowerOfStopped } from './withhold-access.ts';

/**
 * The plan sees to it that no channel follows its category where it shall not. The platform may do otherwise
 * than its documentation says: so the channels are looked at, and one that followed gets again what a step
 * gave it last.
 */
export const keepApart = async (journal: JournalRun, action: Action): Promise<void> => {
  if (action.do !== 'editChannel' && action.do !== 'setOverwrites') return;
  const { channels: ids } = journal.idMap;
  const apart = new Set(action.apart?.map((ref) => resolveRef(ids, ref)));
  if (apart.size === 0) return;
  const channels = await journal.readChannels();
  const category = channels.find(({ id }) => id === resolveRef(ids, action.channel));
  const isAsCategory = (overwrites: Overwrite[]) =>
    category !== undefined && sameOverwrites(overwrites, category.overwrites);
  for (const { id, parentId, overwrites } of channels) {
    if (!apart.has(id) || parentId !== category?.id || !isAsCategory(overwrites)) continue;
    const given = await lastGiven(journal, id);
    if (given && !isAsCategory(given))
      await journal.run.guild.editChannel(id, { overwrites: given });
  }
};

type Journal = Pick<JournalRun, 'run' | 'steps' | 'idMap'>;

/** Undefined where no step is done that says it: one that is to come says it then. */
export const lastGiven = async (
  { run, steps, idMap }: Journal,
  channelId: string,
): Promise<Overwrite[] | undefined> => {
  const isErased = await run.readErased();
  const given = steps
    .filter(({ status, action, createdId }) => {
      const id = 'channel' in action ? resolveRef(idMap.channels, action.channel) : createdId;
      return status === 'done' && id === channelId;
    })
    .flatMap(({ action }) => givenBy(redactAction(action, isErased) ?? action, idMap) ?? [])
    .at(-1);
  return given && withoutPowerOfStopped(run, given);
};

const givenBy = (action: Action, map: IdMap): [Overwrite[]] | undefined => {
  switch (action.do) {
    case 'createChannel':
      return [resolveOverwrites(action.wish.overwrites, map)];
    case 'editChannel':
      return action.changes.overwrites && [resolveOverwrites(action.changes.overwrites, map)];
    case 'setOverwrites': {
      const isOfBackup = 'backup' in action.channel;
      return [isOfBackup ? resolveOverwrites(action.overwrites, map) : action.overwrites];
    }
    default:
      return undefined;
  }
};
