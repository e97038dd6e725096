import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { KeyRing } from '../../kernel/seal.ts';
import { requireAuthentic, type Trust, writeTag } from './authenticity.ts';
import { fileNames, writeSynced } from './files.ts';

/** What a backup of the service consists of; written last, so a folder without it is none. */
const manifestShape = z.object({
  form: z.literal(1),
  version: z.string(),
  createdAt: z.iso.datetime(),
  migrations: z.array(z.number()),
  queueVersion: z.number(),
  keys: z.object({
    /** Master keys that something is sealed under. */
    inUse: z.array(z.string()),
    /** A known text sealed under each: whether a ring fits can be said without any key in the backup. */
    checks: z.array(z.object({ keyId: z.string(), sealedCheck: z.string() })),
  }),
  database: z.object({ sha256: z.string(), rows: z.record(z.string(), z.number()) }),
  blobs: z.object({ sha256: z.string(), count: z.number(), bytes: z.number() }),
});

export type Manifest = z.output<typeof manifestShape>;

/** Of a folder in which a backup is being made, or was when its process ended. */
export const partialPrefix = '.partial-';

const folderPattern = /^holdfast-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z$/;

/** Sorted by name they are sorted by time. */
export const folderNameAt = (at: Date): string =>
  `holdfast-${at.toISOString().slice(0, 19).replaceAll(':', '-')}Z`;

export const timeOfFolder = (name: string): Date | undefined => {
  const [, day, hour, minute, second] = folderPattern.exec(name) ?? [];
  return day === undefined ? undefined : new Date(`${day}T${hour}:${minute}:${second}Z`);
};

/** The finished backups in a folder, newest first. */
export const listBackups = async (to: string): Promise<{ name: string; at: Date }[]> => {
  const names = await readdir(to).catch(() => []);
  return names
    .flatMap((name) => {
      const at = timeOfFolder(name);
      return at ? [{ name, at }] : [];
    })
    .toSorted((one, other) => other.at.getTime() - one.at.getTime());
};

/** Nothing of it is looked at before its tag. */
export const readManifest = async (folder: string, trust: Trust): Promise<Manifest> => {
  const path = join(folder, fileNames.manifest);
  const bytes = await readFile(path).catch(() => undefined);
  if (!bytes) throw new Error(`${folder} is no backup: it has no ${fileNames.manifest}`);
  await requireAuthentic(folder, bytes, trust);
  const parsed = manifestShape.safeParse(parseJson(bytes.toString('utf8')));
  if (!parsed.success) throw new Error(`${path} is damaged, or of another version of Holdfast`);
  return parsed.data;
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

export const writeManifest = async (
  folder: string,
  manifest: Manifest,
  ring: KeyRing,
): Promise<void> => {
  const bytes = Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`);
  await writeTag(folder, bytes, ring);
  await writeSynced(join(folder, fileNames.manifest), bytes);
};
