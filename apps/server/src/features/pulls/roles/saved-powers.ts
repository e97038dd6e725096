import type { Database } from '../../../db/connect.ts';
import type { SealedBlobs } from '../../../integrations/blobs/sealed-blobs.ts';
import { dangerous } from '../../../platform/permissions.ts';
import { createObjectReader } from '../../backups/objects/read-objects.ts';
import { readManifest, readPage, readSectionList } from '../../backups/snapshot/read-snapshot.ts';
import type { SavedRoles } from './map-roles.ts';

/** The roles with the power that they gave in the backup, in the server or in any of its channels. */
export const withSavedPowers = async (
  { db, blobs }: { db: Database; blobs: SealedBlobs },
  { accountId, checksum }: { accountId: string; checksum: string },
  saved: SavedRoles,
): Promise<SavedRoles> => {
  const read = createObjectReader(db, blobs, accountId);
  const { sections } = await readManifest(read, checksum);
  const pagesOf = async (section: string | undefined) =>
    section ? (await readSectionList(read, section)).pages : [];
  const powers = new Map<string, bigint>();
  const add = (id: string, granted: string) =>
    powers.set(id, (powers.get(id) ?? 0n) | (BigInt(granted) & dangerous));
  for (const page of await pagesOf(sections.roles)) {
    for (const { id, permissions } of await readPage(read, page, 'roles')) add(id, permissions);
  }
  for (const page of await pagesOf(sections.channels)) {
    const channels = await readPage(read, page, 'channels');
    for (const { id, kind, allow } of channels.flatMap(({ overwrites }) => overwrites)) {
      if (kind === 'role') add(id, allow);
    }
  }
  const roles = saved.roles.map((role) => ({ ...role, power: String(powers.get(role.id) ?? 0n) }));
  return { ...saved, roles };
};
