import { randomBytes } from 'node:crypto';
import type { GatewayServer } from '../gateway/gateway.ts';
import type { IdentityStore } from '../identity/identities.ts';
import { PRIVILEGED_INTENTS } from '../identity/intents.ts';
import { sendRefusal } from '../oauth/authorize-page.tsx';
import { requireApplication } from '../oauth/authorize-request.ts';
import { limitForm, OAuthFailure, readForm } from '../oauth/form.ts';
import type { Application, Platform, PlatformApp, PlatformContext } from '../platform.ts';
import { sendApplication, sendNewApplication } from './pages.tsx';

type World = Platform & { identities: IdentityStore; gateway: GatewayServer };

const list = '/developers/applications';
const pages = ['information', 'oauth2', 'bot'];

/**
 * The developer portal: where the owner of a bot makes its application, and sets its token, its secret, its
 * redirects and its intents. The pages of one application, which the real portal has apart, are one here.
 */
export const mountPortal = (app: PlatformApp, platform: World): void => {
  const { identities, world } = platform;
  app.get(list, (c) => sendNewApplication(c));
  app.post(list, limitForm, (c) =>
    orRefusal(c, async () => {
      const name = (await readForm(c)).name?.trim().slice(0, 32);
      if (!name) throw new OAuthFailure('invalid_request', 'An application needs a name.');
      const { id } = identities.putApplication(world.nextId(), { name });
      return c.redirect(`${list}/${id}/bot`, 303);
    }),
  );
  for (const page of pages) {
    const path = `${list}/:id/${page}`;
    app.get(path, (c) =>
      orRefusal(c, async () =>
        sendApplication(c, { application: requireApplication(identities, c.req.param('id')) }),
      ),
    );
    app.post(path, limitForm, (c) =>
      orRefusal(c, async () => {
        const { id } = requireApplication(identities, c.req.param('id'));
        return change(c, platform, id);
      }),
    );
  }
};

const orRefusal = async (c: PlatformContext, answer: () => Promise<Response>) => {
  try {
    return await answer();
  } catch (failure) {
    if (!(failure instanceof OAuthFailure)) throw failure;
    return sendRefusal(c, failure.description);
  }
};

/** A new token or secret is shown once, and ends the one before it. */
const change = async (c: PlatformContext, { identities, gateway }: World, id: string) => {
  const text = await c.req.text();
  const form = new URLSearchParams(text);
  const before = requireApplication(identities, id);
  const set = (changes: Parameters<IdentityStore['putApplication']>[1]): Application =>
    identities.putApplication(id, changes);
  switch (form.get('step')) {
    case 'token': {
      const botToken = newToken(id);
      const application = set({ botToken });
      gateway.endRefused(id);
      return sendApplication(c, { application, botToken });
    }
    case 'secret': {
      const clientSecret = randomBytes(24).toString('base64url');
      return sendApplication(c, { application: set({ clientSecret }), clientSecret });
    }
    case 'redirect':
      return sendApplication(c, {
        application: set({ redirectUris: withRedirect(before, form.get('redirect_uri') ?? '') }),
      });
    default: {
      const intents = PRIVILEGED_INTENTS.filter((intent) =>
        form.getAll('intents').includes(intent),
      );
      return sendApplication(c, { application: set({ intents }) });
    }
  }
};

/** As on the real platform: its first part is the id in base64. */
const newToken = (id: string): string =>
  [
    Buffer.from(id).toString('base64url'),
    randomBytes(4).toString('base64url'),
    randomBytes(28).toString('base64url'),
  ].join('.');

const withRedirect = ({ redirectUris = [] }: Application, typed: string): string[] => {
  const uri = typed.trim();
  if (!/^https?:$/.test(URL.parse(uri)?.protocol ?? '')) {
    throw new OAuthFailure('invalid_request', 'A redirect is an address with http or https.');
  }
  return [...new Set([...redirectUris, uri])];
};
