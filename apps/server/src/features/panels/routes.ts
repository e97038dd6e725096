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
import { findGuildOfServer, lockServer } from '../servers/queries.ts';
import { pictureUrl } from '../uploads/pictures/send-picture.ts';
import { setPicture } from '../uploads/queries.ts';
import { postPanelsOf } from './jobs.ts';
import {
  changePanel,
  countPanels,
  findPanel,
  insertPanel,
  listPanels,
  lockPanel,
  markPanelDeleted,
} from './queries/panels.ts';
import { channelProblem, pictureField } from './rules.ts';

type Owned = { accountId: string; serverId: string };

type Dependencies = {
  baseUrl: string;
  queue: Pick<Queue, 'enqueue'>;
  readGuildView: ReadGuildView;
  /** Judges the health of the server anew: a panel's channel counts for it. */
  assessHealth(tx: Transaction, server: Owned): Promise<void>;
};

/** The requests only store what is wanted; the job posts, edits and removes messages. */
export const panelHandlers = ({
  baseUrl,
  queue,
  readGuildView,
  assessHealth,
}: Dependencies): Handlers<typeof panelEndpoints> => {
  const record = async (
    tx: Transaction,
    server: Owned,
    { id, ...change }: Pick<AuditedChange, 'actor' | 'action' | 'changes'> & { id: string },
  ): Promise<void> => {
    const { accountId, serverId } = server;
    await assessHealth(tx, server);
    await queue.enqueue(tx, postPanelsOf, { accountId, serverId });
    await recordAudit(tx, {
      accountId,
      ...change,
      subject: { type: 'panel', id },
      changes: { serverId, ...change.changes },
    });
  };

  return {
    listPanels: async (db, { server }) =>
      (await listPanels(db, ownedBy(server))).map((panel) => shown(baseUrl, panel)),

    createPanel: {
      async askFirst(db, { account, params, body: { channelId } }) {
        const owner = { accountId: account.accountId, serverId: params.id };
        const problem = await askForProblem(db, readGuildView, owner, channelId);
        return async (tx, { actor, server, body }) => {
          if (problem) throw invalidField('channelId', problem);
          const id = await addPanel(tx, ownedBy(server), body);
          const changes = { ...body };
          await record(tx, owner, { actor, action: 'panel.create', id, changes });
          return readPanel(tx, { ...owner, panelId: id }, baseUrl);
        };
      },
    },

    updatePanel: {
      async askFirst(db, { account, params, body: { channelId } }) {
        const owner = { accountId: account.accountId, serverId: params.id };
        const problem = channelId && (await askForProblem(db, readGuildView, owner, channelId));
        return async (tx, { actor, body }) => {
          const panel = { ...owner, panelId: params.panelId };
          await lockServer(tx, owner);
          if (!(await lockPanel(tx, panel))) throw notFound('Panel');
          if (problem) throw invalidField('channelId', problem);
          const before = await readPanel(tx, panel, baseUrl);
          const { imageUploadId, ...content } = body;
          await changePanel(tx, panel, content);
          await usePicture(tx, panel, imageUploadId);
          const changes = changedFields<typeof body>(before, body);
          await record(tx, owner, { actor, action: 'panel.update', id: before.id, changes });
          return readPanel(tx, panel, baseUrl);
        };
      },
    },

    async deletePanel(tx, { actor, server, params }) {
      const owner = ownedBy(server);
      await lockServer(tx, owner);
      const panel = await markPanelDeleted(tx, { ...owner, panelId: params.panelId });
      if (!panel) throw notFound('Panel');
      const { id, ...changes } = panel;
      await usePicture(tx, { ...owner, panelId: id }, null);
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
> & { imageUploadId?: string | null };

const addPanel = async (
  tx: Transaction,
  owner: Owned,
  { imageUploadId, ...content }: Content,
): Promise<string> => {
  await lockServer(tx, owner);
  await lockAccount(tx, owner.accountId);
  if ((await countPanels(tx, owner)) >= accountLimits.panels) {
    throw forbidden(`A server has at most ${accountLimits.panels} panels`);
  }
  const panelId = newId();
  await insertPanel(tx, { id: panelId, ...owner, postId: newId(), ...content });
  await usePicture(tx, { ...owner, panelId }, imageUploadId);
  return panelId;
};

type OwnedPanel = Owned & { panelId: string };

/** Undefined leaves the picture as it is. */
const usePicture = async (
  tx: Transaction,
  { accountId, panelId: holderId }: OwnedPanel,
  uploadId: string | null | undefined,
): Promise<void> => {
  if (uploadId === undefined) return;
  if (!(await setPicture(tx, { accountId, holderId, field: pictureField }, uploadId))) {
    throw invalidField(pictureField, 'There is no such upload');
  }
};

const shown = <Row extends { imageToken: string | null }>(
  baseUrl: string,
  { imageToken, ...panel }: Row,
) => ({ ...panel, imageUrl: imageToken === null ? null : pictureUrl(baseUrl, imageToken) });

const readPanel = async (tx: Transaction, panel: OwnedPanel, baseUrl: string) => {
  const found = await findPanel(tx, panel);
  if (!found) throw notFound('Panel');
  return shown(baseUrl, found);
};
