import type { ScheduledEvent, Sound } from '../guild/community.ts';
import { presentUser } from '../guild/present.ts';
import type { Identities } from '../platform.ts';

export const presentEvent = (identities: Identities, event: ScheduledEvent, withCount = false) => {
  const { user_count, ...fields } = event;
  return {
    ...fields,
    creator: presentUser(identities, event.creator_id),
    guild_scheduled_event_exceptions: [],
    ...(withCount && { user_count }),
  };
};

/** With who uploaded it, where that is known. */
export const presentSound = (identities: Identities, { user_id, ...fields }: Sound) => ({
  ...fields,
  ...(user_id && { user: presentUser(identities, user_id) }),
});
