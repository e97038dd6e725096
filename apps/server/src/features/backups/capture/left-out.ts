import type { ReadMessage } from '../../../platform/conversation.ts';
import type { CaptureDependencies } from './capture-context.ts';

/** Counts what a backup cannot keep of messages, so that a restore does not lose it in silence. */
export const createLeftOut = ({ sink }: Pick<CaptureDependencies, 'sink'>) => {
  let messages = 0;
  let polls = 0;
  return {
    /** `isKept` says whether something else of the message is in the backup. */
    count({ isWritten, hasPoll }: ReadMessage, isKept: boolean): void {
      if (isWritten && !isKept) messages += 1;
      else if (hasPoll) polls += 1;
    },
    warn(): void {
      if (messages > 0) {
        sink.warn(
          `Messages that are not in this backup: ${messages}. Polls, forwarded messages and messages made of components have no text that could be posted again`,
        );
      }
      if (polls > 0) sink.warn(`Messages that are in this backup without their poll: ${polls}`);
    },
  };
};

export type LeftOut = ReturnType<typeof createLeftOut>;
