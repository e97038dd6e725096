import { gunzipSync } from 'node:zlib';
import { type CommunityDocument, largestDocumentBytes, parseDocument } from '@holdfast/contract';
import type { Database } from '../../../db/connect.ts';
import { isCleanText } from '../../../http/endpoint/read-input.ts';
import { inParallel } from '../../../kernel/concurrency.ts';
import { conflict, HttpError, invalid, notFound } from '../../../kernel/errors.ts';
import { parseJson } from '../../../kernel/json.ts';
import type { Queue } from '../../../queue/queue.ts';
import { findGuildOfServer } from '../../servers/queries.ts';
import { findStoredObjects } from '../contents/inline-objects.ts';
import type { ContentsDependencies } from '../contents/read-backup.ts';
import { findBlob } from '../objects/queries.ts';
import { encode } from '../snapshot/sections.ts';
import type { SectionName, Snapshot } from '../snapshot/snapshot.ts';
import type { Draft } from './draft.ts';
import { nameOfImage } from './images.ts';
import { storePassing } from './passing-objects.ts';
import { readDocument } from './read-document.ts';
import { documentSections, readStructure } from './read-structure.ts';

export type ImportDependencies = ContentsDependencies & { queue: Pick<Queue, 'enqueue'> };

type ImportRequest = {
  accountId: string;
  serverId: string;
  limitBytes: number;
  baseBackupId?: string;
  document?: CommunityDocument;
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
    const document = request.document ?? unpack(request.documentGzip ?? '');
    const snapshot = readOver(document, await readBase(dependencies, db, request));
    await requireImages(db, accountId, snapshot, images);
    const components = documentSections.filter((name) => snapshot[name] !== undefined);
    const owner = { accountId, limitBytes };
    const bytes = encode({ snapshot, images } satisfies Draft);
    return { draft: await storePassing(dependencies, owner, bytes), components };
  } catch (error) {
    if (error instanceof HttpError) return { refusal: error };
    throw error;
  }
};

const refuse = (...issues: string[]): HttpError => invalid({ fieldErrors: { document: issues } });

/** A few bytes can unpack to many, so there is a limit; what is inside is checked as any body is. */
const unpack = (documentGzip: string): CommunityDocument => {
  const text = gunzip(Buffer.from(documentGzip, 'base64'));
  const value = text && parseJson(text);
  if (value === undefined) {
    throw refuse(`Must be JSON, by gzip, of at most ${largestDocumentBytes / 1024 / 1024} MiB`);
  }
  if (!isClean(value)) throw refuse('Must not contain NUL or lone surrogates');
  const parsed = parseDocument(value);
  if ('issues' in parsed) throw refuse(...parsed.issues);
  return parsed.document;
};

const isClean = (value: unknown): boolean => {
  if (typeof value === 'string') return isCleanText(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(isClean);
};

const gunzip = (bytes: Buffer): Buffer | undefined => {
  try {
    return gunzipSync(bytes, { maxOutputLength: largestDocumentBytes });
  } catch {
    return undefined;
  }
};

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

const readOver = (document: CommunityDocument, base: Snapshot): Snapshot => {
  const result = readDocument(document, base);
  if ('issues' in result) throw refuse(...result.issues);
  return result.snapshot;
};

const lookupsAtOnce = 8;

const requireImages = async (
  db: Database,
  accountId: string,
  snapshot: Snapshot,
  given: Draft['images'],
): Promise<void> => {
  const names = new Set(findStoredObjects(snapshot).map(nameOfImage));
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
