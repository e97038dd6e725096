/** @jsxImportSource hono/jsx */
import type { Context } from 'hono';
import type { Child } from 'hono/jsx';
import { sendPage } from '../../pages/page.tsx';
import { PRIVILEGED_INTENTS, type PrivilegedIntent } from '../identity/intents.ts';
import { Badge, pageStyle } from '../oauth/authorize-page.tsx';
import type { Application } from '../platform.ts';
import { sha256Hex } from '../snowflakes.ts';

const intentLabels: Record<PrivilegedIntent, string> = {
  GUILD_PRESENCES: 'Presence Intent',
  GUILD_MEMBERS: 'Server Members Intent',
  MESSAGE_CONTENT: 'Message Content Intent',
};

export const sendNewApplication = (c: Context) =>
  sendPage(
    c,
    { ...pageStyle, title: 'Developer portal' },
    <>
      <h1>Developer portal</h1>
      <form method="post">
        <div class="any-user">
          <label for="name">Name of the new application</label>
          <input id="name" name="name" required maxlength={32} autocomplete="off" />
        </div>
        <Press label="Create the application" isMain />
      </form>
    </>,
  );

type Shown = { application: Application; botToken?: string; clientSecret?: string };

/** All of it on one page; the part that the address names is in sight. */
export const sendApplication = (c: Context, { application, botToken, clientSecret }: Shown) => {
  const isOAuthPage = c.req.path.endsWith('/oauth2');
  return sendPage(
    c,
    { ...pageStyle, title: `${application.name}: developer portal` },
    <>
      <header>
        <Badge id={application.id} name={application.name} shape="square" />
        <h1>
          <strong>{application.name}</strong>
        </h1>
      </header>
      <Part title="General Information">
        <p>
          Application ID <code>{application.id}</code>
        </p>
        <p>
          Public key <code>{sha256Hex(application.id)}</code>
        </p>
      </Part>
      <Part title="Bot">
        <Once label="Token" value={botToken} />
        <form method="post">
          <Press step="token" label="Reset Token" hasFocus={!isOAuthPage} />
        </form>
        <Intents of={application} />
      </Part>
      <Part title="OAuth2">
        <Once label="Client secret" value={clientSecret} />
        <form method="post">
          <Press step="secret" label="Reset Secret" hasFocus={isOAuthPage} />
        </form>
        <Redirects of={application} />
      </Part>
    </>,
  );
};

const Part = ({ title, children }: { title: string; children: Child }) => (
  <section aria-label={title}>
    <h2>{title}</h2>
    {children}
  </section>
);

/** Shown once, as on the real platform. */
const Once = ({ label, value }: { label: string; value: string | undefined }) =>
  value === undefined ? null : (
    <p>
      {label}, shown once <code id={label === 'Token' ? 'token' : 'secret'}>{value}</code>
    </p>
  );

type PressProps = { label: string; step?: string; isMain?: boolean; hasFocus?: boolean };

const Press = ({ label, step, isMain, hasFocus }: PressProps) => (
  <div class="actions">
    <button
      class={isMain ? 'primary' : ''}
      type="submit"
      name="step"
      value={step}
      autofocus={hasFocus}
    >
      {label}
    </button>
  </div>
);

const Intents = ({ of }: { of: Application }) => (
  <form method="post">
    <fieldset>
      <legend>Privileged Gateway Intents</legend>
      <div class="users">
        {PRIVILEGED_INTENTS.map((intent) => (
          <label class="user">
            <input
              type="checkbox"
              name="intents"
              value={intent}
              checked={of.intents.includes(intent)}
            />
            <span class="names">{intentLabels[intent]}</span>
          </label>
        ))}
      </div>
    </fieldset>
    <Press step="intents" label="Save the intents" />
  </form>
);

const Redirects = ({ of }: { of: Application }) => (
  <form method="post">
    <div class="any-user">
      <label for="redirect">Redirects</label>
      {(of.redirectUris ?? []).map((uri) => (
        <code>{uri}</code>
      ))}
      <input id="redirect" name="redirect_uri" type="url" required autocomplete="off" />
    </div>
    <Press step="redirect" label="Add the redirect" />
  </form>
);
