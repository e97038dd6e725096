import type { Transaction } from '../../../db/connect.ts';
import type { Actor } from '../../../http/handler.ts';
import type { Queue } from '../../../queue/queue.ts';
import { raiseAlert } from '../../alerts/deliver/raise-alert.ts';
import type { UnprotectedFacts } from '../../alerts/rules.ts';
import { findKeyName } from '../../keys/queries.ts';
import { findProtected, listProtectedOfBot } from '../queries/watched.ts';
import { lookLater } from '../watch/look-job.ts';

type Dependencies = { queue: Pick<Queue, 'enqueue'> };

type Switches = { antiNukeEnabled: boolean; antiRaidEnabled: boolean };
type Server = Switches & { id: string; accountId: string };
type Place = { customBotId: string; platformGuildId: string };

const isProtected = ({ antiNukeEnabled, antiRaidEnabled }: Switches): boolean =>
  antiNukeEnabled || antiRaidEnabled;

/** Null if it is somebody in the dashboard. */
export const keyNameOf = async (
  tx: Transaction,
  accountId: string,
  actor: Actor,
): Promise<string | null> =>
  actor.type === 'KEY' ? ((await findKeyName(tx, accountId, actor.id)) ?? null) : null;

/** The server has another guild or bot, which its transaction has stored: protection begins anew there. */
export const followMove =
  ({ queue }: Dependencies) =>
  async (
    tx: Transaction,
    before: Server & Place,
    { actor, after }: { actor: Actor; after: Place },
  ): Promise<void> => {
    const { accountId, id: serverId } = before;
    const fields = ['platformGuildId', 'customBotId'] as const;
    const weakened = fields.filter((field) => before[field] !== after[field]);
    if (!isProtected(before) || weakened.length === 0) return;
    const keyName = await keyNameOf(tx, accountId, actor);
    const facts = { weakened, effectiveAt: null, keyName };
    await raiseAlert(tx, { queue }, { accountId, serverId, kind: 'INCIDENT', facts });
    const { customBotId: botId, platformGuildId: guildId } = after;
    const found = await findProtected(tx, { accountId, botId, guildId });
    if (!found) return;
    const afterEntryId = found.lastEntryId;
    await lookLater(queue, tx, { serverId, accountId, botId, guildId, afterEntryId });
  };

/** A protected server is deleted, and its own alerts with it. */
export const followDeletion =
  ({ queue }: Dependencies) =>
  async (tx: Transaction, server: Server & { name: string }, actor: Actor): Promise<void> => {
    if (!isProtected(server)) return;
    const { accountId, name } = server;
    await tellUnprotected(tx, queue, { accountId, actor, by: 'SERVER_DELETED', name });
  };

/** A bot was switched off, or has another token: it may not be the one that is in the guilds. */
export const followBot =
  ({ queue }: Dependencies) =>
  async (
    tx: Transaction,
    { botId, accountId, name }: { botId: string; accountId: string; name: string },
    { actor, by }: { actor: Actor; by: 'BOT_OFF' | 'BOT_TOKEN' },
  ): Promise<void> => {
    const servers = await listProtectedOfBot(tx, { botId, accountId });
    if (servers.length === 0) return;
    await tellUnprotected(tx, queue, { accountId, actor, by, name });
    if (by === 'BOT_OFF') return;
    for (const { serverId, guildId, lastEntryId: afterEntryId } of servers) {
      await lookLater(queue, tx, { serverId, accountId, botId, guildId, afterEntryId });
    }
  };

type Unprotected = {
  accountId: string;
  actor: Actor;
  by: UnprotectedFacts['unprotectedBy'];
  name: string;
};

const tellUnprotected = async (
  tx: Transaction,
  queue: Dependencies['queue'],
  { accountId, actor, by, name }: Unprotected,
): Promise<void> => {
  const keyName = await keyNameOf(tx, accountId, actor);
  const facts = { unprotectedBy: by, name, keyName };
  await raiseAlert(tx, { queue }, { accountId, serverId: null, kind: 'INCIDENT', facts });
};
