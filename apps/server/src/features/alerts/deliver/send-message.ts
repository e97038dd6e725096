import type { Database, Queryable } from '../../../db/connect.ts';
import { headerText, type Mailer } from '../../../integrations/mailer.ts';
import { findMessageToSend, type MessageOwner, markSent } from '../queries/messages.ts';
import { channelText } from '../text/channel-text.ts';
import { describeAlert } from '../text/describe-alert.ts';
import { alertMail } from '../text/mail-text.ts';

/** The names of those servers that are not deleted, by their ids; another feature owns them. */
export type FindServerNames = (
  db: Queryable,
  accountId: string,
  serverIds: string[],
) => Promise<ReadonlyMap<string, string>>;

export type SendDependencies = {
  db: Database;
  mailer: Mailer;
  baseUrl: string;
  findServerNames: FindServerNames;
  /**
   * Writes into a server's log channel. Nothing is written where there is no channel, or its bot may not
   * or cannot write; throws where the platform did not answer.
   */
  postToLogChannel(server: { accountId: string; serverId: string }, text: string): Promise<void>;
};

/** A crash between the last two steps sends the mail again, under the same id. */
export const sendMail = async (
  dependencies: SendDependencies,
  owner: MessageOwner,
): Promise<void> => {
  const { db, mailer, baseUrl } = dependencies;
  const message = await findMessageToSend(db, owner);
  if (!message) return;
  const { email: address, alertCount, username, displayName } = message;
  if (address === null) return markSent(db, owner);
  const name = headerText(displayName ?? username);
  const described = await describe(dependencies, owner, message);
  const mail = alertMail({ ...described, name, alertCount, baseUrl });
  await mailer.send({ id: owner.messageId, to: { name, address }, ...mail });
  await markSent(db, owner);
};

export const sendPost = async (
  dependencies: SendDependencies,
  owner: MessageOwner,
): Promise<void> => {
  const { db, baseUrl, postToLogChannel } = dependencies;
  const message = await findMessageToSend(db, owner);
  if (!message || message.serverId === null) return;
  const { serverId, alertCount } = message;
  const described = await describe(dependencies, owner, message);
  const text = channelText({ ...described, alertCount, baseUrl });
  await postToLogChannel({ accountId: owner.accountId, serverId }, text);
  await markSent(db, owner);
};

type FoundMessage = NonNullable<Awaited<ReturnType<typeof findMessageToSend>>>;

const describe = async (
  { db, findServerNames }: SendDependencies,
  { accountId }: MessageOwner,
  message: FoundMessage,
) => {
  const serverIds = message.serverId === null ? [] : [message.serverId];
  return describeAlert(message, await findServerNames(db, accountId, serverIds));
};
