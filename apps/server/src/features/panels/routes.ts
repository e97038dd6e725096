import { accountLimits, type panelEndpoints } from '@holdfast/contract';
import type { Database, Transaction } from '../../db/connect.ts';
import type { Handlers } from '../../http/handler.ts';
import { forbidden, invalidField, notFound } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { Queue } from '../../queue/queue.ts';
import { lockAccount } from '../accounts/queries.ts';
import { type AuditedChange, recordAudit } from '../audit/queries.ts';
import { changedFields } from '../audit/rules.ts';
import type { ReadGuildView } from '../servers/guild/guild-view.ts';
import { findGuildOfServer } from '../servers/queries.ts';
import { postPanelsOf } from './jobs.ts';
import {
  changePanel,
  countPanels,
  insertPanel,
  listPanels,
  lockPanel,
  markPanelDeleted,
} from './queries.ts';
import { channelProblem } from './rules.ts';

type Owned = { accountId: string; serverId: string };

type Dependencies = {
  queue: Pick<Queue, 'enqueue'>;
  readGuildView: ReadGuildView;
};

/** The requests only store what is wanted; the job posts, edits and removes messages. */
export const panelHandlers = ({
  queue,
  readGuildView,
}: Dependencies): Handlers<typeof panelEndpoints> => {
  const record = async (
    tx: Transaction,
    server: Owned,
    { id, ...change }: Pick<AuditedChange, 'actor' | 'action' | 'changes'> & { id: string },
  ): Promise<void> => {
    const { accountId, serverId } = server;
    await queue.enqueue(tx, postPanelsOf, { accountId, serverId });
    await recordAudit(tx, {
      accountId,
      ...change,
      subject: { type: 'panel', id },
      changes: { serverId, ...change.changes },
    });
  };

  return {
    listPanels: (db, { server }) => listPanels(db, ownedBy(server)),

    createPanel: {
      async askFirst(db, { account, params, body: { channelId } }) {
        const owner = { accountId: account.accountId, serverId: params.id };
        const problem = await askForProblem(db, readGuildView, owner, channelId);
        return async (tx, { actor, server, body }) => {
          if (problem) throw invalidField('channelId', problem);
          const panel = await addPanel(tx, ownedBy(server), body);
          const changes = { ...body };
          await record(tx, owner, { actor, action: 'panel.create', id: panel.id, changes });
          return panel;
        };
      },
    },

    updatePanel: {
      async askFirst(db, { account, params, body: { channelId } }) {
        const owner = { accountId: account.accountId, serverId: params.id };
        const problem = channelId && (await askForProblem(db, readGuildView, owner, channelId));
        return async (tx, { actor, body }) => {
          const panel = { ...owner, panelId: params.panelId };
          const before = await lockPanel(tx, panel);
          if (!before) throw notFound('Panel');
          if (problem) throw invalidField('channelId', problem);
          const after = await changePanel(tx, panel, body);
          if (!after) throw notFound('Panel');
          const changes = changedFields(before, body);
          await record(tx, owner, { actor, action: 'panel.update', id: after.id, changes });
          return after;
        };
      },
    },

    async deletePanel(tx, { actor, server, params }) {
      const owner = ownedBy(server);
      const panel = await markPanelDeleted(tx, { ...owner, panelId: params.panelId });
      if (!panel) throw notFound('Panel');
      const { id, ...changes } = panel;
      await record(tx, owner, { actor, action: 'panel.delete', id, changes });
      return { id, deleted: true };
    },
  };
};

const ownedBy = ({ id, accountId }: { id: string; accountId: string }): Owned => ({
  accountId,
  serverId: id,
});

/** Where the platform cannot be asked the job finds out. */
const askForProblem = async (
  db: Database,
  readGuildView: ReadGuildView,
  owner: Owned,
  channelId: string,
): Promise<string | undefined> => {
  const guild = await findGuildOfServer(db, owner);
  if (!guild) return undefined;
  const { accountId } = owner;
  const view = await readGuildView({ botId: guild.botId, accountId }, guild.guildId);
  return 'failure' in view ? undefined : channelProblem(channelId, view.channels);
};

type Content = Pick<
  Parameters<typeof insertPanel>[1],
  'channelId' | 'title' | 'text' | 'color' | 'buttonText'
>;

const addPanel = async (tx: Transaction, owner: Owned, content: Content) => {
  await lockAccount(tx, owner.accountId);
  if ((await countPanels(tx, owner)) >= accountLimits.panels) {
    throw forbidden(`A server has at most ${accountLimits.panels} panels`);
  }
  return insertPanel(tx, { id: newId(), ...owner, postId: newId(), ...content });
};
