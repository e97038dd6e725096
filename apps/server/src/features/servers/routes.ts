import type { DashboardEndpoints, ServerChanges, serverEndpoints } from '@holdfast/contract';
import type { z } from 'zod';
import type { Queryable, Transaction } from '../../db/connect.ts';
import { violatedConstraint } from '../../db/failures.ts';
import type { Account, Actor, ApiRequest, Handlers, OwnedServer } from '../../http/handler.ts';
import type { Picture } from '../../http/pages/placeholders.ts';
import type { Clock } from '../../kernel/clock.ts';
import { conflict, forbidden, notFound } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { Queue } from '../../queue/queue.ts';
import { lockAccount } from '../accounts/queries.ts';
import { deleteAlertsOfServer } from '../alerts/queries/alerts.ts';
import { type AuditedChange, recordAudit, recordAudits } from '../audit/queries.ts';
import { changedFields } from '../audit/rules.ts';
import { holdBot } from '../bots/queries.ts';
import { requireGuildsLeft } from '../bots/refused-guilds/ask-once.ts';
import type { BotDependencies, BotOwner } from '../bots/use/use-bot.ts';
import type { GuildSummary } from './guild/guild-summary.ts';
import type { ReadGuildView } from './guild/guild-view.ts';
import type { FindNewGuilds } from './guild/new-guilds.ts';
import { describeHealth } from './health/describe-health.ts';
import { purgeServer, refreshServer } from './jobs.ts';
import { pointersInGuild } from './pointers/move-pointers.ts';
import { markedAsThere, pointerNames } from './pointers/pointers.ts';
import { readNamedRole, requireConfirmed } from './power/confirm-power.ts';
import type { RolePower } from './power/read-powers.ts';
import { confirmRole, endOldConfirmation, readChosenRole } from './power/verified-role.ts';
import {
  countServers,
  findGuildOfServer,
  findServer,
  hasServerOfGuild,
  insertServer,
  listServers,
  lockServer,
  markServerDeleted,
  updateServer,
} from './queries.ts';
import { findSettingBeyondPlan } from './rules.ts';

type NewServer = z.output<(typeof serverEndpoints)['createServer']['body']>;

type ServerCounts = {
  members: number;
  pullableMembers: number;
  backups: number;
  firewallRules: number;
  whitelistRules: number;
  pulls: number;
};

type Place = { platformGuildId: string; customBotId: string };
type ProtectionSwitches = { antiNukeEnabled: boolean; antiRaidEnabled: boolean };

type Dependencies = BotDependencies & {
  picture: Picture;
  queue: Pick<Queue, 'enqueue'>;
  clock: Clock;
  /** Icon and member count, where the platform answers at once. */
  readSummary(owner: BotOwner, guildId: string): Promise<GuildSummary | undefined>;
  /** Counts what other features store for a server. */
  countContents(db: Queryable, server: OwnedServer): Promise<ServerCounts>;
  /** Decides about the switches of protection, which do not go off without more ado. */
  changeSwitches(
    tx: Transaction,
    server: OwnedServer & ProtectionSwitches,
    change: { actor: Actor; asked: Partial<ProtectionSwitches> },
  ): Promise<{ switches: Partial<ProtectionSwitches>; audited: AuditedChange[] }>;
  /** Has protection know its new guild or bot, and the owner know that it changed. */
  followMove(
    tx: Transaction,
    before: OwnedServer & ProtectionSwitches & Place,
    change: { actor: Actor; after: Place },
  ): Promise<void>;
  /** Removes what the service has posted into its guild, as long as its bot is known. */
  leaveGuild(tx: Transaction, server: { accountId: string; serverId: string }): Promise<void>;
  /** Tells the owner of a protected server that it is deleted. */
  followDeletion(
    tx: Transaction,
    server: OwnedServer & ProtectionSwitches & { name: string },
    actor: Actor,
  ): Promise<void>;
  /** Judges the health anew, after a change of what it depends on. */
  assessHealth(tx: Transaction, server: { accountId: string; serverId: string }): Promise<void>;
};

type ChangeServer = (
  tx: Transaction,
  request: ApiRequest<(typeof serverEndpoints)['updateServer']>,
  role: RolePower | undefined,
) => Promise<z.output<(typeof serverEndpoints)['updateServer']['data']>>;

