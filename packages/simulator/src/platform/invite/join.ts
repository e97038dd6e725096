import { z } from 'zod';
import { announce, type By, byNobody } from '../announce/announce.ts';
import { watch } from '../announce/watch.ts';
import { withBody } from '../control/guard.ts';
import type { Guild } from '../guild/guild.ts';
import { requireOpenInvites } from '../guild/incident-routes.ts';
import { newMember } from '../guild/new-guild.ts';
import { addMember, removeInvite } from '../guild/world.ts';
import { ApiError, unknownGuild, unknownInvite, unknownUser } from '../http/api-error.ts';
import { avatarField } from '../identity/users.ts';
import { requireJoinable } from '../member/add-member.ts';
import type { Platform, PlatformApp } from '../platform.ts';
import { snowflake } from '../snowflakes.ts';
import { findInvite } from './invites.ts';

const joinSchema = z.strictObject({ userId: snowflake });

const waveSchema = z.strictObject({
  users: z
    .array(
      z.strictObject({
        id: snowflake,
        username: z.string().min(1).max(100).optional(),
        avatar: avatarField.optional(),
      }),
    )
    .min(1)
    .max(10_000),
  overMs: z.int().min(0).max(600_000).default(0),
  /** The invite that they all use; without it, any way that is closed while invites are paused. */
  code: z.string().optional(),
});

/** Part of the control API: people use an invite in their own clients. Refusals are the platform's. */
export const mountJoinControl = (app: PlatformApp, platform: Platform) => {
  app.post('/__sim/guilds/:id/joins', (c) =>
    withBody(waveSchema, async (wave) => {
      const guildId = c.req.param('id');
      if (!platform.world.findGuild(guildId)) return c.json({ message: 'No such guild.' }, 404);
      return c.json(await joinInTurn(platform, byNobody(c), guildId, wave));
    })(c),
  );
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

/** Evenly over the time. Answered when all have tried: who joined, and with what the others were refused. */
const joinInTurn = async (
  platform: Platform,
  by: By,
  guildId: string,
  { users, overMs, code }: z.output<typeof waveSchema>,
) => {
  const startedAt = performance.now();
  const joined: string[] = [];
  const refused: { id: string; status: number; code: number }[] = [];
  for (const [index, { id, ...looks }] of users.entries()) {
    const waitMs = startedAt + (index * overMs) / users.length - performance.now();
    if (waitMs > 0) await Bun.sleep(waitMs);
    if (Object.keys(looks).length > 0) platform.identities.putUser(id, looks);
    try {
      if (code === undefined) joinGuild(platform, by, platform.world.findGuild(guildId), id);
      else joinByInvite(platform, by, code, id);
      joined.push(id);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      refused.push({ id, status: error.status, code: error.code });
    }
  }
  return { joined, refused };
};

const joinGuild = (
  platform: Platform,
  by: By,
  guild: Guild | undefined,
  userId: string,
  roles: string[] = [],
) => {
  const user = platform.identities.findUser(userId);
  if (!guild) throw unknownGuild();
  if (!user || user.isUnknown) throw unknownUser();
  if (guild.members.has(userId)) return;
  requireOpenInvites(guild);
  requireJoinable(guild, user);
  const watched = watch(guild, ['members', userId]);
  addMember(guild, { ...newMember(userId, new Date().toISOString()), roles });
  announce(platform, by, watched);
  platform.world.reportChange();
};

const joinByInvite = (platform: Platform, by: By, code: string, userId: string) => {
  const { guild, invite } = findInvite(platform, code);
  const { target_user_ids, role_ids, max_uses } = invite;
  // Who is not on the list does not even see the invite.
  if (target_user_ids && !target_user_ids.includes(userId)) throw unknownInvite();
  const before = guild.members.get(userId);
  if (before) return { guildId: guild.id, joined: false, roles: before.roles };
  const roles = role_ids.filter((id) => guild.roles.has(id));
  joinGuild(platform, by, guild, userId, roles);
  invite.uses += 1;
  if (max_uses > 0 && invite.uses >= max_uses) removeInvite(platform.world, guild, code);
  return { guildId: guild.id, joined: true, roles };
};
