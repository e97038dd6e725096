import { api } from '../../api.ts';
import type { BackupRecord } from '../../queries/records.ts';

/** Reads a backup part by part and puts the file together. */
export const assembleDownload = async (
  backup: BackupRecord,
  withPeople: boolean,
  onProgress: (entries: number) => void,
): Promise<Blob> => {
  const { id, serverId, name, kind, checksum, createdAt, completedAt } = backup;
  const head = { id, serverId, name, kind, checksum, createdAt, completedAt, withPeople };
  // Text by text: a backup with messages is too large to be held as one string.
  const texts = [`{"format":"holdfast-backup","version":1,"backup":${JSON.stringify(head)}`];
  let [open, count] = [null as string | null, 0];
  for (let after: string | undefined; ; ) {
    const { section, entries, next } = await api.downloadBackup({
      params: { id: serverId, backupId: id },
      body: { withPeople, ...(after !== undefined && { after }) },
    });
    if (section !== open) {
      texts.push(open === null ? '' : ']', `,"${section}":[`);
      open = section;
      texts.push(entries.map((entry) => JSON.stringify(entry)).join(',\n'));
    } else if (entries.length > 0) {
      texts.push(',\n', entries.map((entry) => JSON.stringify(entry)).join(',\n'));
    }
    count += entries.length;
    onProgress(count);
    if (next === null) break;
    after = next;
  }
  return new Blob([...texts, open === null ? '}' : ']}', '\n'], { type: 'application/json' });
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
