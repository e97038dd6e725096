import type { SentTopic } from '@holdfast/contract';

/** Something that open pages of an account show has changed. */
export type Change = { accountId: string; topic: SentTopic };

/** The channel on which processes tell each other of changes. */
export const changesChannel = 'holdfast_changes';
