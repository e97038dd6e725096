import type { appealEndpoints, DashboardEndpoints } from '@holdfast/contract';
import type { Transaction } from '../../../db/connect.ts';
import type { Actor, Handlers, OwnedServer } from '../../../http/handler.ts';
import { conflict, notFound } from '../../../kernel/errors.ts';
import { recordAudit } from '../../audit/queries.ts';
import { ruleHandlers } from '../../rules/routes.ts';
import { lockUser } from '../../accounts/queries.ts';
import { whitelistRules } from '../../whitelist/table.ts';
import { closeAppeal, findAppeal, hasPersonalRule, listAppeals } from './queries.ts';

const whitelist = ruleHandlers(whitelistRules, 'whitelistRule');

export const appealFindHandlers: Handlers<Pick<DashboardEndpoints, 'findAppeals'>> = {
  findAppeals: (db, { server, query }) => listAppeals(db, server, query),
};

export const appealHandlers: Handlers<typeof appealEndpoints> = {
  listAppeals: (db, { server, query }) => listAppeals(db, server, query),

  async decideAppeal(tx, { server, actor, params, body }) {
    const isAccepted = body.decision === 'ACCEPT';
    const { appealId } = params;
    const appeal = await closeAppeal(tx, server, appealId, isAccepted ? 'ACCEPTED' : 'REJECTED');
    if (!appeal) {
      const decided = await findAppeal(tx, server, appealId);
      throw decided ? conflict('The appeal is decided already') : notFound('Appeal');
    }
    if (isAccepted) await letIn(tx, { server, actor, platformId: appeal.platformId });
    await recordAudit(tx, {
      accountId: server.accountId,
      actor,
      action: isAccepted ? 'appeal.accept' : 'appeal.reject',
      subject: { type: 'appeal', id: appeal.id },
      changes: { serverId: server.id, platformId: appeal.platformId },
    });
    return appeal;
  },
};

type Person = { server: OwnedServer; actor: Actor; platformId: string };

/** Rules are made under this lock, so that nobody else makes the same one meanwhile. */
const letIn = async (tx: Transaction, { server, actor, platformId }: Person): Promise<void> => {
  await lockUser(tx, server.accountId);
  if (await hasPersonalRule(tx, server, platformId)) return;
  const body = { type: 'USER_ID' as const, value: platformId, note: 'Appeal' };
  await whitelist.create(tx, { actor, server, body });
};