type StoredRow = Parameters<typeof describeHealth>[0] & { iconUrl: string | null };

const duplicate = () => conflict('You already have a server for this guild');

export const serverHandlers = (dependencies: Dependencies): Handlers<typeof serverEndpoints> => {
  const { picture, queue, clock, readSummary, countContents } = dependencies;
  const { changeSwitches, followMove, leaveGuild, followDeletion, assessHealth } = dependencies;
  const toAnswer = <Row extends StoredRow>(row: Row) => ({
    ...row,
    ...describeHealth(row),
    icon: picture('server', row.iconUrl),
  });
  const withCounts = async <Row extends OwnedServer & StoredRow>(db: Queryable, row: Row) => ({
    ...toAnswer(row),
    _count: await countContents(db, row),
  });

  const changeServer: ChangeServer = async (tx, request, role) => {
    const { account, actor, caller, params, requireCodeForChanges } = request;
    const { confirmRoleName: typed, ...body } = request.body;
    const { accountId, plan, limits } = account;
    const owner = { accountId, serverId: params.id };
    const before = await lockServer(tx, owner);
    if (!before) throw notFound('Server');
    requireCodeForChanges(before);
    await endOldConfirmation(tx, owner, before, body);
    const confirmed = await confirmRole(tx, dependencies, owner, { actor, caller, typed, role });
    if (body.customBotId && !(await holdBot(tx, body.customBotId, accountId)))
      throw notFound('Bot');
    const beyond = findSettingBeyondPlan(before, body, limits);
    if (beyond) throw forbidden(`The ${plan} plan does not include ${beyond}`);

    const asked = switchesOf(body);
    const { switches, audited } = await changeSwitches(tx, before, { actor, asked });
    const alsoAudited = [...audited, ...confirmed];
    const wanted = { ...body, ...switches };
    const { platformGuildId } = wanted;
    const isMoved = platformGuildId && platformGuildId !== before.platformGuildId;
    if (isMoved) await requireGuildsLeft(tx, { accountId, callerId: caller.id, actor });
    const moved = isMoved
      ? await pointersInGuild(tx, { accountId, guildId: platformGuildId }, before)
      : {};
    const { missingRoleId: _role, missingChannelId: _channel, ...pointers } = moved;
    const changes = changedFields(before, { ...pointers, ...wanted });
    // Whatever the settings name is looked for, also where an owner insists on what was not there.
    const namesPointer = pointerNames.some((name) => typeof body[name] === 'string');
    if (changes.platformGuildId || changes.customBotId || namesPointer) {
      await queue.enqueue(tx, refreshServer, { ...owner, callerId: caller.id });
    }
    if (Object.keys(changes).length === 0) {
      await recordAudits(tx, alsoAudited);
      return withCounts(tx, before);
    }
    const unmarked = markedAsThere(pointerNames.filter((name) => changes[name]));
    const server = await updateServer(tx, owner, { ...unmarked, ...moved, ...wanted }).catch(
      (error) => {
        throw violatedConstraint(error) === 'servers_guild_of_account' ? duplicate() : error;
      },
    );
    if (!server) throw notFound('Server');
    await followMove(tx, before, { actor, after: server });
    const isElsewhere = changes.platformGuildId || pointerNames.some((name) => changes[name]);
    if (isElsewhere) await assessHealth(tx, owner);
    const subject = { type: 'server', id: server.id };
    const update = { accountId, actor, action: 'server.update' as const, subject, changes };
    await recordAudits(tx, [update, ...alsoAudited]);
    return withCounts(tx, isElsewhere ? ((await findServer(tx, owner)) ?? server) : server);
  };

  return {
    async listServers(db, { account, query }) {
      const { rows, total } = await listServers(db, account.accountId, query);
      return { rows: rows.map(toAnswer), total };
    },

    createServer: {
      async askFirst(db, { account, actor, caller: { id: callerId }, body }) {
        const { accountId } = account;
        const { customBotId, platformGuildId: guildId } = body;
        const isAsked = await mayBeAdded(db, account, guildId);
        if (isAsked) await requireGuildsLeft(db, { accountId, callerId, actor });
        const bot = { botId: customBotId, accountId, callerId };
        const summary = isAsked ? await readSummary(bot, guildId) : undefined;
        const role =
          summary && (await readNamedRole(dependencies, { ...bot, guildId }, body.verifiedRoleId));
        return async (tx, { account, actor, caller, body: { confirmRoleName, ...body } }) => {
          const by = { actor, caller, typed: confirmRoleName };
          requireConfirmed(role, { ...by, field: 'verifiedRoleId' });
          const server = await addServer(tx, account, { ...body, ...summary }, clock);
          const owner = { accountId, serverId: server.id };
          if (!summary) await queue.enqueue(tx, refreshServer, { ...owner, callerId });
          const confirmed = await confirmRole(tx, dependencies, owner, { ...by, role });
          const subject = { type: 'server', id: server.id };
          const action = 'server.create' as const;
          const created = { accountId, actor, action, subject, changes: body };
          await recordAudits(tx, [created, ...confirmed]);
          return toAnswer(server);
        };
      },
    },

    async getServer(db, { account, params }) {
      const server = await findServer(db, { accountId: account.accountId, serverId: params.id });
      if (!server) throw notFound('Server');
      return withCounts(db, server);
    },

    updateServer: {
      async askFirst(db, { account: { accountId }, params, body }) {
        const role = await readChosenRole(
          { ...dependencies, db },
          { accountId, serverId: params.id },
          body,
        );
        return (tx, request) => changeServer(tx, request, role);
      },
    },

    async deleteServer(tx, { account, actor, params }) {
      const { accountId } = account;
      const owner = { accountId, serverId: params.id };
      await lockServer(tx, owner);
      await leaveGuild(tx, owner);
      const server = await markServerDeleted(tx, owner);
      if (!server) throw notFound('Server');
      await deleteAlertsOfServer(tx, { accountId, serverId: server.id });
      await queue.enqueue(tx, purgeServer, { serverId: server.id, accountId });
      await followDeletion(tx, { ...server, accountId }, actor);
      await recordAudit(tx, {
        accountId,
        actor,
        action: 'server.delete',
        subject: { type: 'server', id: server.id },
        changes: { name: server.name, platformGuildId: server.platformGuildId },
      });
      return { id: server.id, deleted: true };
    },
  };
};

