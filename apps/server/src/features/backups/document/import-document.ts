import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { largestDocumentBytes } from '@holdfast/contract';
import type { Database } from '../../../db/connect.ts';
import { inParallel } from '../../../kernel/concurrency.ts';
import { conflict, HttpError, invalid, notFound } from '../../../kernel/errors.ts';
import type { Queue } from '../../../queue/queue.ts';
import { findGuildOfServer } from '../../servers/queries.ts';
import type { ContentsDependencies } from '../contents/read-backup.ts';
import { findBlob } from '../objects/queries.ts';
import { modeFor } from '../snapshot/large.ts';
import type { SectionName, Snapshot } from '../snapshot/snapshot.ts';
import type { Draft } from './draft.ts';
import { importDocumentTask } from './import-document-task.ts';
import { storePassing } from './passing-objects.ts';
import { readStructure } from './read-structure.ts';

export type ImportDependencies = ContentsDependencies & { queue: Pick<Queue, 'enqueue'> };

type ImportRequest = {
  accountId: string;
  serverId: string;
  limitBytes: number;
  baseBackupId?: string;
  document?: unknown;
  documentGzip?: string;
  images: Draft['images'];
};

type Prepared = { draft: { hash: string; holderId: string }; components: SectionName[] };

/**
 * Reads a document into a draft that the job turns into a backup. Reasons against it are returned, for the
 * caller to throw.
 */
export const prepareImport = async (
  dependencies: ImportDependencies,
  db: Database,
  request: ImportRequest,
): Promise<Prepared | { refusal: HttpError }> => {
  try {
    const { accountId, limitBytes, images } = request;
    const json = await readJson(request);
    const base = await readBase(dependencies, db, request);
    const mode = json.length > quickBytes ? 'worker' : modeFor(base);
    const how = { json, images };
    const by = { accountId, mode, waits: 'request' } as const;
    const imported = await dependencies.aside.run(importDocumentTask, { base }, how, by);
    if ('issues' in imported) throw refuse(...imported.issues);
    await requireImages(db, accountId, imported.images, images);
    const owner = { accountId, limitBytes };
    const { draft, components } = imported;
    return { draft: await storePassing(dependencies, owner, draft), components };
  } catch (error) {
    if (error instanceof HttpError && error.status !== 429) return { refusal: error };
    throw error;
  }
};

/** A document of so many bytes takes a few milliseconds. */
const quickBytes = 8 * 1024;

const readJson = async ({ document, documentGzip = '' }: ImportRequest): Promise<Uint8Array> =>
  document === undefined
    ? unpack(documentGzip)
    : new TextEncoder().encode(JSON.stringify(document));

const refuse = (...issues: string[]): HttpError => invalid({ fieldErrors: { document: issues } });

/** A few bytes can unpack to many: no more than the limit is ever unpacked, and not on this thread. */
const unpack = (documentGzip: string): Promise<Uint8Array> =>
  gunzip(Buffer.from(documentGzip, 'base64'), { maxOutputLength: largestDocumentBytes }).catch(
    () => {
      throw refuse(`Must be JSON, by gzip, of at most ${largestDocumentBytes / 1024 / 1024} MiB`);
    },
  );

const gunzip = promisify(zlib.gunzip);

/** What is known of the server: its guild, and the backup that is named. */
const readBase = async (
  dependencies: ImportDependencies,
  db: Database,
  { accountId, serverId, baseBackupId }: ImportRequest,
): Promise<Snapshot> => {
  const guild = await findGuildOfServer(db, { accountId, serverId });
  if (!guild) throw notFound('Server');
  if (baseBackupId === undefined) return { guildId: guild.guildId };
  const address = { server: { id: serverId, accountId }, backupId: baseBackupId };
  return readStructure(dependencies, address, (snapshot) => snapshot);
};

const lookupsAtOnce = 8;

const requireImages = async (
  db: Database,
  accountId: string,
  referred: readonly string[],
  given: Draft['images'],
): Promise<void> => {
  const names = new Set(referred);
  for (const { name } of given) names.delete(name);
  const found = await inParallel(lookupsAtOnce, [...names], async (name) => {
    const blob = await findBlob(db, accountId, name.slice(0, name.indexOf('.')));
    return blob?.isStored ? [] : [name];
  });
  const missingImages = found.flat().sort();
  if (missingImages.length === 0) return;
  const { status, message } = conflict('Images of the document are missing: store them first');
  throw new HttpError(status, message, { missingImages });
};
