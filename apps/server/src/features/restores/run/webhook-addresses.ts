import type { Database } from '../../../db/connect.ts';
import { isDatabaseFailure } from '../../../db/failures.ts';
import { failureMessage } from '../../backups/capture/failure-message.ts';
import { type BotDependencies, useBot } from '../../bots/use/use-bot.ts';
import { findGuildOfServer } from '../../servers/queries.ts';
import { findRestore, type RestoreOwner } from '../queries/restores.ts';
import { listCreatedWebhooks } from '../queries/webhooks.ts';

type WebhookAddress = { name: string; channelId: string; url: string };

/** Undefined where there is no such restore. */
export type ReadWebhookAddresses = (
  db: Database,
  owner: RestoreOwner,
) => Promise<WebhookAddress[] | { failure: string } | undefined>;

/** A person waits for it. */
const timeoutMs = 3500;

/**
 * Addresses are secrets, and a restore need not keep them: the platform shows the bot those of its own
 * webhooks for as long as they exist.
 */
export const createWebhookAddressReader =
  (dependencies: BotDependencies): ReadWebhookAddresses =>
  async (db, owner) => {
    const { accountId } = owner;
    const restore = await findRestore(db, owner);
    const target =
      restore && (await findGuildOfServer(db, { accountId, serverId: restore.serverId }));
    if (!restore || !target) return undefined;
    const created = await listCreatedWebhooks(db, owner);
    if (created.length === 0) return [];
    const { botId, guildId } = target;
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const live = await useBot(dependencies, { botId, accountId }, (bot) =>
        bot.guild(guildId, { signal }).readWebhookAddresses(),
      );
      return created.flatMap(({ webhookId, name }) => {
        const found = live.get(webhookId);
        if (!found) return [];
        const url = dependencies.platform.webhookUrl(webhookId, found.token).reveal();
        return [{ name, channelId: found.channelId, url }];
      });
    } catch (error) {
      if (isDatabaseFailure(error)) throw error;
      return { failure: failureMessage(error) };
    }
  };
