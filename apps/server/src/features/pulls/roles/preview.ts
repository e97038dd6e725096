import { isDatabaseFailure } from '../../../db/failures.ts';
import type { SealedBlobs } from '../../../integrations/blobs/sealed-blobs.ts';
import { failureMessage } from '../../backups/capture/failure-message.ts';
import { createObjectReader } from '../../backups/objects/read-objects.ts';
import { findBackupOfMembers } from '../../backups/queries.ts';
import { readManifest, readPage, readSectionList } from '../../backups/snapshot/read-snapshot.ts';
import { type BotDependencies, useBot } from '../../bots/use/use-bot.ts';
import { describeUnrestored } from './describe-unrestored.ts';
import { mapCurrentRoles } from './map-current.ts';
import type { SavedRoles } from './map-roles.ts';
import { withSavedPowers } from './saved-powers.ts';

export type PreviewDependencies = BotDependencies & { blobs: SealedBlobs };

type PreviewRequest = {
  server: { id: string; accountId: string };
  target: { guildId: string; botId: string };
};

/** A request waits for the answer. */
const timeoutMs = 3500;

/** Which backup a pull would give roles back from, and which of its roles only if they are named. */
export const previewRoles = async (
  dependencies: PreviewDependencies,
  { server, target }: PreviewRequest,
) => {
  const nothing = { backup: null, dangerousRoles: [], warnings: [], failure: null };
  const backup = await findBackupOfMembers(dependencies.db, server);
  if (!backup?.checksum) return nothing;
  const { accountId } = server;
  try {
    const all = await readAllRoles(dependencies, accountId, backup.checksum);
    const source = { accountId, checksum: backup.checksum };
    const saved = await withSavedPowers(dependencies, source, all);
    const signal = AbortSignal.timeout(timeoutMs);
    const { unrestored } = await useBot(dependencies, { ...target, accountId }, (bot) =>
      mapCurrentRoles(dependencies.db, bot, {
        ...{ accountId, guildId: target.guildId, saved, allowed: [], signal },
      }),
    );
    const dangerousRoles = unrestored.flatMap((one) =>
      one.kind === 'role' && one.reason === 'dangerous'
        ? [{ platformId: one.roleId, name: one.name ?? one.roleId, permissions: one.permissions }]
        : [],
    );
    const others = unrestored.filter((one) => one.kind !== 'role' || one.reason !== 'dangerous');
    const warnings = describeUnrestored({ unrestored: others, rolesRefused: 0 });
    return { backup, dangerousRoles, warnings, failure: null };
  } catch (error) {
    if (isDatabaseFailure(error)) throw error;
    return { ...nothing, backup, failure: failureMessage(error) };
  }
};

/** All roles of a backup, by the names they had. */
export const readAllRoles = async (
  { db, blobs }: Pick<PreviewDependencies, 'db' | 'blobs'>,
  accountId: string,
  checksum: string,
): Promise<SavedRoles> => {
  const read = createObjectReader(db, blobs, accountId);
  const { guildId, sections } = await readManifest(read, checksum);
  const { pages } = sections.roles ? await readSectionList(read, sections.roles) : { pages: [] };
  const roles: SavedRoles['roles'] = [];
  for (const page of pages) {
    for (const { id, name, isManaged } of await readPage(read, page, 'roles')) {
      roles.push({ id, name, isManaged });
    }
  }
  return { guildId, hasNicknames: true, roles };
};
