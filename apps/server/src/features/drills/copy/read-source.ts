import type { Database } from '../../../db/connect.ts';
import type { SealedBlobs } from '../../../integrations/blobs/sealed-blobs.ts';
import type { KeyRing } from '../../../kernel/seal.ts';
import type { BotMember } from '../../../platform/permissions.ts';
import { readErased } from '../../backups/erasure/erasures.ts';
import { createObjectReader } from '../../backups/objects/read-objects.ts';
import { readSavedMembers } from '../../backups/people/read-members.ts';
import { findLastGood, savedAtOf } from '../../backups/queries.ts';
import { readSnapshot } from '../../backups/snapshot/read-snapshot.ts';
import type { Snapshot } from '../../backups/snapshot/snapshot.ts';
import { structureSections } from './without-people.ts';

type Dependencies = { db: Database; ring: KeyRing; blobs: SealedBlobs };
type Server = { accountId: string; serverId: string; clientId: string };

/** What a server is copied from; undefined where it has no good backup. */
export const readSource = async (
  dependencies: Dependencies,
  { accountId, serverId, clientId }: Server,
): Promise<{ snapshot: Snapshot; bot: BotMember } | undefined> => {
  const { db, ring, blobs } = dependencies;
  const backup = await findLastGood(db, { id: serverId, accountId });
  if (!backup?.checksum) return undefined;
  const saved = { accountId, backupId: backup.id, savedAt: savedAtOf(backup) };
  const read = createObjectReader(db, blobs, accountId);
  const isErased = await readErased(db, ring, saved);
  const snapshot = await readSnapshot(read, backup.checksum, structureSections, isErased);
  const members = await readSavedMembers(dependencies, saved, [clientId]);
  const own = snapshot.roles?.filter(({ botId }) => botId === clientId).map(({ id }) => id) ?? [];
  // Of roles that it was given besides, only a backup of members knows.
  const given = members.get(clientId)?.roleIds ?? [];
  const roleIds = [...new Set([...own, ...given])];
  return { snapshot, bot: { userId: clientId, roleIds } };
};
