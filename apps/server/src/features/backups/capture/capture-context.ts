import type { BackupComponent, PrivilegedIntent } from '@holdfast/contract';
import type { ConversationPlatform } from '../../../platform/conversation.ts';
import type { GuildPlatform, Image, ImageRef } from '../../../platform/port.ts';
import type { IsErased } from '../erasure/redact-text.ts';
import type { SnapshotWriter } from '../snapshot/write-snapshot.ts';
import type { FileLimits } from './file-limits.ts';

/** Where a snapshot goes, piece by piece, so that no more than one piece is in memory. */
type SnapshotSink = Pick<SnapshotWriter, 'add' | 'addImage' | 'addFile'> & {
  warn(message: string): void;
  /** Reports that `done` of `total` pieces of work are done. */
  advance(done: number, total: number): void;
};

export type CaptureRequest = {
  components: readonly BackupComponent[];
  messagesPerChannel: number;
};

export type CaptureDependencies = {
  guildId: string;
  guild: GuildPlatform;
  conversation: ConversationPlatform;
  /** Which privileged intents the bot's application has. */
  readIntents(): Promise<PrivilegedIntent[]>;
  readImage(image: ImageRef): Promise<Image>;
  readFile(url: string, largestBytes: number): Promise<Uint8Array>;
  fileLimits: FileLimits;
  /** People of whom nothing is saved. */
  isErased: IsErased;
  /** Our own panels are posted again by themselves, not as a message of the community. */
  panelMessageIds: ReadonlySet<string>;
  sink: SnapshotSink;
};

export type CaptureContext = CaptureDependencies & { progress: Progress };

/** Counts pieces of work as they are found, because their number is not known in advance. */
type Progress = {
  expect(pieces: number): void;
  complete(pieces: number): void;
};

export const createProgress = (sink: SnapshotSink, expected: number): Progress => {
  let total = expected;
  let done = 0;
  return {
    expect(pieces) {
      total += pieces;
    },
    complete(pieces) {
      done += pieces;
      sink.advance(done, total);
    },
  };
};
