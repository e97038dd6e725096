import type { Transaction } from '../../../db/connect.ts';
import {
  type AlertGroup,
  dropSilenced,
  findLastMessage,
  giveUpMessage,
  hasWaiting,
  insertMessage,
  lockGroup,
  markFollowed,
  takeWaiting,
} from '../queries/messages.ts';
import { findSettings } from '../queries/settings.ts';

type Claim =
  /** A message that is now to be sent, by one worker. */
  | { messageId: string }
  /** Another job has to look again by then. */
  | { lookAgainInSeconds: number }
  | undefined;

/** Longer than the queue waits before it repeats a job that failed. */
const untriedMs = 30 * 60 * 1000;

/**
 * Decides, for one kind of alert and one server, whether a message is sent now.
 *
 * The first alert is sent at once: it may be urgent. Those that follow within ten minutes wait until
 * these are over, and then one message stands for all of them and says how many there are. So there is
 * never more than one message in ten minutes, however many alerts are raised and workers run: they
 * decide one after the other, and count from the moment the last message was sent.
 */
export const claimMessage = async (
  tx: Transaction,
  group: AlertGroup,
  { windowMs, isFollowUp }: { windowMs: number; isFollowUp: boolean },
): Promise<Claim> => {
  await lockGroup(tx, group);
  if (!(await hasWaiting(tx, group))) return undefined;
  const settings = await findSettings(tx, group.accountId);
  // The owner has switched this way off since.
  if (!settings[group.kind][group.way]) {
    await dropSilenced(tx, group);
    if (!(await hasWaiting(tx, group))) return undefined;
  }
  const times = { windowMs, untriedMs };
  const last = await findLastMessage(tx, group, times);
  if (last && last.leftSeconds > 0) {
    if (last.isFollowed && !isFollowUp) return undefined;
    await markFollowed(tx, group.accountId, last.id);
    return { lookAgainInSeconds: Math.ceil(last.leftSeconds) };
  }
  let unsentCount = 0;
  if (last && last.sentAt === null) {
    const owner = { accountId: group.accountId, messageId: last.id };
    const isGivenUp = await giveUpMessage(tx, owner, times);
    if (!isGivenUp) return { lookAgainInSeconds: Math.ceil(windowMs / 10_000) };
    // The next message stands for its alerts, too.
    unsentCount = last.alertCount;
  }
  const [newest, ...others] = await takeWaiting(tx, group);
  // They were deleted meanwhile, with their server.
  if (newest === undefined) return undefined;
  const alert = { alertId: newest, alertCount: others.length + 1 + unsentCount };
  return { messageId: await insertMessage(tx, group, alert) };
};
