import type { Transaction } from '../../../db/connect.ts';
import type { GuildEvent } from '../../../platform/gateway/events.ts';
import type { Queue } from '../../../queue/queue.ts';
import { containLater } from '../contain/queued.ts';
import { lockToContain } from '../queries/containment.ts';
import { listNotStopped, tryAgain } from '../queries/executors.ts';

type Bot = { botId: string; accountId: string };

/** Something of the guild's roles, of the bot, or of those who could not be stopped has changed. */
const mayHelp = (event: GuildEvent, notStopped: ReadonlySet<string>): boolean => {
  switch (event.kind) {
    case 'guildAvailable':
    case 'guildChanged':
    case 'roleChanged':
    case 'roleDeleted':
      return true;
    case 'memberChanged':
      return event.isBot || notStopped.has(event.userId);
    case 'memberLeft':
      return notStopped.has(event.userId);
    // Also to a bot that does not hear of members; and of their overwrites in channels.
    case 'auditEntry':
      return [event.targetId, event.options.subjectId].some((id) => id && notStopped.has(id));
    default:
      return false;
  }
};

const kinds: ReadonlySet<GuildEvent['kind']> = new Set([
  ...(['guildAvailable', 'guildChanged', 'roleChanged', 'roleDeleted'] as const),
  ...(['memberChanged', 'memberLeft', 'auditEntry'] as const),
]);

/** Whoever could not be stopped is tried again as soon as it may be possible now. */
export const retryStops = async (
  queue: Pick<Queue, 'enqueue'>,
  tx: Transaction,
  bot: Bot,
  events: readonly GuildEvent[],
): Promise<void> => {
  const byGuild = Map.groupBy(
    events.filter(({ kind }) => kinds.has(kind)),
    (event) => ('guildId' in event ? event.guildId : ''),
  );
  if (byGuild.size === 0) return;
  const found = await listNotStopped(tx, { ...bot, guildIds: [...byGuild.keys()] });
  const helped = [...Map.groupBy(found, (one) => one.incidentId).values()].filter((people) => {
    const ids = new Set(people.map(({ platformId }) => platformId));
    const heard = people.flatMap(({ guildId }) => byGuild.get(guildId) ?? []);
    return heard.some((event) => mayHelp(event, ids));
  });
  await retry(queue, tx, bot, helped.flat());
};

/** The same of everybody in a guild, where no event tells that the bot can do more than before. */
export const retryStopsIn = async (
  queue: Pick<Queue, 'enqueue'>,
  tx: Transaction,
  { guildId, ...bot }: Bot & { guildId: string },
): Promise<void> =>
  retry(queue, tx, bot, await listNotStopped(tx, { ...bot, guildIds: [guildId] }));

const retry = async (
  queue: Pick<Queue, 'enqueue'>,
  tx: Transaction,
  { accountId }: Bot,
  people: readonly { incidentId: string }[],
): Promise<void> => {
  for (const incidentId of new Set(people.map((one) => one.incidentId))) {
    const owner = { accountId, incidentId };
    if (!(await lockToContain(tx, owner))) continue;
    await tryAgain(tx, owner);
    await containLater(queue, tx, owner);
  }
};
