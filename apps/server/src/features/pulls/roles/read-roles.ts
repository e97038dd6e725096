import { BlobBroken } from '../../../integrations/blobs/blob-store.ts';
import { inParallel } from '../../../kernel/concurrency.ts';
import { readErased } from '../../backups/erasure/erasures.ts';
import { redactEntries } from '../../backups/erasure/redact.ts';
import { createObjectReader } from '../../backups/objects/read-objects.ts';
import { findBackup, findBackupOfMembers, savedAtOf } from '../../backups/queries.ts';
import {
  type ReadObject,
  readManifest,
  readPage,
  readSectionList,
} from '../../backups/snapshot/read-snapshot.ts';
import type { Manifest } from '../../backups/snapshot/sections.ts';
import type { SectionEntry } from '../../backups/snapshot/snapshot.ts';
import type { PullRun } from '../run/pull-run.ts';
import { PullRefused } from '../run/target.ts';
import type { SavedRoles } from './map-roles.ts';
import {
  hasSavedNickname,
  insertSavedMembers,
  listSavedRoleIds,
  storeRolesOfPull,
} from './queries.ts';
import { withSavedPowers } from './saved-powers.ts';

type Source = { id: string; checksum: string; savedAt: Date };

/** Two hundred people at most on each. */
const pagesAtOnce = 8;

/**
 * Stores what the backup has of the pull's members, some pages at a time, so that a backup of a hundred
 * thousand people is never in memory. Undefined where roles are not restored, or no backup has any.
 */
export const readRoles = async (run: PullRun): Promise<SavedRoles | undefined> => {
  const { restoreRoles, savedRoles } = run.pull;
  if (!restoreRoles || savedRoles) return savedRoles ?? undefined;
  for (;;) {
    const source = await findSource(run);
    if (!source) return undefined;
    try {
      return await storeFrom(run, source);
    } catch (error) {
      if (!(error instanceof BlobBroken)) throw error;
      // Deleted or redacted meanwhile: then there is another one to read.
      if (await isUnchanged(run, source)) throw new PullRefused(unreadable);
    }
  }
};

const unreadable =
  'The backup that roles and nicknames come from cannot be read: pull again without them';

/** The backup that was chosen when the pull was created, or the newest now if that one is gone. */
const findSource = async ({ dependencies, owner, pull, lease }: PullRun) => {
  const { db } = dependencies;
  const { accountId } = owner;
  const { rolesFromBackupId, serverId } = pull;
  const chosen =
    rolesFromBackupId && (await findBackup(db, { accountId, backupId: rolesFromBackupId }));
  const backup = chosen || (await findBackupOfMembers(db, { id: serverId, accountId }));
  if (backup?.id !== rolesFromBackupId) {
    await lease.transaction(db, (tx) =>
      storeRolesOfPull(tx, owner, { rolesFromBackupId: backup?.id ?? null }),
    );
    pull.rolesFromBackupId = backup?.id ?? null;
  }
  if (!backup?.checksum) return undefined;
  return { id: backup.id, checksum: backup.checksum, savedAt: savedAtOf(backup) };
};

const isUnchanged = async ({ dependencies, owner }: PullRun, { id, checksum }: Source) =>
  (await findBackup(dependencies.db, { accountId: owner.accountId, backupId: id }))?.checksum ===
  checksum;

const storeFrom = async (run: PullRun, { checksum, savedAt }: Source): Promise<SavedRoles> => {
  const { dependencies, owner, lease, watch } = run;
  const { db, ring, blobs } = dependencies;
  const { accountId } = owner;
  const read = createObjectReader(db, blobs, accountId);
  const manifest = await readManifest(read, checksum);
  const { memberRoles } = manifest.sections;
  const { pages } = memberRoles ? await readSectionList(read, memberRoles) : { pages: [] };
  for (let from = 0; from < pages.length; from += pagesAtOnce) {
    watch.throwIfStopped();
    const some = pages.slice(from, from + pagesAtOnce);
    const entriesOfPages = await inParallel(pagesAtOnce, some, (page) =>
      readPage(read, page, 'memberRoles'),
    );
    const entries = entriesOfPages.flat();
    const isErased = await readErased(db, ring, { accountId, savedAt });
    const redacted = await redactEntries('memberRoles', entries, isErased);
    const saved = redacted.filter(hasSomething);
    if (saved.length === 0) continue;
    await lease.transaction(db, (tx) => insertSavedMembers(tx, owner, saved));
  }
  const roles = await describeRoles(run, read, manifest);
  const savedRoles = await withSavedPowers(dependencies, { accountId, checksum }, roles);
  await lease.transaction(db, (tx) => storeRolesOfPull(tx, owner, { savedRoles }));
  return savedRoles;
};

const hasSomething = ({ nick, roleIds, isBot }: SectionEntry<'memberRoles'>): boolean =>
  !isBot && (nick !== null || roleIds.length > 0);

/** Only the roles that the members had. A backup of members alone does not know their names. */
const describeRoles = async (
  { dependencies, owner }: PullRun,
  read: ReadObject,
  { guildId, sections }: Manifest,
): Promise<SavedRoles> => {
  const { pages } = sections.roles ? await readSectionList(read, sections.roles) : { pages: [] };
  const known = new Map<string, SectionEntry<'roles'>>();
  for (const page of pages) {
    for (const role of await readPage(read, page, 'roles')) known.set(role.id, role);
  }
  const ids = await listSavedRoleIds(dependencies.db, owner);
  const roles = ids.sort().map((id) => {
    const { name = null, isManaged = false } = known.get(id) ?? {};
    return { id, name, isManaged };
  });
  const hasNicknames = await hasSavedNickname(dependencies.db, owner);
  return { guildId, hasNicknames, roles };
};
