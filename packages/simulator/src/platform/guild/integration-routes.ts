import { announce, byCaller, byNobody } from '../announce/announce.ts';
import { each, watch } from '../announce/watch.ts';
import { accessGuild } from '../http/access.ts';
import { unknownIntegration } from '../http/api-error.ts';
import type { Platform, PlatformApp, PlatformContext } from '../platform.ts';
import { botRolesOf, integrationIdOf, presentIntegration } from './integration.ts';
import { Permission } from './permissions.ts';
import { channelsNaming, expelMember } from './world.ts';

export const mountIntegrationRoutes = (app: PlatformApp, platform: Platform) => {
  const access = (c: PlatformContext) => accessGuild(platform, c, Permission.ManageGuild).guild;
  app.get('/guilds/:guild/integrations', (c) =>
    c.json(botRolesOf(access(c)).map((role) => presentIntegration(platform.identities, role))),
  );
  app.delete('/guilds/:guild/integrations/:integration', (c) => {
    const guild = access(c);
    const id = c.req.param('integration');
    const role = botRolesOf(guild).find((one) => integrationIdOf(one) === id);
    if (!role) throw unknownIntegration();
    const botId = role.tags?.bot_id ?? '';
    const watched = watch(guild, 'roles');
    const alongside = watch(guild, ['members', botId], ...each(channelsNaming(guild, botId)));
    expelMember(guild, botId);
    announce(platform, byCaller(c), watched);
    announce(platform, byNobody(c), alongside);
    return c.body(null, 204);
  });
  app.get('/guilds/:guild/vanity-url', (c) =>
    c.json({ code: access(c).settings.vanity_url_code, uses: 0 }),
  );
};
