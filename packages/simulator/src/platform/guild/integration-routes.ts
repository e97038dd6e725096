import { accessGuild } from '../http/access.ts';
import { unknownIntegration } from '../http/api-error.ts';
import { userBody } from '../identity/routes.ts';
import { generateUser } from '../identity/users.ts';
import type { Platform, PlatformApp, PlatformContext } from '../platform.ts';
import type { Guild, Role } from './guild.ts';
import { Permission } from './permissions.ts';
import { removeMember, removeRole } from './world.ts';

/** The installed bots. Each has a managed role of its own, by which it is known here. */
export const mountIntegrationRoutes = (app: PlatformApp, platform: Platform) => {
  const access = (c: PlatformContext) => accessGuild(platform, c, Permission.ManageGuild).guild;
  app.get('/guilds/:guild/integrations', (c) =>
    c.json(botRolesOf(access(c)).map((role) => present(platform, role))),
  );
  app.delete('/guilds/:guild/integrations/:integration', (c) => {
    const guild = access(c);
    const id = c.req.param('integration');
    const role = botRolesOf(guild).find((one) => idOf(one) === id);
    if (!role) throw unknownIntegration();
    removeMember(guild, role.tags?.bot_id ?? '');
    removeRole(guild, role);
    return c.body(null, 204);
  });
  app.get('/guilds/:guild/vanity-url', (c) =>
    c.json({ code: access(c).settings.vanity_url_code, uses: 0 }),
  );
};

const botRolesOf = ({ roles }: Guild): Role[] =>
  [...roles.values()].filter(({ managed, tags }) => managed && tags?.bot_id);

const idOf = ({ id, tags }: Role): string => tags?.integration_id ?? id;

const present = ({ identities }: Platform, role: Role) => {
  const { name, tags } = role;
  const botId = tags?.bot_id ?? role.id;
  const user = identities.findUser(botId);
  // A bot that was never set is known by the name of its role.
  const bot = user?.isBot ? user : { ...generateUser(botId), username: name, isBot: true };
  return {
    id: idOf(role),
    type: 'discord',
    name,
    enabled: true,
    account: { id: botId, name },
    application: {
      id: botId,
      name,
      icon: null,
      description: '',
      type: null,
      bot: userBody({ ...bot, globalName: null }),
    },
    scopes: ['applications.commands', 'bot'],
  };
};
