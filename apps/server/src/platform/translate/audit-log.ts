import { z } from 'zod';
import type { AuditChange, AuditLogEntry } from '../gateway/events.ts';
import type { auditLogEntry } from '../shapes/audit-log.ts';
import { auditActionOf } from './audit-actions.ts';

type Entry = z.output<typeof auditLogEntry>;

export const auditEntryOf = (guildId: string, entry: Entry): AuditLogEntry => ({
  guildId,
  entryId: entry.id,
  action: auditActionOf(entry.action_type),
  executorId: entry.user_id,
  targetId: entry.target_id,
  changes: changesOf(entry.changes ?? []),
  options: optionsOf(entry.options),
  reason: entry.reason === null ? null : cleanText(entry.reason).slice(0, longestReason),
});

const longestReason = 512;
const mostChanges = 60;
const longestKey = 100;
/** One value, and all values of an entry, as JSON: who acts decides how long names and lists are. */
const largestValue = 20_000;
const largestEntry = 60_000;
const deepestValue = 6;

const roleKeys = new Set(['$add', '$remove']);

const changesOf = (changes: NonNullable<Entry['changes']>): AuditChange[] => {
  let left = largestEntry;
  return changes.slice(0, mostChanges).flatMap(({ key, old_value, new_value }) => {
    if (key === null || key.length > longestKey) return [];
    const read = roleKeys.has(key) ? idsOf : cleanValue;
    const change = { key: cleanText(key), before: read(old_value), after: read(new_value) };
    const size = JSON.stringify(change).length;
    // Without one half it would tell something else than what happened.
    if (size > Math.min(largestValue, left)) return [];
    left -= size;
    return [change];
  });
};

const listOfIds = z.array(z.object({ id: z.string().regex(/^\d{1,20}$/) }));
const mostRoles = 250;

/** Without the names of the roles: no list of them is too long to be told. */
const idsOf = (value: unknown): { id: string }[] | null =>
  listOfIds.safeParse(value).data?.slice(0, mostRoles) ?? null;

/** What the database refuses is taken out. */
const cleanText = (text: string): string => text.toWellFormed().replaceAll('\0', '');

const cleanValue = (value: unknown, depth = 0): unknown => {
  if (typeof value === 'string') return cleanText(value);
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value !== 'object' || value === null || depth > deepestValue) return null;
  if (Array.isArray(value)) return value.map((one) => cleanValue(one, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [cleanText(key), cleanValue(one, depth + 1)]),
  );
};

const platformId = z
  .string()
  .regex(/^\d{1,20}$/)
  .optional()
  .catch(undefined);
/** The platform writes them as text. */
const count = z
  .union([z.string().regex(/^\d{1,9}$/), z.int().min(0)])
  .transform(Number)
  .optional()
  .catch(undefined);
const subjectKinds = new Map<unknown, 'role' | 'member'>([
  ['0', 'role'],
  ['1', 'member'],
]);

const optionsOf = (options: Entry['options']): AuditLogEntry['options'] => ({
  count: count.parse(options?.count),
  channelId: platformId.parse(options?.channel_id),
  subjectId: platformId.parse(options?.id),
  subjectKind: subjectKinds.get(String(options?.type)),
  membersRemoved: count.parse(options?.members_removed),
  inactiveDays: count.parse(options?.delete_member_days),
});
