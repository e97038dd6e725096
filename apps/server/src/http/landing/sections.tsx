/** @jsxImportSource hono/jsx */
import { Picture, type PictureName } from './pictures.tsx';

type Feature = { title: string; text: string; points: string[]; picture: PictureName; alt: string };

const features: Feature[] = [
  {
    title: 'Backups that are known to restore',
    text: 'Roles, channels, permissions, settings, and on request messages: encrypted, deduplicated and on your schedule. Each backup is restored into a model of your server and compared, before you rely on it.',
    points: [
      'A preview lists what would be created, changed and deleted',
      'New things are built before old ones are removed: the server is never empty or open',
      'A safety snapshot comes first, so a restore can be undone',
    ],
    picture: 'preview',
    alt: 'The preview of a restore: the channels and everything else that it would create',
  },
  {
    title: 'Attacks are stopped, then undone',
    text: 'Whoever destroys faster than honest moderation loses the roles that give power. Trusted people have higher limits, and nobody is exempt, because a stolen moderator account is the usual attacker.',
    points: [
      'A repair brings back what the attacker destroyed, and keeps what others changed meanwhile',
      'Raids wait at the door until you decide about them',
      'Monthly fire drills measure the protection on a copy of your server',
    ],
    picture: 'protection',
    alt: 'The protection of a server: two switches that stop attackers and raids, and what each of them does',
  },
  {
    title: 'Newcomers are checked, and can appeal',
    text: 'One link, one minute, on any phone. Captcha without a third party, account age, country, network, second accounts: you choose what counts, and exceptions come first.',
    points: [
      'Whoever is blocked can tell you why they should come in',
      'Analytics show where newcomers give up and why they are blocked',
    ],
    picture: 'verify',
    alt: 'The verification page: what is asked, and what is up to the newcomer',
  },
  {
    title: 'Members come back, if they agreed',
    text: 'If the server is lost, everybody who gave their consent is added to the new one, with their roles and nickname, as fast as the platform allows. It survives a restart at any moment and adds nobody twice.',
    points: [
      'Consent is separate from verifying, and can be withdrawn',
      'A result for every member: joined, already there, banned, withdrawn',
    ],
    picture: 'pull',
    alt: 'Members who were brought back: how many joined, and how many were there already',
  },
];

export const ForOwners = () => (
  <section id="owners" class="owners">
    <header>
      <p class="kicker">For owners</p>
      <h2>Ready before anything happens</h2>
    </header>
    {features.map(({ title, text, points, picture, alt }) => (
      <article class="feature">
        <div>
          <h3>{title}</h3>
          <p>{text}</p>
          <ul class="points">
            {points.map((point) => (
              <li>{point}</li>
            ))}
          </ul>
        </div>
        <Picture name={picture} alt={alt} />
      </article>
    ))}
  </section>
);

export const ForMembers = () => (
  <section id="members" class="members">
    <div>
      <p class="kicker">For members</p>
      <h2>What is kept about me?</h2>
      <p class="lead">
        Look it up yourself, for every server that uses this service. You can export it, withdraw
        your consent or have all of it erased. No owner has to be asked.
      </p>
      <p class="actions">
        <a class="button" href="/me">
          See what is kept about me
        </a>
      </p>
    </div>
    <dl class="kept">
      <div>
        <dt>Kept</dt>
        <dd>
          Your name, id and picture, the country and network you came from. For 90 days, hashes of
          your device and address.
        </dd>
      </div>
      <div>
        <dt>Only if you agree</dt>
        <dd>
          An encrypted access token, so that the owner can bring you back if the server is lost.
        </dd>
      </div>
      <div>
        <dt>Never</dt>
        <dd>
          Your password or your address itself. Members are not sold, listed or handed over to
          another owner, and nobody gets mass messages.
        </dd>
      </div>
    </dl>
  </section>
);

export const ForOperators = () => (
  <section id="operators" class="operators">
    <header>
      <p class="kicker">For operators and developers</p>
      <h2>Runs on your own machine</h2>
      <p class="lead">
        One command on a laptop, with a simulated platform to try everything on. Several processes
        over PostgreSQL, Redis and S3 in production.
      </p>
    </header>
    <figure class="terminal">
      <pre>
        <code>
          <b>$</b> npm install && npm start{'\n'}
          <i># the API, with one scoped key for each script</i>
          {'\n'}
          <b>$</b> curl -H "Authorization: Bearer $KEY" \{'\n'}
          {'    '}--json '{'{ "name": "Before the update" }'}' \{'\n'}
          {'    '}$HOLDFAST/api/v1/servers/$SERVER/backups
        </code>
      </pre>
    </figure>
    <ul class="facts">
      <li>
        <h3>One contract</h3>
        <p>
          Validation, <a href="/docs">API reference</a>, <a href="/openapi.json">OpenAPI</a> and the
          typed SDK come from the same description.
        </p>
      </li>
      <li>
        <h3>Observable</h3>
        <p>Prometheus metrics, health checks, structured logs, a request id in every answer.</p>
      </li>
      <li>
        <h3>Sealed</h3>
        <p>
          Tokens and secrets are encrypted under a key per account. The audit log is a hash chain.
        </p>
      </li>
      <li>
        <h3>Restartable</h3>
        <p>Backups, restores and pulls continue where they were when a process is killed.</p>
      </li>
    </ul>
  </section>
);
