import { z } from 'zod';
import { announce, byCaller } from '../announce/announce.ts';
import { watch } from '../announce/watch.ts';
import { accessGuild } from '../http/access.ts';
import { ApiError, invalidField } from '../http/api-error.ts';
import { readBody } from '../http/read-body.ts';
import type { Platform, PlatformApp } from '../platform.ts';
import type { Guild } from './guild.ts';
import { Permission } from './permissions.ts';

const LONGEST_MS = 86_400_000;
/** Clocks of others may be a little ahead. */
const GRACE_MS = 60_000;

const until = z.iso.datetime({ offset: true }).nullish();
const actionsSchema = z.object({ invites_disabled_until: until, dms_disabled_until: until });

/** Pauses invites and direct messages for up to a day. What is left out stays; null ends it. */
export const mountIncidentRoutes = (app: PlatformApp, platform: Platform) => {
  app.put('/guilds/:guild/incident-actions', async (c) => {
    const { guild } = accessGuild(platform, c, Permission.ManageGuild);
    const actions = await readBody(c, actionsSchema);
    for (const field of ['invites_disabled_until', 'dms_disabled_until'] as const) {
      if (Date.parse(actions[field] ?? '') > Date.now() + LONGEST_MS + GRACE_MS) {
        throw invalidField([field], 'BASE_TYPE_BAD', 'Must be within the next 24 hours.');
      }
    }
    const watched = watch(guild, 'settings');
    const { invites_disabled_until = null, dms_disabled_until = null } = {
      ...guild.settings.incidents_data,
      ...actions,
    };
    guild.settings.incidents_data = { invites_disabled_until, dms_disabled_until };
    announce(platform, byCaller(c), watched);
    return c.json(guild.settings.incidents_data);
  });
};

/** The platform documents no code for it. */
export const requireOpenInvites = ({ settings }: Guild) => {
  const pausedUntil = Date.parse(settings.incidents_data?.invites_disabled_until ?? '');
  if (pausedUntil > Date.now() || settings.features.includes('INVITES_DISABLED')) {
    throw new ApiError(403, 0, 'Invites are paused for this guild.');
  }
};
