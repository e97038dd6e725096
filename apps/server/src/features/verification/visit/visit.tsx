/** @jsxImportSource hono/jsx */
import { browserHash } from '../../../http/pages/cookies.ts';
import { Name } from '../../../http/pages/name.tsx';
import { sendPage } from '../../../http/pages/page.tsx';
import { readForm } from '../../../http/pages/read-form.ts';
import { sha256Hex } from '../../../kernel/sha256.ts';
import { asksGuilds } from '../check/ruleset.ts';
import { redirectUriOf, visitPath } from '../paths.ts';
import { type Door, insertAuthorization } from '../queries.ts';
import { pictureOriginsOf, ServerHead } from '../server-head.tsx';
import { sendStartAgain } from '../start-again.tsx';
import type { VerificationTools } from '../tools.ts';
import type { PageContext } from '../with-door.ts';
import { attemptOf, type createVisitCounter } from './attempt-cookie.ts';

/** The first stop: whose server this is, what is asked, and what for. */
export const showVisit =
  (countVisit: ReturnType<typeof createVisitCounter>) =>
  async (context: PageContext, door: Door, tools: VerificationTools) => {
    if (!door.isBotUsable) return sendStartAgain(context, 'closed', door.id);
    await countVisit(context, door, tools);
    const seesGuilds = await asksGuilds(tools, door);
    return sendPage(
      context,
      {
        title: `Verify for ${door.name}`,
        pictureOrigins: pictureOriginsOf(door),
        extraPolicy: { 'form-action': [platformOrigin(tools)] },
      },
      <VisitPage door={door} seesGuilds={seesGuilds} />,
    );
  };

/** Browsers hold a form to where its redirects lead, and this one's lead to the platform. */
const platformOrigin = ({ oauth }: VerificationTools): string => {
  const nowhere = { clientId: '', redirectUri: '', scopes: [], state: '', codeChallenge: '' };
  return new URL(oauth.authorizeUrl(nowhere)).origin;
};

/** The second: off to the platform, with a state that only this browser can bring back. */
export const beginAuthorization = async (
  context: PageContext,
  door: Door,
  tools: VerificationTools,
) => {
  const form = await readForm(context, tools.baseUrl);
  if (!door.isBotUsable) return sendStartAgain(context, 'closed', door.id);
  const scopes = [
    'identify',
    ...(form.recover === 'yes' ? ['guilds.join'] : []),
    ...((await asksGuilds(tools, door)) ? ['guilds'] : []),
  ];
  const { state, codeVerifier, codeChallenge } = await tools.oauth.newAttempt();
  const redirectUri = redirectUriOf(door, tools.baseUrl);
  const { clientId, botId, id: serverId } = door;
  await insertAuthorization(tools.db, {
    stateHash: sha256Hex(state),
    browserHash: browserHash(context),
    attemptId: attemptOf(context, door),
    ...{ serverId, botId, codeVerifier, redirectUri, scopes },
  });
  const wish = { clientId, redirectUri, scopes, state, codeChallenge };
  return context.redirect(tools.oauth.authorizeUrl(wish), 303);
};

const VisitPage = ({ door, seesGuilds }: { door: Door; seesGuilds: boolean }) => (
  <>
    <ServerHead server={door} title="Verify to come in" />
    <p>
      <strong>
        <Name>{door.name}</Name>
      </strong>{' '}
      wants to know that newcomers are real people. It takes about a minute and three steps: you
      sign in with the platform, your browser does a small task, and you get your role.
    </p>
    <form method="post" action={visitPath(door.id)}>
      <h2>What is asked</h2>
      <p>
        Your name, id and picture, which the platform shows to everybody you meet there. Your
        password and messages are never seen.
      </p>
      {seesGuilds && (
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
          If the server is deleted or taken over, its owner may add you to its new home. For that a
          pass from the platform is kept, encrypted. You can take this back at any time and stay
          verified.
        </span>
      </label>
      <button type="submit">Verify me</button>
    </form>
    <SmallPrint />
  </>
);

const SmallPrint = () => (
  <>
    <h2>What is kept</h2>
    <p class="quiet">
      Your name, id and picture, the country and network you come from, and for 90 days scrambled
      marks of your device and address by which second accounts show. The address itself is not
      kept.
    </p>
    <p class="quiet">
      <a href="https://db-ip.com" rel="noopener noreferrer">
        Network data by DB-IP
      </a>
    </p>
  </>
);
