/** @jsxImportSource hono/jsx */
import { browserHash } from '../../../http/pages/cookies.ts';
import { readForm } from '../../../http/pages/read-form.ts';
import { sha256Hex } from '../../../kernel/hash.ts';
import { redirectUriOf } from '../../bots/setup/redirect-uri.ts';
import { needsGuildScope } from '../check/ruleset.ts';
import { sendErrorPage } from '../pages/error-pages.tsx';
import { type PageRequest, visitPath } from '../pages/page-context.ts';
import { sendServerPage } from '../pages/server-page.tsx';
import { insertAuthorization } from '../queries/authorizations.ts';
import { textsOf } from '../texts/verification-texts.ts';
import { attemptOf, type createVisitCounter } from './attempt-cookie.ts';
import { findStanding, type Standing } from './standing.ts';
import { VisitPage } from './visit-page.tsx';

/** The first page: what the server asks for and why, and where people stand who come back. */
export const showVisit =
  (countVisit: ReturnType<typeof createVisitCounter>) => async (request: PageRequest) => {
    const { context, server } = request;
    if (!server.isBotUsable) return sendErrorPage(context, 'botUnusable', server.id);
    await countVisit(request);
    return sendVisitPage(request, await findStanding(request));
  };

export const sendVisitPage = async (request: PageRequest, standing?: Standing) => {
  const { context, server } = request;
  const texts = textsOf(context);
  return sendServerPage(
    request,
    {
      title: server.pageTitle ?? texts.visit.title(server.name),
      heading: server.pageTitle ?? texts.visit.heading,
      extraPolicy: { 'form-action': [platformOrigin(request)] },
      again: visitPath(server.id),
    },
    <VisitPage {...{ server, texts, standing }} readsGuilds={await needsGuildScope(request)} />,
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
