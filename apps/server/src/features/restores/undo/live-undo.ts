import type { Snapshot } from '../../backups/snapshot/snapshot.ts';
import { emptyIdMap, type IdMap } from '../plan/id-map.ts';
import { type KnownIds, renameInput } from './rename.ts';
import type { UndoInput } from './scope.ts';
import { wantedGuild } from './wanted-guild.ts';
import { withhold } from './withheld.ts';

/** All that an undo is planned from, and checked against, as it was read. */
export type UndoThings = Pick<UndoInput, 'scope' | 'backup' | 'current'> & {
  /** Absent where nothing was ever made again. */
  ids?: KnownIds;
};

/** The same by the ids of the guild as it is. */
export const liveUndo = ({ ids, ...input }: UndoThings): UndoInput =>
  ids ? withhold(renameInput(input, ids)) : input;

/** The guild as it should be after the undo, by the ids that things have in it. */
export const wantedAfterUndo = (input: UndoInput): { snapshot: Snapshot; idMap: IdMap } => {
  const snapshot = wantedGuild(input);
  const own = (things: { id: string }[]) => Object.fromEntries(things.map(({ id }) => [id, id]));
  const { roles, channels, emojis, stickers, webhooks, automod, events, soundboard } = snapshot;
  return {
    snapshot,
    idMap: {
      ...emptyIdMap(),
      ...{ roles: own(roles), channels: own(channels), emojis: own(emojis) },
      ...{ stickers: own(stickers), webhooks: own(webhooks), automod: own(automod) },
      ...{ events: own(events), soundboard: own(soundboard) },
    },
  };
};
