import type { ServerChanges } from '@holdfast/contract';
import type { Transaction } from '../../../db/connect.ts';
import type { Actor, SecondFactor } from '../../../http/handler.ts';
import type { AuditedChange } from '../../audit/queries.ts';
import type { BotDependencies } from '../../bots/use/use-bot.ts';
import { findServer } from '../queries.ts';
import { auditedPower, readNamedRole, requireConfirmed } from './confirm-power.ts';
import { storeConfirmedRole } from './queries.ts';
import type { RolePower } from './read-powers.ts';
import { tellConfirmed } from './tell-power.ts';

type ServerOwner = { accountId: string; serverId: string };

/** The verified role that a change names, as the guild has it that the server is to have. */
export const readChosenRole = async (
  dependencies: BotDependencies,
  owner: ServerOwner,
  body: ServerChanges,
): Promise<RolePower | undefined> => {
  const before = body.verifiedRoleId ? await findServer(dependencies.db, owner) : undefined;
  if (!before) return undefined;
  const { customBotId: botId, platformGuildId: guildId } = { ...before, ...body };
  // Who names it again gives it no more power, unless they mean to.
  if (!choosesAnew(before, body) && body.confirmRoleName === undefined) return undefined;
  return readNamedRole(
    dependencies,
    { accountId: owner.accountId, botId, guildId },
    body.verifiedRoleId,
  );
};

type Choice = Partial<Record<'verifiedRoleId' | 'platformGuildId' | 'customBotId', string | null>>;

/** The role, or where or by whom it is given. */
const choosesAnew = (before: Choice, after: Choice): boolean =>
  (['verifiedRoleId', 'platformGuildId', 'customBotId'] as const).some(
    (name) => after[name] !== undefined && after[name] !== before[name],
  );

/** What a person has confirmed does not outlive the choice: the role can be chosen again unseen. */
export const endOldConfirmation = async (
  tx: Transaction,
  owner: ServerOwner,
  before: Choice,
  after: Choice,
): Promise<void> => {
  if (choosesAnew(before, after)) await storeConfirmedRole(tx, owner, null);
};

type Choosing = {
  actor: Actor;
  caller: { secondFactor: SecondFactor };
  typed: string | undefined;
  role: RolePower | undefined;
};

/** Refuses a verified role with power, or stores and tells that a person has confirmed it. */
export const confirmRole = async (
  tx: Transaction,
  dependencies: Pick<BotDependencies, 'queue'>,
  owner: ServerOwner,
  { role, ...by }: Choosing,
): Promise<AuditedChange[]> => {
  const power = requireConfirmed(role, { ...by, field: 'verifiedRoleId' });
  if (!role || power === 0n) return [];
  await storeConfirmedRole(tx, owner, role);
  await tellConfirmed(tx, dependencies, owner, { use: 'VERIFIED_ROLE', role });
  const subject = { type: 'server', id: owner.serverId };
  const changes = { verifiedRoleId: role.roleId, ...auditedPower(power) };
  const action = 'server.confirm_role' as const;
  return [{ accountId: owner.accountId, actor: by.actor, action, subject, changes }];
};
