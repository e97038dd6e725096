import { z } from 'zod';
import { announce, type By, byNobody } from '../announce/announce.ts';
import { watch } from '../announce/watch.ts';
import { withBody } from '../control/guard.ts';
import { newMember } from '../guild/new-guild.ts';
import { addMember, removeInvite } from '../guild/world.ts';
import { ApiError, unknownInvite, unknownUser } from '../http/api-error.ts';
import { requireJoinable } from '../member/add-member.ts';
import type { Platform, PlatformApp } from '../platform.ts';
import { snowflake } from '../snowflakes.ts';
import { findInvite } from './invites.ts';

const joinSchema = z.strictObject({ userId: snowflake });

/** Part of the control API: a person uses an invite in their own client. Refusals are the platform's. */
export const mountJoinControl = (app: PlatformApp, platform: Platform) => {
  app.post('/__sim/invites/:code/join', (c) =>
    withBody(joinSchema, ({ userId }) => {
      try {
        return c.json(joinByInvite(platform, byNobody(c), c.req.param('code'), userId));
      } catch (error) {
        if (error instanceof ApiError) return c.json(error.body, error.status);
        throw error;
      }
    })(c),
  );
};

const joinByInvite = (platform: Platform, by: By, code: string, userId: string) => {
  const { world, identities } = platform;
  const { guild, invite } = findInvite(platform, code);
  const user = identities.findUser(userId);
  if (!user || user.isUnknown) throw unknownUser();
  const { target_user_ids, role_ids, max_uses } = invite;
  // Who is not on the list does not even see the invite.
  if (target_user_ids && !target_user_ids.includes(userId)) throw unknownInvite();
  const before = guild.members.get(userId);
  if (before) return { guildId: guild.id, joined: false, roles: before.roles };
  requireJoinable(guild, user);
  const roles = role_ids.filter((id) => guild.roles.has(id));
  const watched = watch(guild, ['members', userId]);
  addMember(guild, { ...newMember(userId, new Date().toISOString()), roles });
  announce(platform, by, watched);
  invite.uses += 1;
  if (max_uses > 0 && invite.uses >= max_uses) removeInvite(world, guild, code);
  world.reportChange();
  return { guildId: guild.id, joined: true, roles };
};
