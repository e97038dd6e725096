import { z } from 'zod';
import { backup, backupParams, temporary } from './backups.ts';
import { count, idParams, name, uuid } from './common.ts';
import { type CommunityDocument, communityDocument, imageName } from './documents.ts';
import { endpointsOf } from './endpoint.ts';
import { generalError } from './errors.ts';

/** The document of a backup, and how a document becomes a backup. */

const sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'Must be a SHA-256 in hex')
  .meta({ example: '4f9a'.repeat(16) });

/** What fits into a body of 256 KiB, in base64. */
const longestPiece = 240_000;
/** What a document may be when it is unpacked. */
export const largestDocumentBytes = 4 * 1024 * 1024;
/** As large as the platform's largest picture. */
export const largestImageBytes = 10 * 1024 * 1024;

const base64 = (longest: number) =>
  z
    .string()
    .max(longest, `Must not be longer than ${longest} characters`)
    .regex(/^[A-Za-z0-9+/]+={0,2}$/, 'Must be base64')
    .meta({ example: 'YWhveQ==' });

const storedImage = z.object({ name: imageName, data: z.string().describe('In base64.') });

const mostIssues = 50;

/** With the place of each issue in its message: `flattenError` would say only that it is in the document. */
export const parseDocument = (
  value: unknown,
): { document: CommunityDocument } | { issues: string[] } => {
  const { success, data, error } = communityDocument.safeParse(value);
  if (success) return { document: data };
  const issues = error.issues.slice(0, mostIssues);
  return { issues: issues.map(({ path, message }) => `${placeOf(path)}: ${message}`) };
};

/** Such as `channels[3].name`. */
const placeOf = (path: readonly PropertyKey[]): string =>
  path
    .map((key, at) => (typeof key === 'number' ? `[${key}]` : `${at ? '.' : ''}${String(key)}`))
    .join('') || 'document';

/** Its content is read later and elsewhere: to parse what fits into a body takes longer than a request may. */
const givenDocument = z
  .unknown()
  .meta({ type: 'object', description: 'As `GET …/document` answers it.' });

const newImport = z
  .object({
    name: name.optional().describe('Defaults to `Document <time>`.'),
    baseBackupId: uuid
      .optional()
      .describe(
        'A backup of the same server. What has the same name in both is the same thing; what the document does not say of it stays as it is there, such as overwrites for people.',
      ),
    temporary,
    document: givenDocument.optional(),
    documentGzip: base64(longestPiece)
      .optional()
      .describe('Instead of `document`, where that is too large: its JSON, by gzip, in base64.'),
    images: z
      .array(z.object({ name: imageName, pieces: z.array(sha256).min(1).max(100) }))
      .max(2000)
      .default([])
      .describe('Those that the service does not have, of pieces that were stored before.'),
  })
  .refine(
    ({ document, documentGzip }) => (document === undefined) !== (documentGzip === undefined),
    { path: ['document'], message: 'Give either `document` or `documentGzip`' },
  )
  .meta({
    example: { name: 'Harbour.yaml', document: communityDocument.meta()?.example, images: [] },
  });

export const communityEndpoints = endpointsOf('Backups', {
  getBackupDocument: {
    method: 'GET',
    heavy: true,
    path: '/servers/:id/backups/:backupId/document',
    summary: 'Read a backup as a document',
    description:
      "The structure of the server, by names instead of ids: settings, roles, channels, emojis, stickers, soundboard, AutoMod, onboarding and welcome screen. Without bans, members, messages, events and webhooks. `POST …/import` makes a backup of it again, also another server's.",
    scope: 'backups:read',
    owner: 'server',
    params: backupParams,
    query: z.object({
      people: z
        .enum(['true', 'false'], 'Must be `true` or `false`')
        .optional()
        .describe('Whether overwrites for people are in it, by platform id. Default: false.'),
    }),
    data: communityDocument,
    refusals: { 409: 'The backup is not completed, or it cannot be read.' },
  },

  getBackupImages: {
    method: 'GET',
    heavy: true,
    path: '/servers/:id/backups/:backupId/images',
    summary: 'Read the images of a document',
    description:
      'The pictures and sounds that the document of the backup names, in the order of their names, about 1 MiB at a time.',
    scope: 'backups:read',
    owner: 'server',
    params: backupParams,
    query: z.object({
      after: imageName.optional().describe('The `next` of the answer before.'),
    }),
    data: z.object({ images: z.array(storedImage), next: imageName.nullable() }),
    refusals: { 409: 'The backup is not completed, or it cannot be read.' },
  },

  storeBackupPiece: {
    method: 'POST',
    path: '/servers/:id/backups/import/pieces',
    summary: 'Store a piece of an image',
    description:
      'For an import that follows: an image in one or several pieces. It counts as storage and is deleted after a day if nothing uses it.',
    scope: 'backups:write',
    freshSecondFactor: 'never',
    owner: 'server',
    params: idParams,
    body: z.object({ data: base64(longestPiece).describe('In base64.') }),
    status: 201,
    data: z.object({ sha256, sizeBytes: count }),
    refusals: { 403: "The plan's storage is used up." },
  },

  importBackup: {
    method: 'POST',
    path: '/servers/:id/backups/import',
    summary: 'Make a backup of a document',
    description:
      'The document becomes a backup of kind MANUAL, in the background as any other, which can be compared, planned and restored. It counts as a backup. It never becomes the last good one, since it shows no state of the server.',
    scope: 'backups:write',
    freshSecondFactor: 'never',
    owner: 'server',
    params: idParams,
    body: newImport,
    holdsDocument: true,
    status: 202,
    data: backup,
    refusals: {
      403: "The plan's limit for backups or for storage is reached.",
      409: 'The base is not completed or cannot be read, or images are missing.',
    },
    conflictBody: generalError.extend({
      missingImages: z.array(imageName).optional().describe('Store these, and name their pieces.'),
    }),
  },
});
