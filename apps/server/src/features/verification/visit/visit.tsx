/** @jsxImportSource hono/jsx */
import { browserHash } from '../../../http/pages/cookies.ts';
import { Name } from '../../../http/pages/page.tsx';
import { readForm } from '../../../http/pages/read-form.ts';
import { sha256Hex } from '../../../kernel/hash.ts';
import { redirectUriOf } from '../../bots/setup/redirect-uri.ts';
import { needsGuildScope } from '../check/ruleset.ts';
import { sendErrorPage } from '../pages/error-pages.tsx';
import { type PageRequest, visitPath } from '../pages/page-context.ts';
import { sendServerPage } from '../pages/server-page.tsx';
import { insertAuthorization } from '../queries/authorizations.ts';
import type { VerificationServer } from '../queries/servers.ts';
import { attemptOf, type createVisitCounter } from './attempt-cookie.ts';

/** The first page: what the server asks for, and why. */
export const showVisit =
  (countVisit: ReturnType<typeof createVisitCounter>) => async (request: PageRequest) => {
    const { context, server } = request;
    if (!server.isBotUsable) return sendErrorPage(context, 'botUnusable', server.id);
    await countVisit(request);
    return sendVisitPage(request);
  };

export const sendVisitPage = async (request: PageRequest) => {
  const { server } = request;
  const readsGuilds = await needsGuildScope(request);
  return sendServerPage(
    request,
    {
      title: server.pageTitle ?? `Verify for ${server.name}`,
      heading: server.pageTitle ?? 'Verify to come in',
      extraPolicy: { 'form-action': [platformOrigin(request)] },
    },
    <VisitPage server={server} readsGuilds={readsGuilds} />,
  );
};

/** Browsers apply `form-action` to redirects too, and this form is redirected to the platform. */
const platformOrigin = ({ oauth }: PageRequest): string => {
  const onlyOrigin = { clientId: '', redirectUri: '', scopes: [], state: '', codeChallenge: '' };
  return new URL(oauth.authorizeUrl(onlyOrigin)).origin;
};

/** Redirects to the platform, with a state that only this browser can bring back. */
export const beginAuthorization = async (request: PageRequest) => {
  const { context, server, db, oauth, baseUrl } = request;
  const form = await readForm(context, baseUrl);
  if (!server.isBotUsable) return sendErrorPage(context, 'botUnusable', server.id);
  const scopes = [
    'identify',
    ...(form.recover === 'yes' ? ['guilds.join'] : []),
    ...((await needsGuildScope(request)) ? ['guilds'] : []),
  ];
  const { state, codeVerifier, codeChallenge } = await oauth.newAttempt();
  const redirectUri = redirectUriOf(server, baseUrl);
  const { clientId, botId, id: serverId } = server;
  await insertAuthorization(db, {
    stateHash: sha256Hex(state),
    browserHash: browserHash(context),
    attemptId: attemptOf(context, server),
    ...{ serverId, botId, codeVerifier, redirectUri, scopes },
  });
  const authorization = { clientId, redirectUri, scopes, state, codeChallenge };
  return context.redirect(oauth.authorizeUrl(authorization), 303);
};

type VisitPageProps = { server: VerificationServer; readsGuilds: boolean };

const VisitPage = ({ server, readsGuilds }: VisitPageProps) => (
  <>
    {server.welcome && (
      <p class="welcome" dir="auto">
        <Name>{server.welcome}</Name>
      </p>
    )}
    <p>
      <strong>
        <Name>{server.name}</Name>
      </strong>{' '}
      wants to know that newcomers are real people. It takes about a minute and three steps: you
      sign in with the platform, your browser does a small task, and you get your role.
    </p>
    {server.areChecksRaised && <StricterNow minAccountAgeDays={server.minAccountAgeDays} />}
    <form method="post" action={visitPath(server.id)}>
      <h2>What is asked</h2>
      <p>
        Your name, id and picture, which the platform shows to everybody you meet there. Your
        password and messages are never seen.
      </p>
      {readsGuilds && (
        <p>
          This server also looks once at which servers you are in. Only whether that matters here is
          remembered, not the list.
        </p>
      )}
      <h2>What is up to you</h2>
      <label class="choice">
        <input type="checkbox" name="recover" value="yes" />
        <span>
          <strong>Let the owner bring me back if the server is lost</strong>
          If the server is deleted or taken over, its owner may add you to the new server. For this
          an access token from the platform is stored, encrypted. You can withdraw this at any time
          and stay verified.
        </span>
      </label>
      <button type="submit">Verify me</button>
    </form>
    <SmallPrint />
  </>
);

/** Said before anybody signs in, so that nobody takes the stricter checks for a mistake. */
const StricterNow = ({ minAccountAgeDays }: { minAccountAgeDays: number }) => (
  <p role="note">
    <strong>The checks are stricter at the moment,</strong> because very many people came to this
    server at once.
    {minAccountAgeDays > 0 &&
      ` Accounts that are younger than ${minAccountAgeDays} ${minAccountAgeDays === 1 ? 'day' : 'days'} cannot be verified now.`}{' '}
    If you are turned away, try again later today.
  </p>
);

const SmallPrint = () => (
  <>
    <h2>What is stored</h2>
    <p class="quiet">
      Your name, id and picture, the country and network you come from, and for 90 days hashes of
      your device and address, to detect second accounts. The address itself is not stored.
    </p>
    <p class="quiet">
      <a href="https://db-ip.com" rel="noopener noreferrer">
        Network data by DB-IP
      </a>
    </p>
  </>
);
