/** @jsxImportSource hono/jsx */
import type { Context } from 'hono';
import { loadStyle, sendPage } from '../../pages/page.tsx';
import type { PlatformUser } from '../platform.ts';
import { sha256Hex } from '../snowflakes.ts';
import type { AuthorizeRequest } from './authorize-request.ts';
import { labelOfScope } from './scopes.ts';

export const pageStyle = {
  style: loadStyle(new URL('./authorize.css', import.meta.url)),
  banner: 'Platform simulator. The people here are made up.',
};

type AuthorizePage = {
  request: AuthorizeRequest;
  users: PlatformUser[];
  /** An id that was entered and is no user's. */
  refusedId?: string;
};

export const sendAuthorizePage = (c: Context, { request, users, refusedId }: AuthorizePage) =>
  sendPage(
    c,
    {
      ...pageStyle,
      title: `Authorize ${request.application.name}`,
      status: refusedId === undefined ? 200 : 400,
      // The application's own address may use a protocol of its own.
      formTargets: [new URL(request.redirectUri).protocol],
    },
    <>
      <Application request={request} />
      <form method="post">
        <Users users={users} />
        <AnyUser refusedId={refusedId} />
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
        You go on to <strong>{destinationOf(request)}</strong>.
      </p>
    </>,
  );

export const sendRefusal = (c: Context, reason: string) =>
  sendPage(
    c,
    { ...pageStyle, title: 'This link does not work', status: 400 },
    <>
      <h1>This link does not work</h1>
      <p>{reason}</p>
      <p class="note">Nothing was shared. Go back to where you came from and try again.</p>
    </>,
  );

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
          {labelOfScope(scope)} <code>{scope}</code>
        </li>
      ))}
    </ul>
  </header>
);

export const Users = ({ users }: { users: PlatformUser[] }) => (
  <fieldset>
    <legend>Continue as</legend>
    <div class="users">
      {users.map((user, index) => (
        <label class="user">
          <input type="radio" name="user" value={user.id} checked={index === 0} />
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
      <label for="user-id">Another user's id (optional)</label>
      <input
        id="user-id"
        name="user_id"
        inputmode="numeric"
        pattern="\s*[0-9]{1,20}\s*"
        title="A user id: up to 20 digits"
        autocomplete="off"
        placeholder="For example 715928847299117001"
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

type BadgeProps = { id: string; name: string; shape: 'round' | 'square' };

export const Badge = ({ id, name, shape }: BadgeProps) => {
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
