import type { BackupComponent } from '@holdfast/contract';
import { awaitAll } from '../../../kernel/concurrency.ts';
import type { ChannelActivity } from '../../../platform/conversation.ts';
import type { Channel } from '../../../platform/guild.ts';
import type { CaptureContext, CaptureRequest } from './capture-context.ts';
import { createFileKeeper } from './capture-files.ts';
import { captureMessages } from './capture-messages.ts';
import { captureThreads } from './capture-threads.ts';
import { isAccessRefused } from './failure-message.ts';
import { createLeftOut } from './left-out.ts';

type ReadChannels = { channels: readonly Channel[]; activity: ChannelActivity };

const conversationComponents = ['messages', 'threads'] as const satisfies BackupComponent[];

/**
 * Messages and threads, where they are requested. Returns which of the two could not be read. Without
 * the intent to read content the platform gives every message as an empty one, so none is kept.
 */
export const captureConversation = async (
  context: CaptureContext,
  read: ReadChannels,
  request: CaptureRequest,
): Promise<BackupComponent[]> => {
  const requested = conversationComponents.filter((name) => request.components.includes(name));
  if (requested.length === 0) return [];
  const { sink } = context;
  if (!(await context.readIntents()).includes('MESSAGE_CONTENT')) {
    const names = requested.join(' and ');
    sink.warn(
      `The ${names} are not in this backup: switch on the Message Content intent of the bot's application`,
    );
    return requested;
  }
  const files = createFileKeeper(context);
  const leftOut = createLeftOut(context);
  const reading = { ...context, files, leftOut };
  const unreadable: BackupComponent[] = [];
  const captureAllThreads = () =>
    captureThreads(reading, read.channels, request).catch((error: unknown) => {
      if (!isAccessRefused(error)) throw error;
      unreadable.push('threads');
      sink.warn('The threads are not in this backup: the bot may not read them');
    });
  await awaitAll([
    requested.includes('messages') &&
      request.messagesPerChannel > 0 &&
      captureMessages(reading, read, request),
    requested.includes('threads') && captureAllThreads(),
  ]);
  files.warn();
  leftOut.warn();
  return unreadable;
};
