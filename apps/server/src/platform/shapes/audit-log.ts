import type { AuditLogEvent } from 'discord-api-types/v10';
import { z } from 'zod';
import { openNumber, orNull } from './open.ts';

const id = z.string().regex(/^\d{1,20}$/);

/** Names and values are bounded and cleaned where they are translated. */
const change = z.object({
  key: orNull(z.string()),
  old_value: z.unknown().optional(),
  new_value: z.unknown().optional(),
});

/** Which of them an entry has depends on its action; those of another form say nothing. */
const options = z.object({
  count: z.unknown().optional(),
  channel_id: z.unknown().optional(),
  id: z.unknown().optional(),
  type: z.unknown().optional(),
  members_removed: z.unknown().optional(),
  delete_member_days: z.unknown().optional(),
});

export const auditLogEntry = z.object({
  id,
  action_type: openNumber<AuditLogEvent>(),
  user_id: orNull(id),
  target_id: orNull(z.string()),
  changes: orNull(z.array(change)),
  options: orNull(options),
  reason: orNull(z.string()),
});
