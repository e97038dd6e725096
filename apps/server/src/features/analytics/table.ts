import { date, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { moment, partOf } from '../../db/table-columns.ts';
import { servers } from '../servers/table.ts';

const serverId = () => partOf(() => servers.id).notNull();

const counter = () => integer().notNull().default(0);

/** Attempts by the hour in which they began, once those of that hour do not change any more. */
export const attemptHours = pgTable(
  'attempt_hours',
  {
    serverId: serverId(),
    hour: moment().notNull(),
    visited: counter(),
    authorized: counter(),
    captchaPassed: counter(),
    checksPassed: counter(),
    verified: counter(),
    blockedByBlacklist: counter(),
    blockedByFirewall: counter(),
    blockedByVpn: counter(),
    blockedByAlt: counter(),
    blockedByAccountAge: counter(),
    blockedByCaptcha: counter(),
  },
  (hours) => [primaryKey({ columns: [hours.serverId, hours.hour] })],
);

/** The same attempts by country, where it is known, and by UTC day: a year of hours would be long. */
export const attemptCountries = pgTable(
  'attempt_countries',
  { serverId: serverId(), day: date().notNull(), country: text().notNull(), attempts: counter() },
  (row) => [primaryKey({ columns: [row.serverId, row.day, row.country] })],
);

/** And by the hour, for the day within which a period begins. */
export const attemptCountryHours = pgTable(
  'attempt_country_hours',
  {
    serverId: serverId(),
    hour: moment().notNull(),
    country: text().notNull(),
    attempts: counter(),
  },
  (row) => [primaryKey({ columns: [row.serverId, row.hour, row.country] })],
);

/** Up to when the tables above are counted. */
export const rollupMarks = pgTable('rollup_marks', {
  name: text().primaryKey(),
  until: moment().notNull(),
});
