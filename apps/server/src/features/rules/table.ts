import type { RuleType } from '@holdfast/contract';
import { index, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core';
import { moment, partOf } from '../../db/table-columns.ts';
import { servers } from '../servers/table.ts';

/** A list of rules of one kind: firewall and whitelist each have their own table of this shape. */
export const ruleTable = <Name extends string>(name: Name) =>
  pgTable(
    name,
    {
      id: uuid().primaryKey(),
      accountId: uuid().notNull(),
      serverId: partOf(() => servers.id).notNull(),
      type: text().$type<RuleType>().notNull(),
      value: text().notNull(),
      note: text(),
      createdAt: moment().notNull().defaultNow(),
    },
    (rule) => [
      unique(`${name}_type_value`).on(rule.serverId, rule.type, rule.value),
      index(`${name}_of_server`).on(rule.serverId, rule.createdAt, rule.id),
    ],
  );

export type RuleTable = ReturnType<typeof ruleTable<string>>;
