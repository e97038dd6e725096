import { z } from 'zod';
import type { Channel } from '../guild/guild.ts';
import { hasPermission, Permission } from '../guild/permissions.ts';
import { ApiError, invalidField, missingPermissions } from '../http/api-error.ts';

export const durationField = z.literal([60, 1440, 4320, 10_080]).nullish();
export const slowmodeField = z.int().min(0).max(21_600).nullish();

const REQUIRE_TAG_FLAG = 1 << 4;

/** Tags of a forum post. Moderated ones are set by moderators only. */
export const requireTags = (forum: Channel, tagIds: string[], permissions: bigint) => {
  const tags = forum.available_tags ?? [];
  for (const [index, tagId] of tagIds.entries()) {
    const tag = tags.find(({ id }) => id === tagId);
    if (!tag) throw invalidField(['applied_tags', index], 'INVALID_FORUM_TAG', 'Unknown tag');
    const isModerator = hasPermission(permissions, Permission.ManageThreads);
    if (tag.moderated && !isModerator) throw missingPermissions();
  }
  if (tagIds.length === 0 && tags.length > 0 && (forum.flags ?? 0) & REQUIRE_TAG_FLAG) {
    const message = 'A tag is required to create a forum post in this channel';
    throw new ApiError(400, 40067, message);
  }
};
