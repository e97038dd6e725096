import type { BackupComponent } from '@holdfast/contract';
import { PlatformFailure } from '../../../platform/failures.ts';
import type { ImageRef } from '../../../platform/port.ts';
import type { BackupDependencies } from '../../backups/capture/execute-backup.ts';
import type { Snapshot } from '../../backups/snapshot/snapshot.ts';
import type { IdMap } from '../plan/id-map.ts';
import { findPicturesToCompare } from '../plan/match-expressions.ts';
import { findRenamedPictures } from '../plan/parts/pictures-to-compare.ts';
import type { GuildState } from '../plan/step.ts';

type Compared = {
  snapshot: Snapshot;
  current: GuildState;
  components: readonly BackupComponent[];
  earlierIds: IdMap;
};

/** The guild with the hashes of those pictures that must be told apart. One that cannot be read is another. */
export const withPictureHashes = async (
  { platform, blobs }: Pick<BackupDependencies, 'platform' | 'blobs'>,
  { snapshot, current, components, earlierIds }: Compared,
  signal: AbortSignal,
): Promise<GuildState> => {
  const { emojis, stickers } = findPicturesToCompare(snapshot, current, earlierIds);
  const refs: [string, ImageRef][] = [
    ...(components.includes('emojis') ? emojis : []).map(
      ({ id, isAnimated }): [string, ImageRef] => [id, { kind: 'emoji', emojiId: id, isAnimated }],
    ),
    ...(components.includes('stickers') ? stickers : []).map(
      ({ id, format }): [string, ImageRef] => [id, { kind: 'sticker', stickerId: id, format }],
    ),
  ];
  if (components.includes('settings') || components.includes('roles')) {
    refs.push(...findRenamedPictures(snapshot, current, earlierIds));
  }
  const hashes = await Promise.all(
    refs.map(async ([id, ref]) => {
      try {
        return [[id, blobs.hashOf((await platform.readImage(ref, signal)).bytes)]];
      } catch (error) {
        if (error instanceof PlatformFailure) return [];
        throw error;
      }
    }),
  );
  return { ...current, pictureHashes: Object.fromEntries(hashes.flat()) };
};
