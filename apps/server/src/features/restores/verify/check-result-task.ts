import type { AsideTask } from '../../../kernel/aside.ts';
import type { Channel } from '../../../platform/guild.ts';
import type { Snapshot } from '../../backups/snapshot/snapshot.ts';
import type { IdMap } from '../plan/id-map.ts';
import type { GuildState } from '../plan/step.ts';
import { liveUndo, type UndoThings, wantedAfterUndo } from '../undo/live-undo.ts';
import { findOpenChannels } from './channels.ts';
import type { Difference } from './describe-difference.ts';
import { type ComparedWay, findDifferences } from './differences.ts';
import type { Subject } from './let-in.ts';

type Things = {
  snapshot: Snapshot;
  found: GuildState;
  /** What has been changed since is compared in it. */
  after?: GuildState | undefined;
  /** What an undo leads to depends on the guild, of which it leaves most as it is. */
  undo?: Pick<UndoThings, 'scope' | 'ids'> | undefined;
};

export type OpenChannel = { channel: Channel; letIn: Subject[] };

/** Where a guild is not what it should be, and which of its channels let somebody in whom they should not. */
export const checkResultTask: AsideTask<
  Things,
  ComparedWay & { idMap: IdMap; components: Parameters<typeof findDifferences>[3] },
  { differences: Difference[]; open: OpenChannel[] }
> = {
  name: 'restores.checkResult',
  run({ snapshot, found, after = found, undo }, { idMap, components, ...how }) {
    const wanted = undo
      ? wantedAfterUndo(liveUndo({ ...undo, backup: snapshot, current: found }))
      : { snapshot, idMap };
    return {
      differences: findDifferences(wanted.snapshot, after, wanted.idMap, components, how),
      open: components.includes('channels')
        ? findOpenChannels(wanted.snapshot, after, wanted.idMap)
        : [],
    };
  },
};
