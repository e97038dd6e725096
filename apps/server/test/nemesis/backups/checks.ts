import { noneErased } from '../../../src/features/backups/erasure/redact.ts';
import { sweepObjects } from '../../../src/features/backups/objects/jobs.ts';
import {
  createObjectReader,
  verifyObjects,
} from '../../../src/features/backups/objects/read-objects.ts';
import { findBackup } from '../../../src/features/backups/queries.ts';
import { readSnapshot } from '../../../src/features/backups/snapshot/read-snapshot.ts';
import { eventually } from '../../harness/eventually.ts';
import type { GuildState } from '../guild/guild.ts';
import { listStoredObjects } from '../lane/queries.ts';
import type { BackupSetup } from './setup.ts';

/** Everything that must hold of a backup that is at its end, however its worker died. */
export const checkBackup = async (
  setup: BackupSetup,
  backupId: string,
  guild: GuildState,
): Promise<string[]> => [
  ...(await contentViolations(setup, backupId, guild)),
  ...(await orphanViolations(setup)),
];

const contentViolations = async (
  { lane, blobs }: BackupSetup,
  backupId: string,
  guild: GuildState,
): Promise<string[]> => {
  const { db, tenant } = lane;
  const owner = { accountId: tenant.accountId, backupId };
  const backup = await findBackup(db, owner);
  if (backup?.status === 'failed') return [];
  if (backup?.status !== 'completed' || !backup.checksum) return [`it is ${backup?.status}`];
  try {
    await verifyObjects(db, blobs, owner, AbortSignal.timeout(30_000));
    const read = createObjectReader(db, blobs, owner.accountId);
    const snapshot = await readSnapshot(read, backup.checksum, backup.components, noneErased);
    return [
      ...difference('roles', snapshot.roles, guild.roles),
      ...difference('channels', snapshot.channels, guild.channels),
      ...difference('emojis', snapshot.emojis, guild.emojis),
      ...(snapshot.bans?.length === guild.bans.length ? [] : ['its bans are not the guild’s']),
      ...(snapshot.settings?.[0]?.name === guild.guild.name ? [] : ['it has another name']),
    ];
  } catch (error) {
    return [`it cannot be read: ${error instanceof Error ? error.message : error}`];
  }
};

type Named = { id: string; name: string };

const difference = (what: string, kept: Named[] | undefined, there: Named[]): string[] => {
  const spell = (things: Named[]) =>
    things
      .map(({ id, name }) => `${id} ${name}`)
      .sort()
      .join();
  return spell(kept ?? []) === spell(there) ? [] : [`its ${what} are not the guild’s`];
};

/** After the sweep there is a file for every row, a row for every file, and a use for every row. */
const orphanViolations = async ({ lane, blobs, queue }: BackupSetup): Promise<string[]> => {
  await lane.db.transaction((tx) => queue.enqueue(tx, sweepObjects, {}));
  const look = async () => {
    const rows = await listStoredObjects(lane.db);
    const files = await Array.fromAsync(blobs.list(), ({ copyId }) => copyId ?? 'no copy');
    const ids = new Set(rows.map(({ id }) => id));
    const unused = rows.filter(({ isReferred }) => !isReferred).map(({ id }) => id);
    const orphans = files.filter((file) => !ids.has(file));
    const missing = [...ids].filter((id) => !files.includes(id));
    return { unused, orphans, missing };
  };
  const tell = ({ unused, orphans, missing }: Awaited<ReturnType<typeof look>>) => [
    ...(unused.length > 0 ? [`${unused.length} rows that nothing refers to`] : []),
    ...(orphans.length > 0 ? [`${orphans.length} files without a row`] : []),
    ...(missing.length > 0 ? [`${missing.length} rows without a file`] : []),
  ];
  try {
    await eventually(15_000, async () => {
      const found = tell(await look());
      if (found.length > 0) throw new Error(found.join(', '));
    });
    return [];
  } catch (error) {
    return [`left behind: ${error instanceof Error ? error.message : error}`];
  }
};
