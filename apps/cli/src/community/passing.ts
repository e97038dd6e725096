import { gzipSync } from 'node:zlib';
import { type Holdfast, HoldfastError } from '@holdfast/sdk';
import type { Context } from '../context.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { followJob } from '../jobs/follow.ts';
import { type CommunityFile, inFile } from './community-file.ts';
import { imagesOf } from './document.ts';
import { type Reading, readBackup, type Server, sections } from './source.ts';

/** Backups that a command makes for itself, and deletes when it ends. */
export type Passing = {
  /** Aborted when the command is told to end: check it before anything is begun. */
  signal: AbortSignal;
  /** The server as it is now. */
  read(withPeople: boolean): Promise<Reading>;
  /** A backup of a file, over what is known of the server. */
  importFile(file: CommunityFile, base: Reading): Promise<string>;
};

const signals = ['SIGINT', 'SIGTERM'] as const;

/** The first signal ends the work and cleans up; a second one ends the process: the service cleans up later. */
export const withPassing = async <Result>(
  context: Context,
  server: Server,
  work: (holdfast: Holdfast, passing: Passing) => Promise<Result>,
): Promise<Result> => {
  const holdfast = await context.holdfast();
  const stop = new AbortController();
  const made: string[] = [];
  const interrupt = () => {
    if (stop.signal.aborted) process.exit(exitCodes.interrupted.code);
    stop.abort(new CommandError('interrupted', 'Interrupted: nothing was changed'));
  };
  for (const name of signals) process.on(name, interrupt);
  try {
    return await work(holdfast, openPassing(context, holdfast, server, stop.signal, made));
  } finally {
    for (const id of made) await deleteQuietly(context, holdfast, server, id);
    for (const name of signals) process.removeListener(name, interrupt);
  }
};

const openPassing = (
  context: Context,
  holdfast: Holdfast,
  server: Server,
  signal: AbortSignal,
  made: string[],
): Passing => {
  const params = { id: server.id };
  const follow = async (job: { id: string; serverId: string }, label: string) => {
    made.push(job.id);
    signal.throwIfAborted();
    try {
      await followJob(context, holdfast, 'backup', job, label);
    } finally {
      signal.throwIfAborted();
    }
  };
  return {
    signal,
    async read(withPeople) {
      signal.throwIfAborted();
      const name = `Reading ${new Date().toISOString()}`;
      const body = { name, components: [...sections], temporary: true };
      const job = await holdfast.createBackup({ params, body });
      await follow(job, `Reading ${server.name}`);
      return readBackup(holdfast, server, job.id, withPeople);
    },
    async importFile(given, base) {
      const { file, document, images } = given;
      const known = new Set(imagesOf(base.document));
      const sent = [];
      for (const [name, bytes] of images) {
        signal.throwIfAborted();
        if (!known.has(name)) sent.push({ name, pieces: await sendImage(holdfast, server, bytes) });
      }
      signal.throwIfAborted();
      const documentGzip = gzipSync(JSON.stringify(document)).toString('base64');
      const body = {
        name: file.slice(-100),
        baseBackupId: base.backupId,
        documentGzip,
        temporary: true,
      };
      const job = await holdfast
        .importBackup({ params, body: { ...body, images: sent } })
        .catch((error) => {
          throw inFile(error, given);
        });
      await follow(job, `Checking ${file}`);
      return job.id;
    },
  };
};

/** In base64 a piece fits into one request. */
const pieceBytes = 170_000;

const sendImage = async (
  holdfast: Holdfast,
  { id }: Server,
  bytes: Uint8Array,
): Promise<string[]> => {
  const pieces: string[] = [];
  for (let start = 0; start < bytes.length; start += pieceBytes) {
    const data = Buffer.from(bytes.subarray(start, start + pieceBytes)).toString('base64');
    pieces.push((await holdfast.storeBackupPiece({ params: { id }, body: { data } })).sha256);
  }
  return pieces;
};

/** Whatever fails here, the failure that matters was before. A restore under way keeps what it reads. */
const deleteQuietly = async (
  context: Context,
  holdfast: Holdfast,
  server: Server,
  backupId: string,
): Promise<void> => {
  try {
    await holdfast.deleteBackup({ params: { id: server.id, backupId } });
  } catch (error) {
    if (error instanceof HoldfastError && ['notFound', 'conflict'].includes(error.kind)) return;
    const reason = error instanceof Error ? error.message : String(error);
    context.output.note(`A backup made for this could not be deleted: ${reason}`);
  }
};
