import type { Database } from '../../../db/connect.ts';
import { headerText, type Mailer } from '../../../integrations/mailer.ts';
import { type MessageOwner, markSent, takeMessageToSend } from '../queries/messages.ts';
import { channelText } from '../text/channel-text.ts';
import { describeAlert, subjectOf } from '../text/describe-alert.ts';
import { alertMail } from '../text/mail-text.ts';
import { type NameFinders, readNames } from '../text/read-names.ts';

export type SendDependencies = NameFinders & {
  db: Database;
  mailer: Mailer;
  baseUrl: string;
  /**
   * Writes into a server's log channel. Nothing is written where there is no channel, or its bot may not
   * or cannot write; throws where the platform did not answer. A message is written once under its id.
   */
  postToLogChannel(
    server: { accountId: string; serverId: string },
    message: { id: string; text: string },
  ): Promise<void>;
};

/** A crash between the last two steps sends the mail again, under the same id. */
export const sendMail = async (
  dependencies: SendDependencies,
  owner: MessageOwner,
): Promise<void> => {
  const { db, mailer, baseUrl } = dependencies;
  const message = await takeMessageToSend(db, owner);
  if (!message) return;
  const { email: address, alertCount, isListed, username, displayName } = message;
  const described = await describe(dependencies, owner, message);
  if (address === null || !described) return markSent(db, owner);
  const name = headerText(displayName ?? username);
  const mail = alertMail({
    ...described,
    subject: subjectOf(message),
    ...{ name, alertCount, isListed, baseUrl },
  });
  await mailer.send({ id: owner.messageId, to: address, ...mail });
  await markSent(db, owner);
};

export const sendPost = async (
  dependencies: SendDependencies,
  owner: MessageOwner,
): Promise<void> => {
  const { db, baseUrl, postToLogChannel } = dependencies;
  const message = await takeMessageToSend(db, owner);
  if (!message || message.serverId === null) return;
  const { serverId, alertCount } = message;
  const described = await describe(dependencies, owner, message);
  if (!described) return markSent(db, owner);
  const text = channelText({ ...described, alertCount, baseUrl });
  const { accountId, messageId: id } = owner;
  await postToLogChannel({ accountId, serverId }, { id, text });
  await markSent(db, owner);
};

type FoundMessage = NonNullable<Awaited<ReturnType<typeof takeMessageToSend>>>;

/** Undefined where its server was deleted: nobody waits for news of it. */
const describe = async (
  dependencies: SendDependencies,
  { accountId }: MessageOwner,
  message: FoundMessage,
) => {
  const { serverId } = message;
  const names = await readNames(dependencies, dependencies.db, accountId, [message]);
  return serverId === null || names.has(serverId) ? describeAlert(message, names) : undefined;
};
