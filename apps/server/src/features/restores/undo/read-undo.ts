import type { Queryable } from '../../../db/connect.ts';
import type { IsErased } from '../../backups/erasure/redact-text.ts';
import type { Snapshot } from '../../backups/snapshot/snapshot.ts';
import { emptyIdMap, type IdMap } from '../plan/id-map.ts';
import { givenIdsOf, toLiveIds } from './live-ids.ts';
import { withoutErased } from './redact-scope.ts';
import type { UndoInput } from './scope.ts';
import { wantedGuild } from './wanted-guild.ts';
import { withhold } from './withheld.ts';

/** What an undo is planned from, and checked against, at this moment. */
export const readUndo = async (
  db: Queryable,
  accountId: string,
  input: UndoInput,
  isErased: IsErased,
): Promise<UndoInput> =>
  withhold(
    await toLiveIds(givenIdsOf(db, accountId), {
      ...input,
      scope: withoutErased(input.scope, isErased),
    }),
  );

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
