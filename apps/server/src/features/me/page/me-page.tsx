/** @jsxImportSource hono/jsx */
import type { Context } from 'hono';
import type { HttpEnv } from '../../../http/context.ts';
import { Name, sendPage } from '../../../http/pages/page.tsx';
import type { Session } from '../../sessions/queries.ts';
import { confirmationWord } from '../rules.ts';
import { BackupsCard, ServerCard } from './cards.tsx';
import type { PersonalData } from './personal-data.ts';

export const sendSignInPage = (context: Context<HttpEnv>) =>
  sendPage(
    context,
    { title: 'What is held about you' },
    <>
      <h1>What is held about you</h1>
      <p>
        Sign in with the platform, and you see every server that keeps something about you. You can
        take back what you agreed to there, export it, or have all of it erased.
      </p>
      <p class="quiet">Only who you are is asked for. We keep no token of it.</p>
      <p>
        <a class="button" href="/login?next=/me">
          Sign in
        </a>
      </p>
    </>,
  );

export const sendPersonalData = (
  context: Context<HttpEnv>,
  { username, displayName, platformId }: Session,
  { servers, sessions, backups }: PersonalData,
  { isUnconfirmed = false } = {},
) =>
  sendPage(
    context,
    { title: 'What is held about you', isWide: true, status: isUnconfirmed ? 400 : 200 },
    <>
      <h1>What is held about you</h1>
      <p>
        You are signed in as{' '}
        <strong>
          <Name>{displayName ?? username}</Name>
        </strong>{' '}
        (<Name>{username}</Name>), platform id {platformId}, with{' '}
        {sessions.length === 1 ? 'one session' : `${sessions.length} sessions`}.
      </p>
      {servers.length === 0 && backups.length === 0 && <p>No server keeps anything about you.</p>}
      {servers.map((server) => (
        <ServerCard server={server} />
      ))}
      {backups.length > 0 && <BackupsCard backups={backups} />}
      <p class="quiet">
        The lists by which an owner lets people in or keeps them out, bans included, are the owner’s
        own and are not shown here.
      </p>
      <div class="actions">
        <a class="button plain" href="/me/export" download>
          Export as JSON
        </a>
        <form method="post" action="/logout">
          <button class="plain" type="submit">
            Sign out
          </button>
        </form>
      </div>
      <EraseForm isUnconfirmed={isUnconfirmed} />
    </>,
  );

const EraseForm = ({ isUnconfirmed }: { isUnconfirmed: boolean }) => (
  <section class="card">
    <h2>Erase everything</h2>
    <p>
      Every server forgets you at once: that you were verified, what you agreed to, your tokens,
      your appeals and your sessions. Backups hide you at once, so that no restore brings back your
      roles, your nickname or your messages, and within 24 hours you are removed from the stored
      backups themselves.
    </p>
    <p>
      What stays: roles you have on the platform (to leave a server, leave it there), and your
      platform id alone in lists that owners keep themselves, such as bans, denied channels and
      rules, and in their audit log. If you verify again, later backups may hold you again.
    </p>
    <form method="post" action="/me/erase">
      <label for="confirmation">Type {confirmationWord} to confirm</label>
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
          Nothing was erased: the word was not {confirmationWord}.
        </p>
      )}
      <div class="actions">
        <button class="danger" type="submit">
          Erase everything about me
        </button>
      </div>
    </form>
  </section>
);

export const sendErased = (context: Context<HttpEnv>) =>
  sendPage(
    context,
    { title: 'Everything is erased', tone: 'good' },
    <>
      <h1>Everything about you is erased</h1>
      <p>
        No server that uses Holdfast shows anything about you any more, and your tokens are being
        given back to the platform. No backup brings you back; within 24 hours you are removed from
        the stored backups themselves. You are signed out.
      </p>
      <p class="quiet">
        Owners may have your platform id in lists of their own, bans included, and their log says
        that you asked for this.
      </p>
    </>,
  );
