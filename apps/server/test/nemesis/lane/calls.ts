import { listSteps, type StepRow } from '../../../src/features/restores/queries/journal.ts';
import type { RestoreOwner } from '../../../src/features/restores/queries/restores.ts';
import type { Lane } from './lane.ts';

/** What is known of a restore while and after it ran. */
export type RestoreRun = {
  restoreId: string;
  /** The journal and the number of the last logged call when the worker died. */
  death?: { steps: StepRow[]; logSeq: number };
};

export const backupsOf = ({ serverId }: Lane): string => `/api/v1/servers/${serverId}/backups`;

export const restorePath = (restoreId: string): string => `/api/v1/restores/${restoreId}`;

export const ownerOf = ({ tenant }: Lane, restoreId: string): RestoreOwner => ({
  accountId: tenant.accountId,
  restoreId,
});

export const postRestore = (lane: Lane, backupId: string, body: object = {}) =>
  lane.tenant.call('POST', `${backupsOf(lane)}/${backupId}/restore`, { body });

const ended = ['completed', 'partial', 'failed', 'cancelled'];
const endWithinMs = 90_000;

/** Resolves with the record once it is at an end, or gone. */
export const waitForEnd = async (
  lane: Lane,
  path: string,
  signal?: AbortSignal,
): Promise<{ status: string; error: string | null }> => {
  const deadline = Date.now() + endWithinMs;
  while (!signal?.aborted && Date.now() < deadline) {
    const { status, body } = await lane.tenant.call('GET', path);
    if (status === 404) return { status: 'gone', error: null };
    if (ended.includes(body.data?.status)) return body.data;
    await Bun.sleep(40);
  }
  return { status: 'not ended', error: null };
};

/** Of the guild as it is; gives the backup's id. */
export const backUp = async (lane: Lane): Promise<string> => {
  const { body } = await lane.tenant.call('POST', backupsOf(lane), { body: {} });
  const backup = await waitForEnd(lane, `${backupsOf(lane)}/${body.data.id}`);
  if (backup.status !== 'completed') throw new Error(`No backup: ${backup.error ?? backup.status}`);
  return body.data.id;
};

export const readAtDeath = async (
  lane: Lane,
  restoreId: string,
): Promise<NonNullable<RestoreRun['death']>> => ({
  steps: await listSteps(lane.db, ownerOf(lane, restoreId)),
  logSeq: (await lane.readLog()).at(-1)?.seq ?? 0,
});
