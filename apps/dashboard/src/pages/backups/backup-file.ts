type Part = { section: string | null; entries: unknown[] };

/**
 * The JSON of a backup from its parts, each of which has entries of one section. Text by text: a backup with
 * messages is too large to be held as one string.
 */
export const createBackupFile = (head: object) => {
  const texts = [`{"format":"holdfast-backup","version":1,"backup":${JSON.stringify(head)}`];
  let [open, separator] = [null as string | null, ''];
  return {
    add({ section, entries }: Part): void {
      if (section !== open) {
        texts.push(open === null ? ',' : '],', `"${section}":[`);
        [open, separator] = [section, ''];
      }
      if (entries.length === 0) return;
      texts.push(separator, entries.map((entry) => JSON.stringify(entry)).join(',\n'));
      separator = ',\n';
    },
    end: (): string[] => [...texts, open === null ? '}' : ']}', '\n'],
  };
};
