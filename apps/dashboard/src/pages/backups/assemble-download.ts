import { api } from '../../api.ts';
import type { BackupRecord } from '../../queries/records.ts';
import { createBackupFile } from './backup-file.ts';

/** Reads a backup part by part and puts the file together. */
export const assembleDownload = async (
  backup: BackupRecord,
  withPeople: boolean,
  onProgress: (entries: number) => void,
): Promise<Blob> => {
  const { id, serverId, name, kind, checksum, createdAt, completedAt } = backup;
  const head = { id, serverId, name, kind, checksum, createdAt, completedAt, withPeople };
  const file = createBackupFile(head);
  let count = 0;
  for (let after: string | undefined; ; ) {
    const { next, ...part } = await api.downloadBackup({
      params: { id: serverId, backupId: id },
      body: { withPeople, ...(after !== undefined && { after }) },
    });
    file.add(part);
    count += part.entries.length;
    onProgress(count);
    if (next === null) break;
    after = next;
  }
  return new Blob(file.end(), { type: 'application/json' });
};

export const fileNameOf = ({ name, createdAt }: Pick<BackupRecord, 'name' | 'createdAt'>): string =>
  `holdfast-${createdAt.slice(0, 10)}-${name.replaceAll(/[^\p{L}\p{N}]+/gu, '-').slice(0, 60)}.json`;

export const saveFile = (name: string, file: Blob): void => {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has begun to save it by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
};
