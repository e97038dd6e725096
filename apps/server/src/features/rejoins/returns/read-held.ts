import type { Database } from '../../../db/connect.ts';
import type { SealedBlobs } from '../../../integrations/blobs/sealed-blobs.ts';
import type { KeyRing } from '../../../kernel/seal.ts';
import { readSavedMembers } from '../../backups/people/read-members.ts';
import { readSavedOverwrites } from '../../backups/people/read-overwrites.ts';
import { findBackupOfMembers, savedAtOf } from '../../backups/queries.ts';
import type { ReturnedMember } from '../../members/queries/returns.ts';
import type { SavedOverwrites } from '../../pulls/overwrites/give-overwrites.ts';
import type { SavedRoles } from '../../pulls/roles/map-roles.ts';
import { readAllRoles } from '../../pulls/roles/preview.ts';
import { type Held, newestOf } from '../rules.ts';

type Dependencies = { db: Database; ring: KeyRing; blobs: SealedBlobs };
type Owned = { accountId: string; serverId: string };

/** What returned people had, and the roles among it, as the backups call them. */
type HeldByAll = {
  held: Map<string, Held>;
  overwrites: Map<string, SavedOverwrites>;
  saved: SavedRoles;
};

/**
 * As it was last reported, or else as the last good backup from before they left has it: a later one was
 * taken without them.
 */
export const readHeld = async (
  dependencies: Dependencies,
  owner: Owned & { guildId: string },
  people: readonly ReturnedMember[],
): Promise<HeldByAll> => {
  const held = new Map<string, Held>();
  const overwrites = new Map<string, SavedOverwrites>();
  const roles = new Map<string, SavedRoles['roles'][number]>();
  for (const [backup, group] of await groupByBackup(dependencies, owner, people)) {
    const found = backup && (await readFrom(dependencies, owner, backup, group));
    for (const role of found?.roles ?? []) roles.set(role.id, role);
    for (const person of group) {
      const entry = found?.members.get(person.platformId);
      const had = newestOf(person, found && entry && { ...entry, savedAt: found.savedAt });
      if (had) held.set(person.memberId, had);
      const own = found?.overwrites.get(person.platformId);
      if (found && own)
        overwrites.set(person.memberId, { savedAt: found.savedAt, overwrites: own });
    }
  }
  for (const id of [...held.values()].flatMap(({ roleIds }) => roleIds)) {
    if (!roles.has(id)) roles.set(id, { id, name: null, isManaged: false });
  }
  return {
    held,
    overwrites,
    saved: { guildId: owner.guildId, hasNicknames: true, roles: [...roles.values()] },
  };
};

type Backup = NonNullable<Awaited<ReturnType<typeof findBackupOfMembers>>>;

const groupByBackup = async (
  { db }: Dependencies,
  { accountId, serverId }: Owned,
  people: readonly ReturnedMember[],
) => {
  const groups = new Map<string, { backup: Backup | undefined; group: ReturnedMember[] }>();
  for (const person of people) {
    const server = { id: serverId, accountId };
    const backup = await findBackupOfMembers(db, server, person.leftAt ?? undefined);
    const known = groups.get(backup?.id ?? '');
    if (known) known.group.push(person);
    else groups.set(backup?.id ?? '', { backup, group: [person] });
  }
  return [...groups.values()].map(({ backup, group }) => [backup, group] as const);
};

const readFrom = async (
  dependencies: Dependencies,
  { accountId }: Owned,
  backup: Backup,
  people: readonly ReturnedMember[],
) => {
  const platformIds = people.map(({ platformId }) => platformId);
  const { id: backupId, checksum } = backup;
  const savedAt = savedAtOf(backup);
  if (checksum === null) return undefined;
  const source = { accountId, backupId, checksum, savedAt };
  const members = await readSavedMembers(dependencies, source, platformIds);
  const overwrites = await readSavedOverwrites(dependencies, source, platformIds);
  const { roles } =
    members.size > 0 ? await readAllRoles(dependencies, accountId, checksum) : { roles: [] };
  return { members, overwrites, roles, savedAt };
};