const switchesOf = ({ antiNukeEnabled, antiRaidEnabled }: ServerChanges) => ({
  ...(antiNukeEnabled !== undefined && { antiNukeEnabled }),
  ...(antiRaidEnabled !== undefined && { antiRaidEnabled }),
});

/** A GET has no transaction, so none is open while the platform is called. */
export const serverDashboardHandlers = (
  readGuildView: ReadGuildView,
  findNewGuilds: FindNewGuilds,
): Handlers<Pick<DashboardEndpoints, 'getGuild' | 'listNewGuilds'>> => ({
  async getGuild(db, { server: { id: serverId, accountId } }) {
    const guild = await findGuildOfServer(db, { accountId, serverId });
    if (!guild) throw notFound('Server');
    const view = await readGuildView({ botId: guild.botId, accountId }, guild.guildId);
    if ('failure' in view) throw conflict(view.failure);
    return view;
  },

  async listNewGuilds(_db, { server: { id: serverId, accountId } }) {
    const found = await findNewGuilds({ serverId, accountId });
    if (!found) throw notFound('Server');
    return found;
  },
});

/** What cannot be added is not asked for: the answer does not depend on it. */
const mayBeAdded = async (
  db: Queryable,
  { accountId, limits }: Account,
  guildId: string,
): Promise<boolean> =>
  !(await hasServerOfGuild(db, accountId, guildId)) &&
  (await countServers(db, accountId)) < limits.maxServers;

const addServer = async (
  tx: Transaction,
  { accountId, plan, limits }: Account,
  row: NewServer & Partial<GuildSummary>,
  clock: Clock,
) => {
  if (!(await holdBot(tx, row.customBotId, accountId))) throw notFound('Bot');
  await lockAccount(tx, accountId);
  if ((await countServers(tx, accountId)) >= limits.maxServers) {
    throw forbidden(`The ${plan} plan's limit for servers (${limits.maxServers}) is reached`);
  }
  const refreshedAt = row.memberCount === undefined ? null : clock.now();
  const server = await insertServer(tx, { id: newId(), accountId, refreshedAt, ...row });
  if (!server) throw duplicate();
  return server;
};
