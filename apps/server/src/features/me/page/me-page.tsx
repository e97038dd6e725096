/** @jsxImportSource hono/jsx */
import type { Context } from 'hono';
import { raw } from 'hono/html';
import { inlineMark } from '../../../http/brand/mark.ts';
import type { HttpEnv } from '../../../http/context.ts';
import { Name, sendPage } from '../../../http/pages/page.tsx';
import type { Session } from '../../sessions/queries.ts';
import type { MeTexts } from '../texts/en.ts';
import { wordsOf } from '../texts/me-texts.ts';
import { BackupsCard, ServerCard } from './cards.tsx';
import type { PersonalData } from './personal-data.ts';

const languageSwitch = '/me';

export const sendSignInPage = (context: Context<HttpEnv>) => {
  const { texts, language } = wordsOf(context);
  const { title, signIn } = texts;
  return sendPage(
    context,
    { title, language, languageSwitch, isOwnData: true },
    <>
      <div class="server">
        {raw(inlineMark)}
        <div>
          <h1>{title}</h1>
          <div class="quiet">Holdfast</div>
        </div>
      </div>
      <p>{signIn.what}</p>
      <dl class="kept">
        <Kept sign="✓" tone="good" {...signIn.kept} />
        <Kept sign="○" {...signIn.agreed} />
        <Kept sign="✕" tone="bad" {...signIn.never} />
      </dl>
      <p class="quiet">{signIn.only}</p>
      <p>
        <a class="button" href="/login?next=/me">
          {signIn.button}
        </a>
      </p>
    </>,
  );
};

type KeptProps = { sign: string; tone?: 'good' | 'bad'; label: string; text: string };

/** The label says what the sign shows. */
const Kept = ({ sign, tone, label, text }: KeptProps) => (
  <div class={tone}>
    <dt>
      <span class="sign" aria-hidden="true">
        {sign}
      </span>
      {label}
    </dt>
    <dd>{text}</dd>
  </div>
);

export const sendPersonalData = (
  context: Context<HttpEnv>,
  session: Session,
  { servers, sessions, backups }: PersonalData,
  { isUnconfirmed = false } = {},
) => {
  const words = wordsOf(context);
  const { texts, language } = words;
  const status = isUnconfirmed ? 400 : 200;
  return sendPage(
    context,
    { title: texts.title, isWide: true, status, language, languageSwitch, isOwnData: true },
    <>
      <h1>{texts.title}</h1>
      <SignedIn session={session} sessions={sessions.length} texts={texts} />
      {servers.length === 0 && backups.length === 0 && <p>{texts.nothing}</p>}
      {servers.map((server) => (
        <ServerCard server={server} words={words} />
      ))}
      {backups.length > 0 && <BackupsCard backups={backups} words={words} />}
      <p class="quiet">{texts.ownersLists}</p>
      <div class="actions">
        <a class="button plain" href="/me/export" download>
          {texts.exportJson}
        </a>
        <form method="post" action="/logout">
          <button class="plain" type="submit">
            {texts.signOut}
          </button>
        </form>
      </div>
      <EraseForm isUnconfirmed={isUnconfirmed} texts={texts.erase} />
    </>,
  );
};

type SignedInProps = { session: Session; sessions: number; texts: MeTexts };

const SignedIn = ({ session, sessions, texts }: SignedInProps) => {
  const { username, displayName, platformId } = session;
  const name = (
    <strong>
      <Name>{displayName ?? username}</Name>
    </strong>
  );
  return (
    <p>
      {texts.signedInAs(name, <Name>{username}</Name>, platformId)} {texts.sessions(sessions)}
    </p>
  );
};

type EraseFormProps = { isUnconfirmed: boolean; texts: MeTexts['erase'] };

const EraseForm = ({ isUnconfirmed, texts }: EraseFormProps) => (
  <section class="card">
    <h2>{texts.heading}</h2>
    <p>{texts.what}</p>
    <p>{texts.stays}</p>
    <form method="post" action="/me/erase">
      <label for="confirmation">{texts.label(texts.word)}</label>
      <input
        type="text"
        id="confirmation"
        name="confirmation"
        autocomplete="off"
        required
        aria-describedby={isUnconfirmed ? 'unconfirmed' : undefined}
        aria-invalid={isUnconfirmed ? 'true' : undefined}
      />
      {isUnconfirmed && (
        <p id="unconfirmed" role="alert">
          {texts.unconfirmed(texts.word)}
        </p>
      )}
      <div class="actions">
        <button class="danger" type="submit">
          {texts.submit}
        </button>
      </div>
    </form>
  </section>
);

export const sendErased = (context: Context<HttpEnv>) => {
  const { texts, language } = wordsOf(context);
  const { title, heading, text, owners } = texts.erased;
  return sendPage(
    context,
    { title, tone: 'good', language },
    <>
      <h1>{heading}</h1>
      <p>{text}</p>
      <p class="quiet">{owners}</p>
    </>,
  );
};
