import type { CHANGING_STEPS, Ids } from './changing-routes.ts';
import { botToken, freshId, type TestSimulator } from './harness.ts';

type Step = (typeof CHANGING_STEPS)[number];

/** A server with a bot that may do everything, and another bot below it. */
export const setUpSteps = async (simulator: TestSimulator) => {
  const [guild, user, other, bot] = [freshId(), freshId(), freshId(), freshId()];
  const [hall, foreign, own] = [freshId(), freshId(), freshId()];
  await simulator.control('PUT', `/guilds/${guild}`, {
    guild: { features: ['COMMUNITY'] },
    roles: [
      { id: guild, name: '@everyone', permissions: '1024' },
      { name: 'Low' },
      { id: foreign, name: 'Foreign', managed: true, tags: { bot_id: foreign } },
      { id: own, name: 'Own', permissions: '8' },
    ],
    channels: [{ id: hall, name: 'hall' }],
    members: [
      { user: { id: other } },
      { user: { id: freshId() }, joined_at: '2020-01-02T03:04:05.000Z' },
      { user: { id: bot }, roles: [own] },
      { user: { id: foreign, bot: true, username: 'Foreign' }, roles: [foreign] },
    ],
  });
  const consent = { clientId: bot, userId: user, scopes: ['guilds.join'] };
  const { access_token: accessToken } = await simulator.control('POST', '/tokens', consent);
  const ids = { guild, user, other, bot, hall, accessToken, integration: foreign, emoji: '⚓' };
  return ids as Ids & typeof ids;
};

/** Sends the request of a step; one that is refused is a mistake of the test. */
export const takeStep = async (simulator: TestSimulator, ids: Ids, step: Step) => {
  const { route, body, at, keep } = step;
  const [method, path = ''] = route.split(' ');
  const filled = path.replace(/:(\w+)/g, (_, name) => ids[at?.[name] ?? name] ?? '');
  const made = body?.(ids);
  const isForm = made instanceof FormData;
  const response = await fetch(`${simulator.api}/v10${filled}?wait=true`, {
    method,
    headers: {
      // The token in the path is who acts.
      ...(!path.includes(':token') && { Authorization: `Bot ${botToken(ids.bot)}` }),
      ...(!isForm && { 'Content-Type': 'application/json' }),
      'X-Audit-Log-Reason': 'For%20order',
    },
    body: isForm ? made : made && JSON.stringify(made),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${route}: ${text}`);
  if (keep) Object.assign(ids, keep(JSON.parse(text)));
};
