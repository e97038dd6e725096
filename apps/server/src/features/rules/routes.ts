import { accountLimits, type NewRule } from '@holdfast/contract';
import type { Queryable, Transaction } from '../../db/connect.ts';
import type { Actor, OwnedServer } from '../../http/handler.ts';
import { conflict, forbidden, notFound } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { lockAccount } from '../accounts/queries.ts';
import { recordAudit } from '../audit/queries.ts';
import { countRules, deleteRule, insertRule, listRules } from './queries.ts';
import type { RuleTable } from './table.ts';

/** Lists are returned whole and read at every verification, so their length is bounded. */
const mostRules = accountLimits.rulesPerList;

type RuleRequest = { actor: Actor; server: OwnedServer };

/** The three handlers of a list of rules; `subject` is its name in the audit log. */
export const ruleHandlers = (table: RuleTable, subject: 'firewallRule' | 'whitelistRule') => ({
  list: (db: Queryable, { server }: RuleRequest) => listRules(db, table, server),

  async create(tx: Transaction, { actor, server, body }: RuleRequest & { body: NewRule }) {
    const { accountId, id: serverId } = server;
    const { type, value, note = null } = body;
    await lockAccount(tx, accountId);
    if ((await countRules(tx, table, server)) >= mostRules) {
      throw forbidden(`A server holds at most ${mostRules} rules of this kind`);
    }
    const rule = await insertRule(tx, table, {
      id: newId(),
      accountId,
      serverId,
      type,
      value,
      note,
    });
    if (!rule) throw conflict('The server already has a rule of this type and value');
    await recordAudit(tx, {
      accountId,
      actor,
      action: `${subject}.create`,
      subject: { type: subject, id: rule.id },
      changes: { serverId, type, value, note },
    });
    return rule;
  },

  async delete(
    tx: Transaction,
    { actor, server, query }: RuleRequest & { query: { ruleId: string } },
  ) {
    const rule = await deleteRule(tx, table, server, query.ruleId);
    if (!rule) throw notFound('Rule');
    await recordAudit(tx, {
      accountId: server.accountId,
      actor,
      action: `${subject}.delete`,
      subject: { type: subject, id: rule.id },
      changes: { serverId: server.id, type: rule.type, value: rule.value },
    });
    return { id: rule.id, deleted: true as const };
  },
});
