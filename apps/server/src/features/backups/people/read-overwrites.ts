import type { Database } from '../../../db/connect.ts';
import type { SealedBlobs } from '../../../integrations/blobs/sealed-blobs.ts';
import { inParallel } from '../../../kernel/concurrency.ts';
import type { KeyRing } from '../../../kernel/seal.ts';
import { readErased } from '../erasure/erasures.ts';
import { redactEntries } from '../erasure/redact.ts';
import { createObjectReader } from '../objects/read-objects.ts';
import { readManifest, readPage, readSectionList } from '../snapshot/read-snapshot.ts';

type Dependencies = { db: Database; ring: KeyRing; blobs: SealedBlobs };
type Source = { accountId: string; checksum: string; savedAt: Date };

/** What a channel of a backup allows and denies somebody alone. */
export type SavedOverwrite = { platformId: string; channelId: string; allow: string; deny: string };

const pagesAtOnce = 8;

/**
 * The overwrites that a backup has of these people, by their ids. The index of people does not know who is
 * denied something, so every page of channels is read, and of each only what is asked for is kept.
 */
export const readSavedOverwrites = async (
  { db, ring, blobs }: Dependencies,
  { accountId, checksum, savedAt }: Source,
  platformIds: readonly string[],
): Promise<Map<string, SavedOverwrite[]>> => {
  const read = createObjectReader(db, blobs, accountId);
  const { channels } = (await readManifest(read, checksum)).sections;
  const { pages } = channels ? await readSectionList(read, channels) : { pages: [] };
  const asked = new Set(platformIds);
  const found = await inParallel(pagesAtOnce, pages, async (page) => {
    const entries = await readPage(read, page, 'channels');
    return entries.map(({ overwrites, ...channel }) => {
      const own = overwrites.filter(({ id, kind }) => kind === 'member' && asked.has(id));
      return { ...channel, overwrites: own };
    });
  });
  const isErased = await readErased(db, ring, { accountId, savedAt });
  const redacted = await redactEntries('channels', found.flat(), isErased);
  const all = redacted.flatMap(({ id: channelId, overwrites }) =>
    overwrites.map(({ id: platformId, allow, deny }) => ({ platformId, channelId, allow, deny })),
  );
  return Map.groupBy(all, ({ platformId }) => platformId);
};
