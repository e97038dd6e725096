import type { Context, Hono } from 'hono';
import type { Database } from '../../../db/connect.ts';
import type { HttpEnv } from '../../../http/context.ts';
import {
  type AddressCounts,
  addressOf,
  createAddressLimit,
} from '../../../http/limits/address-limit.ts';
import type { ClientAddress } from '../../../http/limits/client-address.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { HttpError } from '../../../kernel/errors.ts';
import {
  authorizationSeconds,
  longestMachine,
  parseMachineName,
  parseScopes,
  pollSeconds,
  showUserCode,
} from '../rules.ts';
import { beginAuthorization } from './begin.ts';
import { invalidRequest, oauthError, readOAuthForm } from './read-oauth-form.ts';
import { pollAuthorization } from './redeem.ts';

type OAuthDependencies = AddressCounts & {
  db: Database;
  clock: Clock;
  baseUrl: string;
  clientAddress: ClientAddress;
};

const grantType = 'urn:ietf:params:oauth:grant-type:device_code';

/** The one client there is. It has no secret: anybody can be it, so it proves nothing. */
const clientId = 'holdfast-cli';

const beginningsPerMinute = { ofNetwork: 20, ofSite: 200 };
/** Many programs behind one address poll twelve times a minute each. */
const pollsPerMinute = { ofNetwork: 300, ofSite: 3000 };

/** The two endpoints of RFC 8628. Nobody is authenticated there: every address has its own limits. */
export const mountOAuth = (app: Hono<HttpEnv>, dependencies: OAuthDependencies): void => {
  const mayBegin = createAddressLimit('device.begin', beginningsPerMinute, dependencies);
  const mayPoll = createAddressLimit('device.poll', pollsPerMinute, dependencies);
  const { origin } = new URL(dependencies.baseUrl);
  app.post('/oauth/device_authorization', (context) =>
    answer(context, 'beginDeviceAuthorization', async () => {
      refuseOtherSites(context, origin);
      const address = addressOf(context, dependencies);
      if (!(await mayBegin(address))) throw tooMany('Too many logins of your address');
      return begin(dependencies, await readOAuthForm(context.req.raw), address);
    }),
  );
  app.post('/oauth/token', (context) =>
    answer(context, 'fetchDeviceToken', async () => {
      refuseOtherSites(context, origin);
      if (!(await mayPoll(addressOf(context, dependencies)))) {
        throw tooMany('Too many requests of your address');
      }
      return fetchToken(dependencies, await readOAuthForm(context.req.raw));
    }),
  );
};

/** Always JSON, also to a browser; and stored by nobody on the way. */
const answer = async (
  context: Context<HttpEnv>,
  operation: string,
  work: () => Promise<object>,
): Promise<Response> => {
  context.set('operation', operation);
  const headers = { 'Cache-Control': 'no-store', Pragma: 'no-cache' };
  try {
    return context.json(await work(), 200, headers);
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    const body = { error: error.message, ...error.extra };
    return context.json(body, error.status, { ...headers, ...error.headers });
  }
};

/**
 * Any page can let its visitors' browsers send forms. What such a form began would be asked for from the address of
 * the owner who is to be talked into it, and would count for that address.
 */
const refuseOtherSites = (context: Context<HttpEnv>, own: string): void => {
  if ([undefined, own].includes(context.req.header('origin'))) return;
  throw oauthError('invalid_request', 'This is for programs, not for pages of other sites', {
    status: 403,
  });
};

const retryMinute = { headers: { 'Retry-After': '60' } };

const tooMany = (description: string): HttpError =>
  oauthError('slow_down', `${description}: wait a minute`, { status: 429, ...retryMinute });

const requireClient = (form: Map<string, string>): void => {
  const given = form.get('client_id');
  if (given === undefined) throw invalidRequest('client_id is missing');
  if (given !== clientId) throw oauthError('invalid_client', `The client_id is ${clientId}`);
};

const begin = async (
  { db, baseUrl }: OAuthDependencies,
  form: Map<string, string>,
  address: string,
): Promise<object> => {
  requireClient(form);
  const machine = parseMachineName(form.get('device_name') ?? '');
  if (machine === undefined) {
    throw invalidRequest(
      `device_name must have at most ${longestMachine} characters, all of them visible`,
    );
  }
  const asked = parseScopes(form.get('scope') ?? '');
  if ('unknown' in asked) throw oauthError('invalid_scope', `No such scope${quote(asked.unknown)}`);
  const begun = await beginAuthorization(db, { machine, address, scopes: asked.scopes });
  if (begun === 'tooManyOfAddress') throw tooMany('Too many logins of your address wait');
  if (begun === 'tooManyOfAll') {
    const busy = { status: 503, ...retryMinute } as const;
    throw oauthError('temporarily_unavailable', 'Too many logins wait at the moment', busy);
  }
  const userCode = showUserCode(begun.userCode);
  const page = `${baseUrl}/dashboard/device`;
  return {
    device_code: begun.deviceCode,
    user_code: userCode,
    verification_uri: page,
    verification_uri_complete: `${page}?code=${userCode}`,
    expires_in: authorizationSeconds,
    interval: pollSeconds,
  };
};

/** A description may hold these characters only (RFC 6749, 5.2). */
const quote = (scope: string): string =>
  /^[\x21\x23-\x5b\x5d-\x7e]{1,64}$/.test(scope) ? `: ${scope}` : '';

const fetchToken = async (
  dependencies: OAuthDependencies,
  form: Map<string, string>,
): Promise<object> => {
  const given = form.get('grant_type');
  if (given === undefined) throw invalidRequest('grant_type is missing');
  if (given !== grantType) throw oauthError('unsupported_grant_type', `Only ${grantType}`);
  requireClient(form);
  const deviceCode = form.get('device_code');
  if (deviceCode === undefined) throw invalidRequest('device_code is missing');
  const outcome = await pollAuthorization(dependencies, deviceCode);
  if ('refusal' in outcome) {
    throw oauthError(outcome.refusal.error, outcome.refusal.description);
  }
  const { key, scopes, expiresInSeconds } = outcome.grant;
  return {
    ...{ access_token: key, token_type: 'Bearer' },
    ...{ expires_in: expiresInSeconds, scope: scopes.join(' ') },
  };
};
