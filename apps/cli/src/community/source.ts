import { gzipSync } from 'node:zlib';
import { type Holdfast, HoldfastError } from '@holdfast/sdk';
import type { Context } from '../context.ts';
import { CommandError } from '../exit-codes.ts';
import { followJob } from '../jobs/follow.ts';
import { readGivenFile } from '../operations/given-file.ts';
import { backupIdOf } from '../operations/resolve.ts';
import { isRecord } from '../output/record.ts';
import { type Images, readAssets } from './assets.ts';
import { type CommunityDocument, imagesOf } from './document.ts';
import { type ParsedYaml, parseYaml } from './yaml.ts';

type Server = { id: string; name: string };
/** A backup that a command has made, and its document. */
export type Reading = { backupId: string; document: CommunityDocument };

/** What a document says, which is also what a reading of the server must hold. */
const components = [
  ...(['settings', 'roles', 'channels', 'emojis', 'stickers', 'soundboard'] as const),
  ...(['automod', 'onboarding', 'welcomeScreen'] as const),
];

/** Where the words `live`, `latest` and `good`, the id of a backup, or a file are meant. */
export const isFile = (given: string): boolean =>
  !['live', 'latest', 'good'].includes(given) && !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-/i.test(given);

type CommunityFile = {
  file: string;
  document: CommunityDocument;
  images: Images;
  lineOf: ParsedYaml['lineOf'];
};

/** A file with its images. The service checks the rest: here only what reading it needs. */
export const readCommunityFile = async (file: string): Promise<CommunityFile> => {
  const text = await readGivenFile(file, 'utf8');
  const { value, lineOf } = await parseYaml(text, file);
  if (!isDocument(value)) {
    throw new CommandError('usage', `${file} is not the document of a server`, [
      'Write one with: holdfast export <server>',
    ]);
  }
  return { file, lineOf, ...(await readAssets(file, value)) };
};

/** As far as comparing relies on it; every other mistake is found by the service. */
const isDocument = (value: unknown): value is CommunityDocument => {
  const isNamed = (entry: unknown): boolean => isRecord(entry) && typeof entry.name === 'string';
  const isNamedList = (list: unknown): boolean => Array.isArray(list) && list.every(isNamed);
  if (!isRecord(value) || !isRecord(value.settings)) return false;
  const { roles, channels } = value;
  const lists = [value.emojis, value.stickers, value.soundboard, value.automod];
  return (
    isNamedList(roles) &&
    isNamedList(channels) &&
    lists.every((list) => list === undefined || isNamedList(list)) &&
    Array.isArray(channels) &&
    channels.every(
      (one) => !isRecord(one) || one.channels === undefined || isNamedList(one.channels),
    )
  );
};

/** Reads the server by a backup, which is deleted when the work has ended. */
export const withReading = async <Result>(
  context: Context,
  server: Server,
  withPeople: boolean,
  work: (holdfast: Holdfast, reading: Reading) => Promise<Result>,
): Promise<Result> => {
  const holdfast = await context.holdfast();
  const params = { id: server.id };
  const name = `Reading ${new Date().toISOString()}`;
  const job = await holdfast.createBackup({ params, body: { name, components } });
  try {
    await followJob(context, holdfast, 'backup', job, `Reading ${server.name}`);
    const document = await readBackup(holdfast, server, job.id, withPeople);
    return await work(holdfast, { backupId: job.id, document });
  } finally {
    await deleteQuietly(context, holdfast, server, job.id);
  }
};

const readBackup = async (
  holdfast: Holdfast,
  server: Server,
  backupId: string,
  withPeople: boolean,
): Promise<CommunityDocument> =>
  holdfast.getBackupDocument({
    params: { id: server.id, backupId },
    query: { people: withPeople ? 'true' : 'false' },
  });

export const readNamedBackup = async (
  holdfast: Holdfast,
  server: Server,
  given: string,
  withPeople: boolean,
): Promise<Reading> => {
  const backupId = await backupIdOf(holdfast, server.id, given);
  return { backupId, document: await readBackup(holdfast, server, backupId, withPeople) };
};

/** A restore that is still running keeps it. */
export const deleteQuietly = async (
  context: Context,
  holdfast: Holdfast,
  server: Server,
  backupId: string,
): Promise<void> => {
  try {
    await holdfast.deleteBackup({ params: { id: server.id, backupId } });
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    if (error.kind !== 'notFound') {
      context.output.note(`Backup ${backupId} could not be deleted: ${error.message}`);
    }
  }
};

export const readImages = async (
  holdfast: Holdfast,
  server: Server,
  backupId: string,
): Promise<Images> => {
  const images: Images = new Map();
  let after: string | undefined;
  do {
    const answer = await holdfast.getBackupImages({
      params: { id: server.id, backupId },
      query: after === undefined ? {} : { after },
    });
    for (const { name, data } of answer.images) images.set(name, Buffer.from(data, 'base64'));
    after = answer.next ?? undefined;
  } while (after !== undefined);
  return images;
};

/** In base64 a piece fits into one request. */
const pieceBytes = 170_000;

/** Makes a backup of a file, over what is known of the server. */
export const importFile = async (
  context: Context,
  holdfast: Holdfast,
  server: Server,
  { file, document, images, lineOf }: CommunityFile,
  base: Reading,
): Promise<string> => {
  const known = new Set(imagesOf(base.document));
  const params = { id: server.id };
  const sent = [];
  for (const [name, bytes] of images) {
    if (known.has(name)) continue;
    const pieces: string[] = [];
    for (let start = 0; start < bytes.length; start += pieceBytes) {
      const data = Buffer.from(bytes.subarray(start, start + pieceBytes)).toString('base64');
      pieces.push((await holdfast.storeBackupPiece({ params, body: { data } })).sha256);
    }
    sent.push({ name, pieces });
  }
  const documentGzip = gzipSync(JSON.stringify(document)).toString('base64');
  const body = { name: file.slice(-100), baseBackupId: base.backupId, documentGzip, images: sent };
  const job = await holdfast.importBackup({ params, body }).catch((error) => {
    throw inFile(error, file, lineOf);
  });
  await followJob(context, holdfast, 'backup', job, `Checking ${file}`);
  return job.id;
};

/** What the service finds in the document, with the lines of the file. */
const inFile = (error: unknown, file: string, lineOf: ParsedYaml['lineOf']): unknown => {
  const mistakes =
    error instanceof HoldfastError ? error.details?.fieldErrors?.document : undefined;
  if (!mistakes || mistakes.length === 0) return error;
  return new CommandError(
    'usage',
    `${file} is not a document that can be applied`,
    mistakes.map((mistake) => {
      const [place = '', ...rest] = mistake.split(': ');
      const line = lineOf(place);
      return line === undefined
        ? `${file}: ${mistake}`
        : `${file}:${line}: ${place}: ${rest.join(': ')}`;
    }),
  );
};
