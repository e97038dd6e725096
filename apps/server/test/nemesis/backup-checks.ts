import { sweepObjects } from '../../src/features/backups/jobs.ts';
import {
  createObjectReader,
  verifyObjects,
} from '../../src/features/backups/objects/read-objects.ts';
import { nobodyErased } from '../../src/features/backups/people/redact.ts';
import { findBackup } from '../../src/features/backups/queries.ts';
import { readSnapshot } from '../../src/features/backups/read-snapshot.ts';
import { eventually } from '../eventually.ts';
import type { BackupPlace } from './backup-place.ts';
import type { GuildState } from './guild.ts';
import { listStoredObjects } from './queries.ts';

/** Everything that must hold of a backup that is at its end, however its worker died. */
export const judgeBackup = async (
  place: BackupPlace,
  backupId: string,
  guild: GuildState,
): Promise<string[]> => [
  ...(await contentViolations(place, backupId, guild)),
  ...(await orphanViolations(place)),
];

const contentViolations = async (
  { lane, blobs }: BackupPlace,
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
    const snapshot = await readSnapshot(read, backup.checksum, backup.components, nobodyErased);
    return [
      ...unlike('roles', snapshot.roles, guild.roles),
      ...unlike('channels', snapshot.channels, guild.channels),
      ...unlike('emojis', snapshot.emojis, guild.emojis),
      ...(snapshot.bans?.length === guild.bans.length ? [] : ['its bans are not the guild’s']),
      ...(snapshot.settings?.[0]?.name === guild.guild.name ? [] : ['it has another name']),
    ];
  } catch (error) {
    return [`it cannot be read: ${error instanceof Error ? error.message : error}`];
  }
};

type Named = { id: string; name: string };

const unlike = (what: string, kept: Named[] | undefined, there: Named[]): string[] => {
  const spell = (things: Named[]) =>
    things
      .map(({ id, name }) => `${id} ${name}`)
      .sort()
      .join();
  return spell(kept ?? []) === spell(there) ? [] : [`its ${what} are not the guild’s`];
};

/** After the sweep there is a file for every row, a row for every file, and a use for every row. */
const orphanViolations = async ({ lane, blobs, queue }: BackupPlace): Promise<string[]> => {
  await lane.db.transaction((tx) => queue.enqueue(tx, sweepObjects, {}));
  const look = async () => {
    const rows = await listStoredObjects(lane.db);
    const files = await Array.fromAsync(blobs.list(), ({ copyId }) => copyId ?? 'no copy');
    const ids = new Set(rows.map(({ id }) => id));
    const unused = rows.filter(({ isReferred }) => !isReferred).map(({ id }) => id);
    const nobodys = files.filter((file) => !ids.has(file));
    const missing = [...ids].filter((id) => !files.includes(id));
    return { unused, nobodys, missing };
  };
  const tell = ({ unused, nobodys, missing }: Awaited<ReturnType<typeof look>>) => [
    ...(unused.length > 0 ? [`${unused.length} rows that nothing refers to`] : []),
    ...(nobodys.length > 0 ? [`${nobodys.length} files without a row`] : []),
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
