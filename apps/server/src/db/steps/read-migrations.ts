/**
 * The migrations as files. Those of the first release are its base; every later one is a step that says on
 * its first line whether it is `expand` (the release before runs over it) or `contract` (it takes away what
 * the release before has stopped to use). `releases.json` tells which release brought which of them: each
 * release is a generation, and the last entry is this one. docs/versioning.md has the rules.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { z } from 'zod';

const ownFolder = join(import.meta.dir, '../../../migrations');

export const firstGeneration = 1;

const releasesShape = z
  .array(
    z.object({
      generation: z.int(),
      version: z.string(),
      /** Missing as long as the release is not made. */
      lastMigration: z.string().optional(),
      /** The version of the queue's own tables. */
      queueSchema: z.int(),
      /** What later contract steps may do, because this release does not need it any more. */
      readyFor: z.array(z.string()),
    }),
  )
  .min(1);
const journalShape = z.object({ entries: z.array(z.object({ tag: z.string() })) });

export type Release = z.infer<typeof releasesShape>[number];

export type Migration = {
  tag: string;
  /** By which a migration is identified, in milliseconds. */
  writtenAt: number;
  hash: string;
  statements: string[];
  step: 'base' | 'expand' | 'contract';
  generation: number;
  /** Code of an earlier generation cannot run over it. */
  lowestGeneration: number;
};

export type Migrations = { migrations: Migration[]; releases: Release[]; current: Release };

export const readMigrations = (folder = ownFolder): Migrations => {
  const readJson = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'));
  const releases = releasesShape.parse(readJson('releases.json'));
  const current = releases.at(-1);
  if (!current) throw new Error('There are no releases');
  const tags = journalShape.parse(readJson('meta/_journal.json')).entries.map(({ tag }) => tag);
  const generationOf = (tag: string): number => {
    const isOf = ({ lastMigration }: Release) =>
      lastMigration === undefined || tags.indexOf(tag) <= tags.indexOf(lastMigration);
    return (releases.find(isOf) ?? current).generation;
  };
  const files = readMigrationFiles({ migrationsFolder: folder });
  const migrations = files.map(({ folderMillis: writtenAt, hash, sql: statements }, index) => {
    const tag = tags[index] ?? '';
    const generation = generationOf(tag);
    const step = stepOf(tag, generation, statements[0] ?? '');
    const lowestGeneration = step === 'contract' ? generation - 1 : firstGeneration;
    return { tag, writtenAt, hash, statements, step, generation, lowestGeneration };
  });
  return { migrations, releases, current };
};

const stepLine = /^-- step: (expand|contract)\n/;

const stepOf = (tag: string, generation: number, text: string): Migration['step'] => {
  if (generation === firstGeneration) return 'base';
  const step = stepLine.exec(text)?.[1];
  if (step === 'expand' || step === 'contract') return step;
  throw new Error(
    `The first line of the migration ${tag} must be "-- step: expand" or "-- step: contract": docs/versioning.md says which.`,
  );
};
