import { z } from 'zod';
import { ofAccount } from '../../../queue/job.ts';
import {
  type LogChannelDependencies,
  postLogMessage,
} from '../../servers/guild/post-log-message.ts';
import { findAssignee } from '../queries/role-assignments.ts';

/** Enqueued with the role that a member got: the log channel may have to be waited for. */
export const reportVerified = {
  name: 'verification.report',
  payload: z.object({ memberId: z.guid(), accountId: z.guid(), messageId: z.guid() }),
  groupOf: ofAccount,
  concurrency: 16,
};

/** Reports a member in the server's log channel, if it has one. */
export const reportMember = async (
  dependencies: LogChannelDependencies,
  { memberId, accountId, messageId: id }: z.output<typeof reportVerified.payload>,
): Promise<void> => {
  const member = await findAssignee(dependencies.db, { memberId, accountId });
  if (!member) return;
  const { serverId, username, platformId } = member;
  const text = `Verified: ${plainName(username)} (${platformId})`;
  await postLogMessage(dependencies, { accountId, serverId }, { id, text });
};

/** Without mentions, markup and links. */
const plainName = (name: string): string => name.replace(/[^\p{L}\p{M}\p{N} ._-]/gu, '');
