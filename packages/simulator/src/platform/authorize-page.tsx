/** @jsxImportSource hono/jsx */
import { readFileSync } from 'node:fs';
import { raw } from 'hono/html';
import type { Child } from 'hono/jsx';
import type { PlatformUser } from './identity-types.ts';
import type { AuthorizeRequest } from './oauth-authorize-request.ts';
import { wordsOfScope } from './oauth-scopes.ts';
import { sha256Hex } from './oauth-snowflakes.ts';

const style = readFileSync(new URL('./authorize-style.css', import.meta.url), 'utf8');

/** The style stands in the page; the policy admits it and nothing else by this. */
export const styleHash = `sha256-${new Bun.CryptoHasher('sha256').update(style).digest('base64')}`;

export type AuthorizePage = {
  request: AuthorizeRequest;
  users: PlatformUser[];
  /** An id somebody typed that stands for no user. */
  refusedId?: string;
};

export const authorizeHtml = (page: AuthorizePage): string => {
  const { name } = page.request.application;
  return documentOf(
    `Authorize ${name}`,
    <>
      <Application request={page.request} />
      <form method="post">
        <Users users={page.users} />
        <AnyUser refusedId={page.refusedId} />
        <div class="actions">
          <button class="primary" type="submit" name="decision" value="authorize">
            Authorize
          </button>
          <button type="submit" name="decision" value="cancel" formnovalidate>
            Cancel
          </button>
        </div>
      </form>
      <p class="note">
        You go on to <strong>{destinationOf(page.request)}</strong>.
      </p>
    </>,
  );
};

export const refusalHtml = (reason: string): string =>
  documentOf(
    'This link does not work',
    <>
      <h1>This link does not work</h1>
      <p>{reason}</p>
      <p class="note">Nothing was shared. Go back to where you came from and try again.</p>
    </>,
  );

const documentOf = (title: string, content: Child): string => {
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{title}</title>
        <link rel="icon" href="data:," />
        <style>{raw(style)}</style>
      </head>
      <body>
        <main>{content}</main>
        <footer>Platform simulator. The people here are made up.</footer>
      </body>
    </html>
  );
  return `<!doctype html>${page}`;
};

const Application = ({ request }: { request: AuthorizeRequest }) => (
  <header>
    <Badge id={request.application.id} name={request.application.name} shape="square" />
    <h1>
      <strong>{request.application.name}</strong> asks for access to your account
    </h1>
    <p class="lead" id="scopes">
      It would be able to
    </p>
    <ul aria-labelledby="scopes">
      {request.scopes.map((scope) => (
        <li>
          {wordsOfScope(scope)} <code>{scope}</code>
        </li>
      ))}
    </ul>
  </header>
);

const Users = ({ users }: { users: PlatformUser[] }) => (
  <fieldset>
    <legend>Continue as</legend>
    <div class="users">
      {users.map((user, place) => (
        <label class="user">
          <input type="radio" name="user" value={user.id} checked={place === 0} />
          <Badge id={user.id} name={nameOf(user)} shape="round" />
          <span class="names">
            <span class="name">{nameOf(user)}</span>
            <span class="handle">@{user.username}</span>
          </span>
        </label>
      ))}
    </div>
  </fieldset>
);

const AnyUser = ({ refusedId }: { refusedId?: string }) => {
  const isRefused = refusedId !== undefined;
  return (
    <div class="any-user">
      <label for="user-id">Or as the user with this id</label>
      <input
        id="user-id"
        name="user_id"
        inputmode="numeric"
        pattern="\s*[0-9]{1,20}\s*"
        title="A user id: up to 20 digits"
        autocomplete="off"
        placeholder="None: the one chosen above"
        value={refusedId}
        aria-invalid={isRefused ? 'true' : undefined}
        aria-describedby={isRefused ? 'user-id-error' : undefined}
      />
      {isRefused && (
        <p class="error" id="user-id-error" role="alert">
          There is no user with this id.
        </p>
      )}
    </div>
  );
};

const hueCount = 5;

const Badge = ({ id, name, shape }: { id: string; name: string; shape: 'round' | 'square' }) => {
  const hue = Number.parseInt(sha256Hex(id).slice(0, 6), 16) % hueCount;
  const [initial = ''] = name;
  return (
    <span class={`badge ${shape} hue-${hue}`} aria-hidden="true">
      {initial.toUpperCase()}
    </span>
  );
};

const nameOf = (user: PlatformUser): string => user.globalName ?? user.username;

const destinationOf = ({ redirectUri }: AuthorizeRequest): string => {
  const { host, protocol } = new URL(redirectUri);
  return host === '' ? protocol : host;
};
