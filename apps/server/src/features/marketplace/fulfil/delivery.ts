import type { Database } from '../../../db/connect.ts';
import type { Log } from '../../../kernel/log.ts';
import type { SealedBlobs } from '../../../integrations/blobs/sealed-blobs.ts';
import type { Lease } from '../../../queue/lease.ts';
import type { BackupTools } from '../../backups/take-backup.ts';
import type { StoredOrder } from '../orders/queries.ts';
import type { findTemplate } from '../template/queries.ts';
import type { MarketTools } from '../tools.ts';

export type FulfilTools = MarketTools & {
  db: Database;
  blobs: SealedBlobs;
  log: Log;
  onCompleted: BackupTools['onCompleted'];
};

export type Run = { signal: AbortSignal; lease: Lease };

export type Template = NonNullable<Awaited<ReturnType<typeof findTemplate>>> & { manifest: string };

/** One order in the hands of one worker. */
export type Delivery = { order: StoredOrder; template: Template; backupId: string };

/** It cannot be delivered, in words for its buyer. */
export class Undeliverable extends Error {
  constructor(sentence: string) {
    super(sentence);
    this.name = 'Undeliverable';
  }
}

export const goneWords = 'The backup was deleted while it was delivered, or its server was';
