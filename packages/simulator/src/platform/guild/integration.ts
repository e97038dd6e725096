import { userBody } from '../identity/routes.ts';
import { generateUser } from '../identity/users.ts';
import type { Identities } from '../platform.ts';
import type { Guild, Role } from './guild.ts';

/** The installed bots. Each has a managed role of its own, by which it is known here. */
export const botRolesOf = ({ roles }: Guild): Role[] =>
  [...roles.values()].filter(({ managed, tags }) => managed && tags?.bot_id);

export const integrationIdOf = ({ id, tags }: Role): string => tags?.integration_id ?? id;

export const presentIntegration = (identities: Identities, role: Role) => {
  const { name, tags } = role;
  const botId = tags?.bot_id ?? role.id;
  const user = identities.findUser(botId);
  // A bot that was never set is known by the name of its role.
  const bot = user?.isBot ? user : { ...generateUser(botId), username: name, isBot: true };
  return {
    id: integrationIdOf(role),
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
